"""Reads a folder that ``datasets`` saved, and has ``datasets`` save it anew here: in one folder, and as Parquet."""

import sys

from datasets import load_from_disk

saved = load_from_disk(sys.argv[1])
saved.save_to_disk("saved", num_shards={"train": 2, "test": 1})
for split, rows in saved.items():
    rows.to_parquet(f"parquet/{split}.parquet")

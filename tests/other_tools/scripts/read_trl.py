"""Loads a file of preference data as TRL's trainers do, says what they find in it, and unpairs pairs as TRL does."""

import json
import sys
from collections import Counter

from datasets import load_dataset
from trl.data_utils import is_conversational, maybe_unpair_preference_dataset

path, kind = sys.argv[1:]
rows = load_dataset("json", data_files=path, split="train")
columns = sorted(rows.column_names)
assert {"prompt", "chosen", "rejected"} <= {*columns} if kind == "preference" else "label" in columns
unpaired = maybe_unpair_preference_dataset(rows)
labels = Counter(str(bool(label)).lower() for label in unpaired["label"])
told = {"rows": len(rows), "columns": columns, "conversational": is_conversational(rows[0]), "labels": labels}
print(json.dumps(told))

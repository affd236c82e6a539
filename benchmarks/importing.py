"""Importing tables of judgments of growing length: seconds, rows a second, and peak memory.

``python -m benchmarks.importing`` writes a CSV of judgments (five an item) for each size and imports it as the command
does, each in a process of its own, on a new SQLite database. Peak memory is the operating system's account of that
process; what it has before the import (Django and what it loads) is measured as an import of ten rows.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.saving import migrated

SIZES = (10, 20_000, 100_000)
JUDGMENTS_PER_ITEM = 5
LABELS = ("complete", "missing_minor", "missing_major", "missing_all")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, help="import so many in this very process (DATA_DIR must be set)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--items-only", action="store_true", help="rows without judgments, which are planned as HITs")
    options = parser.parse_args()
    if options.rows:
        return measure(options.rows, items_only=options.items_only)
    kind = "items" if options.items_only else f"judgments, {JUDGMENTS_PER_ITEM} an item"
    print(f"Importing a table of {kind}")
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {
                "DATA_DIR": folder,
                "DJANGO_SETTINGS_MODULE": "annotation_platform.settings",
                "PLATFORM_MODE": "embedded",
            }
            command = [sys.executable, "-m", "benchmarks.importing", "--rows", str(size)]
            command += ["--items-only"] if options.items_only else []
            subprocess.run(command, env=environment, check=True)
    return 0


def measure(rows: int, *, items_only: bool) -> int:
    migrated(dict(os.environ))  # in a process of its own: its peak, which is higher, would hide that of the import
    import django

    django.setup()
    from django.core.management import call_command

    from annotation_platform.annotations.models import Annotation
    from annotation_platform.studies.models import Item

    path = Path(os.environ["DATA_DIR"]) / "rows.csv"
    write_table(path, rows, items_only=items_only)
    started = time.perf_counter()
    with open(os.devnull, "w") as quiet:
        call_command("import_study", "table", str(path), name="Rows", scheme="ebr", stdout=quiet, stderr=quiet)
    seconds = time.perf_counter() - started
    assert (Item if items_only else Annotation).objects.count() == rows
    peak = peak_memory()
    size = path.stat().st_size / 1e6
    print(
        f"  {rows:>9,} rows ({size:7,.1f} MB): {seconds:8.1f} s, {rows / seconds:7,.0f} rows/s, {peak:5.0f} MB at most"
    )
    return 0


def peak_memory() -> float:
    """The most memory, in MB, that this program had. The usual account begins with what its parent had."""
    status = Path("/proc/self/status")
    if status.is_file() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write_table(path: Path, rows: int, *, items_only: bool) -> None:
    """A table of invented judgments: every item has the same article length, questions and answers of its own."""
    draw = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        judged = () if items_only else ("annotator", "correct", "completeness", "sentences", "reasons")
        out.writerow(("article_id", "article", "question_id", "question", "system", "answer", *judged))
        for row in range(rows):
            item = row if items_only else row // JUDGMENTS_PER_ITEM
            article = item // 20
            sentences = [f"Sentence {n} of article {article} tells of matter {n}." for n in range(1, 9)]
            said = (
                f"Worker {row % JUDGMENTS_PER_ITEM}",
                "yes",
                draw.choice(LABELS),
                f"{draw.randint(1, 8)}",
                f"It leaves out what sentence {draw.randint(1, 8)} says of matter {draw.randint(1, 999)}.",
            )
            out.writerow(
                (
                    *(f"a{article}", str(sentences).replace("'", '"'), f"q{item}", f"What of matter {item}?"),
                    *("alder", f"Matter {item} is told in sentence {item % 8 + 1}."),
                    *(() if items_only else said),
                )
            )


if __name__ == "__main__":
    sys.exit(main())

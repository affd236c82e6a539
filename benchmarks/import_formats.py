"""Whole imports of ten megabytes in each kind of file: seconds of the processor to read, check and store, and memory.

``python -m benchmarks.import_formats`` writes a study as YAML, JSON, CSV, JSON Lines and a workbook, and imports each
in a process of its own on a new SQLite database. Peak memory is the operating system's account of that process; what
it has before (Django and what it loads) is told beside it. Wanted: at most 5 s to read, and 200 MB.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from annotation_platform.accounts.actors import Actor

WORDS = ("the town", "lies", "by a river", "and has", "two bridges", "of stone", "built in", "another century")
SYSTEMS, PEOPLE = ("alder", "birch", "cedar"), ("Wren", "Lark")
VALUES = {"correct": "yes", "completeness": "missing_minor", "sentences": [1, 3]}
SIZE = 10_000_000
KINDS = {"yaml": "native", "json": "native", "csv": "table", "jsonl": "table", "xlsx": "table"}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--write", type=Path, help="only write a study as this file")
    parser.add_argument("--read", type=Path, help="only import this file (DATA_DIR must be set)")
    options = parser.parse_args()
    if options.write:
        return write(options.write)
    if options.read:
        return measure(options.read)
    for kind in options.kinds:
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"DATA_DIR": folder, "PLATFORM_MODE": "embedded"}
            for what in ("--write", "--read"):
                command = [sys.executable, "-m", "benchmarks.import_formats", what, str(Path(folder) / f"study.{kind}")]
                subprocess.run(command, env=environment, check=True)
    return 0


def measure(path: Path) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from annotation_platform.core.schemes import preset
    from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
    from annotation_platform.imports.storing import import_study

    call_command("migrate", verbosity=0)
    format = FORMATS[KINDS[path.suffix[1:]]]
    chosen = Options(definition=preset("ebr"))
    before = peak()
    begun = time.process_time()
    with read_study(format, open_files(format, [path]), chosen) as imported:
        read = time.process_time()
        summary = import_study(imported=imported, name="Towns", actor=Actor.operator("benchmark"))
    stored = time.process_time()
    print(
        f"{path.suffix[1:]:<6}{path.stat().st_size / 1e6:5.1f} MB, {summary.judgments:,} judgments: "
        f"read and checked in {read - begun:.1f} s, stored in {stored - read:.1f} s of processor; "
        f"peak {peak():.0f} MB ({before:.0f} before)",
        flush=True,
    )
    return 0


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


# --- Writing, an article at a time ----------------------------------------------------------------------------


def write(path: Path) -> int:
    if path.suffix in (".yaml", ".json"):
        _write_native(path)
    elif path.suffix == ".xlsx":
        _write_workbook(path)
    else:
        _write_rows(path)
    return 0


def _articles() -> Iterator[dict[str, Any]]:
    draw = random.Random(1)

    def text(words: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(words))

    number = 0
    while True:
        questions = [{"id": f"q{q}", "text": text(6), "answers": {s: text(20) for s in SYSTEMS}} for q in range(4)]
        yield {"id": f"a{number}", "sentences": [text(10) for _ in range(12)], "questions": questions}
        number += 1


def _judgments(article: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for question in article["questions"]:
        for system, who in ((s, w) for s in SYSTEMS for w in PEOPLE):
            about = {"annotator": who, "article": article["id"], "question": question["id"], "system": system}
            yield about | {"values": VALUES | {"reasons": question["answers"][system][:90]}}


def _write_native(path: Path) -> None:
    """YAML takes a third of the file for each article's judgments, JSON about as much."""
    articles: list[dict[str, Any]] = []
    size, spell = 0, _as_yaml if path.suffix == ".yaml" else _as_json
    for article in _articles():
        articles.append(article)
        size += len(spell(article)) + sum(len(spell(judgment)) for judgment in _judgments(article))
        if size >= SIZE:
            break
    judgments = [judgment for article in articles for judgment in _judgments(article)]
    study = {
        "format": "annotation-platform/1",
        "corpus": {"name": "Towns", "articles": articles},
        "judgments": judgments,
    }
    path.write_text(spell(study))


def _as_yaml(value: Any) -> str:
    dumped: str = yaml.dump(value, Dumper=_Plain, sort_keys=False)
    return dumped


class _Plain(yaml.CSafeDumper):
    """Without anchors for what is there twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=1)


def _rows() -> Iterator[dict[str, Any]]:
    for article in _articles():
        text = " ".join(f"{sentence.capitalize()}." for sentence in article["sentences"])
        for question in article["questions"]:
            for system, answer in question["answers"].items():
                for who in PEOPLE:
                    yield {
                        "article_id": article["id"],
                        "article": text,
                        "question_id": question["id"],
                        "question": question["text"],
                        "system": system,
                        "answer": answer,
                        "annotator": who,
                        **(VALUES | {"sentences": "1, 3", "reasons": answer[:90]}),
                    }
                    text = ""  # an article is told once


def _write_rows(path: Path) -> None:
    with path.open("w", newline="") as file:
        for number, row in enumerate(_rows()):
            if path.suffix == ".jsonl":
                file.write(json.dumps(row) + "\n")
            else:
                writer = csv.DictWriter(file, row)
                if number == 0:
                    writer.writeheader()
                writer.writerow(row)
            if file.tell() >= SIZE:
                return


def _write_workbook(path: Path) -> None:
    """The rows of the CSV file; packed they are a tenth of it."""
    from openpyxl import Workbook

    table = path.with_suffix(".csv")
    _write_rows(table)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Judgments")
    with table.open(newline="") as file:
        for cells in csv.reader(file):
            sheet.append(cells)
    book.save(path)


if __name__ == "__main__":
    raise SystemExit(main())

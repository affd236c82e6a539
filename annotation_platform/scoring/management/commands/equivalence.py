"""``manage.py equivalence FILE``: judge a file of candidate answers row by row, without a study or a network."""

import csv
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Self, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.management.output import output_file
from annotation_platform.core.methods.equivalence.classifier import AnswerPair, Verdict, judge

READ_COLUMNS = ("question", "references", "candidate")
ERROR_COLUMN = "error"
WRITTEN_COLUMNS = (*Verdict._fields, ERROR_COLUMN)

BLOCK = 1000
MOST_ERRORS_SHOWN = 20
DIGITS = 4
REPORT_EVERY = 5.0  # seconds


class FileError(ValueError):
    """A file that cannot be judged at all."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was read, with the pair that it holds or what is wrong with it."""

    number: int
    cells: dict[str, Any]
    pair: AnswerPair | None = None
    error: str = ""

    @classmethod
    def read(cls, number: int, cells: dict[str, Any], separator: str | None) -> Self:
        try:
            return cls(number, cells, pair=_pair(cells, separator))
        except ValueError as error:
            return cls(number, cells, error=str(error))


class Command(BaseCommand):
    help = (
        "Judge whether candidate answers are as right as their references. FILE is CSV or JSON Lines (.jsonl) with "
        "question, references and candidate; the result is the same file with the verdicts beside each row."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a table with a row for each candidate answer")
        parser.add_argument("--output", metavar="PATH", help="where to write the result (default: the terminal)")
        parser.add_argument(
            "--separator", metavar="TEXT", help="what parts several references in one text, such as / (default: none)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source = options["file"]
        output = None if options["output"] is None else output_file(options["output"])
        if source.suffix not in FORMATS:
            raise CommandError(
                f"{source.name}: the name must end in {' or '.join(FORMATS)}, which says how to read it."
            )
        if output and output.suffix in FORMATS and output.suffix != source.suffix:
            raise CommandError(f"The result has the format of {source.name}; name it *{source.suffix}.")
        read, write = FORMATS[source.suffix]
        self.rows = self.equivalent = self.errors = 0
        started = time.perf_counter()
        try:
            with source.open(encoding="utf-8-sig", newline="") as file, _result(output, self.stdout) as out:
                columns, rows = read(file, options["separator"])
                write(out, columns, self._judged(rows))
        except UnicodeDecodeError:
            raise CommandError(f"{source.name} is not UTF-8 text. Save it as UTF-8 and try again.") from None
        except OSError as error:
            raise CommandError(f"{error.filename or source.name} cannot be used: {error.strerror}.") from None
        except (FileError, csv.Error) as error:
            raise CommandError(f"{source.name}: {error}") from None
        seconds = time.perf_counter() - started
        self.stderr.write(
            f"{self.rows:,} rows: {self.equivalent:,} equivalent, {self.rows - self.equivalent - self.errors:,} not, "
            f"{self.errors:,} with an error. {seconds:.1f} s, {self.rows / seconds:,.0f} rows/s."
        )
        if self.errors:
            raise CommandError(
                f"{self.errors:,} of {self.rows:,} rows could not be judged; the column “{ERROR_COLUMN}” says why."
            )

    def _judged(self, rows: Iterator[Row]) -> Iterator[dict[str, Any]]:
        """Each row with its verdict or its error, a block at a time."""
        reported = time.perf_counter()
        while block := list(islice(rows, BLOCK)):
            verdicts = iter(judge([row.pair for row in block if row.pair]))
            for row in block:
                if row.pair:
                    verdict = next(verdicts)
                    self.equivalent += verdict.equivalent
                    yield row.cells | _shown(verdict)
                else:
                    self._show(row)
                    yield row.cells | {ERROR_COLUMN: row.error}
            self.rows += len(block)
            if time.perf_counter() - reported > REPORT_EVERY:
                reported = time.perf_counter()
                self.stderr.write(f"{self.rows:,} rows …")

    def _show(self, row: Row) -> None:
        """Say what is wrong, but not so often that it fills the screen: the result has it all."""
        self.errors += 1
        if self.errors <= MOST_ERRORS_SHOWN:
            self.stderr.write(f"row {row.number:,}: {row.error}")
        elif self.errors == MOST_ERRORS_SHOWN + 1:
            self.stderr.write("Further errors are only in the result.")


def _read_csv(file: TextIO, separator: str | None) -> tuple[list[str], Iterator[Row]]:
    reader = csv.DictReader(file, restkey="", restval=None, strict=True)
    columns = list(reader.fieldnames or [])
    if missing := [name for name in READ_COLUMNS if name not in columns]:
        raise FileError(f"the first line names no column {', '.join(missing)}; needed are {', '.join(READ_COLUMNS)}.")
    if doubled := {name for name in columns if columns.count(name) > 1}:
        raise FileError(f"the header has {', '.join(sorted(doubled))} twice.")
    if taken := [name for name in columns if name in WRITTEN_COLUMNS]:
        raise FileError(f"it has {', '.join(taken)} already, where the verdict would be written. Rename it.")

    def rows() -> Iterator[Row]:
        for number, cells in enumerate(reader, start=1):
            if cells.pop("", None) is not None:
                yield Row(number, cells, error="The row has more cells than the header.")
            elif None in cells.values():
                yield Row(number, cells, error="The row has fewer cells than the header.")
            else:
                yield Row.read(number, cells, separator)

    return columns, rows()


def _write_csv(out: TextIO, columns: list[str], rows: Iterable[dict[str, Any]]) -> None:
    writer = csv.DictWriter(out, [*columns, *WRITTEN_COLUMNS])
    writer.writeheader()
    for row in rows:
        writer.writerow({name: str(cell).lower() if isinstance(cell, bool) else cell for name, cell in row.items()})


def _read_jsonl(file: TextIO, separator: str | None) -> tuple[list[str], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                cells = json.loads(line)
            except ValueError as error:
                yield Row(number, {}, error=f"The line is not JSON: {error}.")
                continue
            if not isinstance(cells, dict):
                yield Row(number, {}, error="The line is not a JSON object.")
            elif taken := [name for name in cells if name in WRITTEN_COLUMNS]:
                kept = {name: cell for name, cell in cells.items() if name not in taken}
                yield Row(number, kept, error=f"It has {', '.join(taken)} already, where the verdict would be written.")
            else:
                yield Row.read(number, cells, separator)

    return [], rows()


def _write_jsonl(out: TextIO, columns: list[str], rows: Iterable[dict[str, Any]]) -> None:
    for row in rows:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")


Reader = Callable[[TextIO, str | None], tuple[list[str], Iterator[Row]]]
Writer = Callable[[TextIO, list[str], Iterable[dict[str, Any]]], None]
FORMATS: dict[str, tuple[Reader, Writer]] = {
    ".csv": (_read_csv, _write_csv),
    ".jsonl": (_read_jsonl, _write_jsonl),
}


def _pair(cells: dict[str, Any], separator: str | None) -> AnswerPair:
    """The pair in a row. A blank candidate is a candidate; a blank question or reference is a mistake."""
    question, candidate = _text(cells, "question"), _text(cells, "candidate")
    if not question.strip():
        raise ValueError("question is blank.")
    return AnswerPair(question, _references(cells.get("references"), separator), candidate)


def _references(value: Any, separator: str | None) -> tuple[str, ...]:
    """Several as a JSON list, also within a CSV cell, or as one text that the separator parts."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            listed = json.loads(value)
        except ValueError:
            listed = None  # a text in square brackets
        value = listed if _is_texts(listed) else value
    if isinstance(value, str):
        parts = value.split(separator) if separator else [value]
        return tuple(part.strip() for part in parts if part.strip())
    if not _is_texts(value):
        raise ValueError("references is neither a text nor a list of texts.")
    return tuple(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _text(cells: dict[str, Any], name: str) -> str:
    value = cells.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name} is {'missing' if value is None else 'not a text'}.")
    return value


def _shown(verdict: Verdict) -> dict[str, Any]:
    """The verdict as cells, numbers rounded."""
    return {name: round(cell, DIGITS) if isinstance(cell, float) else cell for name, cell in verdict._asdict().items()}


@contextmanager
def _result(output: Path | None, terminal: Any) -> Iterator[Any]:
    """Where the result goes. A file appears when it is whole, and not before."""
    if output is None:
        yield terminal
        return
    unfinished = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as out:
            yield out
        unfinished.replace(output)
    finally:
        unfinished.unlink(missing_ok=True)

"""Files of rows (CSV, TSV, JSON Lines, a JSON list), read row by row in bounded memory."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from annotation_platform.core.locations import Location, key_path
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, unstorable

LONGEST_CELL = 1_000_000  # characters; a field that never ends is an unclosed quote
MOST_COLUMNS = 1_000  # of one row; somebody has to say what each of them is
LONGEST_LINE = 64_000_000  # of JSON
BLOCK = 1 << 16
COLUMNS_FROM = 1_000  # rows; objects need not all have the same keys
DELIMITERS = (",", ";", "\t")
_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_constant=lambda name: _refuse_constant(name))


class Row(NamedTuple):
    """One row: the line that it begins on, and its values by column."""

    line: int
    values: dict[str, Any]


@dataclass(frozen=True)
class RowFile:
    """A file of rows. ``name`` is what messages call it."""

    path: Path
    name: str

    def __post_init__(self) -> None:
        check_encoding(self.path, self.name)

    def where(self, location: Location) -> str:
        """File, line and column of a location, as ``table.csv, line 12: answer``."""
        line, *inner = location or (0,)
        at = f"{self.name}, line {line:,}" if isinstance(line, int) and line else self.name
        return f"{at}: {key_path(tuple(inner))}" if inner else at

    def rows(self, mistakes: Mistakes) -> Iterator[Row]:
        """The rows in order; one that cannot be read becomes a mistake, and reading goes on where it can."""
        for row in self._read(mistakes):
            try:
                reason = unstorable(row.values)
            except RecursionError:
                reason = "is nested too deeply"
            if reason:
                mistakes.add(f"{self.where((row.line,))}: {reason}")
            else:
                yield row

    @property
    def sheets(self) -> Sequence[str]:
        """The names of what it has several of, to choose one from; nothing but workbooks has sheets."""
        return ()

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        return {"csv": self._csv, "lines": self._json_lines, "list": self._json_list}[self.kind](mistakes)

    @cached_property
    def kind(self) -> str:
        """What it is by its beginning: ``list``, ``lines`` or ``csv``."""
        with self._open() as file:
            beginning = file.read(BLOCK).lstrip()
        if self.path.suffix.lower() in (".csv", ".tsv") or self.name.lower().endswith((".csv", ".tsv")):
            return "csv"
        return "list" if beginning.startswith("[") else "lines" if beginning.startswith("{") else "csv"

    def _open(self) -> io.TextIOWrapper:
        return self.path.open(encoding="utf-8-sig", newline="")

    # --- CSV ---------------------------------------------------------------------------------------------

    def _csv(self, mistakes: Mistakes) -> Iterator[Row]:
        csv.field_size_limit(LONGEST_CELL)
        with self._open() as file:
            first = file.readline(LONGEST_CELL)
            delimiter = max(DELIMITERS, key=first.count)
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            line = 1
            try:
                header = named(next(reader, []))
                if reason := wrong_header(header):
                    mistakes.add(f"{self.name}, line 1: {reason}")
                    return
                line = reader.line_num + 1
                for cells in reader:
                    if len(cells) == len(header):
                        yield Row(line, dict(zip(header, cells, strict=True)))
                    elif cells:
                        quote = (
                            "; put text that has a comma or a line end in quotes" if len(cells) > len(header) else ""
                        )
                        mistakes.add(
                            f"{self.where((line,))}: has {len(cells)} cells; the first line names {len(header)} "
                            f"columns{quote}"
                        )
                    line = reader.line_num + 1
            except csv.Error as error:
                mistakes.add(f"{self.where((line,))}: {_why_not_csv(error)}")

    # --- JSON --------------------------------------------------------------------------------------------

    def _json_lines(self, mistakes: Mistakes) -> Iterator[Row]:
        with self._open() as file:
            number = 0
            while text := file.readline(LONGEST_LINE):
                number += 1
                if len(text) == LONGEST_LINE:
                    mistakes.add(f"{self.where((number,))}: has more than {LONGEST_LINE:,} characters")
                    return
                if text.strip():
                    yield from self._row(text, number, mistakes)

    def _row(self, text: str, line: int, mistakes: Mistakes) -> Iterator[Row]:
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            mistakes.add(f"{self.where((line,))}: is not JSON ({error.msg}); each line must be one whole object")
        except (ValueError, RecursionError) as error:
            mistakes.add(f"{self.where((line,))}: cannot be read as JSON ({error})")
        else:
            yield from self._object(value, line, mistakes)

    def _object(self, value: Any, line: int, mistakes: Mistakes) -> Iterator[Row]:
        if isinstance(value, dict) and len(value) > MOST_COLUMNS:
            mistakes.add(f"{self.where((line,))}: has {len(value):,} keys; at most {MOST_COLUMNS:,} can be read")
        elif isinstance(value, dict):
            yield Row(line, value)
        else:
            mistakes.add(f"{self.where((line,))}: must be an object with columns as keys")

    def _json_list(self, mistakes: Mistakes) -> Iterator[Row]:
        with self._open() as file:
            window = _Window(file)
            try:
                is_empty = window.skips("[") and window.skips("]")
                while not is_empty:
                    window.skip_blanks()
                    line = window.line
                    yield from self._object(window.value(), line, mistakes)
                    if window.skips("]"):
                        break
                    if not window.skips(","):
                        raise ValueError("a comma or the list's end is missing")
                if not window.is_over:
                    raise ValueError("the list has ended, but the file goes on")
            except (ValueError, RecursionError) as error:
                reason = getattr(error, "msg", str(error))
                mistakes.add(f"{self.where((window.line,))}: is not JSON ({reason}); what follows was not read")


class _Window:
    """A JSON text of which only the part being read is in memory."""

    def __init__(self, file: io.TextIOWrapper) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self.line = 1

    @property
    def is_over(self) -> bool:
        self.skip_blanks()
        return self._at == len(self._text)

    def skip_blanks(self) -> None:
        while True:
            self._pass(_BLANKS.match(self._text, self._at).end())  # type: ignore[union-attr]  # it matches nothing, too
            if self._at < len(self._text) or not self._read():
                return

    def skips(self, mark: str) -> bool:
        """Pass the mark when it comes next; whether it did."""
        self.skip_blanks()
        found = self._text.startswith(mark, self._at)
        self._at += found
        return found

    def value(self) -> Any:
        """The next value; a ValueError where there is none."""
        more = BLOCK
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end < len(self._text) or not self._read():  # a number at the end may go on
                    self._pass(end)
                    return value
            except json.JSONDecodeError:
                if len(self._text) - self._at > LONGEST_LINE or not self._read(more):
                    raise
                more *= 2  # so that a long value is not begun again too often

    def _read(self, count: int = BLOCK) -> bool:
        block = self._file.read(count)
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block)

    def _pass(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end


def named(header: list[str]) -> list[str]:
    """Column names without space around them; a column without a name is called by its place."""
    return [name.strip() or f"column {number}" for number, name in enumerate(header, start=1)]


def wrong_header(header: Sequence[str]) -> str:
    """What is wrong with the names of columns; "" for nothing."""
    if len(header) > MOST_COLUMNS:
        return f"names {len(header):,} columns; at most {MOST_COLUMNS:,} can be read"
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    return f"the column {twice[0]!r} is there twice; rename one" if twice else ""


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def first_rows(file: RowFile, count: int) -> list[Row]:
    """The first rows of a file, for a preview and for its columns.

    Raises
    ------
    ImportFileError
        When there is none.
    """
    mistakes = Mistakes()
    rows: list[Row] = []
    for row in file.rows(mistakes):
        rows.append(row)
        if len(rows) == count:
            break
    if not rows:
        mistakes.refuse()
        raise ImportFileError([f"{file.name}: has no rows"])
    return rows


def _why_not_csv(error: csv.Error) -> str:
    said = str(error)
    if "field limit" in said:
        return f"has a cell of more than {LONGEST_CELL:,} characters; is a quote not closed?"
    if "unexpected end" in said:
        return "opens a quote that nothing closes"
    if "expected after" in said:
        return "goes on after a closing quote; is a quote not closed, or one inside the text not doubled?"
    return f"is not CSV ({said})"

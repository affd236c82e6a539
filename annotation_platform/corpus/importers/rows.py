"""Files of rows (CSV, TSV, JSON Lines, a JSON list), read row by row in bounded memory."""

import csv
import io
import itertools
import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.mistakes import (
    ImportFileError,
    Mistakes,
    RowError,
    in_json_words,
    place,
    reason_of,
    unstorable,
    wrong_at,
)

LONGEST_CELL = 1_000_000  # characters; a field that never ends is an unclosed quote
MOST_COLUMNS = 1_000  # of one row; somebody has to say what each of them is
LONGEST_LINE = 64_000_000  # of JSON
BLOCK = 1 << 16
COLUMNS_FROM = 1_000  # rows; objects need not all have the same keys
DELIMITERS = (",", ";", "\t")
_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_constant=lambda name: _refuse_constant(name))


class Row(NamedTuple):
    """One row: the line that it begins on, of a JSON list its number there, and its values by column.

    Programs write a whole list into one line, which would tell nobody which entry is meant.
    """

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
        """File, line and column of a location, as ``table.csv, line 12: answer``; of a JSON list ``entry 12``."""
        number, *inner = location or (0,)
        number = number if isinstance(number, int) else 0
        if number and self.kind == "list":
            return place(self.name, *inner, entry=number)
        return place(self.name, *inner, line=number)

    @property
    def is_for_spreadsheets(self) -> bool:
        """Whether a spreadsheet program has written it, or was meant to open it: it has a byte order mark."""
        with self.path.open("rb") as file:
            return file.read(len(BOM_UTF8)) == BOM_UTF8

    def rows(self, mistakes: Mistakes) -> Iterator[Row]:
        """The rows in order; one that cannot be read becomes a mistake, and reading goes on where it can."""
        for row in self._read(mistakes):
            try:
                reason = unstorable(row.values)
            except RecursionError:
                reason = Reason("corpus.nested_too_deeply")
            if reason:
                mistakes.add(wrong_at(self.where((row.line,)), reason))
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
                    mistakes.add(wrong_at(self.where((1,)), reason))
                    return
                line = reader.line_num + 1
                for cells in reader:
                    if len(cells) == len(header):
                        yield Row(line, dict(zip(header, cells, strict=True)))
                    elif cells:
                        quote = Reason("corpus.put_in_quotes") if len(cells) > len(header) else ""
                        mistakes.add(
                            wrong_at(
                                self.where((line,)),
                                "corpus.cells_differ",
                                cells=len(cells),
                                columns=len(header),
                                quote=quote,
                            )
                        )
                    line = reader.line_num + 1
            except csv.Error as error:
                mistakes.add(wrong_at(self.where((line,)), _why_not_csv(error)))

    # --- JSON --------------------------------------------------------------------------------------------

    def _json_lines(self, mistakes: Mistakes) -> Iterator[Row]:
        with self._open() as file:
            number = 0
            while text := file.readline(LONGEST_LINE):
                number += 1
                if len(text) == LONGEST_LINE:
                    mistakes.add(wrong_at(self.where((number,)), "corpus.line_too_long", most=LONGEST_LINE))
                    return
                if text.strip():
                    yield from self._row(text, number, mistakes)

    def _row(self, text: str, line: int, mistakes: Mistakes) -> Iterator[Row]:
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            mistakes.add(wrong_at(self.where((line,)), "corpus.line_no_json", why=in_json_words(error)))
        except (ValueError, RecursionError) as error:
            mistakes.add(wrong_at(self.where((line,)), "corpus.json_unread", why=reason_of(error)))
        else:
            yield from self._object(value, line, mistakes)

    def _object(self, value: Any, number: int, mistakes: Mistakes) -> Iterator[Row]:
        if isinstance(value, dict) and len(value) > MOST_COLUMNS:
            mistakes.add(wrong_at(self.where((number,)), "corpus.too_many_keys", count=len(value), most=MOST_COLUMNS))
        elif isinstance(value, dict):
            yield Row(number, value)
        else:
            mistakes.add(wrong_at(self.where((number,)), "corpus.row_no_object"))

    def _json_list(self, mistakes: Mistakes) -> Iterator[Row]:
        with self._open() as file:
            window = _Window(file)
            try:
                is_empty = window.skips("[") and window.skips("]")
                numbers = itertools.count(1)
                while not is_empty:
                    window.skip_blanks()
                    yield from self._object(window.value(), next(numbers), mistakes)
                    if window.skips("]"):
                        break
                    if not window.skips(","):
                        raise RowError("corpus.list_broken")
                if not window.is_over:
                    raise RowError("corpus.list_over")
            except (ValueError, RecursionError) as error:
                why = in_json_words(error)
                mistakes.add(wrong_at(place(self.name, line=window.line), "corpus.rest_no_json", why=why))


@dataclass(frozen=True)
class BinaryRowFile(RowFile):
    """A file of rows that is no text, so that its rows are counted, not its lines."""

    def where(self, location: Location) -> str:
        """File, row and column of a location, as ``table.parquet, row 12: answer``."""
        row, *inner = location or (0,)
        return place(self.name, *inner, row=row if isinstance(row, int) else 0)

    @property
    def is_for_spreadsheets(self) -> bool:
        return False


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


def wrong_header(header: Sequence[str]) -> Reason | None:
    """What is wrong with the names of columns, if anything."""
    if len(header) > MOST_COLUMNS:
        return Reason("corpus.too_many_columns", count=len(header), most=MOST_COLUMNS)
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    return Reason("corpus.column_twice", column=twice[0]) if twice else None


def _refuse_constant(name: str) -> Any:
    raise RowError("corpus.no_number_in_json", name=name)


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
        if len(file.sheets) > 1:  # the rows are perhaps on another one
            raise ImportFileError([wrong_at(file.name, "corpus.sheet_without_rows", sheets=[*file.sheets])])
        raise ImportFileError([wrong_at(file.name, "corpus.without_rows")])
    return rows


def _why_not_csv(error: csv.Error) -> Reason:
    said = str(error)
    if "field limit" in said:
        return Reason("corpus.cell_too_long", most=LONGEST_CELL)
    if "unexpected end" in said:
        return Reason("corpus.quote_not_closed")
    if "expected after" in said:
        return Reason("corpus.goes_on_after_quote")
    return Reason("corpus.no_csv", why=said)

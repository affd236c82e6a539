"""The rows of a workbook's sheet, read from its XML in a stream and without an object for each cell.

openpyxl finds the parts of a workbook and knows its styles; its own reader of cells took six times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import IO, Any
from xml.parsers import expat

from annotation_platform.corpus.importers.mistakes import RowError

BLOCK = 1 << 16
MOST_COLUMNS = 16_384  # as the format has it: XFD is the last one
MOST_NAMES = 100  # of marks that are remembered
TAGS = ("row", "c", "v", "f", "t", "si", "rPh")
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class CellError(str):
    """What a cell holds in place of a value, as ``#DIV/0!``."""


@dataclass(frozen=True)
class Book:
    """What the cells of a workbook's sheets refer to."""

    strings: Sequence[str]
    epoch: datetime
    dates: frozenset[int]
    """The styles that show a number as a date or a time."""
    spans: frozenset[int]
    """Those of them that show it as a length of time."""


class SheetReader:
    """Reads a sheet once: iterate over it for the number of each row and its values, from the first column on.

    ``formulas`` counts those that were read so far, ``computed`` those of them that have a value.
    """

    def __init__(self, file: IO[bytes], book: Book) -> None:
        self.formulas = self.computed = 0
        self._file = file
        self._book = book
        self._rows: list[tuple[int, list[Any]]] = []  # read, and not given yet
        self._number = 0
        self._values: list[Any] = []
        self._columns: dict[str, int] = {}
        self._text: list[str] = []
        self._tags = _Tags()
        self._inline: list[str] = []
        self._pronounced = 0
        self._begin_cell({})

    def __iter__(self) -> Iterator[tuple[int, list[Any]]]:
        for _ in _parsed(self._file, self._start, self._end, self._text):
            yield from self._rows
            self._rows.clear()

    def _start(self, name: str, given: dict[str, str]) -> None:
        tag = self._tags[name]
        if tag == "c":
            self._begin_cell(given)
        elif tag == "row":
            self._number = int(float(given["r"])) if "r" in given else self._number + 1
            self._values = []
        elif tag == "f":
            self._has_formula = True
        elif tag == "rPh":
            self._pronounced = len(self._inline)
        self._text.clear()

    def _begin_cell(self, given: dict[str, str]) -> None:
        self._kind = given.get("t", "n")
        self._style = given.get("s", "")
        self._at = given.get("r", "")
        self._has_formula = False
        self._written = ""
        self._inline.clear()

    def _end(self, name: str) -> None:
        tag = self._tags[name]
        if tag == "v":
            self._written = _taken(self._text)
        elif tag == "t":
            self._inline.append(_taken(self._text))
        elif tag == "c":
            self._end_cell()
        elif tag == "row":
            self._rows.append((self._number, self._values))
        elif tag == "rPh":  # which says how a text is pronounced, and is no part of it
            del self._inline[self._pronounced :]

    def _end_cell(self) -> None:
        if self._at and (column := self._column(self._at)) != len(self._values) + 1:
            del self._values[column - 1 :]
            self._values += [None] * (column - 1 - len(self._values))
        elif len(self._values) == MOST_COLUMNS:
            raise RowError("corpus.row_too_wide", row=self._number, most=MOST_COLUMNS)
        value = "".join(self._inline) if self._kind == "inlineStr" else self._value(self._written)
        self._values.append(None if value == "" else value)
        if self._has_formula:
            self.formulas += 1
            self.computed += self._values[-1] is not None

    def _value(self, written: str) -> Any:
        kind = self._kind
        if not written:
            return None
        if kind == "s":
            return self._book.strings[int(written)]
        if kind in ("n", "b"):
            if (number := _finite(written)) is None:
                return CellError("#NUM!")  # which is what spreadsheet programs show
            if kind == "b":
                return bool(number)
            return self._moment(number) if self._style and int(self._style) in self._book.dates else number
        if kind == "e":
            return CellError(written)
        if kind == "d":
            from openpyxl.utils.datetime import from_ISO8601

            return from_ISO8601(written)
        return written

    def _moment(self, number: float) -> Any:
        from openpyxl.utils.datetime import from_excel

        try:
            return from_excel(number, self._book.epoch, timedelta=int(self._style) in self._book.spans)
        except (OverflowError, ValueError):
            return CellError("#VALUE!")  # which is what spreadsheet programs show

    def _column(self, cell: str) -> int:
        """The column of a cell such as AB12, from 1."""
        letters = cell.rstrip("0123456789")
        found = self._columns.get(letters)
        if found is None:
            found = 0
            for letter in letters[:4]:
                found = found * 26 + ord(letter) - ord("A") + 1
            if not re.fullmatch("[A-Z]{1,3}", letters) or found > MOST_COLUMNS:
                raise RowError("corpus.no_cell", cell=cell[:40])
            self._columns[letters] = found
        return found


def _finite(written: str) -> float | None:
    """The number in a cell; None for none, or for more than can be meant."""
    try:
        number = float(written) if "." in written or "e" in written.lower() else int(written)
        return number if isfinite(number) else None
    except (OverflowError, ValueError):
        return None


def shared_strings(file: IO[bytes]) -> list[str]:
    """The texts that cells refer to by their numbers."""
    strings: list[str] = []
    parts: list[str] = []
    text: list[str] = []
    tags, pronounced = _Tags(), 0

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal pronounced
        tag = tags[name]
        if tag == "si":
            parts.clear()
        elif tag == "rPh":
            pronounced = len(parts)
        text.clear()

    def end(name: str) -> None:
        tag = tags[name]
        if tag == "t":
            parts.append(_taken(text))
        elif tag == "si":
            strings.append("".join(parts))
        elif tag == "rPh":
            del parts[pronounced:]

    for _ in _parsed(file, start, end, text):
        pass
    return strings


class _Tags(dict[str, str]):
    """The name of a mark without the prefix of its namespace; "" for one that does not matter."""

    def __init__(self) -> None:
        super().__init__((tag, tag) for tag in TAGS)

    def __missing__(self, name: str) -> str:
        _, _, last = name.rpartition(":")
        tag = last if last in TAGS else ""
        if len(self) < MOST_NAMES:
            self[name] = tag
        return tag


def _taken(text: list[str]) -> str:
    """The text since the last mark."""
    whole = text[0] if len(text) == 1 else "".join(text)
    return ESCAPED.sub(_unescaped, whole) if "_x" in whole else whole


def _unescaped(found: re.Match[str]) -> str:
    """A character that XML could not hold; of a carriage return before a line feed nothing is kept."""
    code = int(found[1], 16)
    return "" if code == ord("\r") else chr(code)


def _parsed(file: IO[bytes], start: Any, end: Any, text: list[str]) -> Iterator[None]:
    """Parse a file block by block.

    No entity can unfold: a document type, which declares them, is refused.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    parser.StartDoctypeDeclHandler = _refuse_document_type
    while block := file.read(BLOCK):
        parser.Parse(block)
        yield
    parser.Parse(b"", True)
    yield


def _refuse_document_type(*_: Any) -> None:
    raise RowError("corpus.document_type")

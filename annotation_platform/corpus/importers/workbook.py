"""Workbooks of spreadsheet programs (.xlsx): the rows of one sheet, read in a stream, as texts that a CSV could hold.

A date is written as ISO 8601 has it, a number so that it reads back as the same one, a formula as what it came to.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import (
    ImportFileError,
    Mistakes,
    RowError,
    place,
    reason_of,
    wrong_at,
)
from annotation_platform.corpus.importers.packed import is_archive
from annotation_platform.corpus.importers.rows import Row, RowFile, named, wrong_header
from annotation_platform.corpus.importers.sheet import Book, CellError, SheetReader, shared_strings
from annotation_platform.corpus.importers.spelling import plain_text

SUFFIXES = (".xlsx", ".xlsm")
MOST_PACKED = 20_000_000  # bytes
MOST_UNPACKED = 100_000_000  # bytes; a few kilobytes can be packed so that they unpack to gigabytes
MOST_PARTS = 1_000  # files in the archive
MOST_ROWS = 200_000
MOST_READ_WHOLE = 5_000_000  # bytes of a part that openpyxl makes a tree of
READ_WHOLE = ("[Content_Types].xml", ".rels", "workbook.xml", "styles.xml")
BLOCK = 1 << 20
FORMULA = b"<f"
AS_CSV = "corpus.save_sheet_as_csv"
SAVE_AGAIN = "corpus.save_again"


def is_workbook(path: Path) -> bool:
    """Whether a file has the beginning of a workbook and the parts of one."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04" and b"xl/" in file.read(BLOCK)
    except OSError:
        return False  # which is told by whoever reads it


def size_of_workbook(path: Path) -> int:
    """The bytes of a file that have to be read, of a workbook or another archive those that it unpacks to."""
    size = path.stat().st_size if path.exists() else 0  # that it is gone is told by whoever reads it
    try:
        return max(size, unpacked_size(path)) if size <= MOST_PACKED and is_archive(path) else size
    except (BadZipFile, OSError, ValueError):
        return size


def unpacked_size(path: Path) -> int:
    """The bytes that an archive says it unpacks to; reading it never gives more."""
    with ZipFile(path) as archive:
        return sum(part.file_size for part in archive.infolist())


@dataclass(frozen=True)
class Workbook(RowFile):
    """A workbook, of which the sheet of this name is read; without a name the first one."""

    sheet: str = ""

    def __post_init__(self) -> None:
        if (size := self.path.stat().st_size) > MOST_PACKED:
            self._refuse(
                Reason("corpus.workbook_too_large", size=size / 1e6, most=MOST_PACKED / 1e6, advice=Reason(AS_CSV))
            )
        try:
            with ZipFile(self.path) as archive:
                parts = len(archive.infolist())
            unpacked = unpacked_size(self.path)
        except (BadZipFile, OSError, ValueError) as error:
            self._refuse(Reason("corpus.workbook_unread", why=error, advice=Reason(SAVE_AGAIN)))
        if unpacked > MOST_UNPACKED or parts > MOST_PARTS:
            self._refuse(
                Reason(
                    "corpus.workbook_unpacks_too_large",
                    size=unpacked / 1e6,
                    parts=parts,
                    most=MOST_UNPACKED / 1e6,
                    most_parts=MOST_PARTS,
                    advice=Reason(AS_CSV),
                )
            )
        if self.sheet and self.sheet not in self.sheets:
            self._refuse(Reason("corpus.no_sheet", sheet=self.sheet, sheets=[*self.sheets]))

    @property
    def is_for_spreadsheets(self) -> bool:
        return True

    def where(self, location: Location) -> str:
        """File, sheet, row and column of a location, as ``table.xlsx, sheet “Answers”, row 12: answer``."""
        row, *inner = location or (0,)
        if not isinstance(row, int) or not row:
            return place(self.name, *inner)
        return place(self.name, *inner, row=row, sheet=self.sheet)

    @cached_property
    def sheets(self) -> Sequence[str]:
        try:
            with _opened(self.path) as book:
                names = [*book.sheets]
        except Exception as error:  # whatever a strange file makes of the library
            self._refuse(Reason("corpus.workbook_unread", why=reason_of(error), advice=Reason(SAVE_AGAIN)))
        if not names:
            self._refuse(Reason("corpus.no_cells", advice=Reason(SAVE_AGAIN)))
        return names

    def _refuse(self, reason: Reason) -> Any:
        raise ImportFileError([wrong_at(self.name, reason)])

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        try:
            with _opened(self.path) as book:
                part = book.sheets[self.sheet] if self.sheet else next(iter(book.sheets.values()))
                if book.is_uncomputed(part):
                    mistakes.add(wrong_at(self.name, "corpus.formulas_without_values", advice=Reason(SAVE_AGAIN)))
                    return
                with book.archive.open(part) as file:
                    yield from self._table(SheetReader(file, book.cells), mistakes)
        except Exception as error:  # whatever a strange file makes of the library
            mistakes.add(wrong_at(self.name, "corpus.workbook_broken", why=reason_of(error), advice=Reason(SAVE_AGAIN)))

    def _table(self, sheet: SheetReader, mistakes: Mistakes) -> Iterator[Row]:
        header: list[str] = []
        for number, values in sheet:
            if number > MOST_ROWS:
                mistakes.add(
                    wrong_at(self.where((number,)), "corpus.sheet_too_long", most=MOST_ROWS, advice=Reason(AS_CSV))
                )
                return
            while values and values[-1] is None:
                values.pop()
            if not values:
                continue
            if not header:
                header = named([_text(value) for value in values])
                if reason := wrong_header(header):
                    mistakes.add(wrong_at(self.where((number,)), reason))
                    return
            elif reason := _wrong(values, header):
                mistakes.add(wrong_at(self.where((number,)), reason))
            else:
                texts = chain(map(_text, values), [""] * (len(header) - len(values)))
                yield Row(number, dict(zip(header, texts, strict=True)))


class _Opened:
    """A workbook that is open: its sheets' names with the parts that hold them, in order."""

    def __init__(self, file: BinaryIO) -> None:
        from openpyxl.reader.excel import ExcelReader  # here, since few processes ever read a workbook
        from openpyxl.styles.stylesheet import apply_stylesheet

        reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
        self.archive: ZipFile = reader.archive
        if too_large := [part for part in self.archive.infolist() if _is_read_whole(part)]:
            raise RowError("corpus.workbook_part_too_large", part=too_large[0].filename, most=MOST_READ_WHOLE / 1e6)
        reader.read_manifest()
        reader.read_workbook()
        apply_stylesheet(self.archive, reader.wb)
        self._reader = reader
        self.sheets: dict[str, str] = {
            sheet.name: relation.target
            for sheet, relation in reader.parser.find_sheets()
            if relation.target in reader.valid_files and "chartsheet" not in relation.Type
        }

    @cached_property
    def cells(self) -> Book:
        """What the cells of the sheets refer to."""
        from openpyxl.xml.constants import SHARED_STRINGS

        strings: Sequence[str] = ()
        if (part := self._reader.package.find(SHARED_STRINGS)) is not None:
            with self.archive.open(part.PartName[1:]) as file:
                strings = shared_strings(file)
        book = self._reader.wb
        return Book(strings, book.epoch, frozenset(book._date_formats), frozenset(book._timedelta_formats))

    def is_uncomputed(self, part: str) -> bool:
        """Whether a sheet has formulas, and not one value of a formula was saved: programs write such files."""
        if not self._has_formulas(part):
            return False
        with self.archive.open(part) as file:
            sheet = SheetReader(file, self.cells)
            for number, _ in sheet:
                if sheet.computed or number > MOST_ROWS:
                    break
            return bool(sheet.formulas and not sheet.computed)

    def _has_formulas(self, part: str) -> bool:
        with self.archive.open(part) as file:
            before = b""
            while block := file.read(BLOCK):
                if any(FORMULA + end in before + block for end in (b">", b" ", b"/")):
                    return True
                before = block[-len(FORMULA) :]
        return False


def _is_read_whole(part: ZipInfo) -> bool:
    """Whether openpyxl reads a part into one tree, and it is so large that the tree would be huge."""
    return part.file_size > MOST_READ_WHOLE and part.filename.endswith(READ_WHOLE)


@contextmanager
def _opened(path: Path) -> Iterator[_Opened]:
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="openpyxl")  # about styles and checks that nobody asks for here
        book = _Opened(file)
        with book.archive:
            yield book


def _wrong(values: Sequence[Any], header: Sequence[str]) -> Reason | None:
    """What is wrong with a row, if anything."""
    if len(values) > len(header):
        return Reason("corpus.row_too_long", cells=len(values), columns=len(header))
    for name, value in zip(header, values, strict=False):
        if isinstance(value, CellError):
            return Reason("corpus.cell_holds_error", name=name, error=value)
    return None


def _text(value: Any) -> str:
    """A cell as a text that reads back as the same value."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _text(value.total_seconds())
    return plain_text(value)

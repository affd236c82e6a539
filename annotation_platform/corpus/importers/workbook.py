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
from typing import TYPE_CHECKING, Any, BinaryIO
from zipfile import BadZipFile, ZipFile

from annotation_platform.core.locations import Location, key_path
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, wrong_at
from annotation_platform.corpus.importers.rows import Row, RowFile, named, wrong_header

if TYPE_CHECKING:
    from openpyxl import Workbook as OpenWorkbook

SUFFIXES = (".xlsx", ".xlsm")
MOST_PACKED = 20_000_000  # bytes
MOST_UNPACKED = 100_000_000  # bytes; a few kilobytes can be packed so that they unpack to gigabytes
MOST_PARTS = 1_000  # files in the archive
MOST_ROWS = 200_000
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


def size_to_read(path: Path) -> int:
    """The bytes of a file that have to be read, of a workbook those that it unpacks to."""
    size = path.stat().st_size if path.exists() else 0  # that it is gone is told by whoever reads it
    try:
        return max(size, unpacked_size(path)) if size <= MOST_PACKED and is_workbook(path) else size
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

    def where(self, location: Location) -> str:
        """File, sheet, row and column of a location, as ``table.xlsx, sheet “Answers”, row 12: answer``."""
        row, *inner = location or (0,)
        sheet = f", sheet “{self.sheet}”" if self.sheet else ""
        at = f"{self.name}{sheet}, row {row:,}" if isinstance(row, int) and row else self.name
        return f"{at}: {key_path(tuple(inner))}" if inner else at

    @cached_property
    def sheets(self) -> Sequence[str]:
        try:
            with _opened(self.path) as book:
                names = [sheet.title for sheet in book.worksheets]
        except Exception as error:  # whatever a strange file makes of the library
            self._refuse(Reason("corpus.workbook_unread", why=_said(error), advice=Reason(SAVE_AGAIN)))
        if not names:
            self._refuse(Reason("corpus.no_cells", advice=Reason(SAVE_AGAIN)))
        return names

    def _refuse(self, reason: Reason) -> Any:
        raise ImportFileError([wrong_at(self.name, reason)])

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        header: list[str] = []
        try:
            if self._is_uncomputed():
                mistakes.add(wrong_at(self.name, "corpus.formulas_without_values", advice=Reason(SAVE_AGAIN)))
                return
            for number, cells in self._filled_rows():
                if number > MOST_ROWS:
                    mistakes.add(
                        wrong_at(self.where((number,)), "corpus.sheet_too_long", most=MOST_ROWS, advice=Reason(AS_CSV))
                    )
                    return
                if not header:
                    header = named([_text(cell.value) for cell in cells])
                    if reason := wrong_header(header):
                        mistakes.add(wrong_at(self.where((number,)), reason))
                        return
                elif reason := _wrong(cells, header):
                    mistakes.add(wrong_at(self.where((number,)), reason))
                else:
                    texts = chain((_text(cell.value) for cell in cells), [""] * (len(header) - len(cells)))
                    yield Row(number, dict(zip(header, texts, strict=True)))
        except Exception as error:  # whatever a strange file makes of the library
            mistakes.add(wrong_at(self.name, "corpus.workbook_broken", why=_said(error), advice=Reason(SAVE_AGAIN)))

    def _filled_rows(self, *, formulas: bool = False) -> Iterator[tuple[int, Sequence[Any]]]:
        """Each row that has something in it, up to its last filled cell, with its number in the sheet."""
        with _opened(self.path, formulas=formulas) as book:
            sheet: Any = next(each for each in book.worksheets if self.sheet in ("", each.title))
            sheet.reset_dimensions()  # they are what the file claims, and may be less than there is
            for number, cells in enumerate(sheet.iter_rows(), start=1):
                filled = next((n for n in range(len(cells), 0, -1) if cells[n - 1].value is not None), 0)
                if filled or number > MOST_ROWS:
                    yield number, cells[:filled]

    def _is_uncomputed(self) -> bool:
        """Whether there are formulas, and not one value of a formula was saved: programs write such files."""
        if not self._has_formulas():
            return False
        found = False
        computed = iter(self._filled_rows())
        at, cells = next(computed, (0, ()))
        for number, written in self._filled_rows(formulas=True):
            if number > MOST_ROWS:
                break
            while at and at < number:
                at, cells = next(computed, (0, ()))
            for place, cell in enumerate(written):
                if cell.data_type == "f":
                    found = True
                    if at == number and place < len(cells) and cells[place].value is not None:
                        return False
        return found

    def _has_formulas(self) -> bool:
        with ZipFile(self.path) as archive:
            for part in archive.namelist():
                if part.startswith("xl/worksheets/"):
                    with archive.open(part) as file:
                        before = b""
                        while block := file.read(BLOCK):
                            if any(FORMULA + end in before + block for end in (b">", b" ", b"/")):
                                return True
                            before = block[-len(FORMULA) :]
        return False


@contextmanager
def _opened(path: Path, *, formulas: bool = False) -> Iterator[OpenWorkbook]:
    from openpyxl import load_workbook  # here, since few processes ever read a workbook

    warnings.filterwarnings("ignore", module="openpyxl")  # about styles and checks that nobody asks for here
    file: BinaryIO
    with path.open("rb") as file:
        book = load_workbook(file, read_only=True, data_only=not formulas, keep_links=False)
        try:
            yield book
        finally:
            book.close()


def _wrong(cells: Sequence[Any], header: Sequence[str]) -> Reason | None:
    """What is wrong with a row, if anything."""
    if len(cells) > len(header):
        return Reason("corpus.row_too_long", cells=len(cells), columns=len(header))
    for name, cell in zip(header, cells, strict=False):
        if cell.data_type == "e":
            return Reason("corpus.cell_holds_error", name=name, error=cell.value)
    return None


def _text(value: Any) -> str:
    """A cell as a text that reads back as the same value."""
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
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value).replace("_x000D_", "")  # how a carriage return before a line feed is written


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__

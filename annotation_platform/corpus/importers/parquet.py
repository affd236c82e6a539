"""Parquet files, such as exports: their rows as JSON would have them, some at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, place, reason_of, wrong_at
from annotation_platform.corpus.importers.rows import MOST_COLUMNS, Row, RowFile

SUFFIX = ".parquet"
MAGIC = b"PAR1"
ROWS_AT_ONCE = 500
MOST_UNPACKED = 2_000_000_000  # bytes of all columns, as the file's end says
MOST_IN_GROUP = 200_000_000  # bytes of one row group, which is read as a whole


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet files do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # which is told by whoever reads it


@dataclass(frozen=True)
class ParquetFile(RowFile):
    """A Parquet file of rows."""

    def __post_init__(self) -> None:
        import pyarrow.parquet as pq  # a tenth of a second and 60 MB, which only Parquet needs

        try:
            about = pq.read_metadata(self.path)
            sizes = [about.row_group(number).total_byte_size for number in range(about.num_row_groups)]
        except Exception as error:  # whatever a strange file makes of the library
            raise ImportFileError([wrong_at(self.name, "corpus.parquet_unread", why=reason_of(error))]) from None
        if sum(sizes) > MOST_UNPACKED or max(sizes, default=0) > MOST_IN_GROUP:
            raise ImportFileError([wrong_at(self.name, "corpus.parquet_too_large", size=sum(sizes) / 1e6)])
        if about.num_columns > MOST_COLUMNS:
            reason = Reason("corpus.too_many_columns", count=about.num_columns, most=MOST_COLUMNS)
            raise ImportFileError([wrong_at(self.name, reason)])

    def where(self, location: Location) -> str:
        """File, row and column of a location, as ``table.parquet, row 12: answer``."""
        row, *inner = location or (0,)
        return place(self.name, *inner, row=row if isinstance(row, int) else 0)

    @property
    def is_for_spreadsheets(self) -> bool:
        return False

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        import pyarrow.parquet as pq

        number = 0
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    for values in batch.to_pylist():
                        number += 1
                        yield Row(number, {name: _plain(value) for name, value in values.items()})
        except Exception as error:  # whatever a strange file makes of the library
            mistakes.add(wrong_at(self.where((number,)), "corpus.parquet_unread", why=reason_of(error)))


def unpacked_bytes(path: Path) -> int:
    """The bytes that a Parquet file says its columns have; 0 where it cannot be read."""
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(path)
        return sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    except Exception:  # which is told by whoever reads it
        return 0


def _plain(value: Any) -> Any:
    """A value as JSON would have it."""
    return value.isoformat() if isinstance(value, date | time) else value

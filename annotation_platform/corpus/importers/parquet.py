"""Parquet files, such as exports: their rows as JSON would have them, some at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any, NamedTuple, Self

from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, reason_of, wrong_at
from annotation_platform.corpus.importers.rows import MOST_COLUMNS, BinaryRowFile, Row

SUFFIX = ".parquet"
MAGIC = b"PAR1"
ROWS_AT_ONCE = 500
MOST_ROWS = 2_000_000  # a few kilobytes can be packed so that they unpack to as many as one likes
MOST_UNPACKED = 2_000_000_000  # bytes of all columns, as the file's end says
MOST_IN_GROUP = 200_000_000  # bytes of one row group, which is read as a whole
PARQUET_SAYS = {
    "magic bytes not found in footer": "corpus.parquet_end_missing",
    "file size is": "corpus.parquet_end_missing",
    "is smaller than the minimum file footer": "corpus.parquet_end_missing",
    "deserialize thrift": "corpus.parquet_damaged",
    "decompress": "corpus.parquet_damaged",
    "Unexpected end of stream": "corpus.parquet_damaged",
    "Corrupt": "corpus.parquet_damaged",
}


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet files do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # which is told by whoever reads it


@dataclass(frozen=True)
class ParquetFile(BinaryRowFile):
    """A Parquet file of rows. What its end says of its size is looked at before anything else is read.

    Raises
    ------
    ImportFileError
        When it is none, is broken, or would unpack to too much.
    """

    def __post_init__(self) -> None:
        try:
            about = _Footer.of(self.path)
        except Exception as error:  # whatever a strange file makes of the library
            raise ImportFileError([wrong_at(self.name, "corpus.parquet_unread", why=_why(error))]) from None
        if reason := about.too_large:
            raise ImportFileError([wrong_at(self.name, reason)])

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        import pyarrow.parquet as pq

        number = 0
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    for values in plain_rows(batch):
                        number += 1
                        yield Row(number, values)
        except Exception as error:  # whatever a strange file makes of the library
            mistakes.add(wrong_at(self.where((number,)), "corpus.parquet_unread", why=_why(error)))


class _Footer(NamedTuple):
    """What the end of a file says of its size: the bytes are those of each row group, unpacked."""

    rows: int
    columns: int
    groups: tuple[int, ...]

    @classmethod
    def of(cls, path: Path) -> Self:
        import pyarrow.parquet as pq  # a tenth of a second and 60 MB, which only Parquet needs

        about = pq.read_metadata(path)
        groups = tuple(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
        return cls(about.num_rows, about.num_columns, groups)

    @property
    def too_large(self) -> Reason | None:
        if self.rows > MOST_ROWS:
            return Reason("corpus.parquet_too_long", count=self.rows, most=MOST_ROWS)
        if sum(self.groups) > MOST_UNPACKED or max(self.groups, default=0) > MOST_IN_GROUP:
            return Reason("corpus.parquet_too_large", size=sum(self.groups) / 1e6)
        if self.columns > MOST_COLUMNS:
            return Reason("corpus.too_many_columns", count=self.columns, most=MOST_COLUMNS)
        return None


def unpacked_bytes(path: Path) -> int:
    """The bytes that a Parquet file unpacks to, at least one a value; 0 where it cannot be read."""
    try:
        about = _Footer.of(path)
    except Exception:  # which is told by whoever reads it
        return 0
    return max(sum(about.groups), about.rows * about.columns)


def _why(error: Exception) -> Reason:
    """What is wrong with a file, where the library's words are known; else these words."""
    known = next((code for words, code in PARQUET_SAYS.items() if words in str(error)), "")
    return Reason(known) if known else reason_of(error)


def plain_rows(batch: Any) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow batch, with values as JSON would have them."""
    for values in _widened(batch).to_pylist():
        yield {name: _plain(value) for name, value in values.items()}


def _widened(batch: Any) -> Any:
    """A batch whose columns of 32 bits have the digits they were written with: their 0.1 is 0.10000000149 of 64 bits.

    Numbers within lists stay as they are, and of 16 bits they have as many digits as 32 bits tell.
    """
    import pyarrow as pa

    for n, field in enumerate(batch.schema):
        if pa.types.is_float32(field.type) or pa.types.is_float16(field.type):
            written = batch.column(n).cast(pa.float32()).cast(pa.string())
            batch = batch.set_column(n, field.name, written.cast(pa.float64()))
    return batch


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | time) else value

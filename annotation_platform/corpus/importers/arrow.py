"""Arrow files, as ``datasets`` saves them (``save_to_disk``): streams of record batches, or files with an end."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_platform.corpus.importers.arrow_messages import unpacked_size
from annotation_platform.corpus.importers.mistakes import (
    ImportFileError,
    Mistakes,
    RowError,
    reason_of,
    wrong_at,
)
from annotation_platform.corpus.importers.parquet import MOST_IN_GROUP, MOST_ROWS, ROWS_AT_ONCE, plain_rows
from annotation_platform.corpus.importers.rows import MOST_COLUMNS, BinaryRowFile, Row

SUFFIX = ".arrow"
STREAM, FILE = b"\xff\xff\xff\xff", b"ARROW1"
BEFORE_STREAM = 8  # bytes of a file with an end


def is_arrow(path: Path) -> bool:
    """Whether a file begins as Arrow streams and files do."""
    try:
        with path.open("rb") as file:
            return file.read(len(FILE)).startswith((STREAM, FILE))
    except OSError:
        return False  # which is told by whoever reads it


@dataclass(frozen=True)
class ArrowFile(BinaryRowFile):
    """An Arrow file of rows, read some at a time.

    Raises
    ------
    ImportFileError
        When it is none, is broken, or has too many columns.
    """

    def __post_init__(self) -> None:
        try:
            with self._opened() as file:
                if (count := len(file.schema)) > MOST_COLUMNS:
                    raise RowError("corpus.too_many_columns", count=count, most=MOST_COLUMNS)
        except Exception as error:  # whatever a strange file makes of the library
            raise ImportFileError([wrong_at(self.name, "corpus.arrow_unread", why=reason_of(error))]) from None

    def _mapped(self) -> Any:
        """The stream, which is also within a file with an end: that end may name other places, which nobody checks."""
        import pyarrow as pa

        mapped = pa.memory_map(str(self.path))
        mapped.seek(BEFORE_STREAM if mapped.read(len(FILE)) == FILE else 0)
        return mapped

    def _opened(self) -> Any:
        import pyarrow as pa

        return pa.ipc.open_stream(self._mapped())

    def _check_unpacked(self) -> None:
        """Refuse what would unpack to too much, before any of it is unpacked."""
        import pyarrow as pa

        with self._mapped() as mapped:
            for message in pa.ipc.MessageReader.open_stream(mapped):
                if unpacked_size(message) > MOST_IN_GROUP:
                    raise RowError("corpus.arrow_too_large", most=MOST_ROWS, size=MOST_IN_GROUP / 1e6)

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        number, too_large = 0, RowError("corpus.arrow_too_large", most=MOST_ROWS, size=MOST_IN_GROUP / 1e6)
        try:
            self._check_unpacked()
            with self._opened() as stream:
                for batch in stream:
                    if number + batch.num_rows > MOST_ROWS:
                        raise too_large
                    batch.validate(full=True)  # what lies outside of its buffers would end the process that reads it
                    if batch.nbytes > MOST_IN_GROUP:
                        raise too_large
                    for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                        for values in plain_rows(batch.slice(start, ROWS_AT_ONCE)):
                            number += 1
                            yield Row(number, values)
        except Exception as error:  # whatever a strange file makes of the library
            mistakes.add(wrong_at(self.where((number,)), "corpus.arrow_unread", why=reason_of(error)))

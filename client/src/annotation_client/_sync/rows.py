# Written by client/scripts/make_sync.py from "_async"; change that.
"""A list of rows that is read as it comes: to iterate over, or as a data frame."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from annotation_client import tables
from annotation_client._sync.transport import Transport

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Rows:
    """Nothing is asked for before it is read; each reading asks anew."""

    def __init__(self, transport: Transport, path: str, **params: Any) -> None:
        self._transport, self._path, self._params = transport, path, params

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Row by row, streamed: a million judgments need no more memory than one."""
        return self._transport.lines(self._path, **self._params)

    def to_list(self) -> list[dict[str, Any]]:
        """All rows as they are, a judgment's ``values`` as a mapping within."""
        return [row for row in self]

    def to_pandas(self) -> "pandas.DataFrame":
        """All rows as a data frame of pandas; each aspect is a column."""
        return tables.to_pandas(self.to_list())

    def to_arrow(self) -> "pyarrow.Table":
        """All rows as a table of Arrow; columns that mix types are JSON."""
        return tables.to_arrow(self.to_list())

    def to_polars(self) -> "polars.DataFrame":
        """All rows as a data frame of polars; columns that mix types are JSON."""
        return tables.to_polars(self.to_list())

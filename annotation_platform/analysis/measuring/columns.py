"""Numbers out of the database as arrays: whole columns at once, for rows by the million."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Expression, F, FloatField, Func, QuerySet
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes, Floats

T = TypeVar("T")
ROWS_AT_ONCE = 10_000
BYTES_AT_ONCE = 8 * 20_000


class SecondsSinceEpoch(Func):
    """A moment as a number of seconds, for putting moments in order."""

    output_field = FloatField()
    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # SQLite has moments as texts whose parts of a second begin with the twentieth letter.
        template = "(strftime('%%%%s', %(expressions)s) + CAST('0' || substr(%(expressions)s, 20) AS REAL))"
        return self.as_sql(compiler, connection, template=template, **context)


def read_numbers(rows: QuerySet[Any], *columns: str | Expression) -> list[Floats]:
    """These columns of the rows, an array each, None as NaN. Keys are exact up to 2⁵³."""
    return _read(rows, columns, "d")


def read_whole_numbers(rows: QuerySet[Any], *columns: str | Expression) -> list[Codes]:
    """The same of columns with a whole number in every row."""
    return _read(rows, columns, "q")


def _read(rows: QuerySet[Any], columns: Sequence[str | Expression], code: str) -> list[NDArray[Any]]:
    named = {f"column_{place}": F(each) if isinstance(each, str) else each for place, each in enumerate(columns)}
    asked = rows.annotate(**named).values_list(*named)
    if connections[asked.db].vendor == "postgresql":
        return _packed(asked, len(columns), code)
    return _block_by_block(asked, len(columns), code)


def _block_by_block(asked: QuerySet[Any], n_columns: int, code: str) -> list[NDArray[Any]]:
    """So that the rows' tuples are never all there; arrays of Python grow where they are."""
    found = [array(code) for _ in range(n_columns)]
    for block in in_blocks(asked.iterator(ROWS_AT_ONCE)):
        for column, numbers in zip(found, np.array(block, dtype=code).T, strict=True):
            column.frombytes(numbers.tobytes())
    return [np.asarray(column) for column in found]


def _packed(asked: QuerySet[Any], n_columns: int, code: str) -> list[NDArray[Any]]:
    """PostgreSQL puts the numbers of each column one after the other by itself, in the order of the query: a row for
    each would take it as long to send, and several times as long to read. Parts of the columns are sent one after the
    other, since the library keeps as much room as the largest answer took."""
    connection = connections[asked.db]
    try:
        sql, parameters = asked.query.get_compiler(connection=connection).as_sql()
    except EmptyResultSet:
        return [np.empty(0, dtype=code) for _ in range(n_columns)]
    sent = "float8send(coalesce(column_{0}::float8, 'NaN'))" if code == "d" else "int8send(column_{0}::int8)"
    packed = ", ".join(f"string_agg({sent.format(place)}, '') AS packed_{place}" for place in range(n_columns))
    parts = ", ".join(f"substring(packed_{place} FROM start + 1 FOR {BYTES_AT_ONCE})" for place in range(n_columns))
    found = [bytearray() for _ in range(n_columns)]
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            f"SELECT n, {parts} FROM (SELECT count(*)::int AS n, {packed} FROM ({sql}) AS asked) AS packed,"
            f" generate_series(0, 8 * n - 1, {BYTES_AT_ONCE}) AS start",
            parameters,
        )
        n = 0
        while (row := cursor.fetchone()) is not None:  # one part of each column
            n, *blocks = row
            for column, block in zip(found, blocks, strict=True):
                column += block or b""
    if any(len(column) != 8 * n for column in found):
        raise TypeError("A row has no number where each has to have one.")
    native = np.dtype(code)
    columns = []
    while found:  # none stays once it is read
        columns.append(np.frombuffer(found.pop(0), native.newbyteorder(">")).astype(native))
    return columns


def sort_rows(columns: Iterable[NDArray[Any]], *, by: Sequence[NDArray[Any]]) -> None:
    """Put the rows of these columns in the order of some columns, the first of which counts most, in place."""
    order = np.lexsort(by[::-1])
    order = order.astype(np.min_scalar_type(len(order)))
    for column in columns:
        column[:] = column[order]


def in_blocks(rows: Iterator[T]) -> Iterator[list[T]]:
    """The same, so many at a time, which become columns of arrays far faster than one by one."""
    while block := list(islice(rows, ROWS_AT_ONCE)):
        yield block

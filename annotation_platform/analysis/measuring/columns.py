"""Numbers out of the database as arrays: whole columns at once, for rows by the million."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Expression, F, FloatField, Func, QuerySet

from annotation_platform.core.arrays import Floats

T = TypeVar("T")
ROWS_AT_ONCE = 10_000


class SecondsSinceEpoch(Func):
    """A moment as a number of seconds, for putting moments in order."""

    output_field = FloatField()
    template = "EXTRACT(EPOCH FROM %(expressions)s)"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # SQLite has moments as texts whose parts of a second begin with the twentieth letter.
        template = "(strftime('%%%%s', %(expressions)s) + CAST('0' || substr(%(expressions)s, 20) AS REAL))"
        return self.as_sql(compiler, connection, template=template, **context)


def read_numbers(rows: QuerySet[Any], *columns: str | Expression) -> Floats:
    """These columns of the rows, shape (columns, rows), None as NaN. Keys are exact up to 2⁵³."""
    named = {f"column_{place}": F(each) if isinstance(each, str) else each for place, each in enumerate(columns)}
    asked = rows.annotate(**named).values_list(*named)
    if connections[rows.db].vendor == "postgresql":
        return _from_postgresql(asked, len(columns))
    blocks = [np.array(block, dtype=np.float64).T for block in in_blocks(asked.iterator(ROWS_AT_ONCE))]
    return np.concatenate([np.empty((len(columns), 0)), *blocks], axis=1)


def in_blocks(rows: Iterator[T]) -> Iterator[list[T]]:
    """The same, so many at a time, which become columns of arrays far faster than one by one."""
    while block := list(islice(rows, ROWS_AT_ONCE)):
        yield block


def _from_postgresql(rows: QuerySet[Any], n: int) -> Floats:
    """Each column comes as one array in binary, where every element has its length, 4 bytes, before its 8."""
    from psycopg import ClientCursor, Cursor
    from psycopg.adapt import Loader
    from psycopg.postgres import types
    from psycopg.pq import Format

    class Column(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> Floats:
            return np.frombuffer(data, dtype=_ELEMENT, offset=_HEADER)["value"].astype(np.float64)

    names = [f"column_{place}" for place in range(n)]
    selected = ", ".join(f"array_agg(COALESCE({name}::float8, 'NaN'))" for name in names)
    try:
        sql, parameters = rows.query.sql_with_params()
    except EmptyResultSet:
        return np.empty((n, 0))
    connections[rows.db].ensure_connection()
    connection = connections[rows.db].connection
    bound = ClientCursor(connection).mogrify(sql, parameters)  # as Django binds them
    with Cursor(connection) as cursor:
        cursor.adapters.register_loader(types["float8"].array_oid, Column)
        cursor.execute(f"SELECT {selected} FROM ({bound}) AS rows ({', '.join(names)})", binary=True)
        (found,) = cursor
    return np.empty((n, 0)) if found[0] is None else np.stack(found)


_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f8")])
_HEADER = 20  # bytes: dimensions, whether there are nulls, the elements' type, and the one dimension's size and start

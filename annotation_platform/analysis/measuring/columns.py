"""Numbers out of the database as arrays: whole columns at once, for rows by the million."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, TypeVar

import numpy as np
from django.db.models import Expression, F, FloatField, Func, QuerySet
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.server.copied import can_copy, copied_numbers

T = TypeVar("T")
_Code = Literal["q", "d"]
ROWS_AT_ONCE = 10_000


class SecondsSinceEpoch(Func):
    """A moment as a number of seconds, for putting moments in order."""

    output_field = FloatField()
    template = "EXTRACT(EPOCH FROM %(expressions)s)::float8"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # SQLite has moments as texts whose parts of a second begin with the twentieth letter; it would round them up.
        seconds = "strftime('%%%%s', substr(%(expressions)s, 1, 19))"
        template = f"({seconds} + CAST('0' || substr(%(expressions)s, 20) AS REAL))"
        return self.as_sql(compiler, connection, template=template, **context)


def read_numbers(rows: QuerySet[Any], *columns: str | Expression) -> list[Floats]:
    """These columns of the rows, an array each, in no certain order; None as NaN. Keys are exact up to 2⁵³."""
    return _read(rows, columns, "d")


def read_whole_numbers(rows: QuerySet[Any], *columns: str | Expression) -> list[Codes]:
    """The same of columns with a whole number in every row."""
    return _read(rows, columns, "q")


def _read(rows: QuerySet[Any], columns: Sequence[str | Expression], code: _Code) -> list[NDArray[Any]]:
    """Block by block, so that the rows' tuples are never all there; arrays of Python grow where they are."""
    named = {f"column_{place}": F(each) if isinstance(each, str) else each for place, each in enumerate(columns)}
    asked = rows.annotate(**named).values_list(*named)
    found = [array(code) for _ in columns]
    blocks = _copied(asked, tuple(named), code) if can_copy() else _iterated(asked, code)
    for block in blocks:
        for column, numbers in zip(found, block.T, strict=True):
            column.frombytes(numbers.astype(code).tobytes())
    return [np.asarray(column) for column in found]


def _iterated(rows: QuerySet[Any, Any], code: _Code) -> Iterator[NDArray[Any]]:
    for block in in_blocks(rows.iterator(ROWS_AT_ONCE)):
        yield np.array(block, dtype=code)


def _copied(rows: QuerySet[Any, Any], names: Sequence[str], code: _Code) -> Iterator[NDArray[Any]]:
    for numbers in copied_numbers(rows, names, "int8" if code == "q" else "float8"):
        yield np.frombuffer(numbers, dtype=f">{code}").reshape(-1, len(names))


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

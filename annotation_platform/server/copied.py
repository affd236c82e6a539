"""Very many rows as PostgreSQL finds them: it sends the first ones while it looks for the others.

From a cursor of Django's nothing comes before the server has found and put aside all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

_BEFORE_THE_FIRST_ROW = 19  # bytes, of the binary format
_COUNT, _LENGTH, _NUMBER = 2, 4, 8  # bytes: of how many columns a row has, before the bytes of each, and of a number
_ROWS_AT_ONCE = 10_000
_END = b"\xff\xff"


def can_copy() -> bool:
    return connection.vendor == "postgresql"


def copied(rows: QuerySet[Any, Any], columns: Sequence[str]) -> Iterator[bytes]:
    """Each row of a ``values_list`` in the binary form of COPY. The connection answers nothing else until the end.

    Parameters
    ----------
    columns
        What is read, as SQL with the names of the ``values_list`` in it; each of a type whose binary form is known.
    """
    return _copied(rows, f"SELECT {', '.join(columns)}")


def copied_numbers(rows: QuerySet[Any, Any], names: Sequence[str], kind: Literal["int8", "float8"]) -> Iterator[bytes]:
    """The numbers of a ``values_list``, row by row and eight bytes each, the highest first; many rows at a time, in no
    certain order. None is NaN, and a ``TypeError`` where numbers are whole.

    The server packs the rows, which takes it less time than to send each by itself.
    """
    number = {"int8": 'int8send(CAST("{}" AS int8))', "float8": "float8send(COALESCE(CAST(\"{}\" AS float8), 'NaN'))"}
    sent = " || ".join(number[kind].format(name) for name in names)
    # What is put in order is sorted, in bounded memory, and goes out block by block.
    packed = f"SELECT COUNT(*), STRING_AGG({sent}, '' ORDER BY place) FROM (SELECT ROW_NUMBER() OVER () AS place, *"
    for row in _copied(rows, packed, then=f") numbered GROUP BY (place - 1) / {_ROWS_AT_ONCE}"):
        n_rows, numbers = int.from_bytes(row[_COUNT + _LENGTH :][:_NUMBER]), row[_COUNT + 2 * _LENGTH + _NUMBER :]
        if len(numbers) != n_rows * len(names) * _NUMBER:
            raise TypeError("A number is missing.")
        yield numbers


def _copied(rows: QuerySet[Any, Any], select: str, *, then: str = "") -> Iterator[bytes]:
    """Each row of what is selected from a ``values_list``; ``then`` is what stands behind it."""
    try:
        sql, parameters = rows.query.sql_with_params()
    except EmptyResultSet:
        return
    statement = f"COPY ({select} FROM ({sql}) found{then}) TO STDOUT (FORMAT binary)"
    with connection.cursor() as cursor, cursor.cursor.copy(statement, parameters) as copy:  # Django's takes none
        start = _BEFORE_THE_FIRST_ROW
        for message in copy:
            row = bytes(message[start:])
            start = 0
            if row != _END:
                yield row


def copied_texts(rows: QuerySet[Any, Any], column: str) -> Iterator[str]:
    """A column of a ``values_list``, which is a text in every row."""
    for row in copied(rows, [f'CAST("{column}" AS text)']):
        yield row[_COUNT + _LENGTH :].decode()

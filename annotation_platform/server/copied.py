"""Very many rows as PostgreSQL finds them: it sends the first ones while it looks for the others.

From a cursor of Django's nothing comes before the server has found and put aside all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

_BEFORE_THE_FIRST_ROW = 19  # bytes, of the binary format
_COUNT, _LENGTH = 2, 4  # bytes: of how many columns a row has, and before the bytes of each
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
    try:
        sql, parameters = rows.query.sql_with_params()
    except EmptyResultSet:
        return
    statement = f"COPY (SELECT {', '.join(columns)} FROM ({sql}) found) TO STDOUT (FORMAT binary)"
    with connection.cursor() as cursor, cursor.cursor.copy(statement, parameters) as copy:  # Django's takes none
        start = _BEFORE_THE_FIRST_ROW
        for message in copy:
            row = bytes(message[start:])
            start = 0
            if row != _END:
                yield row


def row_type(kinds: str) -> list[tuple[str, str]]:
    """How numpy reads a row of numbers, which are its ``column_0``, …; ``kinds``: ``q`` or ``d`` of each."""
    parts = [[(f"length_{n}", ">i4"), (f"column_{n}", {"q": ">i8", "d": ">f8"}[kind])] for n, kind in enumerate(kinds)]
    return [("count", ">i2"), *(part for each in parts for part in each)]


def copied_texts(rows: QuerySet[Any, Any], column: str) -> Iterator[str]:
    """A column of a ``values_list``, which is a text in every row."""
    for row in copied(rows, [f'CAST("{column}" AS text)']):
        yield row[_COUNT + _LENGTH :].decode()

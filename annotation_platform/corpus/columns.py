"""Writing very many rows of plain values, column by column: models would be made and taken apart for each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from struct import Struct
from typing import Any, cast

from django.db import connection, models, transaction

ROWS_AT_ONCE = 2_000

_HEAD, _TAIL = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
_FIELDS, _LENGTH = Struct("!h").pack, Struct("!i").pack
_NULL = _LENGTH(-1)
_NUMBERS = {
    "bigint": Struct("!iq"),
    "integer": Struct("!ii"),
    "smallint": Struct("!ih"),
    "double precision": Struct("!id"),
}


def insert_columns(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]], *, may_be_there: bool = False
) -> None:
    """Insert rows with these fields, as they are; JSON as its text. Fields that are not named have the database's own
    defaults.

    Parameters
    ----------
    may_be_there
        Rows that are there already stay, and are no error.

    Raises
    ------
    IntegrityError
        When a row cannot be.
    """
    fields = _fields(model, names)
    columns = ", ".join(map(_column, fields))
    into = f"{connection.ops.quote_name(model._meta.db_table)} ({columns})"
    waiting = list(rows)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            conflict = "ON CONFLICT DO NOTHING" if may_be_there else ""
            for start in range(0, len(waiting), ROWS_AT_ONCE):
                values, given = _selected(fields, waiting[start : start + ROWS_AT_ONCE])
                cursor.execute(f"INSERT INTO {into} {values} {conflict}", given)
        elif waiting:
            places = ", ".join(["%s"] * len(fields))
            ignored = "OR IGNORE" if may_be_there else ""
            cursor.executemany(f"INSERT {ignored} INTO {into} VALUES ({places})", waiting)


def copy_columns(model: type[models.Model], names: Sequence[str], parts: Iterable[Sequence[Any]]) -> None:
    """Insert rows as `insert_columns` does, by PostgreSQL's COPY, which takes half of the time but knows no rows that
    may be there already.

    Parameters
    ----------
    names : sequence of str
        Fields of whole numbers, floating-point numbers, texts and JSON, JSON as its text.
    parts : iterable of sequence
        Of each part of the rows its columns: a list has a value for each row, anything else is said by all of them.
        At least one is a list.

    Raises
    ------
    IntegrityError
        When a row cannot be; none is there then.
    """
    if connection.vendor != "postgresql":
        insert_columns(model, names, (row for columns in parts for row in rows_of(columns)))
        return
    fields = _fields(model, names)
    into = f"{connection.ops.quote_name(model._meta.db_table)} ({', '.join(map(_column, fields))})"
    cell_of = [_cells(field) for field in fields]
    head = _FIELDS(len(fields))
    with (
        transaction.atomic(),
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {into} FROM STDIN (FORMAT binary)") as copy,
    ):
        copy.write(_HEAD)
        for columns in parts:
            count = _count(columns)
            cells = [
                list(map(cell, column)) if isinstance(column, list) else repeat(cell(column), count)
                for cell, column in zip(cell_of, columns, strict=True)
            ]
            copy.write(b"".join(map(b"".join, zip(repeat(head, count), *cells, strict=True))))
        copy.write(_TAIL)


def forget_plans() -> None:
    """Let PostgreSQL think anew how to look up what it checks foreign keys against.

    A session keeps the plan that it made when a table was small, and then reads all of the table for each row that
    refers to it: ten thousand rows take ten times as long, until the database's own housekeeping comes by.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DISCARD PLANS")


def look_up_by_index() -> None:
    """Have foreign keys checked by index at the end of this transaction, however small a table is by now; where all
    is to be taken back, none is checked.
    """
    if connection.vendor == "postgresql" and not connection.needs_rollback:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")


def rows_of(columns: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows that columns of `copy_columns` are."""
    count = _count(columns)
    return zip(*[each if isinstance(each, list) else repeat(each, count) for each in columns], strict=True)


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """The same for a table with keys of its own: gives the key of each row. Call it in a transaction.

    Raises
    ------
    IntegrityError
        When a row cannot be.
    """
    assert connection.in_atomic_block  # or somebody else might take the keys on SQLite
    keys = _reserved(model, len(rows))
    if rows:
        copy_columns(model, ("id", *names), [[keys, *map(list, zip(*rows, strict=True))]])
    return keys


def _selected(fields: "Sequence[models.Field[Any, Any]]", rows: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
    """PostgreSQL's query for these rows, and its parameters: an array for each column, but one value for a column that
    says the same in all of them, since arrays take the time that it takes to write them out."""
    cells: list[str] = []
    arrays: list[str] = []
    names: list[str] = []
    alone: list[Any] = []
    listed: list[list[Any]] = []
    for field, column in zip(fields, map(list, zip(*rows, strict=True)), strict=True):
        kind = field.db_type(connection)
        if _says_the_same(column) and (arrays or field is not fields[-1]):  # one array says how many rows there are
            cells.append(f"%s::{kind}")
            alone.append(column[0])
        else:
            names.append(f"c{len(names)}")
            cells.append(names[-1])
            arrays.append(f"%s::{kind}[]")
            listed.append(column)
    query = f"SELECT {', '.join(cells)} FROM unnest({', '.join(arrays)}) AS given({', '.join(names)})"
    return query, [*alone, *listed]


def _count(columns: Sequence[Any]) -> int:
    """How many rows they have."""
    return next(len(column) for column in columns if isinstance(column, list))


def _cells(field: "models.Field[Any, Any]") -> Callable[[Any], bytes]:
    """What writes a value of this field in PostgreSQL's binary format: its length in bytes, and these."""
    kind = str(field.db_type(connection)).partition("(")[0]
    if number := _NUMBERS.get(kind):
        pack, length = number.pack, number.size - len(_NULL)
        return lambda value: _NULL if value is None else pack(length, value)
    version = {"varchar": b"", "text": b"", "jsonb": b"\1"}[kind]

    def text(value: str | None) -> bytes:
        if value is None:
            return _NULL
        written = version + value.encode()
        return _LENGTH(len(written)) + written

    return text


def _says_the_same(column: Sequence[Any]) -> bool:
    return isinstance(column[0], str | int | None) and column.count(column[0]) == len(column)


def _reserved(model: type[models.Model], count: int) -> list[int]:
    """Keys that nobody else gets: of PostgreSQL's sequence, or those that follow, while SQLite's one writer writes."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count]
            )
            return sorted(key for (key,) in cursor.fetchall())
        quoted = connection.ops.quote_name(table)
        cursor.execute(
            f"SELECT MAX(COALESCE((SELECT MAX(id) FROM {quoted}), 0),"
            " COALESCE((SELECT seq FROM sqlite_sequence WHERE name = %s), 0))",
            [table],
        )
        (last,) = cursor.fetchone()
    return list(range(last + 1, last + 1 + count))


def _fields(model: type[models.Model], names: Sequence[str]) -> "list[models.Field[Any, Any]]":
    return [cast("models.Field[Any, Any]", model._meta.get_field(name)) for name in names]


def _column(field: "models.Field[Any, Any]") -> str:
    return connection.ops.quote_name(str(field.column))

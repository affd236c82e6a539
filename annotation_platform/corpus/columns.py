"""Writing very many rows of plain values, column by column: models would be made and taken apart for each."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.db import connection, models, transaction

ROWS_AT_ONCE = 2_000


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


def copy_columns(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """`insert_columns` by PostgreSQL's COPY, which takes half of the time but knows no rows that may be there already.

    Raises
    ------
    IntegrityError
        When a row cannot be; none is there then.
    """
    if connection.vendor != "postgresql":
        insert_columns(model, names, rows)
        return
    fields = _fields(model, names)
    into = f"{connection.ops.quote_name(model._meta.db_table)} ({', '.join(map(_column, fields))})"
    with (
        transaction.atomic(),
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {into} FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """The same for a table with keys of its own: gives the key of each row. Call it in a transaction.

    Raises
    ------
    IntegrityError
        When a row cannot be.
    """
    assert connection.in_atomic_block  # or somebody else might take the keys on SQLite
    keys = _reserved(model, len(rows))
    insert_columns(model, ("id", *names), ((key, *row) for key, row in zip(keys, rows, strict=True)))
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

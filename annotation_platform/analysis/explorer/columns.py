"""Writing very many rows of plain values, column by column: models would be made and taken apart for each."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.db import connection, models

ROWS_AT_ONCE = 2_000


def insert_columns(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows with these fields, as they are; rows that are there already stay.

    Fields that are not named have the database's own defaults.
    """
    fields = [cast("models.Field[Any, Any]", model._meta.get_field(name)) for name in names]
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
    waiting = list(rows)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{field.db_type(connection)}[]" for field in fields)
            statement = f"INSERT INTO {into} SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"
            for start in range(0, len(waiting), ROWS_AT_ONCE):
                block = zip(*waiting[start : start + ROWS_AT_ONCE], strict=True)
                cursor.execute(statement, [list(column) for column in block])
        else:
            places = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT OR IGNORE INTO {into} VALUES ({places})", waiting)

"""Primary keys are counted anew for each test, so that none depends on how many rows earlier tests made.

A rollback takes rows back, but not the numbers that a PostgreSQL sequence gave out (nor does emptying the tables, on
either database). What follows from a key, such as the order in which somebody is shown the answers of an item, would
then differ from run to run with the tests that happened to come before in the same process, and a test about it fail
once in some hundred runs.
"""

from functools import cache
from pathlib import Path
from typing import Any

from pytest_django import DjangoDbBlocker

from tests import on_postgres

_blocker: DjangoDbBlocker | None = None
_module: Path | None = None
_left_at: dict[str, int | None] = {}
"""The numbers that sequences of PostgreSQL stood at when tests of the module began."""


def begin(blocker: DjangoDbBlocker) -> None:
    """From here on the test database is there."""
    global _blocker
    _blocker = blocker


def count_anew(module: Path) -> None:
    """The next row of each table gets the key after the highest that is there (rows of a whole module may be)."""
    if _blocker is None:
        return
    from django.db import connection

    with _blocker.unblock(), connection.cursor() as cursor:
        if connection.vendor == "sqlite":  # it takes the higher of this and the highest key
            cursor.execute("UPDATE sqlite_sequence SET seq = 0 WHERE seq > 0")
        else:
            _set_back(cursor, module)


def _set_back(cursor: Any, module: Path) -> None:
    """Those sequences that gave out a number since the module's last test, whose own rows are gone.

    With rows of the whole module, it would be half of all: five milliseconds of the server for each test.
    """
    global _module
    if module != _module:
        _module = module
        _left_at.clear()
        if not cursor.db.in_atomic_block:  # a world of several modules has its transaction open
            on_postgres.sweep(cursor)
    cursor.execute("SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL")
    moved = [name for name, at in cursor.fetchall() if _left_at.get(name) != at and name in _statements()]
    if moved:
        cursor.execute(" UNION ALL ".join(_statements()[name] for name in moved))
        _left_at.update((name, highest) for name, _, highest in cursor.fetchall())


@cache
def _statements() -> dict[str, str]:
    """For each sequence of a PostgreSQL database, what sets it to the highest key of its table, and tells that key."""
    from django.apps import apps
    from django.db import connection

    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            key = model._meta.pk
            table, column = connection.ops.quote_name(model._meta.db_table), connection.ops.quote_name(key.column)
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table, key.column])
            if sequence := cursor.fetchone()[0]:
                name, highest = sequence.removeprefix("public."), f"max({column})"
                setting = f"setval('{sequence}', coalesce({highest}, 1), {highest} IS NOT NULL)"
                found[name] = f"SELECT '{name}', {setting}, {highest} FROM {table}"
    return found

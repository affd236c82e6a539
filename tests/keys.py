"""Primary keys are counted anew for each test, so that none depends on how many rows earlier tests made.

A rollback takes rows back, but not the numbers that a PostgreSQL sequence gave out (nor does emptying the tables, on
either database). What follows from a key, such as the order in which somebody is shown the answers of an item, would
then differ from run to run with the tests that happened to come before in the same process, and a test about it fail
once in some hundred runs.
"""

from functools import cache

from pytest_django import DjangoDbBlocker

_blocker: DjangoDbBlocker | None = None


def begin(blocker: DjangoDbBlocker) -> None:
    """From here on the test database is there."""
    global _blocker
    _blocker = blocker


def count_anew() -> None:
    """The next row of each table gets the key after the highest that is there (rows of a whole module may be)."""
    if _blocker is None:
        return
    from django.db import connection

    with _blocker.unblock(), connection.cursor() as cursor:
        if connection.vendor == "sqlite":  # it takes the higher of this and the highest key
            cursor.execute("UPDATE sqlite_sequence SET seq = 0 WHERE seq > 0")
            return
        # Those that gave out a number; setting all of them takes the server five milliseconds.
        cursor.execute("SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL")
        if statements := [_statements().get(name, "") for (name,) in cursor.fetchall()]:
            cursor.execute("\n".join(statements))


@cache
def _statements() -> dict[str, str]:
    """For each sequence of a PostgreSQL database, what sets it to the highest key of its table."""
    from django.apps import apps
    from django.core.management.color import no_style
    from django.db import connection

    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
                table, column = connection.ops.quote_name(model._meta.db_table), model._meta.pk.column
                cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table, column])
                found[cursor.fetchone()[0].removeprefix("public.")] = statement
    return found

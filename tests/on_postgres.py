"""What makes tests on a PostgreSQL server quick: nothing that they would notice."""

from typing import Any

BLOAT = 256 * 1024
"""Bytes of a table from which on it is worth sweeping."""


def hurry() -> None:
    """Let no commit wait for the disk; to be called before the first use."""
    from django.db import connection

    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"]["options"] += " -c synchronous_commit=off"


def keep_vacuum_away(url: str) -> None:
    """Let the server's own vacuum leave a database and its copies alone.

    After some rollbacks it notes that a table has no rows. A test that then makes thousands in a transaction of its own
    has them looked for by nested loops, which may take hours: nobody counts rows that are not committed.
    """
    import psycopg

    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT format('%I', tablename) FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in tables.fetchall():
            connection.execute(f"ALTER TABLE {name} SET (autovacuum_enabled = off)")


def sweep(cursor: Any) -> None:
    """Take away what tests left behind: a rollback hides rows, but each query steps over them.

    Only between tests, when no row of theirs is there: a table that is swept empty has no page, by which PostgreSQL
    knows nothing of its size, unlike one that is swept in the midst of a test (:func:`keep_vacuum_away`).
    """
    cursor.execute(
        "SELECT format('%%I', relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        " AND pg_relation_size(oid) > %s",
        [BLOAT],
    )
    if tables := [name for (name,) in cursor.fetchall()]:
        cursor.execute(f"VACUUM {', '.join(tables)}")

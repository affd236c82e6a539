"""What makes tests on a PostgreSQL server quick: nothing that they would notice."""

from typing import Any


def hurry() -> None:
    """Let no commit wait for the disk, and empty only the tables that have rows; to be called before the first use.

    After a test that commits, Django truncates all tables, which takes the server half a second of a processor.
    """
    from django.db import connection

    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"]["options"] += " -c synchronous_commit=off"
        connection.ops.sql_flush = _deletions  # type: ignore[method-assign]


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


def _deletions(style: Any, tables: list[str], **_: Any) -> list[str]:
    """Statements that empty tables in any order; foreign keys are looked at when their transaction ends."""
    from django.db import connection

    if not tables:
        return []
    names = [connection.ops.quote_name(table) for table in tables]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(f'EXISTS (SELECT FROM {name})' for name in names)}")
        has_rows = cursor.fetchone()
    return [f"DELETE FROM {name}" for name, there in zip(names, has_rows, strict=True) if there]

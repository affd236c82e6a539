"""What makes tests on a PostgreSQL server quick: nothing that they would notice."""


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

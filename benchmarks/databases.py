"""Databases on PostgreSQL that benchmarks make for themselves; BENCH_POSTGRES_URL names the server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Made:
    """A database: its address, and whether it was made just now and has no table yet."""

    url: str
    is_new: bool


@contextmanager
def database(name: str, *, keep: bool = False) -> Iterator[Made | None]:
    """A database of this name; None, and a line that says so, where no server answers.

    Without ``keep`` it is made anew and dropped in the end; with it, one that is there is used, and stays.
    """
    import psycopg

    server = os.environ.get("BENCH_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
    try:
        connection = psycopg.connect(server, autocommit=True)
    except psycopg.OperationalError as error:
        print(f"PostgreSQL is left out: {error}".splitlines()[0])
        yield None
        return
    with connection:
        if not keep:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if known is None:
            connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield Made(urlsplit(server)._replace(path=f"/{name}").geturl(), is_new=known is None)
        finally:
            if not keep:
                connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

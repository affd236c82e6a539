"""The test database with all migrations applied, which every process of a run copies.

Applying them takes thirteen seconds of a processor, copying what they leave next to none. It stays beside pytest's
cache until a migration changes: as a SQLite file, and as the dump of a PostgreSQL database where ``pg_dump`` and
``psql`` are there. On the server nothing stays: the processes of a run (pytest-xdist) share a database that the run
makes and drops.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import on_postgres

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "migrated"


def copy_to(file: Path) -> None:
    """Make a SQLite database with all migrations applied."""
    kept = KEPT / f"{_digest()}.sqlite3"
    with _alone(KEPT):
        if not kept.exists():
            unfinished = _instead_of("*.sqlite3*", kept)
            _migrate(f"sqlite:///{unfinished}")
            unfinished.rename(kept)
        shutil.copyfile(kept, file)


def fill(url: str) -> None:
    """Apply all migrations to an empty PostgreSQL database."""
    import psycopg

    with psycopg.connect(url) as connection:
        version = connection.info.server_version
    kept = KEPT / f"{_digest()}-{version}.sql"
    with _alone(KEPT):
        if not kept.exists():
            _migrate(url)
            _dump(url, kept)
            return
    in_one_go = ["psql", "-Xq1", "-o", os.devnull, "-v", "ON_ERROR_STOP=1"]  # no commit of each line waits for the disk
    subprocess.run([*in_one_go, "--file", kept, "--dbname", url], check=True)


def begin_with_copy(config: pytest.Config, folder: Path) -> None:
    """See to it that the test database which is made next is a copy.

    Parameters
    ----------
    config
        Of this process.
    folder
        This process's own, in the one that the processes of this run share, where there are several.
    """
    from django.db import connection

    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        copy_to(Path(test["NAME"]))
    else:
        test["TEMPLATE"] = _postgres_template(folder.parent if hasattr(config, "workerinput") else folder)


def forget(config: pytest.Config) -> None:
    """Drop what the processes shared; to be called by the one that outlives them."""
    if hasattr(config, "workerinput") or not _is_on_postgres():
        return
    if config.getoption("numprocesses", None) or _postgres_template.cache_info().currsize:
        _execute(f'DROP DATABASE IF EXISTS "{_template_name()}" WITH (FORCE)')


@cache
def _postgres_template(folder: Path) -> str:
    name = _template_name()
    with _alone(folder):
        if not (folder / name).exists():
            _execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            _execute(f'CREATE DATABASE "{name}"')
            url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
            fill(url)
            on_postgres.keep_vacuum_away(url)
            (folder / name).touch()
    return name


def _migrate(url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": url}
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity=0"], cwd=ROOT, env=environment, check=True)


def _dump(url: str, kept: Path) -> None:
    """Keep what the migrations leave; where the server's programs are missing or older than it, nothing is kept."""
    if not (shutil.which("pg_dump") and shutil.which("psql")):
        return
    unfinished = _instead_of("*.sql", kept)
    command = ["pg_dump", "--no-owner", "--no-privileges", "--file", str(unfinished), "--dbname", url]
    if subprocess.run(command, capture_output=True).returncode == 0:
        unfinished.rename(kept)


def _instead_of(old: str, kept: Path) -> Path:
    """Where to make what is kept, once those of other migrations are away."""
    for path in KEPT.glob(old):
        path.unlink()
    return kept.with_name(f"{kept.name}-unfinished")


def _is_on_postgres() -> bool:
    return os.environ.get("DATABASE_URL", "").startswith("postgres")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Other processes wait here meanwhile; none of them stays away when this one is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _execute(statement: str) -> None:
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(statement)


def _template_name() -> str:
    return os.environ.get("TEST_DB_NAME", "test_annotation_platform") + "_migrated"


def _digest() -> str:
    digest = sha256((ROOT / "requirements.txt").read_bytes())
    for path in sorted(ROOT.glob("annotation_platform/*/migrations/*.py")):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]

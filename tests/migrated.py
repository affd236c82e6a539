"""The test database with all migrations applied, which every process of a run copies.

Applying them takes six seconds of a processor, copying what they leave next to none. The SQLite file stays beside
pytest's cache until a migration changes. On a PostgreSQL server nothing stays: several processes (pytest-xdist) share a
database that the run makes and drops; a single process applies the migrations itself.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "migrated"


def copy_to(file: Path) -> None:
    """Make a SQLite database with all migrations applied."""
    kept = KEPT / f"{_digest()}.sqlite3"
    with _alone(KEPT):
        if not kept.exists():
            for old in KEPT.glob("*.sqlite3*"):
                old.unlink()
            unfinished = kept.with_suffix(".sqlite3-unfinished")
            _migrate(f"sqlite:///{unfinished}")
            unfinished.rename(kept)
        shutil.copyfile(kept, file)


def begin_with_copy(config: pytest.Config, run_folder: Path) -> None:
    """See to it that the test database which is made next is a copy.

    Parameters
    ----------
    config
        Of this process.
    run_folder
        Shared by the processes of this run, and by no others.
    """
    from django.db import connection

    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        copy_to(Path(test["NAME"]))
    elif hasattr(config, "workerinput"):
        test["TEMPLATE"] = _postgres_template(run_folder)


def forget(config: pytest.Config) -> None:
    """Drop what the processes shared; to be called by the one that outlives them."""
    if not hasattr(config, "workerinput") and config.getoption("numprocesses", None) and _is_on_postgres():
        _execute(f'DROP DATABASE IF EXISTS "{_template_name()}" WITH (FORCE)')


def _postgres_template(folder: Path) -> str:
    name = _template_name()
    with _alone(folder):
        if not (folder / name).exists():
            _execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            _execute(f'CREATE DATABASE "{name}"')
            _migrate(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl())
            (folder / name).touch()
    return name


def _migrate(url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": url}
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity=0"], cwd=ROOT, env=environment, check=True)


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

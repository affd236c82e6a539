"""A demo's database from before migrations became one for each app: kept where it had all of them, else made anew."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from annotation_platform.demo import migrated
from tests.conftest import temporary_database
from tests.migrated import copy_to

ROOT = Path(__file__).resolve().parents[2]
SHOW = "from annotation_platform.demo.migrated import migrate; print(migrate())"


def replaced() -> Iterator[tuple[str, str, list[str]]]:
    """App, squashed migration, and the names that it replaces."""
    from django.db.migrations.loader import MigrationLoader

    for (app, name), migration in MigrationLoader(None, replace_migrations=False).disk_migrations.items():
        if app != name and migration.replaces and name == "0001_squashed":
            yield app, name, [old for _, old in migration.replaces]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """As of before: an account in it, and the many migrations noted instead of the few."""
    file = tmp_path / "platform.sqlite3"
    copy_to(file)
    with sqlite3.connect(file) as connection:
        for app, name, olds in replaced():
            connection.execute("DELETE FROM django_migrations WHERE app = ? AND name = ?", (app, name))
            rows = [(app, old) for old in olds]
            connection.executemany("DELETE FROM django_migrations WHERE app = ? AND name = ?", rows)
            connection.executemany(
                "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-11-01')", rows
            )
        connection.execute("INSERT INTO django_session VALUES ('kept', 'x', '2030-01-01')")
    connection.close()
    return file


def migrate(database: Path) -> str:
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{database}",
        "DJANGO_SETTINGS_MODULE": "annotation_platform.settings",
    }
    code = f"import django; django.setup(); {SHOW}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=600,
    )
    return done.stdout.strip()


def sessions(database: Path) -> list[str]:
    with sqlite3.connect(database) as connection:
        found = [key for (key,) in connection.execute("SELECT session_key FROM django_session")]
    connection.close()
    return found


def test_every_app_of_ours_says_what_its_first_migration_replaces() -> None:
    apps = {app for app, _, _ in replaced()}
    # Apps that came later have a first migration of another name, which replaces nothing.
    folders = {path.parent.parent.name for path in ROOT.glob("annotation_platform/*/migrations/0001_squashed.py")}
    assert apps == folders
    assert len(apps) >= 9


def test_a_database_with_all_of_them_stays(database: Path) -> None:
    assert migrate(database) == "None"
    assert sessions(database) == ["kept"]


@pytest.mark.postgres
def test_a_server_s_database_with_tables_of_another_program_is_left_alone() -> None:
    code = f"import django; django.setup(); {SHOW}"
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    with temporary_database() as url:
        with psycopg.connect(url) as server:
            server.execute("CREATE TABLE orders (number int)")
        environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "annotation_platform.settings"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
        )
        assert "has the tables of another program" in done.stderr
        with psycopg.connect(url) as server:
            assert server.execute(tables).fetchall() == [("orders",)]


def is_of_another_program(url: str, before: str = "") -> bool:
    """What is said of a server's database after some lines of Python."""
    asked = "from annotation_platform.demo.migrated import _is_of_another_program; print(_is_of_another_program())"
    code = f"import django; django.setup()\n{before}\n{asked}"
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "annotation_platform.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.split()[-1] == "True"


@pytest.mark.postgres
def test_a_server_s_database_whose_first_migration_was_broken_off_is_ours() -> None:
    migrate = "from django.core.management import call_command; call_command('migrate', 'auth', verbosity=0)"
    with temporary_database() as url:
        assert not is_of_another_program(url, migrate)
        with psycopg.connect(url) as server:
            server.execute("CREATE TABLE auth_user (id int)")  # which ours has not
        assert is_of_another_program(url)


@pytest.mark.postgres
def test_a_server_s_database_with_all_of_the_many_migrations_is_ours() -> None:
    migrate = "from django.core.management import call_command; call_command('migrate', 'auth', verbosity=0)"
    with temporary_database() as url:
        assert not is_of_another_program(url, migrate)
        with psycopg.connect(url, autocommit=True) as server:
            server.execute("CREATE TABLE accounts_user (id int)")
            assert is_of_another_program(url)
            note = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"
            for app, _, olds in replaced():
                for old in olds:
                    server.execute(note, (app, old))
        assert not is_of_another_program(url)


@pytest.mark.long("annotation_platform/*/migrations/*.py", "annotation_platform/demo/migrated.py")
def test_a_database_with_some_of_them_is_moved_aside_and_made_anew(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM django_migrations WHERE app = 'scoring' AND name > '0018'")
    connection.close()
    aside = database.with_name(database.name + migrated.ASIDE)
    assert migrate(database) == str(aside)
    assert sessions(aside) == ["kept"]
    assert sessions(database) == []

"""The demo's database brought up to date, or made anew where it is from before what can be brought up to date."""

from pathlib import Path

from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

ASIDE = "-before"
FIRST_OF_OURS = ("accounts", "0001_squashed")


def migrate() -> Path | None:
    """Apply all migrations; a SQLite database with only some of those that became one is moved aside first.

    Returns
    -------
    Where the database of before lies now; None when it could be kept.

    Raises
    ------
    CommandError
        On a server, whose database is not the demo's to move; or not the demo's at all.
    """
    aside = None
    if _is_of_before():
        name = connection.settings_dict["NAME"]
        if connection.vendor != "sqlite":
            raise CommandError(
                f"The database {name} was made by a version from before the first release, and cannot be brought up "
                "to date. Name an empty one in DATABASE_URL."
            )
        aside = _move_aside(Path(name))
    elif _is_of_another_program():
        raise CommandError(
            f"DATABASE_URL names the database {connection.settings_dict['NAME']}, which has the tables of another "
            "program. Leave the variable out (env -u DATABASE_URL make demo), or name an empty database in it."
        )
    call_command("migrate", interactive=False, verbosity=0)
    return aside


def _is_of_before() -> bool:
    applied = MigrationRecorder(connection).applied_migrations()
    migrations = MigrationLoader(None, replace_migrations=False).disk_migrations.values()
    return any(0 < len(applied.keys() & set(each.replaces)) < len(each.replaces) for each in migrations)


def _is_of_another_program() -> bool:
    """Whether a server's database is not empty and not ours: other programs are told theirs by this variable, too.

    Ours may also have the migrations noted that became the first one; or, where making it was broken off, only tables
    that Django makes before it.
    """
    if connection.vendor == "sqlite":
        return False
    migrations = MigrationLoader(connection, ignore_no_migrations=True)
    if FIRST_OF_OURS in migrations.applied_migrations:
        return False
    return bool(set(connection.introspection.table_names()) - _of_django_alone(migrations))


def _of_django_alone(migrations: MigrationLoader) -> set[str]:
    """Names of the tables that are there before the first migration of ours."""
    before = migrations.graph.forwards_plan(FIRST_OF_OURS)[:-1]
    models = migrations.project_state(before, at_end=True).apps.get_models(include_auto_created=True)
    return {MigrationRecorder.Migration._meta.db_table, *(model._meta.db_table for model in models)}


def _move_aside(database: Path) -> Path:
    """With what SQLite has not written into it yet, which lies in files beside it."""
    connection.close()
    aside = database.with_name(database.name + ASIDE)
    for end in ("", "-wal", "-shm"):
        beside = database.with_name(database.name + end)
        aside.with_name(aside.name + end).unlink(missing_ok=True)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + end))
    return aside

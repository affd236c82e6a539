"""What every command needs that reads the database."""

from django.core.management.base import CommandError
from django.db import connection

from annotation_platform.accounts.models import User


def require_tables() -> None:
    """A command that finds an empty database says how it gets its tables."""
    if User._meta.db_table not in connection.introspection.table_names():
        raise CommandError("The database has no tables yet. Make them first: manage.py migrate.")

"""What an import tells the database in SQL."""

from django.db import connection


def update_planner_statistics() -> None:
    """Let PostgreSQL count its rows at once; until it does, it plans for the few that it had before."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")

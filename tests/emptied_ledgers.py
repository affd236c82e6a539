"""Emptying the tables after a test that commits, where the database refuses to remove entries of a study's ledger."""

from typing import Any

HIDE_STUDIES = "UPDATE studies_study SET arriving_at = '2000-01-01 00:00:00'"


def allow() -> None:
    """Hide all studies first, as deleting one does; to be called before the first use."""
    from django.db import connection

    sql_flush: Any = connection.ops.sql_flush

    def flush(style: Any, tables: list[str], **how: Any) -> list[str]:
        statements = sql_flush(style, tables, **how)
        return [HIDE_STUDIES, *statements] if statements else []

    connection.ops.sql_flush = flush  # type: ignore[method-assign]

"""Emptying the tables after a test that commits: only those that have rows.

Django would empty all of them and then store all kinds of models and permissions anew, which takes a twentieth of a
second of a processor. Those stay, as the migrations left them.
"""

from typing import Any

HIDE_STUDIES = "UPDATE studies_study SET arriving_at = '2000-01-01 00:00:00'"
KEPT = {"django_content_type", "auth_permission"}


def quickly() -> None:
    """See to it; to be called before the first use."""
    from django.core.management.commands import flush
    from django.db import connection

    # Of the class: some tests leave another connection behind than the one that they found.
    type(connection.ops).sql_flush = lambda _, *given, **more: _deletions(*given, **more)  # type: ignore[method-assign]
    flush.emit_post_migrate_signal = lambda *_: None


def _deletions(style: Any, tables: list[str], **_: Any) -> list[str]:
    """Statements that empty tables in any order; foreign keys are looked at when their transaction ends.

    All studies are hidden first, as deleting one does, so that their ledgers may go.
    """
    from django.db import connection

    names = [connection.ops.quote_name(table) for table in sorted(set(tables) - KEPT)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(f'EXISTS (SELECT 1 FROM {name})' for name in names)}")
        has_rows = cursor.fetchone()
    found = [f"DELETE FROM {name}" for name, there in zip(names, has_rows, strict=True) if there]
    return [HIDE_STUDIES, *found] if found else []

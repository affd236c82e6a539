"""Returning to the rows of a queue that nobody is working on."""

from typing import Any

from django.utils import timezone

from annotation_platform.scoring.models import QueueQuerySet


def to_enqueue(rows: QueueQuerySet[Any]) -> list[int]:
    """Keys of the rows whose message seems lost or whose worker seems dead; each pending one is handed out once in
    every period of staleness."""
    unheard = [
        pk
        for pk in rows.unheard().values_list("pk", flat=True)
        if rows.unheard().filter(pk=pk).update(heartbeat_at=timezone.now())
    ]
    return unheard + list(rows.stale().values_list("pk", flat=True))

"""Rows that are a queue for the workers: which of them may be taken, and which were left behind.

Such a row has ``status``, ``worker`` (the claim that holds it) and ``heartbeat_at``; whatever else its status may be,
it is pending until a worker takes it and running while one holds it.
"""

from datetime import datetime, timedelta
from typing import Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

PENDING, RUNNING = "pending", "running"
ACTIVE = (PENDING, RUNNING)

Row = TypeVar("Row", bound=models.Model)


def stale_before() -> datetime:
    """Rows whose worker was last heard of before this count as left behind."""
    return timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS)


class QueueQuerySet(models.QuerySet[Row]):
    def active(self) -> Self:
        return self.filter(status__in=ACTIVE)

    def stale(self) -> Self:
        """Those whose worker has not been heard of for too long."""
        return self.filter(status=RUNNING, heartbeat_at__lt=stale_before())

    def claimable(self) -> Self:
        return self.filter(Q(status=PENDING) | Q(status=RUNNING, heartbeat_at__lt=stale_before()))

    def unheard(self) -> Self:
        """Pending ones whose message was never sent, or so long ago that it is taken for lost."""
        return self.filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=stale_before()), status=PENDING)

    def hand_out(self) -> list[int]:
        """Keys of the rows whose message seems lost or whose worker seems dead; each pending one is handed out once
        in every period of staleness."""
        unheard = [
            pk
            for pk in self.unheard().values_list("pk", flat=True)
            if self.unheard().filter(pk=pk).update(heartbeat_at=timezone.now())
        ]
        return unheard + list(self.stale().values_list("pk", flat=True))

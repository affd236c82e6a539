"""Rows that are a queue for the workers: which of them may be taken, and which were left behind.

Such a row has ``status``, ``worker`` (the claim that holds it) and ``heartbeat_at``; whatever else its status may be,
it is pending until a worker takes it and running while one holds it.
"""

from typing import Self, TypeVar

from django.db import models
from django.db.models import Q

from annotation_platform.scoring.models.workers import stale_before

PENDING, RUNNING = "pending", "running"
ACTIVE = (PENDING, RUNNING)

Row = TypeVar("Row", bound=models.Model)


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

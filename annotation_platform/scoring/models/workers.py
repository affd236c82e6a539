"""Signs of life: of background workers, and when a row that a worker holds counts as left behind."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone


def stale_before() -> datetime:
    return timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS)


class WorkerPulse(models.Model):
    """When each background worker was last heard of, so that pages can say when none is running."""

    name = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

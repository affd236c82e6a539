"""Rows that are a queue for the workers: their states, which of them may be taken, and which were left behind.

The row is the job: see ``jobs/contract.py`` for what is done with it.
"""

from datetime import datetime, timedelta
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.reason_fields import ReasonField

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

    def begin_anew(self, **changes: Any) -> int:
        """Put jobs that have ended, or were stopped, into the queue again; how many. Their messages are sent by the
        caller, and their tries count from the beginning."""
        anew = {"status": PENDING, "worker": "", "error": "", "attempts": 0, "heartbeat_at": timezone.now()}
        return self.update(**anew, **changes)

    def hand_out(self) -> list[int]:
        """Keys of the rows whose message seems lost or whose worker seems dead; each pending one is handed out once
        in every period of staleness."""
        unheard = [
            pk
            for pk in self.unheard().values_list("pk", flat=True)
            if self.unheard().filter(pk=pk).update(heartbeat_at=timezone.now())
        ]
        return unheard + list(self.stale().values_list("pk", flat=True))


class JobStatus(models.TextChoices):
    DRAFT = "draft", _("Draft")  # somebody is still choosing
    PENDING = "pending", _("Pending")
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class Job(models.Model):
    """Work that takes longer than a page may: a row that waits, is claimed by one worker, and ends in one state.

    It is pending until a worker takes it and running while one holds it. Whoever makes one also sends its message; a
    message that is lost costs time only, for the sweep finds the row.
    """

    Status = JobStatus

    status = models.CharField(max_length=10, choices=JobStatus.choices, default=JobStatus.PENDING)
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the row.")
    heartbeat_at = models.DateTimeField(
        null=True,
        blank=True,
        default=timezone.now,
        help_text="When its worker, or while it is pending its message, was last heard of.",
    )
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="How often it was claimed since it was last given back in good order."
    )
    pause_asked = models.BooleanField(default=False, help_text="Somebody asked its worker to pause.")
    total = models.PositiveIntegerField(default=0, help_text="Steps: judgments, rows, charts.")
    done = models.PositiveIntegerField(default=0, help_text="Steps done so far.")
    error = ReasonField(blank=True, help_text="Why it failed or was paused.")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-pk"]

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

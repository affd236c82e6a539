"""The outbox, what has been written and not yet handed to a foreign server; and the pulse of the workers."""

from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from annotation_platform.accounts.reason_fields import ReasonField

OVERDUE_AFTER = timedelta(minutes=5)
REFUSED_LATELY, REFUSED_IN_A_ROW = timedelta(days=1), 3


class OutgoingMailQuerySet(models.QuerySet["OutgoingMail"]):
    def waiting(self) -> Self:
        return self.filter(state=OutgoingMail.State.WAITING)

    def due(self) -> Self:
        return self.waiting().filter(due_at__lte=timezone.now())

    def overdue(self) -> Self:
        """Those that should have been sent minutes ago."""
        return self.waiting().filter(created_at__lt=timezone.now() - OVERDUE_AFTER)

    def are_refused(self) -> bool:
        """Whether each of the last few that ended was given up: one address may be wrong, several in a row are not.

        Which ended last is told by ``due_at``, which stays as it was claimed; of those claimed together, the newest is
        sent first.
        """
        lately = self.filter(created_at__gt=timezone.now() - REFUSED_LATELY)
        ended = lately.exclude(state=OutgoingMail.State.WAITING).order_by("-due_at", "pk")
        last = list(ended.values_list("state", flat=True)[:REFUSED_IN_A_ROW])
        return last == [OutgoingMail.State.GIVEN_UP] * REFUSED_IN_A_ROW


class OutgoingMail(models.Model):
    """A mail on its way. Once it has been sent, or given up, its text is forgotten: it may hold a key to an account.

    ``due_at`` is when it may be tried next; whoever claims it moves that on, so that a worker that dies leaves it due.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        GIVEN_UP = "given up"

    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    recipients = models.JSONField()
    subject = models.TextField()
    content = models.JSONField(help_text="What it takes to build the mail again; empty once it is not needed.")
    claim = models.CharField(max_length=20, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = ReasonField(blank=True, help_text="Why the last attempt failed.")
    created_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = OutgoingMailQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "due_at"], name="mail_by_state")]
        verbose_name_plural = "outgoing mail"

    def __str__(self) -> str:
        return f"Mail {self.pk} to {', '.join(self.recipients)}"


class WorkerPulse(models.Model):
    """When each background worker was last heard of; and, under a name that no worker has, when a sweep last began."""

    name = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

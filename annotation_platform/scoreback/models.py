"""Where a study's scores go back to, what was handed over, and the job that does it."""

from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.reason_fields import ReasonField
from annotation_platform.jobs.rows import Job, JobStatus, QueueQuerySet
from annotation_platform.studies.models import Member, Study


class What(models.TextChoices):
    MEAN = "mean", _("One score for each aspect: the mean of all judgments")
    EACH = "each", _("One score for each judgment, with its annotator's pseudonym")


class ScoreDestination(models.Model):
    """A program that the traces of a study came from, how it is spoken to, and what it is told."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="score_destinations")
    program = models.CharField(max_length=20, help_text="One of the registry's keys.")
    address = models.CharField(max_length=500)
    public_key = models.CharField(max_length=200, blank=True)
    encrypted_secret = models.TextField(blank=True)
    aspects = models.JSONField(help_text="The keys of those that go.")
    what = models.CharField(max_length=10, choices=What.choices, default=What.MEAN)
    with_comments = models.BooleanField(default=False, help_text="Whether explanations go as comments.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["study", "program"], name="score_destination_once_in_study")]

    def __str__(self) -> str:
        return f"{self.program} at {self.address}"


class ScoreSending(Job):
    """One handing over of all that is new or has changed.

    Where the program rests or breaks, it pauses until ``due_at``, and the sweep puts it back into the queue;
    ``failures`` counts pauses in a row.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="score_sendings")
    destination = models.ForeignKey(ScoreDestination, on_delete=models.CASCADE, related_name="sendings")
    requested_by = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: a command."
    )
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it goes on by itself.")
    failures = models.PositiveSmallIntegerField(default=0)

    objects = QueueQuerySet["ScoreSending"].as_manager()

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["destination"],
                condition=models.Q(status__in=[JobStatus.PENDING, JobStatus.RUNNING, JobStatus.PAUSED]),
                name="one_score_sending_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"Scores of {self.study} to {self.destination.program}"

    def count(self, state: "SentScore.State") -> int:
        """How many of its scores ended so."""
        return self.scores.filter(state=state).count()

    @property
    def counts(self) -> dict[str, int]:
        return {state.value: self.count(state) for state in SentScore.State}


class SentScore(models.Model):
    """One score, as it was last handed over to a destination, and what the program said to it."""

    class State(models.TextChoices):
        SENT = "sent", _("Sent")
        REFUSED = "refused", _("Refused")

    destination = models.ForeignKey(ScoreDestination, on_delete=models.CASCADE, related_name="scores")
    sending = models.ForeignKey(ScoreSending, on_delete=models.CASCADE, related_name="scores")
    address = models.CharField(max_length=500, blank=True, default="", db_default="", help_text="Where it went.")
    public_key = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="The account that it went to."
    )
    identifier = models.UUIDField()
    digest = models.CharField(
        max_length=64, help_text="SHA-256 of the request, so that only what has changed goes again."
    )
    aspect = models.CharField(max_length=40)
    annotator = models.CharField(max_length=60, blank=True)
    trace = models.CharField(max_length=200)
    span = models.CharField(max_length=200, blank=True)
    value = models.FloatField(null=True)
    label = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State.choices)
    status = models.PositiveSmallIntegerField(null=True, help_text="Of the answer.")
    reply = models.TextField(blank=True, help_text="The first bytes of the answer.")
    error = ReasonField(blank=True)
    sent_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-sent_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["destination", "identifier"], name="score_once_at_destination")]
        indexes = [models.Index(fields=["sending", "state"], name="sent_score_by_sending")]

    def __str__(self) -> str:
        return f"{self.aspect} of {self.trace}"

    def is_at(self, address: str, public_key: str) -> bool:
        """Whether it went to this account, at this address; what another one has says nothing of this one."""
        return (self.address, self.public_key) == (address, public_key)

    @property
    def said(self) -> Any:
        return self.label if self.value is None else self.value

"""How the batches of a study are released, and what was released when."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation_platform.accounts.reason_fields import ReasonsField
from annotation_platform.studies.models import Member, Study


class Bound(models.TextChoices):
    """Which number of an interval is held against a limit."""

    VALUE = "value", gettext_lazy("The figure itself")
    LOW = "low", gettext_lazy("The end of its interval that is worse: released only what is surely good enough")
    HIGH = "high", gettext_lazy("The end of its interval that is better: held back only what is surely too bad")


class Pacing(models.Model):
    """So many batches every so many hours, while every figure that has a limit is within it.

    ``next_at`` is when the next ones are due. Who releases them changes it by a condition on what it was, so that
    of several workers one does. Whatever holds them back then is in ``held_because``, until it does no more.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="pacing")
    is_on = models.BooleanField(default=False)
    batches_at_once = models.PositiveSmallIntegerField(default=1)
    every_hours = models.PositiveSmallIntegerField(default=24)
    limits = models.JSONField(default=dict, help_text="Key of a figure to the least, or most, that it may be.")
    bound = models.CharField(max_length=5, choices=Bound.choices, default=Bound.VALUE)
    next_at = models.DateTimeField(null=True, blank=True)
    held_since = models.DateTimeField(null=True, blank=True)
    held_because = ReasonsField(default=list)
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When its figures were last looked at.")

    class Meta:
        verbose_name_plural = "pacing"
        constraints = [
            models.CheckConstraint(condition=Q(is_on=False) | Q(next_at__isnull=False), name="pacing_is_due_some_time")
        ]

    def __str__(self) -> str:
        return f"Pacing of {self.study}"


class BatchRelease(models.Model):
    """Batches that were opened together, by the clock or by somebody who had a reason to."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="releases_of_batches")
    number = models.PositiveIntegerField()
    batches = models.JSONField(help_text="Their numbers.")
    released_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True, help_text="Empty: a person released them.")
    released_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    because = models.CharField(max_length=500, blank=True)
    held_because = ReasonsField(default=list, help_text="What a person released them in spite of.")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="batch_release_number_once_in_study")]

    def __str__(self) -> str:
        return f"Release {self.number}"

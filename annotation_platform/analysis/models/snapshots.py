"""Snapshots of agreement: computed once by a worker, read by pages."""

from functools import cached_property
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext

from annotation_platform.analysis.measuring.figures import SnapshotHead
from annotation_platform.core.text import format_numbers
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Study


class HeadField(models.JSONField):
    """A `SnapshotHead` as JSON; what was left at its default is not there."""

    def get_prep_value(self, value: SnapshotHead) -> Any:
        return super().get_prep_value(value.model_dump(mode="json", exclude_unset=True))

    def from_db_value(self, value: Any, *about: Any) -> SnapshotHead:
        return SnapshotHead.model_validate(super().from_db_value(value, *about))


class AgreementSnapshot(models.Model):
    """All agreement figures of a study's closed batches at one time, with the signature of what they came from.

    ``head`` says what was measured; the figures are in `SnapshotSection`, so that a page loads only its own.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshots")
    run = models.ForeignKey(ScoringRun, on_delete=models.SET_NULL, null=True, related_name="snapshots")
    data_signature = models.CharField(max_length=64, help_text="Of the judgments, by revision, and the run.")
    signature = models.CharField(max_length=64, help_text="Of data, seed, resamples and code version.")
    head: "models.Field[SnapshotHead, SnapshotHead]" = HeadField()
    code_version = models.CharField(max_length=40)
    runs = models.JSONField(
        null=True, help_text="By method, the finished runs that its figures are about; null: not known, as of old ones."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    measured_at = models.DateTimeField(default=timezone.now, help_text="When measuring last came to these very data.")

    class Meta:
        ordering = ["-pk"]
        get_latest_by = "pk"
        constraints = [models.UniqueConstraint(fields=["study", "signature"], name="same_signature_same_snapshot")]

    def __str__(self) -> str:
        return f"Snapshot {self.pk}"

    @property
    def batches(self) -> str:
        """The numbers of its batches, in short: 1-3, 7."""
        return format_numbers(self.head.batches)

    @property
    def is_rescaled(self) -> bool:
        return any(aspect.is_rescaled for aspect in self.head.aspects)

    @property
    def scores(self) -> str:
        """Whose scores its figures are about, in words; the run itself may be deleted."""
        if not self.is_rescaled:
            return gettext("labels as given")
        from annotation_platform.scoring.methods import scorer_title  # exports load the models, but no methods

        return scorer_title(self.head.run.scorer) if self.head.run else gettext("not scored")

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Everything at once, as in the report; pages ask ``selectors.snapshots`` for the sections they show."""
        found: dict[str, Any] = self.head.model_dump(mode="json", exclude_unset=True)
        by_aspect = {aspect["aspect"]: aspect for aspect in found["aspects"]}
        for section in self.sections.order_by("pk"):
            (by_aspect[section.aspect] if section.aspect else found)[section.key] = section.figures
        return found


class SnapshotSection(models.Model):
    """One section of a snapshot's figures: of an aspect, or where ``aspect`` is empty of the study as a whole."""

    snapshot = models.ForeignKey(AgreementSnapshot, on_delete=models.CASCADE, related_name="sections")
    aspect = models.CharField(max_length=40, blank=True)
    key = models.CharField(max_length=40)
    figures = models.JSONField(null=True)
    fingerprint = models.CharField(
        max_length=64, db_index=True, default="", help_text="Of all that it was computed from; the same gives the same."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["snapshot", "aspect", "key"], name="one_section_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.aspect} {self.key}".strip()

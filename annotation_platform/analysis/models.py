"""Snapshots of agreement: computed once by a worker, read by pages."""

from django.db import models

from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Study


class AgreementSnapshot(models.Model):
    """All agreement figures of a study's closed batches at one time, with the signature of what they came from."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshots")
    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, null=True, related_name="snapshots")
    data_signature = models.CharField(max_length=64, help_text="Of the judgments, by revision, and the run.")
    signature = models.CharField(max_length=64, help_text="Of data, seed, resamples and code version.")
    figures = models.JSONField()
    code_version = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        get_latest_by = "pk"
        constraints = [models.UniqueConstraint(fields=["study", "signature"], name="same_signature_same_snapshot")]

    def __str__(self) -> str:
        return f"Snapshot {self.pk}"

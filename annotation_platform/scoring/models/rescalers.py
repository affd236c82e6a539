"""Rescalers that were trained on a study's own judgments, as far as a language model had scored them."""

from django.db import models

from annotation_platform.scoring.models.runs import ScoringRun
from annotation_platform.studies.models import Study


class TrainedRescaler(models.Model):
    """A study's own distilled rescaler for one aspect. Never changed: runs name it by its SHA-256."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="rescalers")
    aspect = models.CharField(max_length=60)
    run = models.ForeignKey(
        ScoringRun,
        on_delete=models.SET_NULL,
        null=True,
        related_name="rescalers",
        help_text="The run whose scores it learned from.",
    )
    sha256 = models.CharField(max_length=64)
    artefact = models.BinaryField(help_text="Below 1 MB: words, runs of words and weights; no pickle.")
    trained_on = models.JSONField(help_text="Run, model, share of the sample, seed, and how many judgments by whom.")
    figures = models.JSONField(help_text="Cross-validation by article and annotator, and the learning curve.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["study", "aspect", "sha256"], name="rescaler_kept_once")]

    def __str__(self) -> str:
        return f"Rescaler {self.pk} of {self.aspect}"

"""What a study scores with when its batches close, and what all its runs may cost."""

from typing import Self

from django.db import models

from annotation_platform.scoring.models.runs import Scorer
from annotation_platform.studies.models import Study


class ScoringSettings(models.Model):
    """A study that chose nothing has no row, and the defaults: read them by ``ScoringSettings.of(study)``."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, primary_key=True, related_name="scoring_settings")
    scorer = models.CharField(
        max_length=20, default=Scorer.DISTILLED, help_text="Who reads the explanations when a batch closes."
    )
    connection = models.CharField(
        max_length=80,
        blank=True,
        help_text="Name of the model connection that its own scorer uses; empty: the server's environment.",
    )
    prompt_template = models.TextField(blank=True, help_text="The study's own prompt; empty: the platform's.")
    budget = models.DecimalField(
        max_digits=12,
        decimal_places=4,
        null=True,
        blank=True,
        help_text="US dollars that all scoring runs together may cost; empty: no limit.",
    )

    class Meta:
        verbose_name_plural = "scoring settings"

    def __str__(self) -> str:
        return f"Scoring settings of {self.study}"

    @classmethod
    def of(cls, study: Study) -> Self:
        """A study's own, or the defaults, which nothing has stored."""
        return getattr(study, "scoring_settings", None) or cls(study=study)

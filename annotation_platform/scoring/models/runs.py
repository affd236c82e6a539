"""Scoring runs: which method, by whom, with which parameters, and how far."""

from enum import StrEnum
from typing import Self

from django.db import models
from django.db.models import Q

from annotation_platform.jobs.rows import Job, JobStatus, QueueQuerySet
from annotation_platform.scoring.models.connections import ModelBatch, ModelConnection
from annotation_platform.studies.models import Batch, Study


class Method(StrEnum):
    """Those that other parts of the platform speak of; all that there are stand in ``scoring.methods``."""

    EBR = "ebr"
    JUDGE = "judge"
    MATE = "mate"
    REV = "rev"
    EQUIVALENCE = "equivalence"


GIVING_LABELS = (Method.JUDGE, Method.MATE)
"""The methods whose models give items labels, by the keys of the scheme, as people do."""


class Scorer(StrEnum):
    """Who does the reading or judging: those that more than one method or other parts of the platform speak of."""

    DISTILLED = "distilled"
    LANGUAGE_MODEL = "openai"  # by any server that speaks its protocol
    HYBRID = "hybrid"
    RECORDED = "recorded"
    CLASSIFIER = "classifier"
    EVALUATOR = "evaluator"


class ScoringRunQuerySet(QueueQuerySet["ScoringRun"]):
    def finished(self) -> Self:
        """Of one method, first the run whose scores count: the one that was named, else the newest."""
        return self.filter(status=JobStatus.DONE, is_outdated=False).order_by("-is_chosen", "-pk")


class ScoringRun(Job):
    """One method's pass over a study's judgments or items. The row is the queue.

    A paused run (by a person, its budget, or a model server that does not answer) keeps all that came and goes on
    from there when it is resumed.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="scoring_runs")
    batches = models.ManyToManyField(Batch, related_name="scoring_runs")
    method = models.CharField(max_length=20, help_text="Its name in the list of methods.")
    scorer = models.CharField(max_length=20, help_text="Who does it: one of those that the method names.")
    parameters = models.JSONField(default=dict, help_text="Model, template, λ, …: all that decides the scores.")
    signature = models.CharField(max_length=64, blank=True, help_text="Of parameters, data and code version.")
    code_version = models.CharField(max_length=40, blank=True)
    connection = models.ForeignKey(
        ModelConnection, on_delete=models.RESTRICT, null=True, blank=True, related_name="runs"
    )
    budget = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, help_text="US dollars at most; empty: no limit."
    )
    spent = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        default=0,
        help_text="US dollars for the replies that it was the first to need.",
    )
    spent_tokens = models.PositiveBigIntegerField(default=0, help_text="Tokens of these, in and out.")
    late_attempts = models.PositiveIntegerField(default=0, help_text="Attempts that were not answered in time.")
    late_cost = models.DecimalField(
        max_digits=12, decimal_places=6, default=0, help_text="US dollars that attempts in vain may have cost at most."
    )
    late_tokens = models.PositiveBigIntegerField(default=0, help_text="Tokens of attempts in vain at most, in and out.")
    late_at = models.DateTimeField(null=True, blank=True, help_text="When the last that timed out was given up.")
    waits = models.FloatField(null=True, blank=True, help_text="Seconds that an answer was waited for after that.")
    excess_in = models.PositiveIntegerField(
        default=0, help_text="Most tokens of a prompt that were billed beyond what it can have had."
    )
    excess_out = models.PositiveIntegerField(
        default=0, help_text="Most tokens of a reply that were billed beyond the longest reply that was asked for."
    )
    wants_estimate = models.BooleanField(default=False, help_text="Its next step is the dry run; then it pauses.")
    estimate = models.JSONField(null=True, blank=True, help_text="The bill expected by the dry run before it.")
    is_chosen = models.BooleanField(
        default=False, help_text="Named as the one that the study's figures use; otherwise the newest finished."
    )
    is_outdated = models.BooleanField(
        default=False,
        help_text="The scheme has given a key of its labels to something else since; it counts in no figure.",
    )
    counts = models.JSONField(
        default=dict, help_text="Per aspect: judgments with and without f, and why, and where the values come from."
    )

    objects = ScoringRunQuerySet.as_manager()

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["study", "method"],
                condition=Q(status__in=["pending", "running"]),
                name="one_active_run_per_method",
            ),
            models.UniqueConstraint(
                fields=["study", "method"], condition=Q(is_chosen=True), name="one_chosen_run_per_method"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} run {self.pk}"

    @property
    def may_go_on(self) -> bool:
        """Whether going on is of any use: where its labels count no more, to collect what is at the server, and paid
        for."""
        return not self.is_outdated or self.model_batches.filter(state=ModelBatch.State.OPEN).exists()

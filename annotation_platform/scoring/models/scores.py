"""What runs found: scores of people's judgments, and labels and values that methods gave to items."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation_platform.annotations.models import Annotation
from annotation_platform.scoring.models.completions import Completion
from annotation_platform.scoring.models.runs import ScoringRun
from annotation_platform.studies.models import Item, Member


class Score(models.Model):
    """One judgment's score on one aspect in one run, and where it came from."""

    class Source(models.TextChoices):
        MODEL = "model", _("read from label and explanation")
        ANNOTATOR_MEAN = "g", _("the annotator's mean for this label")
        LABEL_MEAN = "label_mean", _("the mean for this label over all annotators")
        SCALE_NUMBER = "scale_number", _("the scale's own number")

    # Found by ``scored_once_in_run``. An index of its own would offer the planner of a table that it takes for empty to
    # read a whole run for each judgment.
    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="scores", db_index=False)
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="scores")
    aspect = models.CharField(max_length=40)
    value = models.FloatField()
    explanation_score = models.FloatField(null=True, help_text="f, before mixing; empty where f gave nothing.")
    source = models.CharField(max_length=20, choices=Source.choices)
    completion = models.ForeignKey(Completion, on_delete=models.PROTECT, null=True, related_name="scores")
    failure = models.TextField(
        blank=True,
        default="",
        help_text="Why no f was read: what the reply lacks, or the server's words for giving none.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "annotation", "aspect"], name="scored_once_in_run")]
        indexes = [models.Index(fields=["run", "id"], condition=~models.Q(failure=""), name="scores_without_f")]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value:g}"


class ItemLabel(models.Model):
    """What one reply of a model says about one aspect of an item, and who read it out of the reply.

    ``candidate`` is 0 for the item as a whole; ``label`` is a choice's key, and empty where the reply gives none.
    Where the server refuses to answer, there is no reply (``completion``) but the server's words (``refusal``).
    """

    class Source(models.TextChoices):
        RULES = "rules", _("read by rules")
        SECOND_READING = "second_reading", _("read by a language model")
        PERSON = "person", _("decided by a person")
        UNREAD = "unread", _("not readable yet")
        NO_REPLY = "no_reply", _("refused by the server")

    # Found by ``label_read_once_in_run``.
    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="item_labels", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="item_labels")
    candidate = models.PositiveSmallIntegerField(default=0)
    aspect = models.CharField(max_length=60)
    variant = models.CharField(max_length=20, help_text="Of the prompt.")
    repetition = models.PositiveSmallIntegerField(default=0)
    label = models.CharField(max_length=40, blank=True)
    is_not_applicable = models.BooleanField(default=False)
    source = models.CharField(max_length=20, choices=Source.choices)
    reason = models.CharField(max_length=60, blank=True, help_text="Why no label could be read.")
    completion = models.ForeignKey(Completion, on_delete=models.PROTECT, null=True, related_name="item_labels")
    second_completion = models.ForeignKey(
        Completion,
        on_delete=models.PROTECT,
        null=True,
        related_name="labels_read_again",
        help_text="What a model said that was asked which labels the reply gives.",
    )
    refusal = models.TextField(blank=True, default="", help_text="Why the server gives no reply, in its words.")
    decided_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "candidate", "aspect", "variant", "repetition"], name="label_read_once_in_run"
            )
        ]
        indexes = [models.Index(fields=["run", "source", "id"], name="labels_by_source")]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.label or self.reason}"


class ItemScore(models.Model):
    """What a run holds of one aspect or measure of an item, or of one of its candidates.

    For a labelled aspect ``label`` is the choice's key (the vote, when a model was asked several times) and ``value``
    its number or the mean over repetitions; for a measure (REV, a MATE score, a probability) only ``value`` is there.
    Both are empty where every reply failed, with the reason; such a failure counts as wrong.
    """

    # Found by ``item_scored_once_in_run``, and so is what a run holds of one aspect. An index of its own would halve
    # the few milliseconds that this takes for ten thousand rows, and be a sixth of the time in which they are stored.
    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="item_scores", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="item_scores")
    candidate = models.PositiveSmallIntegerField(default=0, help_text="0 for the item as a whole.")
    aspect = models.CharField(max_length=60, help_text="An aspect's key, or the name of a measure.")
    label = models.CharField(max_length=40, blank=True)
    value = models.FloatField(null=True)
    reason = models.CharField(max_length=60, blank=True, help_text="Why there is nothing.")
    details = models.JSONField(null=True, blank=True, help_text="What it is made of: votes, parts, the rule.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item", "candidate", "aspect"], name="item_scored_once_in_run")
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.label or self.value}"

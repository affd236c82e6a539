"""A study's batches, and the HITs in them."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation_platform.core.allocation import turn_by_chance
from annotation_platform.corpus.models import Article
from annotation_platform.studies.models.studies import Study


class BatchState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"
    SCORED = "scored"


# Batches in these states take no judgments and can be opened again: what measures them says when it is out of date.
FINISHED_STATES = (BatchState.CLOSED, BatchState.SCORED)


def takes_judgments(batch: str = "") -> Q:
    """Batches that take judgments now: a deadline holds by the clock, also before anybody has closed its batch.

    ``batch``: the path to the batch, such as ``hit__batch__``.
    """
    is_over = Q(**{f"{batch}deadline_at__lte": timezone.now(), f"{batch}finishes_late": False})
    return Q(**{f"{batch}state": BatchState.OPEN}) & ~is_over


def goes_on(batch: str = "") -> Q:
    """Batches that give places to anybody and new time to those who have one: open, and not *finishing*."""
    has_time = Q(**{f"{batch}deadline_at": None}) | Q(**{f"{batch}deadline_at__gt": timezone.now()})
    return has_time & Q(**{f"{batch}state": BatchState.OPEN, f"{batch}finishing_since": None})


class Batch(models.Model):
    """HITs that open and close together.

    An open batch that is *finishing* gives no place to anybody new and closes when nobody is at work any more:
    since a researcher asked for it (``finishing_since``), or since its deadline, where ``finishes_late``.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=BatchState.choices, default=BatchState.DRAFT)
    deadline_at = models.DateTimeField(null=True, blank=True)
    finishes_late = models.BooleanField(
        default=False, help_text="Whether those at work at the deadline may finish; otherwise it is the end for all."
    )
    finishing_since = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    reopened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_because = models.CharField(max_length=60, blank=True)

    class Meta:
        ordering = ["study", "number"]
        verbose_name_plural = "batches"
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="batch_number_once_in_study")]

    def __str__(self) -> str:
        return _("Batch %(number)s") % {"number": self.number}

    @property
    def is_past_deadline(self) -> bool:
        return self.deadline_at is not None and self.deadline_at <= timezone.now()

    @property
    def is_over(self) -> bool:
        """Whether the clock says that it takes nothing more, even if nobody has closed it yet."""
        return self.is_past_deadline and not self.finishes_late

    @property
    def is_finishing(self) -> bool:
        """Whether those at work may finish and nobody else may begin."""
        asked = self.finishing_since is not None or (self.finishes_late and self.is_past_deadline)
        return self.state == BatchState.OPEN and asked

    @property
    def takes_judgments(self) -> bool:
        """As :func:`takes_judgments`."""
        return self.state == BatchState.OPEN and not self.is_over


class DrawRule(models.TextChoices):
    RANDOM = "random"
    UNCERTAINTY = "uncertainty"


class Draw(models.Model):
    """How the HITs of a batch were drawn by chance from all that people did not have yet; each has its probability.

    That is all that estimates need to weigh judgments by, so it never changes. ``run`` is the scoring run whose
    uncertainty decided, and may be gone by now; its signature stays. A batch without a draw was planned as it is.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="draw")
    rule = models.CharField(max_length=12, choices=DrawRule.choices)
    drawn = models.PositiveIntegerField(help_text="HITs that were drawn.")
    frame = models.PositiveIntegerField(help_text="HITs that there were to draw from.")
    floor = models.FloatField(help_text="The part of every probability that is the same for all; 1: a random choice.")
    run = models.PositiveBigIntegerField(null=True, blank=True, help_text="Key of the scoring run.")
    run_signature = models.CharField(max_length=64, blank=True)
    measure = models.CharField(max_length=20, blank=True, help_text="What of the run says how uncertain it is.")
    seed = models.CharField(max_length=40)
    signature = models.CharField(max_length=64, help_text="Of all of these, and of every HIT's probability.")
    drawn_at = models.DateTimeField()

    class Meta:
        ordering = ["drawn_at", "pk"]

    def __str__(self) -> str:
        return f"Draw of {self.batch}"

    @property
    def percent(self) -> int:
        """The floor in percent."""
        return round(100 * self.floor)


class Hit(models.Model):
    """One document with a few of its questions: what an annotator takes at a time."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="hits")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="hits")
    position = models.PositiveIntegerField()
    probability = models.FloatField(
        null=True, blank=True, editable=False, help_text="With which it was drawn into its batch; empty: it was not."
    )
    turn = models.FloatField(
        default=turn_by_chance,
        editable=False,
        help_text="By chance: the order in which tasks come, where chance decides.",
    )

    class Meta:
        ordering = ["batch", "position"]
        indexes = [models.Index(fields=["batch", "turn"], name="hit_by_turn")]
        constraints = [models.UniqueConstraint(fields=["batch", "position"], name="hit_position_once_in_batch")]

    def __str__(self) -> str:
        return _("Task %(number)s") % {"number": self.position}

    @property
    def percent(self) -> float | None:
        """Its probability in percent."""
        return None if self.probability is None else 100 * self.probability

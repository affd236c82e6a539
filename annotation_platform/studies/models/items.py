"""What is judged on one page."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation_platform.corpus.models import Answer, Question
from annotation_platform.studies.models.batches import Hit
from annotation_platform.studies.models.studies import Study


class RealManager(models.Manager[Any]):
    """Rows without those of checks, which is what every figure is about."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(is_check=False)


DECLARED = "declared "
"""What the marks of mirrored items begin with that a researcher declared."""


class Item(models.Model):
    """What is judged on one page: a question with one of its answers, or with a group of them (candidates).

    An item that ``is_check`` looks like all others to its annotators, and its accepted answers are known. It is in no
    figure and nothing that leaves the study, so ``objects`` and every relation (``study.items``) leave it out; what
    shows or stores a whole task asks ``every``.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="items")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="items")
    position = models.PositiveSmallIntegerField()
    mirror = models.CharField(
        max_length=64, blank=True, editable=False, help_text="The same for items that one person must not judge twice."
    )
    is_check = models.BooleanField(default=False, db_default=False, editable=False)

    objects = RealManager()
    every = models.Manager["Item"]()

    class Meta:
        ordering = ["hit", "position"]
        constraints = [models.UniqueConstraint(fields=["hit", "position"], name="item_position_once_in_hit")]
        indexes = [models.Index(fields=["hit", "mirror"], condition=~Q(mirror=""), name="mirrored_items")]

    def __str__(self) -> str:
        return _("Item %(number)s") % {"number": self.position}

    @property
    def answer(self) -> Answer:
        """The answer of an item that has one."""
        return self.candidates.all()[0].answer  # all(): what was prefetched is not asked for again


class Candidate(models.Model):
    """An answer that an item puts before the annotator, alone (number 1) or beside others.

    An answer is in one item of its study only, which is what caps its overlap, checks apart: one can be in many tasks.
    Numbers are drawn at random for each item, so they say nothing about the system; in which order a page shows them
    is each annotator's own. ``objects`` leaves out checks, as :class:`Item` does; ``is_check`` is the item's.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="candidates")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="candidates")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="candidacies")
    number = models.PositiveSmallIntegerField(default=1)
    is_check = models.BooleanField(default=False, db_default=False, editable=False)

    objects = RealManager()
    every = models.Manager["Candidate"]()

    class Meta:
        ordering = ["item", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "answer"], condition=Q(is_check=False), name="answer_once_in_study"
            ),
            models.UniqueConstraint(fields=["item", "number"], name="candidate_number_once_in_item"),
        ]

    def __str__(self) -> str:
        return f"Candidate {self.number}"

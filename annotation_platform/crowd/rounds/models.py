"""Rounds with their accepted answers, and people's attempts with what came of them."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation_platform.core.qualification import LEAST_OVERLAP, Tally
from annotation_platform.studies.models import Item, Member, Study


class Rule(models.TextChoices):
    """Who passes."""

    SHARE = "share", gettext_lazy("Whoever matches enough of the accepted answers")
    BEST = "best", gettext_lazy("The best of those who have finished when the round ends")
    ANYONE = "anyone", gettext_lazy("Whoever finishes: a trial")
    REVIEW = "review", gettext_lazy("Whoever a person passes")


class Round(models.Model):
    """A round of qualification: the study that is judged in it, and who passes.

    ``study.qualifies_for`` is the study that it qualifies for; its rounds are passed in the order of their positions.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="round")
    title = models.CharField(max_length=80)
    position = models.PositiveSmallIntegerField()
    rule = models.CharField(max_length=10, choices=Rule.choices, default=Rule.SHARE)
    least_percent = models.PositiveSmallIntegerField(default=0, help_text="Of the accepted answers, to pass.")
    best_count = models.PositiveIntegerField(null=True, blank=True, help_text="How many pass, of the best.")
    least_overlap = models.PositiveSmallIntegerField(
        default=LEAST_OVERLAP, help_text="Percent by which cited sentences overlap with the accepted ones, to match."
    )
    is_reviewed = models.BooleanField(default=False, help_text="A person confirms what the rule says.")
    attempts_allowed = models.PositiveSmallIntegerField(default=1, help_text="How often one person may try.")
    valid_days = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="For how many days a pass is valid; empty: for good."
    )
    shows_answers = models.BooleanField(
        default=False, help_text="Whether people see the accepted answers once they cannot try again."
    )
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Nobody tries any more.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    least_percent__lte=100, least_overlap__gte=1, least_overlap__lte=100, attempts_allowed__gte=1
                ),
                name="round_in_percent",
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def needs_key(self) -> bool:
        """Whether nobody can pass without accepted answers to compare with."""
        return self.rule == Rule.BEST or (self.rule == Rule.SHARE and self.least_percent > 0)


class ItemKey(models.Model):
    """The answers that are accepted for an item of a round: see ``core.qualification``."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="qualification_key")
    accepted = models.JSONField(default=dict, help_text="Slot key → accepted answers.")
    must_pass = models.BooleanField(default=False, help_text="Who does not match all of it does not pass.")
    explanation = models.TextField(blank=True, max_length=2_000, help_text="Why; shown with the accepted answers.")

    def __str__(self) -> str:
        return f"Key of item {self.item_id}"


class Verdict(models.TextChoices):
    PENDING = "pending", gettext_lazy("not decided")
    PASSED = "passed", gettext_lazy("passed")
    FAILED = "failed", gettext_lazy("not passed")


class Attempt(models.Model):
    """One time that somebody goes through a round, or (number 0) what a researcher decided without one.

    ``member`` is who they are in the study that the round qualifies for, ``annotator`` in the round's own study, where
    their judgments of attempt n are those of replicate n - 1. ``matched``, ``compared`` and ``failed`` are empty until
    they have finished.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="attempts")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="attempts")
    annotator = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    matched = models.PositiveIntegerField(null=True, blank=True, help_text="Answers that match accepted ones.")
    compared = models.PositiveIntegerField(null=True, blank=True, help_text="Answers that were compared.")
    failed = models.PositiveIntegerField(null=True, blank=True, help_text="Items failed that must be passed.")
    verdict = models.CharField(max_length=10, choices=Verdict.choices, default=Verdict.PENDING)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty: the rule."
    )
    note = models.TextField(blank=True, max_length=2_000, help_text="What the annotator reads about it.")

    class Meta:
        ordering = ["round", "member", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "member", "number"], name="attempt_number_once"),
            models.UniqueConstraint(
                fields=["round", "member"],
                condition=Q(verdict="pending", finished_at=None),
                name="one_attempt_under_way",
            ),
            models.CheckConstraint(
                condition=Q(verdict="pending", decided_at=None) | (~Q(verdict="pending") & Q(decided_at__isnull=False)),
                name="attempt_is_pending_or_decided",
            ),
        ]
        indexes = [models.Index(fields=["annotator", "number"], name="attempt_by_annotator")]

    def __str__(self) -> str:
        return f"Attempt {self.number}"

    @property
    def is_under_way(self) -> bool:
        return self.verdict == Verdict.PENDING and self.finished_at is None

    @property
    def tally(self) -> Tally | None:
        """What it came to; None until it is finished."""
        if self.matched is None or self.compared is None:
            return None
        return Tally(self.matched, self.compared, self.failed or 0)


class ItemNote(models.Model):
    """What a researcher writes to somebody about one item of their attempt."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="item_notes")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    text = models.TextField(max_length=2_000)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["attempt", "item"], name="one_note_per_item")]

    def __str__(self) -> str:
        return f"Note on item {self.item_id}"

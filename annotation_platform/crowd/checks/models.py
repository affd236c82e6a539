"""The checks of a study, the tasks that have one, what came of each, and what the study did about it."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.studies.models import Assignment, Item, Member, Study

MOST_WORDS = 500


class Action(models.TextChoices):
    """What the study does about somebody who fails checks."""

    NOTHING = "nothing", gettext_lazy("Nothing: only show it here")
    WARN = "warn", gettext_lazy("Warn: a note before the next task")
    PAUSE = "pause", gettext_lazy("Pause: no new task until a researcher lets them go on")
    EXCLUDE = "exclude", gettext_lazy("Exclude: their work is set aside and its places open again")


class CheckRule(models.Model):
    """How often a study mixes checks into tasks, and what follows when somebody fails them.

    The rule holds against somebody who failed ``most_failed`` checks, or who passed less than ``least_percent`` of at
    least ``least_judged``. Either part can be left out.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="check_rule")
    every = models.PositiveSmallIntegerField(default=5, help_text="One of so many tasks gets a check.")
    mixes_by_itself = models.BooleanField(default=False, help_text="Whether drafts get theirs when they open.")
    action = models.CharField(max_length=10, choices=Action.choices, default=Action.NOTHING)
    most_failed = models.PositiveSmallIntegerField(null=True, blank=True)
    least_percent = models.PositiveSmallIntegerField(null=True, blank=True)
    least_judged = models.PositiveSmallIntegerField(default=3)
    words = models.CharField(max_length=MOST_WORDS, blank=True, help_text="What the annotator reads.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(every__gte=1), name="check_in_one_of_so_many_tasks"),
            models.CheckConstraint(condition=~Q(words="") | Q(action=Action.NOTHING), name="check_action_has_words"),
        ]

    def __str__(self) -> str:
        return f"Rule about checks of {self.study}"


class Check(models.Model):
    """A question with one of its answers (or its candidates) whose right judgment is known.

    ``accepted``: slot key → accepted answers, as ``core.qualification.check_accepted`` gives them.
    """

    class Kind(models.TextChoices):
        GOLD = "gold", gettext_lazy("Gold")
        ATTENTION = "attention", gettext_lazy("Attention")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="checks")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.GOLD)
    accepted = models.JSONField()
    identity = models.CharField(max_length=255, editable=False, help_text="The keys of its answers.")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Goes into no task and counts for nobody.")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["study", "identity"], name="check_once_in_study")]

    def __str__(self) -> str:
        return f"Check {self.pk}"


class CheckAnswer(models.Model):
    """An answer that a check shows, under its number as candidate."""

    check_item = models.ForeignKey(Check, on_delete=models.CASCADE, related_name="answers")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField(default=1)

    class Meta:
        ordering = ["check_item", "number"]
        constraints = [models.UniqueConstraint(fields=["check_item", "number"], name="check_answer_number_once")]

    def __str__(self) -> str:
        return f"Answer {self.number} of check {self.check_item_id}"


class Placement(models.Model):
    """That an item of a task is a check, and which."""

    check_item = models.ForeignKey(Check, on_delete=models.CASCADE, related_name="placements")
    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="check_placement")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"Check {self.check_item_id} in item {self.item_id}"


class CheckResult(models.Model):
    """Whether the judgment of a check, as its task was submitted, was one of the accepted.

    One that ``is_repeated`` was by somebody who had met the same answers before; it counts for nobody.
    """

    check_item = models.ForeignKey(Check, on_delete=models.CASCADE, related_name="results")
    annotation = models.OneToOneField(Annotation, on_delete=models.CASCADE, related_name="check_result")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="check_results")
    annotator = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="check_results")
    passed = models.BooleanField()
    missed = models.JSONField(default=list, blank=True, help_text="Slot keys of what was not accepted.")
    is_repeated = models.BooleanField(default=False)
    rule_waits = models.BooleanField(default=False, help_text="The study's rule has not been applied since.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "annotator", "check_item"], name="check_result_once")
        ]
        indexes = [
            models.Index(fields=["annotator", "is_repeated"], name="check_result_by_annotator"),
            models.Index(fields=["annotator"], condition=Q(rule_waits=True), name="check_result_rule_waits"),
        ]

    def __str__(self) -> str:
        return f"Check {self.check_item_id}: {'passed' if self.passed else 'failed'}"


class CheckAction(models.Model):
    """What the study's rule did about somebody, on what evidence; each starts the count anew.

    ``last_result`` is the last result that was counted by then.
    """

    annotator = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="check_actions")
    action = models.CharField(max_length=10, choices=Action.choices)
    because = models.CharField(max_length=MOST_WORDS)
    judged = models.PositiveIntegerField()
    failed = models.PositiveIntegerField()
    last_result = models.PositiveBigIntegerField()
    taken_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True, help_text="When the annotator read a warning.")
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(failed__lte=F("judged")), name="check_action_failed_of_judged")
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.action}"

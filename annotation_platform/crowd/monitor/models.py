"""What the monitor knows of each annotator, the signs in their work with evidence, and text that was pasted."""

from django.db import models
from django.utils.translation import gettext_lazy

from annotation_platform.accounts.reason_fields import ReasonField, ReasonsField
from annotation_platform.jobs.rows import Job, QueueQuerySet
from annotation_platform.studies.models import Item, Member, Study


class Watch(models.Model):
    """When somebody last looked at the monitor of a study, and when it was last measured, in how many seconds."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="watch")
    watched_at = models.DateTimeField(null=True, blank=True)
    measured_at = models.DateTimeField(null=True, blank=True)
    took = models.FloatField(default=0, help_text="Seconds that the measurement took.")

    def __str__(self) -> str:
        return f"Watch over {self.study}"


class MonitorJob(Job):
    """A study whose annotators' figures are to be computed anew."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="monitor_jobs")

    objects = QueueQuerySet["MonitorJob"].as_manager()

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return f"Monitor of {self.study}"


class AnnotatorFigures(models.Model):
    """An annotator's figures over their judgments that count, as the last measurement found them."""

    member = models.OneToOneField(Member, on_delete=models.CASCADE, related_name="figures")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="annotator_figures")
    judgments = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0, help_text="Tasks submitted.")
    last_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True, help_text="Median time on task of an item.")
    seconds_n = models.PositiveIntegerField(default=0)
    agreement = models.FloatField(null=True, help_text="Share of the others' labels of the same items equal to theirs.")
    agreement_n = models.PositiveIntegerField(default=0)
    adjudicated = models.FloatField(null=True, help_text="Share of their labels equal to the adjudicated ones.")
    adjudicated_n = models.PositiveIntegerField(default=0)
    hinted = models.PositiveIntegerField(default=0, help_text="Explanations that were hinted to say little.")
    hourly = models.BigIntegerField(null=True, help_text="Reward of an hour on task, in the smallest unit.")
    currency = models.CharField(max_length=3, blank=True)
    signs = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "annotator figures"
        indexes = [models.Index(fields=["study", "signs"], name="figures_worth_a_look")]

    def __str__(self) -> str:
        return f"Figures of {self.member_id}"


class SignKind(models.TextChoices):
    HASTE = "haste", gettext_lazy("Much faster than the others")
    ONE_LABEL = "one_label", gettext_lazy("The same label each time")
    COPIED = "copied", gettext_lazy("Nearly the same words as somebody else")
    REPEATED = "repeated", gettext_lazy("The same explanation again and again")
    FROM_TEXT = "from_text", gettext_lazy("An explanation taken from the text")
    PASTED = "pasted", gettext_lazy("Text pasted from elsewhere")


class Sign(models.Model):
    """Something in an annotator's work that a person should look at; never a verdict.

    ``evidence``: one entry for each case, with the keys of the judgments that it rests on.
    """

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="signs")
    kind = models.CharField(max_length=10, choices=SignKind.choices)
    words = ReasonField(help_text="What was counted, by which rule.")
    evidence = ReasonsField(default=list)

    class Meta:
        ordering = ["member", "kind"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.member_id}"


class Paste(models.Model):
    """That so many characters were pasted into a field of an item; the text itself is kept nowhere."""

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="pastes")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="pastes")
    slot = models.CharField(max_length=60)
    characters = models.PositiveIntegerField()
    pasted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["item", "member"], name="pastes_by_item")]

    def __str__(self) -> str:
        return f"{self.characters} characters in item {self.item_id}"

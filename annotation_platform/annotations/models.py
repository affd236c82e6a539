"""Judgments: append-only revisions with their ratings and cited sentences; drafts, hints, words to the researcher.

And the migration of judgments to another version of their study's scheme.
"""

from typing import Self

from django.db import models
from django.db.models import Q

from annotation_platform.jobs.rows import ACTIVE, Job, QueueQuerySet
from annotation_platform.studies.models import FINISHED_STATES, Assignment, Item, Member, SchemeVersion, Study


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def current(self) -> Self:
        return self.filter(is_current=True)

    def closed(self) -> Self:
        """Current judgments of batches that take no more: what scoring, agreement and exports are about."""
        return self.current().filter(item__hit__batch__state__in=FINISHED_STATES)


class NumberedManager(models.Manager["Annotation"]):
    def get_queryset(self) -> models.QuerySet["Annotation"]:
        return super().get_queryset().filter(revision__gt=0)


class RealManager(NumberedManager):
    def get_queryset(self) -> models.QuerySet["Annotation"]:
        return super().get_queryset().filter(is_check=False)


class Annotation(models.Model):
    """One revision of one annotator's judgment of one item, exactly as checked by the scheme; never edited.

    Only ``is_current`` ever changes: a newer revision, or another annotator who takes over the place, puts it
    to False, and its annotator who takes the place again puts the last one to True. ``values`` is the record;
    :class:`Rating` and :class:`SentenceReference` are its rows for queries, written with it and never apart from it.

    Revisions count from 1. One that is being migrated to another version of the scheme is number 0, and known to
    nobody but the migration: only ``every`` has it.

    Judgments of checks are in no figure and nothing that leaves the study: ``objects`` and every relation leave them
    out, and they have no ratings and cited sentences. What an annotator gave, checks among them, is ``given``.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="annotations")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="annotations")
    annotator = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="annotations")
    revision = models.PositiveSmallIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    scheme_version = models.ForeignKey(SchemeVersion, on_delete=models.PROTECT, related_name="annotations")
    values = models.JSONField()
    presented = models.JSONField(null=True, blank=True, help_text="Candidates' numbers in the order shown.")
    seconds = models.FloatField(null=True, blank=True, help_text="Time on task while the page was in view.")
    submission_id = models.UUIDField(null=True, blank=True, unique=True, help_text="The form's own mark.")
    created_at = models.DateTimeField(help_text="When it was judged; one that repeats another keeps its time.")
    carried_from = models.ForeignKey(
        "self",
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        db_index=False,
        related_name="carried_to",
        help_text="The revision under an earlier version of the scheme, or in another place, that this repeats.",
    )

    under_earlier_rule = models.JSONField(
        default=list,
        blank=True,
        help_text="Keys of values that were migrated although this version of the scheme would not accept them.",
    )

    is_check = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="Whether the item is a check."
    )

    objects = RealManager.from_queryset(AnnotationQuerySet)()
    given = NumberedManager.from_queryset(AnnotationQuerySet)()
    every = AnnotationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "item"],
                condition=Q(is_current=True),
                name="one_current_judgment_per_place",
            ),
            models.UniqueConstraint(fields=["assignment", "item", "annotator", "revision"], name="revision_once"),
        ]

    def __str__(self) -> str:
        return f"Judgment {self.pk}, revision {self.revision}"


class Rating(models.Model):
    """A label given to one aspect, with the number that its scale puts behind it.

    ``candidate`` is 0 for the item as a whole. Only an aspect that takes several choices has several rows.
    """

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="ratings")
    aspect = models.CharField(max_length=40)
    candidate = models.PositiveSmallIntegerField(default=0)
    choice = models.CharField(max_length=40)
    number = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "aspect", "candidate", "choice"], name="label_given_once")
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.choice}"


class SentenceReference(models.Model):
    """A sentence that a judgment cites, by its number in the item's document, a reference document or a turn."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="sentence_references")
    aspect = models.CharField(max_length=40)
    candidate = models.PositiveSmallIntegerField(default=0)
    document = models.PositiveSmallIntegerField(default=0, help_text="0: the article; k: the reference document Rk.")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "aspect", "candidate", "document", "number"], name="sentence_cited_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.number}"


class LateJudgment(models.Model):
    """What somebody submitted when their time had run out and another had their place: kept, and not counted.

    A person decides: accepted, it becomes a judgment in a free place of the same HIT; declined, it stays what it is.
    One that was sent again in another wording is replaced, and stays, too.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        REPLACED = "replaced"
        ACCEPTED = "accepted"
        DECLINED = "declined"

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="late_judgments", help_text="The place that was lost."
    )
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="late_judgments")
    annotator = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="late_judgments")
    scheme_version = models.ForeignKey(SchemeVersion, on_delete=models.PROTECT, related_name="late_judgments")
    values = models.JSONField()
    presented = models.JSONField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    submission_id = models.UUIDField(unique=True, help_text="The form's own mark.")
    submitted_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    decided_at = models.DateTimeField(null=True, blank=True)
    declined_because = models.CharField(max_length=500, blank=True, help_text="What the annotator reads about it.")

    class Meta:
        ordering = ["submitted_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "item"], condition=Q(state="waiting"), name="one_late_judgment_waits"
            )
        ]

    def __str__(self) -> str:
        return f"Late judgment {self.pk}"


class Draft(models.Model):
    """What somebody has typed so far, just as typed. ``version`` counts saves, so that two tabs notice each other."""

    annotator = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="drafts")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="drafts")
    values = models.JSONField()
    seconds = models.FloatField(default=0)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["annotator", "item"], name="one_draft_per_item")]

    def __str__(self) -> str:
        return f"Draft of item {self.item_id}"


class Hint(models.Model):
    """A hint that was shown because an explanation said little, with the text as it was then.

    Whether the text changed afterwards is read beside the judgment (``selectors.hint_outcomes``).
    """

    annotator = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="hints")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="hints")
    aspect = models.CharField(max_length=40)
    candidate = models.PositiveSmallIntegerField(default=0)
    text = models.TextField()
    reason = models.CharField(max_length=40)
    score = models.FloatField(help_text="How much the text said, in new words.")
    shown_at = models.DateTimeField(auto_now_add=True)
    dismissed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["shown_at", "pk"]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.reason}"


class Message(models.Model):
    """A word between an annotator and the researchers of their study, about a task or about none of them.

    A thread is all that was said with one ``annotator`` about one ``assignment``, or, without one, about the study;
    it stays open both ways, also for who holds the task no more. ``item`` is the question that a word is about; None
    when it was written about the task as a whole.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, null=True, blank=True, related_name="messages")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, null=True, blank=True, related_name="messages")
    annotator = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="correspondence",
        help_text="With whom; empty in old words to a place that nobody had.",
    )
    author = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="messages")
    text = models.TextField(max_length=5_000)
    created_at = models.DateTimeField(auto_now_add=True)
    needs_answer = models.BooleanField(default=False, help_text="An annotator's word that no researcher dealt with.")
    is_told = models.BooleanField(
        default=False, help_text="Whether those who did not read it by themselves have had a mail about it."
    )

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(assignment__isnull=False) | Q(annotator__isnull=False), name="message_has_a_thread"
            )
        ]
        indexes = [
            models.Index(fields=["annotator", "assignment", "id"], name="message_by_thread"),
            models.Index(fields=["annotator"], condition=Q(needs_answer=True), name="message_to_answer"),
            models.Index(fields=["created_at"], condition=Q(is_told=False), name="message_to_tell"),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def is_annotators(self) -> bool:
        """Whether the annotator wrote it; else a researcher did."""
        return self.author_id == self.annotator_id


class MessageRead(models.Model):
    """That somebody has had a word before their eyes."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="reads")
    reader = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="messages_read")
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "reader"], name="message_read_once")]

    def __str__(self) -> str:
        return f"Message {self.message_id}, read by {self.reader_id}"


class SchemeMigration(Job):
    """An edited scheme, and what is wanted of it: counting what migrates, or that it becomes the study's.

    A study has one under way at a time.
    """

    class Wanted(models.TextChoices):
        COUNT = "count"
        MIGRATE = "migrate"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="scheme_migrations")
    requested_by = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: a command."
    )
    wanted = models.CharField(max_length=10, choices=Wanted.choices)
    text = models.TextField(help_text="The edited scheme, as it was typed.")
    renamings = models.TextField(blank=True, help_text="As they were typed, one a line.")
    before = models.ForeignKey(
        SchemeVersion,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The study's version at that time.",
    )
    after = models.ForeignKey(
        SchemeVersion,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The new version, from the moment on from which judgments are migrated to it.",
    )
    counts = models.JSONField(null=True, blank=True, help_text="What was migrated, or would be.")
    reasons = models.JSONField(default=list, blank=True, help_text="Why it failed, to be told in any language.")

    objects = QueueQuerySet["SchemeMigration"].as_manager()

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["study"], condition=Q(status__in=ACTIVE), name="one_scheme_migration_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"Scheme migration of {self.study}"

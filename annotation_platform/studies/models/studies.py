"""A study: a corpus judged under one frozen scheme."""

from typing import Any, Self

from django.apps import apps
from django.db import models
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy

from annotation_platform.accounts.roles import Role
from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.models.schemes import SchemeVersion


class AssignmentPolicy(models.TextChoices):
    """Which free place an annotator gets next: see ``assignment_policies``."""

    IN_ORDER = "in_order", gettext_lazy("Depth first: each task is finished before the next is begun")
    BREADTH_FIRST = "breadth_first", gettext_lazy("Breadth first: all tasks once before any twice")
    BALANCED = "balanced", gettext_lazy("Balanced: those whose systems the person has judged least")
    EVEN = "even", gettext_lazy("Balanced, and nobody gets far more than the others who are at work")
    SAMPLED = "sampled", gettext_lazy("By chance: what is judged when a batch closes early is a random part of it")


class AnnotatorsAre(models.TextChoices):
    """How good the people of a study are at what they judge, by which the alternative annotator test has its ε."""

    EXPERTS = "experts", gettext_lazy("Experts")
    SKILLED = "skilled", gettext_lazy("Skilled annotators")
    CROWD = "crowd", gettext_lazy("A crowd")


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: Any) -> Self:
        """Studies whose data this user may read: those in which they are researcher or admin."""
        return self.with_role(user.pk, Role.RESEARCHER, Role.ADMIN)

    def administered_by(self, user: Any) -> Self:
        return self.with_role(user.pk, Role.ADMIN)

    def with_role(self, user: int | None, *roles: Role) -> Self:
        """Studies in whose team the user with this key has one of these roles; without a key: none."""
        if user is None:
            return self.none()
        members = apps.get_model("studies", "Member").objects
        team = Coalesce(models.OuterRef("qualifies_for"), models.OuterRef("pk"))
        return self.filter(models.Exists(members.filter(study=team, user=user, role__in=roles)))


class ArrivedManager(models.Manager["Study"]):
    def get_queryset(self) -> models.QuerySet["Study"]:
        return super().get_queryset().filter(arriving_at=None)


class Study(models.Model):
    """One that is still arriving is known to nobody but the import that stores it: see ``objects`` and ``every``.

    One that qualifies for another is a round of that one's qualification. Its researchers and admins are the other's,
    everybody gets all of its tasks (``own_places``), as often as they may try, and it goes when the other one goes.
    """

    name = models.CharField(max_length=200, unique=True)
    slug = models.SlugField(max_length=80, unique=True)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="studies")
    scheme_version = models.ForeignKey(SchemeVersion, on_delete=models.PROTECT, related_name="studies")
    overlap = models.PositiveSmallIntegerField(default=5, help_text="Judgments per item.")
    questions_per_hit = models.PositiveSmallIntegerField(default=5)
    hits_per_batch = models.PositiveSmallIntegerField(default=20)
    time_limit_minutes = models.PositiveSmallIntegerField(default=60, help_text="How long a place is reserved.")
    assignment_policy = models.CharField(
        max_length=20, choices=AssignmentPolicy.choices, default=AssignmentPolicy.IN_ORDER
    )
    has_mirrored_items = models.BooleanField(
        default=False, editable=False, help_text="Whether some of its items mirror each other."
    )
    mirror_set = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        editable=False,
        help_text="Studies with the same one share their declared mirrored items.",
    )
    most_extensions = models.PositiveSmallIntegerField(
        default=1, help_text="How often an annotator may lengthen the time of one task."
    )
    extension_percent = models.PositiveSmallIntegerField(
        default=50, help_text="By how much each time, of the time limit."
    )
    most_tasks = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many tasks one annotator may have in all; empty: any."
    )
    most_tasks_a_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many tasks one annotator may have within 24 hours; empty: any."
    )
    gives_hints = models.BooleanField(
        default=True, help_text="Whether the page asks for more when an explanation only restates the label."
    )
    judged_declared_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was declared that what people judged is a random part of all."
    )
    scored_declared_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it was declared that the batches which a language model rescaled are a random part of all.",
    )
    about = models.TextField(
        blank=True,
        max_length=4000,
        help_text="What invited people read; empty: the words of the scheme.",
    )
    annotators_are = models.CharField(  # noqa: DJ001 - a column that cannot be null makes SQLite copy the table
        max_length=10,
        choices=AnnotatorsAre.choices,
        null=True,
        blank=True,
        help_text="Experts, skilled annotators or a crowd; none: nobody has said it.",
    )
    task_minutes = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How long a task takes, until enough of them have been measured."
    )
    pay = models.CharField(max_length=200, blank=True, help_text="What annotators are told about their pay.")
    qualifies_for = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, editable=False, related_name="round_studies"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True, help_text="Out of the lists, and nobody takes its tasks.")
    arriving_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Last sign of life of the import; empty once all is there."
    )
    evening_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Last sign of life of a change of the overlap of open batches."
    )

    objects = ArrivedManager.from_queryset(StudyQuerySet)()
    every = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name

    @property
    def is_round(self) -> bool:
        """Whether it is a round of another study's qualification."""
        return self.qualifies_for_id is not None

    @property
    def judged_at_random(self) -> bool:
        """Whether a researcher declares that what people judged is a random part of all."""
        return self.judged_declared_at is not None

    @property
    def scored_at_random(self) -> bool:
        """Whether a researcher declares that the batches which a language model rescaled are a random part of all."""
        return self.scored_declared_at is not None

    def scheme(self, language: str = "en") -> Scheme:
        return self.scheme_version.scheme(language)

"""A study: a corpus judged under one frozen scheme by its members, cut into batches, HITs and places."""

from typing import Any, Self

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation_platform.accounts.models import User
from annotation_platform.core.schemes import Scheme, build_scheme
from annotation_platform.corpus.models import Answer, Article, Corpus, Question


class SchemeVersion(models.Model):
    """A scheme as it was when a study froze it. Never changed: an edited scheme is a new version."""

    key = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    definition = models.JSONField()
    signature = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "number"], name="scheme_version_once")]

    def __str__(self) -> str:
        return f"{self.key} v{self.number}"

    def scheme(self, language: str = "en") -> Scheme:
        """The frozen scheme in one language; built once per process, since a version never changes."""
        if (scheme := _built.get((self.signature, language))) is None:
            scheme = _built[self.signature, language] = build_scheme(self.definition, language)
        return scheme

    @classmethod
    def scheme_of(cls, signature: str, language: str = "en") -> Scheme | None:
        """The scheme of the version with this signature; None when there is no such version."""
        if (scheme := _built.get((signature, language))) is None:
            version = cls.objects.filter(signature=signature).first()
            scheme = version.scheme(language) if version else None
        return scheme


_built: dict[tuple[str, str], Scheme] = {}


class Role(models.TextChoices):
    ANNOTATOR = "annotator", gettext_lazy("Annotator")
    RESEARCHER = "researcher", gettext_lazy("Researcher")
    ADMIN = "admin", gettext_lazy("Admin")


class AssignmentPolicy(models.TextChoices):
    """Which free place an annotator gets next: see ``assignment_policies``."""

    IN_ORDER = "in_order", gettext_lazy("Depth first: each task is finished before the next is begun")
    BREADTH_FIRST = "breadth_first", gettext_lazy("Breadth first: all tasks once before any twice")
    BALANCED = "balanced", gettext_lazy("Balanced: those whose systems the person has judged least")
    SAMPLED = "sampled", gettext_lazy("By chance: each as likely as the probabilities with which tasks were drawn")


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: Any) -> Self:
        """Studies whose data this user may read: those in which they are researcher or admin."""
        return self._with_role(user, [Role.RESEARCHER, Role.ADMIN])

    def administered_by(self, user: Any) -> Self:
        return self._with_role(user, [Role.ADMIN])

    def _with_role(self, user: Any, roles: list[Role]) -> Self:
        if not user.is_authenticated:
            return self.none()
        team = Coalesce(models.OuterRef("qualifies_for"), models.OuterRef("pk"))
        return self.filter(models.Exists(Member.objects.filter(study=team, user=user, role__in=roles)))


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
    about = models.TextField(
        blank=True,
        max_length=4000,
        help_text="What invited people read; empty: the words of the scheme.",
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

    def scheme(self, language: str = "en") -> Scheme:
        return self.scheme_version.scheme(language)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> Self:
        """Invitations that still let somebody in."""
        return self.filter(Q(max_uses=None) | Q(uses__lt=F("max_uses")), revoked_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A way into a study. Its link is signed and names the row, so the row decides whether it still opens."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.ANNOTATOR)
    note = models.CharField(max_length=120, blank=True, help_text="Whom it is for.")
    max_uses = models.PositiveIntegerField(null=True, blank=True, help_text="How many may join by it; empty: any.")
    uses = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Invitation {self.pk}"

    @property
    def state(self) -> str:
        if self.revoked_at:
            return "revoked"
        if self.max_uses is not None and self.uses >= self.max_uses:
            return "used up"
        return "expired" if self.expires_at <= timezone.now() else "open"


class Member(models.Model):
    """A person in a study. Everything that leaves the study knows annotators by their pseudonym only.

    Who was removed has no ``user`` any more, so that nothing of the study opens to them; ``former_user`` remembers
    them, so that no old link lets them in again. Whose account was deleted has neither.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)
    pseudonym = models.CharField(max_length=60)
    replicate = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="Which time they go through the study's tasks; more than once in rounds."
    )
    joined_at = models.DateTimeField(auto_now_add=True)
    invitation = models.ForeignKey(
        Invitation, on_delete=models.SET_NULL, null=True, blank=True, related_name="members", help_text="Came by it."
    )
    former_user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True, help_text="Takes no task from then on.")
    paused_because = models.CharField(max_length=500, blank=True, help_text="What the annotator reads about it.")
    excluded_at = models.DateTimeField(null=True, blank=True, help_text="Takes and submits nothing from then on.")
    excluded_because = models.CharField(max_length=500, blank=True, help_text="What the annotator reads about it.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="member_once_in_study"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="pseudonym_once_in_study"),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class BatchState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"
    SCORED = "scored"


# Batches in these states take no judgments and can be opened again: what measures them says when it is out of date.
FINISHED_STATES = [BatchState.CLOSED, BatchState.SCORED]


def takes_judgments(batch: str = "") -> Q:
    """Batches that take judgments now: a deadline holds by the clock, also before anybody has closed its batch.

    ``batch``: the path to the batch, such as ``hit__batch__``.
    """
    is_over = Q(**{f"{batch}deadline_at__lte": timezone.now(), f"{batch}finishes_late": False})
    return Q(**{f"{batch}state": BatchState.OPEN}) & ~is_over


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
        return f"Batch {self.number}"

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

    class Meta:
        ordering = ["batch", "position"]
        constraints = [models.UniqueConstraint(fields=["batch", "position"], name="hit_position_once_in_batch")]

    def __str__(self) -> str:
        return f"Task {self.position}"

    @property
    def percent(self) -> float | None:
        """Its probability in percent."""
        return None if self.probability is None else 100 * self.probability


class RealManager(models.Manager[Any]):
    """Rows without those of checks, which is what every figure is about."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(is_check=False)


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
        return f"Item {self.position}"

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


class AssignmentState(models.TextChoices):
    OPEN = "open"
    CLAIMED = "claimed"
    SUBMITTED = "submitted"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def unheld(self) -> Self:
        """Places nobody holds: open ones, and claimed ones whose lease has run out."""
        expired = Q(state=AssignmentState.CLAIMED, lease_expires_at__lt=timezone.now())
        return self.filter(Q(state=AssignmentState.OPEN) | expired)

    def takeable(self) -> Self:
        """Places nobody holds, in batches that are open and go on, of studies that do."""
        going_on = Q(hit__batch__deadline_at=None) | Q(hit__batch__deadline_at__gt=timezone.now())
        return self.unheld().filter(
            going_on,
            hit__batch__state=BatchState.OPEN,
            hit__batch__finishing_since=None,
            hit__batch__study__archived_at=None,
        )

    def free_for(self, annotator: Member) -> Self:
        """Takeable places of HITs that this annotator has not had: none they hold, submitted, or had set aside.

        Nor do they get a HIT with an item that mirrors one of those.
        """
        had = Assignment.objects.filter(hit=models.OuterRef("hit"), annotator=annotator)
        aside = SetAside.objects.filter(
            assignment__hit=models.OuterRef("hit"), annotator=annotator, restored_at__isnull=True
        )
        free = self.takeable().filter(~models.Exists(had), ~models.Exists(aside), hit__batch__study=annotator.study_id)
        if not annotator.study.has_mirrored_items:
            return free
        mirrors = Item.objects.exclude(mirror="")
        seen = mirrors.filter(hit__assignments__annotator=annotator).values("mirror")
        seen_aside = mirrors.filter(
            hit__assignments__set_aside__annotator=annotator, hit__assignments__set_aside__restored_at=None
        ).values("mirror")
        mirrored = mirrors.filter(Q(mirror__in=seen) | Q(mirror__in=seen_aside), hit=models.OuterRef("hit"))
        return free.filter(~models.Exists(mirrored))

    def new_to(self, annotator: Member) -> Self:
        """Places of HITs in which this annotator has met no answer in another one, as only checks let them."""
        had = Q(item__hit__assignments__annotator=annotator) | Q(item__hit__assignments__set_aside__annotator=annotator)
        met = Candidate.every.filter(
            item__hit=models.OuterRef("hit"), answer__in=Candidate.every.filter(had).values("answer")
        )
        return self.filter(~models.Exists(met))

    def at_work(self) -> Self:
        """Places whose holders have time left."""
        return self.filter(state=AssignmentState.CLAIMED, lease_expires_at__gte=timezone.now())


class Assignment(models.Model):
    """A place in a HIT. Rows are made at launch, as many as the overlap; a changed overlap adds or removes free ones.

    ``replicate`` is 0 except in imported data, where one annotator may have judged a HIT several times, and in rounds
    of qualification, where it is the time through of whoever took the place.
    """

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="assignments")
    place = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments")
    replicate = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=AssignmentState.choices, default=AssignmentState.OPEN)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    extensions = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="How often its holder has lengthened the lease."
    )
    chance = models.FloatField(
        null=True, blank=True, editable=False, help_text="With which its holder got this task of all; empty: no chance."
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["hit", "place"]
        constraints = [
            models.UniqueConstraint(fields=["hit", "place"], name="place_once_in_hit"),
            models.UniqueConstraint(fields=["hit", "annotator", "replicate"], name="annotator_once_in_hit"),
            models.CheckConstraint(
                condition=Q(state="open", annotator__isnull=True) | (~Q(state="open") & Q(annotator__isnull=False)),
                name="place_is_open_or_somebodys",
            ),
        ]
        indexes = [
            models.Index(fields=["annotator", "state", "submitted_at"], name="assignment_by_annotator"),
            models.Index(fields=["place", "hit"], condition=~Q(state="submitted"), name="places_not_submitted"),
        ]

    def __str__(self) -> str:
        return f"Place {self.place}"

    @property
    def has_expired(self) -> bool:
        return (
            self.state == AssignmentState.CLAIMED
            and self.lease_expires_at is not None
            and self.lease_expires_at < timezone.now()
        )


class SetAside(models.Model):
    """Somebody's work in a place that counts no more, so that the place is open to others. Nothing of it is deleted.

    It counts again when it is restored, which needs that nobody else has the place by then.
    """

    class Kind(models.TextChoices):
        EXCLUDED = "excluded", gettext_lazy("Excluded")
        REJECTED = "rejected", gettext_lazy("Rejected")

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="set_aside")
    annotator = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="set_aside")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    because = models.CharField(max_length=500, blank=True, help_text="What the annotator reads about it.")
    submitted_at = models.DateTimeField(null=True, blank=True)
    set_aside_at = models.DateTimeField(auto_now_add=True)
    restored_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "work set aside"
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "annotator"], condition=Q(restored_at=None), name="set_aside_once"
            )
        ]
        indexes = [models.Index(fields=["annotator", "restored_at"], name="set_aside_by_annotator")]

    def __str__(self) -> str:
        return f"Work in place {self.assignment_id}, set aside"

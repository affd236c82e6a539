"""The places in HITs, and work in them that counts no more."""

from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation_platform.studies.models.batches import Hit, goes_on, takes_judgments
from annotation_platform.studies.models.items import DECLARED, Candidate, Item
from annotation_platform.studies.models.members import Member


class AssignmentState(models.TextChoices):
    OPEN = "open"
    CLAIMED = "claimed"
    SUBMITTED = "submitted"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def unheld(self) -> Self:
        """Places nobody holds: open ones, and claimed ones whose lease has run out.

        That these are not submitted follows, but is said, since the database knows how many such places there are of
        each number (migration 0011) and how many have a lease that has run out it can only guess.
        """
        expired = Q(state=AssignmentState.CLAIMED, lease_expires_at__lt=timezone.now())
        return self.filter(Q(state=AssignmentState.OPEN) | expired).exclude(state=AssignmentState.SUBMITTED)

    def takeable(self) -> Self:
        """Places nobody holds, in batches that are open and go on, of studies that do."""
        return self.unheld().filter(goes_on("hit__batch__"), hit__batch__study__archived_at=None)

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
        of_theirs = Q(mirror__in=_mirrors_seen(mirrors, annotator))
        if annotator.study.mirror_set is not None and annotator.user_id is not None:
            shared = mirrors.filter(study__mirror_set=annotator.study.mirror_set, mirror__startswith=DECLARED)
            for other in Member.objects.filter(user=annotator.user_id, study__mirror_set=annotator.study.mirror_set):
                of_theirs |= Q(mirror__in=_mirrors_seen(shared, other))
        return free.filter(~models.Exists(mirrors.filter(of_theirs, hit=models.OuterRef("hit"))))

    def new_to(self, annotator: Member) -> Self:
        """Places of HITs in which this annotator has met no answer in another one, as only checks let them."""
        had = Q(item__hit__assignments__annotator=annotator) | Q(item__hit__assignments__set_aside__annotator=annotator)
        met = Candidate.every.filter(
            item__hit=models.OuterRef("hit"), answer__in=Candidate.every.filter(had).values("answer")
        )
        return self.filter(~models.Exists(met))

    def in_hand(self) -> Self:
        """Places in which their holders can go on."""
        return self.filter(in_hand())

    def at_work(self) -> Self:
        """Places whose holders have time left."""
        return self.filter(at_work())


def in_hand() -> models.Q:
    """That a place's holder can go on in it: its batch takes judgments, and it is of no earlier attempt.

    Whose time has run out can, too, unless the batch is finishing.
    """
    is_theirs = models.Q(state=AssignmentState.CLAIMED, replicate=F("annotator__replicate"))
    return is_theirs & takes_judgments("hit__batch__") & (goes_on("hit__batch__") | at_work())


def at_work() -> models.Q:
    """That a place's holder has time left."""
    return models.Q(state=AssignmentState.CLAIMED, lease_expires_at__gte=timezone.now())


def _mirrors_seen(mirrors: models.QuerySet[Item], annotator: Member) -> models.QuerySet[Item, str]:
    """The marks of those of mirrored items that a member had, also in work that was set aside."""
    had = Assignment.objects.filter(annotator=annotator).values("hit")
    aside = SetAside.objects.filter(annotator=annotator, restored_at=None).values("assignment__hit")
    return mirrors.filter(Q(hit__in=had) | Q(hit__in=aside)).values_list("mirror", flat=True)


class Assignment(models.Model):
    """A place in a HIT. Rows are made at launch, as many as the overlap; a changed overlap adds or removes free ones.

    ``replicate`` is 0 except in imported data, where one annotator may have judged a HIT several times, and in rounds
    of qualification, where it is the time through of whoever took the place.
    """

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="assignments")
    place = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments", db_index=False
    )
    replicate = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=AssignmentState.choices, default=AssignmentState.OPEN)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    extensions = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="How often its holder has lengthened the lease."
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
            models.Index(fields=["claimed_at", "annotator"], name="assignments_by_time"),
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

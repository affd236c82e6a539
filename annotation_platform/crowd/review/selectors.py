"""Submitted work with what was decided about it, for researchers and for the annotator whose it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from annotation_platform.analysis.explorer.judgments import Judgment, judgment_of
from annotation_platform.analysis.explorer.marked import marked_texts
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.review.models import (
    DONE_ANEW,
    SUBMITTED_AGAIN,
    UNDER_APPEAL,
    Review,
    ReviewState,
    Verdict,
)
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import (
    FINISHED_STATES,
    Assignment,
    AssignmentState,
    Candidate,
    Item,
    Member,
    Role,
    SetAside,
    Study,
)

MOST_AT_HOME = 5


@dataclass(frozen=True)
class Submission:
    """Somebody's work in a place, with the verdict, and whether it was set aside since."""

    assignment: Assignment
    annotator: Member
    submitted_at: datetime | None
    review: Review | None
    aside: SetAside | None
    changed_at: datetime | None = None
    """When its annotator last changed it after it was approved."""

    @property
    def state(self) -> ReviewState:
        return ReviewState.WAITING if self.review is None else self.review.state

    @property
    def label(self) -> str:
        return str(self.state.label)

    @property
    def counts(self) -> bool:
        return self.aside is None

    @property
    def is_left_aside(self) -> bool:
        """Whether it stays aside although its annotator takes part again, so that it can still be approved."""
        was_excluded = self.aside is not None and self.aside.kind == SetAside.Kind.EXCLUDED
        return was_excluded and self.review is None and self.annotator.excluded_at is None


@dataclass(frozen=True)
class WorkOnItem:
    """An item of the task, and what was said of it."""

    item: Item
    judgment: Judgment | None


def waiting_for_review(study: Study, *, annotator: Member | None = None) -> QuerySet[Assignment]:
    """Submitted places without a verdict, the oldest first; also of work that somebody else's verdict was about, of
    what was done anew after a rejection, and of who has left the study.
    """
    waiting = Assignment.objects.filter(
        ~Exists(_approvals_of_place()), hit__batch__study=study, state=AssignmentState.SUBMITTED
    )
    if annotator is not None:
        waiting = waiting.filter(annotator=annotator)
    return waiting.select_related("annotator", "hit__article", "hit__batch").order_by("submitted_at", "pk")


def _approvals_of_place() -> QuerySet[Review]:
    """The verdict on the work that is submitted in a place: a rejection empties it, and is of earlier work."""
    return Review.objects.filter(assignment=OuterRef("pk"), annotator=OuterRef("annotator"), verdict=Verdict.APPROVED)


def reviews_of(study: Study, state: ReviewState, *, annotator: Member | None = None) -> QuerySet[Review]:
    """The verdicts of a study that stand so, the newest first."""
    of_state = {
        ReviewState.APPROVED: Q(verdict=Verdict.APPROVED),
        ReviewState.REJECTED: Q(verdict=Verdict.REJECTED, appealed_at=None),
        ReviewState.APPEALED: UNDER_APPEAL,
        ReviewState.SETTLED: Q(verdict=Verdict.REJECTED, appeal_decided_at__isnull=False),
    }
    found = Review.objects.filter(of_state[state], annotator__study=study).exclude(DONE_ANEW)
    if annotator is not None:
        found = found.filter(annotator=annotator)
    related = ("annotator", "assignment__hit__article", "assignment__hit__batch", "set_aside")
    changed_first = F("changed_at").desc(nulls_last=True)
    return with_changes(found.select_related(*related)).order_by(changed_first, "-decided_at", "-pk")


def with_changes(reviews: QuerySet[Review]) -> QuerySet[Any]:
    """Each with when its annotator last changed what had been approved (``changed_at``); None where it is as it was.

    What a migration of the scheme carried over keeps the time at which it was judged.
    """
    approved_at = Coalesce(OuterRef("appeal_decided_at"), OuterRef("decided_at"))
    later = Annotation.given.filter(
        assignment=OuterRef("assignment"), annotator=OuterRef("annotator"), created_at__gt=approved_at
    )
    newest = Subquery(later.order_by("-created_at").values("created_at")[:1])
    return reviews.annotate(changed_at=Case(When(verdict=Verdict.APPROVED, then=newest)))


def last_judged(place: str) -> Subquery:
    """When the last judgment that counts was made, of a query of work; ``place``: its field that names the place.

    What a migration of the scheme carried over keeps the time at which it was judged.
    """
    counting = Annotation.objects.current().filter(assignment=OuterRef(place), annotator=OuterRef("annotator"))
    return Subquery(counting.order_by("-created_at").values("created_at")[:1])


def counts_of(study: Study) -> dict[ReviewState, int]:
    """How much work stands how."""
    rejected = Q(verdict=Verdict.REJECTED)
    counts = (
        Review.objects.filter(annotator__study=study)
        .exclude(DONE_ANEW)
        .aggregate(
            approved=Count("pk", filter=Q(verdict=Verdict.APPROVED)),
            rejected=Count("pk", filter=rejected & Q(appealed_at=None)),
            appealed=Count("pk", filter=UNDER_APPEAL),
            settled=Count("pk", filter=rejected & Q(appeal_decided_at__isnull=False)),
        )
    )
    waiting = waiting_for_review(study).count()
    return {ReviewState.WAITING: waiting} | {ReviewState(key): count for key, count in counts.items()}


def submission_in(study: Study, pk: int, member_pk: int) -> Submission:
    """The work of a member in a place of a study.

    Raises
    ------
    NotThereError
        When they have submitted nothing there.
    """
    place = (
        Assignment.objects.filter(pk=pk, hit__batch__study=study)
        .select_related("annotator", "hit__article", "hit__batch__study__scheme_version")
        .first()
    )
    member = Member.objects.filter(pk=member_pk, study=study).first()
    found = _submission(place, member) if place is not None and member is not None else None
    if found is None:
        raise NotThereError("crowd.no_submission")
    return found


def own_submission(user: Any, pk: int) -> Submission:
    """A user's own work in a place.

    Raises
    ------
    NotThereError
        For everybody else, as if it did not exist.
    """
    place = (
        Assignment.objects.filter(pk=pk)
        .select_related("annotator", "hit__article", "hit__batch__study__scheme_version")
        .first()
    )
    found = None
    if place is not None:
        member = Member.objects.filter(study=place.hit.batch.study, user=user.pk, role=Role.ANNOTATOR).first()
        found = _submission(place, member) if member is not None else None
    if found is None:
        raise NotThereError("crowd.no_submission")
    return found


def states_of(places: Iterable[Assignment]) -> dict[int, ReviewState]:
    """How the submitted work in these places stands, by the places' keys: one query."""
    annotators = {place.pk: place.annotator_id for place in places}
    reviews = {
        (each.assignment_id, each.annotator_id): each
        for each in Review.objects.filter(assignment__in=annotators).exclude(DONE_ANEW)
    }
    found = {pk: reviews.get((pk, annotator)) for pk, annotator in annotators.items() if annotator is not None}
    return {pk: ReviewState.WAITING if review is None else review.state for pk, review in found.items()}


def own_submissions(user: Any, *, most: int) -> list[Submission]:
    """What a user has submitted, also what was set aside since; the newest first, at most so many.

    Not what they did in rounds of qualification, which have verdicts of their own.
    """
    mine = {"annotator__user": user.pk, "annotator__role": Role.ANNOTATOR}
    related = ("annotator", "hit__article", "hit__batch__study")
    places = Assignment.objects.filter(
        state=AssignmentState.SUBMITTED, hit__batch__study__qualifies_for=None, **mine
    ).select_related(*related)
    asides = SetAside.objects.filter(~SUBMITTED_AGAIN, restored_at=None, **mine).select_related(
        "annotator", "assignment__hit__article", "assignment__hit__batch__study"
    )
    newest = list(places.order_by("-submitted_at", "-pk")[:most])
    aside = list(asides.order_by("-submitted_at", "-pk")[:most])
    keys = [place.pk for place in newest] + [each.assignment_id for each in aside]
    reviews = {
        (each.assignment_id, each.annotator_id): each
        for each in Review.objects.filter(assignment__in=keys, **mine).exclude(DONE_ANEW)
    }
    found = [
        Submission(each, each.annotator, each.submitted_at, reviews.get((each.pk, each.annotator.pk)), None)
        for each in newest
        if each.annotator is not None
    ] + [
        Submission(
            each.assignment,
            each.annotator,
            each.submitted_at,
            reviews.get((each.assignment_id, each.annotator_id)),
            each,
        )
        for each in aside
    ]
    dated = sorted(found, key=lambda each: each.submitted_at.timestamp() if each.submitted_at else 0.0, reverse=True)
    return dated[:most]


def work_on_items(submission: Submission, language: str = "en") -> list[WorkOnItem]:
    """What was judged in it: the last revision of each item, whether it counts at the moment or not.

    In the words of its version of the scheme, since work that is set aside does not migrate. Checks look like all
    other items: a gap would tell the annotator which they were.
    """
    place = submission.assignment
    items = (
        Item.every.filter(hit=place.hit_id)
        .select_related("question")
        .prefetch_related(Prefetch("candidates", Candidate.every.select_related("answer__system")))
        .order_by("position")
    )
    revisions = Annotation.given.filter(assignment=place, annotator=submission.annotator)
    related = ("annotator", "assignment", "scheme_version")
    last = _last_of_each(revisions.select_related(*related).order_by("revision"))
    schemes = {each.scheme_version_id: each.scheme_version.scheme(language) for each in last.values()}
    material = {
        (version, each.id): each
        for version, scheme in schemes.items()
        if scheme.spans_aspects
        for each in item_texts(Item.every.filter(hit=place.hit_id), scheme.parts)
    }
    work = []
    for item in items:
        if (said := last.get(item.pk)) is None:
            work.append(WorkOnItem(item, None))
            continue
        version, scheme = said.scheme_version_id, schemes[said.scheme_version_id]
        judgment = judgment_of(said, item, scheme, {}, {}, [])
        if (version, item.pk) in material:
            judgment.marked.extend(marked_texts(scheme, material[version, item.pk], said.values))
        work.append(WorkOnItem(item, judgment))
    return work


def _last_of_each(revisions: Iterable[Annotation]) -> dict[int, Annotation]:
    return {each.item_id: each for each in revisions}


def _submission(place: Assignment, member: Member) -> Submission | None:
    reviews = Review.objects.filter(assignment=place, annotator=member).select_related("set_aside", "annotator")
    review = with_changes(reviews.exclude(DONE_ANEW)).first()
    if place.annotator_id == member.pk and place.state == AssignmentState.SUBMITTED:
        changed_at = None if review is None else review.changed_at
        return Submission(place, member, place.submitted_at, review, None, changed_at)
    aside = SetAside.objects.filter(assignment=place, annotator=member, restored_at=None).first()
    if aside is None and review is None:
        return None
    submitted_at = review.submitted_at if review is not None else aside.submitted_at if aside else None
    return Submission(place, member, submitted_at, review, aside)


def left_aside(study: Study, *, annotator: Member | None = None) -> QuerySet[SetAside]:
    """Work without a verdict that stays aside although its annotator, who was excluded, takes part again; not where
    they have submitted the same place since, which waits itself."""
    decided = Review.objects.filter(assignment=OuterRef("assignment"), annotator=OuterRef("annotator"))
    asides = SetAside.objects.filter(
        ~Exists(decided),
        ~SUBMITTED_AGAIN,
        kind=SetAside.Kind.EXCLUDED,
        restored_at=None,
        annotator__study=study,
        annotator__excluded_at=None,
    )
    if annotator is not None:
        asides = asides.filter(annotator=annotator)
    related = ("annotator", "assignment__hit__article", "assignment__hit__batch")
    return asides.select_related(*related).order_by("submitted_at", "pk")


def aside_by_exclusion(member: Member) -> QuerySet[SetAside]:
    """Work of somebody who is excluded that was set aside by that."""
    asides = SetAside.objects.filter(annotator=member, kind=SetAside.Kind.EXCLUDED, restored_at=None)
    return asides.filter(set_aside_at__gte=member.excluded_at)


def in_closed_batches(asides: QuerySet[SetAside]) -> dict[int, int]:
    """How many of these have their places in closed batches, which nobody gets: the batch's number → how many."""
    closed = asides.filter(assignment__hit__batch__state__in=FINISHED_STATES).order_by("assignment__hit__batch__number")
    return dict(closed.values_list("assignment__hit__batch__number").annotate(Count("pk")))


@dataclass(frozen=True)
class HomeCard:
    """What a worker's start page shows of their submissions."""

    waiting: int
    rejected: list[Review]
    """The newest, with the appeals against them; first those that may still be appealed against."""


def home_card(user: Any) -> dict[str, Any] | None:
    """How a user's submissions stand, as ``card``; None when there is nothing to tell."""
    mine = {"annotator__user": user.pk, "annotator__role": Role.ANNOTATOR}
    submitted = Assignment.objects.filter(~Exists(_approvals_of_place()), state=AssignmentState.SUBMITTED, **mine)
    waiting = submitted.filter(hit__batch__study__qualifies_for=None).count()
    rejected = Review.objects.filter(verdict=Verdict.REJECTED, **mine).exclude(DONE_ANEW)
    related = ("assignment__hit__article", "assignment__hit__batch__study")
    order = (F("appealed_at").asc(nulls_first=True), "-decided_at", "-pk")
    card = HomeCard(waiting, list(rejected.select_related(*related).order_by(*order)[:MOST_AT_HOME]))
    return {"card": card} if card.waiting or card.rejected else None

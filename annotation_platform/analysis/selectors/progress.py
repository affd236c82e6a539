"""How far a study is: its batches, its people, its scoring, and who waits for an answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.selectors.snapshots import sections_of
from annotation_platform.annotations.models import Annotation, Message
from annotation_platform.core.errors import NotThereError
from annotation_platform.scoring.models import Method, RunStatus, ScoringRun
from annotation_platform.scoring.selectors import WorkerState, worker_state
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState, Hit, Member, Role, Study

HITS_PER_PAGE, BATCHES_PER_PAGE, PEOPLE_PER_PAGE = 50, 12, 50
SUBMITTED = Q(state=AssignmentState.SUBMITTED)


@dataclass(frozen=True)
class Scoring:
    """The newest run of a study or batch, and whether anybody is there to work on it."""

    run: ScoringRun | None
    worker: WorkerState
    awaited: bool  # a closed batch has no scores yet
    is_overdue: bool  # an open batch is past its deadline

    @property
    def is_active(self) -> bool:
        return self.run is not None and self.run.status in (RunStatus.PENDING, RunStatus.RUNNING)

    @property
    def is_stuck(self) -> bool:
        """Work waits and no worker is there."""
        return (self.is_active or self.awaited or self.is_overdue) and not self.worker.is_running

    @property
    def percent(self) -> int:
        return 100 * self.run.done // self.run.total if self.run and self.run.total else 0

    @property
    def has_failed(self) -> bool:
        return self.run is not None and self.run.status == RunStatus.FAILED


def batches_of(study: Study, page: str | None) -> Page[Batch]:
    """A page of the batches, with their counts: those that are open first, then the newest."""
    is_open = Case(When(state=BatchState.OPEN, then=0), default=1)
    return Paginator(_counted(study).order_by(is_open, "-number"), BATCHES_PER_PAGE).get_page(page)


def _counted(study: Study) -> QuerySet[Batch]:
    """The batches with how many HITs, places, taken and submitted places and unanswered threads each has."""
    return study.batches.annotate(
        hit_count=_count(Hit.objects.filter(batch=OuterRef("pk")), "batch"),
        places=_count(Assignment.objects.filter(hit__batch=OuterRef("pk")), "hit__batch"),
        submitted=_count(Assignment.objects.filter(SUBMITTED, hit__batch=OuterRef("pk")), "hit__batch"),
        working=_count(_held().filter(hit__batch=OuterRef("pk")), "hit__batch"),
        unanswered=_count(unanswered_threads().filter(hit__batch=OuterRef("pk")), "hit__batch"),
    )


def batch_for(study: Study, number: int) -> Batch:
    """One batch of a study, with the counts of its places and threads.

    Raises
    ------
    NotThereError
        When the study has no such batch.
    """
    batch = _counted(study).filter(number=number).first()
    if batch is None:
        raise NotThereError(f"This study has no batch {number}.")
    return batch


@dataclass(frozen=True)
class Person:
    """A member with what they have done: judgments in closed batches as last measured, places in open ones."""

    member: Member
    judgments: int | None  # None: nothing has been measured yet
    submitted: int
    working: int
    last_submitted_at: datetime | None


def people_of(study: Study, snapshot: AgreementSnapshot | None, page: str | None) -> Page[Person]:
    """The members, annotators first, the busiest on top. Closed batches may be very many: nothing there is counted."""
    places = Assignment.objects.filter(annotator=OuterRef("pk"))
    members = study.members.annotate(
        working=_count(_held().filter(annotator=OuterRef("pk")), "annotator"),
        last_submitted_at=Subquery(places.filter(SUBMITTED).order_by("-submitted_at").values("submitted_at")[:1]),
    ).only("pk", "role", "pseudonym", "study_id")
    open_places = Assignment.objects.filter(SUBMITTED, hit__batch__study=study, hit__batch__state=BatchState.OPEN)
    submitted = dict(open_places.order_by().values_list("annotator").annotate(n=Count("*")))
    work = sections_of(snapshot, ["work"]).get("work", {}) if snapshot else {}
    judgments = {each["name"]: each["judgments"] for each in work.get("annotators", [])}
    found = [
        Person(
            member,
            judgments.get(member.pseudonym, 0) if work else None,
            submitted.get(member.pk, 0),
            member.working,
            member.last_submitted_at,
        )
        for member in members
    ]

    def rank(person: Person) -> tuple[bool, int, str]:
        member = person.member
        return member.role != Role.ANNOTATOR, -((person.judgments or 0) + person.submitted), member.pseudonym

    return Paginator(sorted(found, key=rank), PEOPLE_PER_PAGE).get_page(page)


def scoring_of(study: Study) -> Scoring:
    run = study.scoring_runs.filter(method=Method.EBR).first()
    has_rescaling = bool(study.scheme().rescale)
    overdue = Q(state=BatchState.OPEN, deadline_at__lte=timezone.now())
    unfinished = study.batches.filter(Q(state=BatchState.CLOSED) | overdue)
    states = set(unfinished.order_by().values_list("state", flat=True).distinct())
    return Scoring(
        run,
        worker_state(),
        awaited=has_rescaling and BatchState.CLOSED in states,
        is_overdue=BatchState.OPEN in states,
    )


@dataclass(frozen=True)
class Standing:
    """How far a study is in numbers; ``places`` and ``submitted`` are those of its open batches."""

    batches: int
    closed: int
    open: int
    places: int
    submitted: int


def standing_of(study: Study) -> Standing:
    """How many batches are closed, and what is done in the open ones: two queries. Closed ones may be very many."""
    states = dict(study.batches.order_by().values_list("state").annotate(n=Count("pk")))
    places = Assignment.objects.filter(hit__batch__study=study, hit__batch__state=BatchState.OPEN).aggregate(
        n=Count("pk"), submitted=Count("pk", filter=SUBMITTED)
    )
    closed = states.get(BatchState.CLOSED, 0) + states.get(BatchState.SCORED, 0)
    return Standing(sum(states.values()), closed, states.get(BatchState.OPEN, 0), places["n"], places["submitted"])


def is_live(batches: Iterable[Batch], scoring: Scoring) -> bool:
    """Whether a page about these changes by itself, so that it is worth asking again."""
    return scoring.is_active or scoring.awaited or any(batch.state == BatchState.OPEN for batch in batches)


def hits_of(batch: Batch, page: str | None) -> Page[Any]:
    """A page of the batch's HITs, each with its places and who has them."""
    judged = Annotation.objects.current().filter(assignment=OuterRef("pk")).order_by().values("assignment")
    places = (
        Assignment.objects.order_by("place")
        .select_related("annotator")
        .annotate(
            words=_count(_words(), "assignment"),
            judged=Coalesce(Subquery(judged.annotate(n=Count("*")).values("n")), 0),
            seconds=Subquery(judged.annotate(sum=Sum("seconds")).values("sum")),
        )
    )
    hits = (
        batch.hits.order_by("position")
        .select_related("article")
        .annotate(item_count=Count("items"))
        .prefetch_related(Prefetch("assignments", places, to_attr="places"))
    )
    return Paginator(hits, HITS_PER_PAGE).get_page(page)


def threads_of(batch: Batch) -> QuerySet[Assignment]:
    """The places of a batch about which words were exchanged, those that wait for an answer first."""
    last = _words().order_by("-pk")
    return (
        Assignment.objects.filter(Exists(_words()), hit__batch=batch)
        .select_related("annotator", "hit__article")
        .annotate(last_at=Subquery(last.values("created_at")[:1]), is_unanswered=_last_word_is_annotators())
        .prefetch_related(Prefetch("messages", Message.objects.select_related("author").order_by("pk")))
        .order_by("-is_unanswered", "-last_at")
    )


def unanswered_threads() -> QuerySet[Assignment]:
    """Places whose last word is an annotator's."""
    return Assignment.objects.filter(Exists(_words())).filter(_last_word_is_annotators())


def _words() -> QuerySet[Message]:
    return Message.objects.filter(assignment=OuterRef("pk"))


def _last_word_is_annotators() -> Exists:
    newer = Message.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
    return Exists(_words().filter(~Exists(newer), author__role=Role.ANNOTATOR))


def _held() -> QuerySet[Assignment]:
    return Assignment.objects.filter(state=AssignmentState.CLAIMED, lease_expires_at__gte=timezone.now())


def _count(rows: QuerySet[Any], by: str) -> Any:
    """How many of ``rows`` belong to the outer row: one subquery each, so that joins do not multiply."""
    counted = rows.order_by().values(by).annotate(n=Count("*")).values("n")  # rows, so that an index is enough
    return Coalesce(Subquery(counted), 0)

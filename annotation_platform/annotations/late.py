"""Judgments that come too late: the time had run out, and somebody else has the place. A person decides about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.finishing import task_is_submitted
from annotation_platform.annotations.models import Annotation, Draft, LateJudgment
from annotation_platform.annotations.services import SchemeChangedError
from annotation_platform.annotations.services.storing import store_revision
from annotation_platform.annotations.taking import count_again
from annotation_platform.core.errors import ConflictError, NotThereError
from annotation_platform.core.schemes import Scheme, check_judgment
from annotation_platform.studies.eligibility import Moment, check_eligible
from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Item, Member, SetAside, Study
from annotation_platform.studies.selectors import item_shape, presentation_order
from annotation_platform.studies.services import lease_assignment, reason_for_people


@dataclass(frozen=True)
class LateForm:
    """A judge page's form as it was sent, with the scheme that it was made from."""

    position: int
    scheme: Scheme
    scheme_signature: str
    raw: Mapping[str, Any]
    seconds: float | None = None
    submission_id: UUID | None = None
    draft_version: int = 0
    holder: str = ""


@transaction.atomic
def keep_late_judgment(*, assignment: Assignment, annotator: Member, form: LateForm, actor: Actor) -> int | None:
    """Check and keep what somebody judged in a place that another has by now; the next position that waits, or None.

    It counts nowhere. The same form sent twice is kept once; another one about the same item replaces it. Call it
    for somebody who held the place.

    Raises
    ------
    InvalidJudgmentError
        When the scheme does not accept it.
    SchemeChangedError, NotEligibleError
        When the study has another scheme, or a rule of it takes nothing more from them.
    """
    study = annotator.study
    # A migration of the scheme is waited for, or waits; the study before its members, as whoever changes these does.
    study.refresh_from_db(fields=["scheme_version"], from_queryset=Study.objects.select_for_update(no_key=True))
    Member.objects.select_for_update(no_key=True).get(pk=annotator.pk)  # one form of a person at a time
    item = Item.every.select_related("question__article").filter(hit=assignment.hit_id, position=form.position).first()
    if item is None:
        raise NotThereError("annotations.no_question")
    mark = form.submission_id or uuid4()
    if not LateJudgment.objects.filter(submission_id=mark, annotator=annotator).exists():
        if form.scheme_signature != study.scheme_version.signature:
            raise SchemeChangedError
        check_eligible(annotator, Moment.SUBMITTING)
        shape = item_shape(item, form.scheme)
        values = check_judgment(form.scheme, form.raw, shape)
        order = presentation_order(item_id=item.pk, member_id=annotator.pk, count=shape.candidates)
        waiting = LateJudgment.objects.filter(item=item, annotator=annotator, state=LateJudgment.State.WAITING)
        waiting.update(state=LateJudgment.State.REPLACED)
        late = LateJudgment.objects.create(
            assignment=assignment,
            item=item,
            annotator=annotator,
            scheme_version_id=study.scheme_version_id,
            values=values,
            presented=order if form.scheme.judges_candidates else None,
            seconds=form.seconds,
            submission_id=mark,
            submitted_at=timezone.now(),
        )
        Draft.objects.filter(annotator=annotator, item=item, version__lte=form.draft_version).delete()
        record(actor, Verb.TASK_LATE_KEPT, late, study=study)
    return _next_position(assignment, annotator, after=form.position)


def _next_position(assignment: Assignment, annotator: Member, *, after: int) -> int | None:
    judged = Annotation.given.filter(item__hit=assignment.hit_id, annotator=annotator).values("item")
    late = LateJudgment.objects.filter(annotator=annotator, state=LateJudgment.State.WAITING).values("item")
    items = Item.every.filter(hit=assignment.hit_id).exclude(pk__in=judged).exclude(pk__in=late)
    waiting = list(items.order_by("position").values_list("position", flat=True))
    return next((position for position in waiting if position > after), min(waiting, default=None))


@transaction.atomic
def accept_late_work(*, hit: Hit, annotator: Member, actor: Actor) -> Assignment:
    """Let what somebody submitted too late count: in a free place of the HIT, so that no item gets more than it may.

    What they judged there while they had the time counts with it, so that the whole HIT is theirs.

    Raises
    ------
    ConflictError
        When the batch takes nothing, no place of the HIT is free, they have one of its places again, a part of the
        HIT is not judged, the study has another scheme by now, or nothing waits to be decided.
    """
    Member.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    annotator.refresh_from_db()
    late = list(_waiting(hit, annotator).select_related("item__question__article"))
    _refuse(hit, annotator, late)
    place = _free_place(hit, annotator)
    annotator.study.refresh_from_db(fields=["scheme_version"])  # a migration of it may have been waited for
    _refuse_other_scheme(annotator, late)
    count_again(place, annotator)
    scheme = annotator.study.scheme()
    for each in late:
        _store(each, place, annotator, scheme)
    judged = Annotation.given.current().filter(assignment=place).values("item")
    if missing := Item.every.filter(hit=hit).exclude(pk__in=judged).count():
        raise ConflictError("annotations.late_work_incomplete", count=missing)
    Assignment.objects.filter(pk=place.pk).update(
        state=AssignmentState.SUBMITTED,
        claimed_at=None,  # they took it before, and when is lost
        submitted_at=max(each.submitted_at for each in late),
    )
    _decide(late, LateJudgment.State.ACCEPTED)
    change = {"annotator": (None, annotator.pseudonym), "task": ("open", "submitted")}
    record(actor, Verb.TASK_LATE_ACCEPTED, place, study=annotator.study, change=change)
    place.refresh_from_db()
    task_is_submitted(place, actor)
    return place


def _store(late: LateJudgment, place: Assignment, annotator: Member, scheme: Scheme) -> None:
    """As the next judgment of its item that this annotator gave in the place."""
    mine = Annotation.given.filter(assignment=place, item=late.item_id, annotator=annotator)
    # A form that was stored in time, and sent again later because its answer was lost, has its mark in that judgment.
    is_marked = Annotation.every.filter(submission_id=late.submission_id).exists()
    judgment = Annotation(
        assignment=place,
        item=late.item,
        annotator=annotator,
        revision=(mine.aggregate(last=Max("revision"))["last"] or 0) + 1,
        scheme_version_id=late.scheme_version_id,
        values=late.values,
        presented=late.presented,
        seconds=late.seconds,
        submission_id=None if is_marked else late.submission_id,
        created_at=late.submitted_at,
        is_check=late.item.is_check,
    )
    current = mine.filter(is_current=True).values_list("pk", flat=True).first()
    store_revision(judgment, scheme=scheme, shape=item_shape(late.item), replaces=current)


@transaction.atomic
def decline_late_work(*, hit: Hit, annotator: Member, because: str, actor: Actor) -> None:
    """Leave what somebody submitted too late uncounted, for a reason that they read. It stays kept.

    Raises
    ------
    InvalidInputError
        When there is no reason that they could read.
    ConflictError
        When nothing waits to be decided.
    """
    because = reason_for_people(because)
    Member.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    late = list(_waiting(hit, annotator))
    if not late:
        raise ConflictError("annotations.late_work_decided")
    _decide(late, LateJudgment.State.DECLINED, because)
    change = {"annotator": (annotator.pseudonym, annotator.pseudonym), "because": ("", because)}
    record(actor, Verb.TASK_LATE_DECLINED, late[0].assignment, study=annotator.study, change=change)


def _waiting(hit: Hit, annotator: Member) -> Any:
    return LateJudgment.objects.filter(item__hit=hit, annotator=annotator, state=LateJudgment.State.WAITING)


def _refuse(hit: Hit, annotator: Member, late: list[LateJudgment]) -> None:
    if not late:
        raise ConflictError("annotations.late_work_decided")
    if annotator.excluded_at is not None:
        raise ConflictError("annotations.late_work_of_excluded", member=annotator.pseudonym)
    if not hit.batch.takes_judgments:
        raise ConflictError("annotations.late_work_in_closed_batch", number=hit.batch.number)
    _refuse_other_scheme(annotator, late)
    if Assignment.objects.filter(hit=hit, annotator=annotator).exists():
        raise ConflictError("annotations.late_work_taken_again", member=annotator.pseudonym)
    if SetAside.objects.filter(assignment__hit=hit, annotator=annotator, restored_at=None).exists():
        raise ConflictError("annotations.late_work_rejected", member=annotator.pseudonym)


def _refuse_other_scheme(annotator: Member, late: list[LateJudgment]) -> None:
    if any(each.scheme_version_id != annotator.study.scheme_version_id for each in late):
        raise ConflictError("annotations.late_work_of_other_scheme")


def _free_place(hit: Hit, annotator: Member) -> Assignment:
    """A place of the HIT that nobody holds, taken for them: an open one, else one whose time has run out."""
    places = Assignment.objects.unheld().filter(hit=hit).order_by("-state", "place")
    for place in places:
        if lease_assignment(place=place, annotator=annotator):
            return place
    raise ConflictError("annotations.late_work_without_place")


def _decide(late: list[LateJudgment], state: LateJudgment.State, because: str = "") -> None:
    LateJudgment.objects.filter(pk__in=[each.pk for each in late]).update(
        state=state, decided_at=timezone.now(), declined_because=because
    )

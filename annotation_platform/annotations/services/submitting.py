"""Submitting a judgment, or dropping what was changed of it; annotators wait for these."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import Change, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.finishing import task_is_submitted
from annotation_platform.annotations.holding import check_attempt
from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.services.drafts import says
from annotation_platform.annotations.services.storing import store_revision
from annotation_platform.annotations.sql import JudgedItem, judged_so_far, lock_assignment
from annotation_platform.core.errors import ConflictError, NotThereError
from annotation_platform.core.schemes import ItemShape, Scheme, check_judgment
from annotation_platform.studies.eligibility import Moment, check_eligible
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Item, Member
from annotation_platform.studies.selectors import document_lengths, presentation_order, shapes_of_texts, with_texts
from annotation_platform.studies.services import renew_lease


class AssignmentLostError(ConflictError):
    """The lease ran out and somebody else has the place now. What was typed stays in the draft."""


class BatchClosedError(ConflictError):
    """The batch takes no more judgments. What was typed stays in the draft."""


class SchemeChangedError(ConflictError):
    """The form was made from another scheme than the study has."""

    def __init__(self) -> None:
        super().__init__("annotations.scheme_changed")


@dataclass(frozen=True)
class Submission:
    """What came of a submitted judgment: the batch it is in, and the first item of the HIT that still waits.

    An item waits for its judgment, or for a change of it that was typed to be submitted or dropped.
    """

    batch_id: int
    next_position: int | None
    ends_task: bool = False

    @property
    def change(self) -> Change:
        """What it changed of the task."""
        return {"task": (AssignmentState.CLAIMED.value, AssignmentState.SUBMITTED.value)} if self.ends_task else {}

    @property
    def hit_is_complete(self) -> bool:
        return self.next_position is None


@transaction.atomic
def drop_change(*, actor: Actor, assignment_id: int, position: int) -> Submission:
    """Forget what was changed in a submitted judgment; when that was all that waited, the HIT is submitted.

    Raises
    ------
    AssignmentLostError
        When the place is no longer theirs, so that no judgment of theirs counts there.
    """
    held, annotator = _locked_assignment(actor.user_id, assignment_id)
    hit = judged_so_far(held)
    judged = _revisions_at(hit, position)[-1]
    if not judged.is_current:
        return Submission(judged.batch_id, position)
    dropped, _ = Draft.objects.filter(annotator=annotator, item=judged.item_id).delete()
    submission = _settle(held, hit, after=judged._replace(draft_version=None))
    if dropped:
        record(actor, Verb.TASK_CHANGE_DROPPED, held, study=judged.study, change=submission.change)
    if submission.ends_task:
        task_is_submitted(held, actor)
    return submission


def submit_judgment(
    *,
    actor: Actor,
    assignment_id: int,
    position: int,
    scheme: Scheme,
    scheme_signature: str,
    raw: Mapping[str, Any],
    seconds: float | None = None,
    submission_id: UUID | None = None,
    draft_version: int = 0,
    holder: str = "",
) -> Submission:
    """Store the judgment of the item at a position as a new revision; the last missing one submits the HIT.

    Sending the same form twice (same ``submission_id``) stores once, and so does sending unchanged values. The
    draft up to ``draft_version``, the one that the form had, is forgotten: its text is in the revision now. A newer
    one was typed elsewhere and stays. ``scheme`` is the one that the form was made from, and ``scheme_signature``
    its version's. ``holder`` is the form's mark of who held the place, and in which attempt; "" where it has none.

    Raises
    ------
    InvalidJudgmentError
        When the scheme does not accept it.
    EarlierAttemptError
        When it was filled in during an earlier attempt of theirs.
    SchemeChangedError, AssignmentLostError, BatchClosedError
        When the study has another scheme, the place is no longer theirs, or the batch has closed.
    NotEligibleError
        When a rule of the study takes nothing more from them.
    """
    form = _Form(assignment_id, position, scheme, scheme_signature, raw, seconds, submission_id, draft_version, holder)
    try:
        return _submit(actor, form)
    except IntegrityError:
        if submission_id is None:
            raise
    # The form's mark is taken: by its twin that arrived at the same moment, or by what was judged on a lost place.
    is_twin = Annotation.given.filter(submission_id=submission_id, assignment=assignment_id).exists()
    return _submit(actor, form if is_twin else form._replace(submission_id=uuid4()))


class _Form(NamedTuple):
    """A judge page's form as it was sent."""

    assignment_id: int
    position: int
    scheme: Scheme
    scheme_signature: str
    raw: Mapping[str, Any]
    seconds: float | None
    submission_id: UUID | None
    draft_version: int
    holder: str


@transaction.atomic
def _submit(actor: Actor, form: _Form) -> Submission:
    """Check and write a judgment; few and plain statements, since annotators wait for this one."""
    held, annotator = _locked_assignment(actor.user_id, form.assignment_id)
    # Read only after the lock: a batch that was closing has finished closing by now.
    hit = judged_so_far(held)
    revisions = _revisions_at(hit, form.position)
    last = revisions[-1]
    shape = _shape(last, form.scheme)
    mine = Draft.objects.filter(annotator=annotator, item=last.item_id)
    twin = next(
        (row for row in revisions if form.submission_id and _uuid(row.submission_id) == form.submission_id), None
    )
    counts = any(row.is_current for row in revisions)  # not when the place was lost since, and taken again
    # A form that is stored is stored, whatever became of the batch and the scheme since.
    if twin and counts and says(form.scheme, form.raw, shape, json.loads(twin.values or "")):
        if twin.is_current and _forget_copy(mine, last, form.scheme, shape, json.loads(twin.values or "")):
            last = last._replace(draft_version=None)
        return _recorded(actor, held, last, None, _settle(held, hit, after=last))

    check_attempt(held, annotator, form.holder)
    _refuse_what_comes_too_late(last, form, held)
    check_eligible(annotator, Moment.SUBMITTING)
    values = check_judgment(form.scheme, form.raw, shape)
    if held.has_expired:
        renew_lease(assignment=held)
    stored = _stored_revision(form, held, annotator, last, shape, values, is_resent=twin is not None)
    known = mine.filter(version__lte=form.draft_version).delete()[0]
    if known or _forget_copy(mine, last, form.scheme, shape, values):
        last = last._replace(draft_version=None)
    return _recorded(actor, held, last, stored, _settle(held, hit, after=last))


def _stored_revision(
    form: _Form,
    held: Assignment,
    annotator: Member,
    last: JudgedItem,
    shape: ItemShape,
    values: dict[str, Any],
    *,
    is_resent: bool,
) -> Annotation | None:
    """The judgment as a new revision; None where it says what counts already."""
    current = last.annotation_id if last.is_current else None
    if current is not None and json.loads(last.values or "") == values:
        return None
    revision = Annotation(
        assignment_id=held.pk,
        item_id=last.item_id,
        annotator_id=annotator.pk,
        revision=(last.revision or 0) + 1,
        scheme_version_id=last.scheme_version_id,
        is_check=bool(last.is_check),
        values=values,
        presented=_presented(held, last, form.scheme),
        seconds=form.seconds,
        # A page that the browser brought back from its history still has the mark of the form sent before.
        submission_id=uuid4() if is_resent else form.submission_id,
        created_at=timezone.now(),
    )
    return store_revision(revision, scheme=form.scheme, shape=shape, replaces=current)


def _recorded(
    actor: Actor, held: Assignment, judged: JudgedItem, stored: Annotation | None, submission: Submission
) -> Submission:
    """The submission, with one event for it, unless it changed nothing."""
    if stored is not None:
        record(actor, Verb.JUDGMENT_SUBMITTED, stored, study=judged.study, change=submission.change)
    elif submission.ends_task:
        record(actor, Verb.TASK_SUBMITTED, held, study=judged.study, change=submission.change)
    if submission.ends_task:
        task_is_submitted(held, actor)
    return submission


def _forget_copy(
    mine: QuerySet[Draft], judged: JudgedItem, scheme: Scheme, shape: ItemShape, values: Mapping[str, Any]
) -> bool:
    """Forget the draft if it is only a copy of what is submitted, such as one whose saving the form had not seen.

    What was typed since, here or elsewhere, stays.
    """
    draft = mine.first() if judged.draft_version is not None else None
    if draft is None or not says(scheme, draft.values, shape, values):
        return False
    draft.delete()
    return True


def _locked_assignment(user_id: int | None, assignment_id: int) -> tuple[Assignment, Member]:
    held = lock_assignment(assignment_id)
    if held is None:
        raise NotThereError("annotations.no_task")
    if held.annotator is None:
        raise AssignmentLostError("annotations.task_given_back")
    if user_id is None or held.annotator.user_id != user_id:
        raise AssignmentLostError("annotations.task_taken_over")
    return held, held.annotator


def _revisions_at(hit: Sequence[JudgedItem], position: int) -> list[JudgedItem]:
    """The rows of the item at a position, oldest first."""
    if not (revisions := [row for row in hit if row.position == position]):
        raise NotThereError("annotations.no_question")
    return revisions


def _refuse_what_comes_too_late(judged: JudgedItem, form: _Form, held: Assignment) -> None:
    if judged.scheme_signature != form.scheme_signature:
        raise SchemeChangedError
    if judged.batch_state != BatchState.OPEN or (judged.is_finishing and held.has_expired):
        raise BatchClosedError("annotations.batch_closed")
    if judged.is_over:
        raise BatchClosedError("annotations.deadline_passed")


def _settle(held: Assignment, hit: Sequence[JudgedItem], *, after: JudgedItem) -> Submission:
    """Where to go on after an item that is judged, and the HIT's place submitted when nothing in it waits."""
    next_position = _next_position(hit, after=after)
    ends_task = next_position is None and held.state == AssignmentState.CLAIMED
    if ends_task:
        Assignment.objects.filter(pk=held.pk).update(state=AssignmentState.SUBMITTED, submitted_at=timezone.now())
    return Submission(after.batch_id, next_position, ends_task)


def _shape(judged: JudgedItem, scheme: Scheme) -> ItemShape:
    shape = ItemShape(
        sentences=judged.sentence_count,
        documents=document_lengths(judged.question_id) if "documents" in scheme.parts else (),
        choices=len(json.loads(judged.choices)),
        candidates=judged.candidate_count,
    )
    return with_texts(shape, shapes_of_texts(scheme, Item.every.filter(pk=judged.item_id)).get(judged.item_id))


def _presented(held: Assignment, judged: JudgedItem, scheme: Scheme) -> list[int] | None:
    if not scheme.judges_candidates or held.annotator_id is None:
        return None
    return presentation_order(item_id=judged.item_id, member_id=held.annotator_id, count=judged.candidate_count)


def _uuid(value: UUID | str | None) -> UUID | None:
    """A UUID as either database gives it."""
    return UUID(value) if isinstance(value, str) else value


def _next_position(hit: Sequence[JudgedItem], *, after: JudgedItem) -> int | None:
    """The next item that waits, going on from one that has just got its own judgment; None when there is none."""
    settled = {row.item_id for row in hit if row.is_current and row.draft_version is None}
    settled.discard(after.item_id)
    if after.draft_version is None:
        settled.add(after.item_id)
    waiting = [row.position for row in hit if row.item_id not in settled]
    return next((position for position in waiting if position > after.position), min(waiting, default=None))

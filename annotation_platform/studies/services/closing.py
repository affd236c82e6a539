"""Closing batches (complete, at the deadline, by hand, when those at work have finished) and opening them again."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import Change, differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import FINISHED_STATES, Assignment, AssignmentState, Batch, BatchState, Study
from annotation_platform.studies.opening_rules import check_opening
from annotation_platform.studies.protection import check_free
from annotation_platform.studies.services.opening import BatchStateError, check_deadline


@transaction.atomic
def close_batch(*, batch: Batch, because: str, actor: Actor) -> bool:
    """Close an open batch; False when it was not open (any more). Judgments already submitted count.

    The rows of its places are locked until the end, so a submission under way is either in before the batch
    closes or sees it closed.
    """
    closed = Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN).update(
        state=BatchState.CLOSED, closed_at=timezone.now(), closed_because=because[:60], finishing_since=None
    )
    if closed:
        places = Assignment.objects.filter(hit__batch=batch).select_for_update(of=("self",))
        list(places.order_by("pk").values_list("pk"))
        batch.refresh_from_db()
        _record(actor, Verb.BATCH_CLOSED, batch, {"closed_because": ("", because[:60])})
    return bool(closed)


@transaction.atomic
def finish_batch(*, batch: Batch, because: str, actor: Actor) -> bool:
    """Let those at work finish: nobody else gets a place, and the batch closes when their time is over.

    It closes at once when nobody is at work; False when it was not open, or is finishing already.
    """
    asked = Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN, finishing_since=None).update(
        finishing_since=timezone.now(), closed_because=because[:60]
    )
    batch.refresh_from_db()
    if asked:
        _record(actor, Verb.BATCH_FINISHING, batch)
        close_batch_if_complete(batch=batch, actor=actor)
    return bool(asked)


@transaction.atomic
def keep_batch_open(*, batch: Batch, actor: Actor) -> bool:
    """Give places to anybody again in a batch that was finishing; False when it was not, or has closed by now."""
    kept = (
        Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN)
        .exclude(finishing_since=None)
        .update(finishing_since=None, closed_because="")
    )
    batch.refresh_from_db()
    if kept:
        _record(actor, Verb.BATCH_KEPT_OPEN, batch)
    return bool(kept)


@transaction.atomic
def reopen_batch(
    *, batch: Batch, deadline_at: datetime | None = None, finishes_late: bool = False, actor: Actor
) -> None:
    """Open a finished batch again: its judgments can be changed, and its free places taken.

    What was scored and measured of it stays, and says that it is out of date; closing it again has it done anew.

    Raises
    ------
    BatchStateError
        When its state is none that can be left again.
    KeptError
        When something that was promised rests on its judgments.
    OpeningRefusedError
        When a rule keeps it from being opened, such as a budget.
    """
    check_deadline(deadline_at)
    check_free(batch.study, batch)
    Study.objects.select_for_update(no_key=True).get(pk=batch.study_id)
    if batch.state in FINISHED_STATES:
        check_opening(batch)
    reopened = Batch.objects.filter(pk=batch.pk, state__in=FINISHED_STATES).update(
        state=BatchState.OPEN,
        reopened_at=timezone.now(),
        closed_at=None,
        closed_because="",
        deadline_at=deadline_at,
        finishes_late=finishes_late,
    )
    batch.refresh_from_db()
    if not reopened:
        raise BatchStateError("studies.batch_not_closed", number=batch.number, state=batch.state)
    _record(actor, Verb.BATCH_REOPENED, batch, {"deadline_at": (None, deadline_at)})


@transaction.atomic
def set_deadline(*, batch: Batch, deadline_at: datetime | None, finishes_late: bool = False, actor: Actor) -> None:
    """Change or drop the deadline of a batch that has not closed."""
    check_deadline(deadline_at)
    fields = {"deadline_at": deadline_at, "finishes_late": finishes_late}
    before = Batch.objects.filter(pk=batch.pk).values(*fields).get()
    changed = Batch.objects.filter(pk=batch.pk, state__in=[BatchState.DRAFT, BatchState.OPEN]).update(**fields)
    if not changed:
        raise InvalidInputError("studies.batch_has_closed", number=batch.number)
    batch.refresh_from_db()
    if change := differences(before, fields):
        _record(actor, Verb.BATCH_DEADLINE_CHANGED, batch, change)


def close_batch_if_complete(*, batch: Batch, actor: Actor) -> bool:
    """Close a batch whose places are all submitted, or that is finishing and has nobody at work.

    Call it after the last submission has been committed. A batch that was opened again with all assignments submitted
    is open for changes: only a submission since then, the deadline or a person closes it.
    """
    places = Assignment.objects.filter(hit__batch=batch)
    if batch.is_finishing and not places.at_work().exists():
        because = batch.closed_because or "deadline reached, those at work had finished"
        return close_batch(batch=batch, because=because, actor=actor)
    if places.exclude(state=AssignmentState.SUBMITTED).exists():
        return False
    if batch.study.is_round:  # there is a place for whoever comes next
        return False
    if batch.reopened_at is not None and not places.filter(submitted_at__gte=batch.reopened_at).exists():
        return False
    return close_batch(batch=batch, because="all assignments submitted", actor=actor)


def close_due_batches(*, actor: Actor) -> list[Batch]:
    """Close every open batch that is complete, past its deadline, or has waited for those at work; return them."""
    closed = []
    for batch in Batch.objects.filter(state=BatchState.OPEN):
        if (
            batch.is_over and close_batch(batch=batch, because="deadline reached", actor=actor)
        ) or close_batch_if_complete(batch=batch, actor=actor):
            closed.append(batch)
    return closed


def _record(actor: Actor, verb: Verb, batch: Batch, change: Change | None = None) -> None:
    record(actor, verb, batch, study=batch.study, change=change)

"""Opening batches: making their places, also those that were filled elsewhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from django.db.models import Count
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.jobs.transactions import Write, in_short_transaction
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState, Member, Study
from annotation_platform.studies.opening_rules import check_opening
from annotation_platform.studies.preparing import prepare

ROWS_AT_ONCE = 1_000


class BatchStateError(ConflictError):
    """A batch is not in the state that the step needs."""


def check_deadline(deadline_at: datetime | None) -> None:
    if deadline_at is not None and deadline_at <= timezone.now():
        raise InvalidInputError("studies.deadline_in_the_past")


def open_batch(*, batch: Batch, deadline_at: datetime | None = None, finishes_late: bool = False, actor: Actor) -> None:
    """Launch a draft batch: make its places, as many for each HIT as the study's overlap, and open them.

    The places are made piece by piece, so that others can write meanwhile; nobody can take them before the last
    step. An opening that is broken off leaves a draft, and the next one goes on with the places that are there.

    Raises
    ------
    BatchStateError
        When it is no draft.
    OpeningRefusedError
        When a rule keeps it from being opened, such as a budget.
    DatabaseBusyError
        When others write all the time.
    """
    check_deadline(deadline_at)
    if batch.state == BatchState.DRAFT:
        check_opening(batch)  # before its places are made; it counts at the end
        prepare(batch, actor)
    settings = {"deadline_at": deadline_at, "finishes_late": finishes_late}
    is_open = False
    while not is_open:  # the overlap can change meanwhile
        overlap = Study.objects.values_list("overlap", flat=True).get(pk=batch.study_id)
        places = ((hit, place) for hit in batch.hits.values_list("pk", flat=True) for place in range(1, overlap + 1))
        while some := list(islice(places, ROWS_AT_ONCE)):
            in_short_transaction(partial(_prepare_places, batch, some))
        is_open = in_short_transaction(partial(_launch, batch, overlap, settings, actor))
    batch.refresh_from_db()


def _prepare_places(batch: Batch, places: Sequence[tuple[int, int]]) -> None:
    """Make those of a draft's places that are not there yet."""
    if not Batch.objects.select_for_update(no_key=True).filter(pk=batch.pk, state=BatchState.DRAFT).exists():
        raise _no_draft(batch)
    Assignment.objects.bulk_create(
        (Assignment(hit_id=hit, place=place) for hit, place in places), ignore_conflicts=True
    )


def _launch(batch: Batch, overlap: int, settings: Mapping[str, Any], actor: Actor) -> bool:
    """Open a draft whose places are there; False when the study has another overlap by now."""
    study = Study.objects.select_for_update(no_key=True).get(pk=batch.study_id)
    if study.overlap != overlap:
        return False
    check_opening(batch)
    changed = Batch.objects.filter(pk=batch.pk, state=BatchState.DRAFT).update(
        state=BatchState.OPEN, opened_at=timezone.now(), **settings
    )
    if not changed:
        raise _no_draft(batch)
    # An opening that was broken off can have made more of them, when the overlap was higher.
    Assignment.objects.filter(hit__batch=batch, place__gt=overlap).delete()
    record(actor, Verb.BATCH_OPENED, batch, study=study, change={"deadline_at": (None, settings["deadline_at"])})
    return True


def _no_draft(batch: Batch) -> BatchStateError:
    if not Batch.objects.filter(pk=batch.pk).exists():
        return BatchStateError("studies.batch_cut_meanwhile", number=batch.number)
    return BatchStateError("studies.batch_not_a_draft", number=batch.number)


def store_filled_places(*, takers: Mapping[int, Sequence[tuple[Member, int, datetime | None]]]) -> list[Assignment]:
    """Store the places that were filled elsewhere; call :func:`launch_imported` when all of them are stored.

    ``takers``: HIT's pk → who judged it, as (annotator, replicate, when, if that is known).
    """
    return Assignment.objects.bulk_create(
        (
            Assignment(
                hit_id=hit,
                place=place,
                annotator=annotator,
                replicate=replicate,
                state=AssignmentState.SUBMITTED,
                submitted_at=at,
            )
            for hit, taken in takers.items()
            for place, (annotator, replicate, at) in enumerate(taken, start=1)
        ),
        batch_size=ROWS_AT_ONCE,
    )


def launch_imported(
    *,
    study: Study,
    finished: Sequence[Batch] = (),
    keep_drafts: bool = False,
    write: Write = in_short_transaction,
    and_then: Callable[[], None] = lambda: None,
) -> None:
    """Launch the draft batches of an import some of whose places were filled elsewhere.

    The free places are made batch by batch; then all batches change their state at once.

    Parameters
    ----------
    finished
        Batches that get no more judgments: their HITs have the places that were filled, and they are closed.
        Every other HIT has as many places as the study's overlap; a batch is closed when all are filled.
    keep_drafts
        Leave batches that nobody has begun as drafts instead of opening them.
    and_then
        Called at the end of the transaction that changes the states.

    Raises
    ------
    InvalidInputError
        When more annotators judged a HIT than the overlap allows.
    """
    now = timezone.now()
    closing = [batch.pk for batch in finished]
    opening: list[int] = []
    for batch in study.batches.filter(state=BatchState.DRAFT).exclude(pk__in=closing):
        taken = dict(batch.hits.annotate(taken=Count("assignments")).order_by("position").values_list("pk", "taken"))
        if keep_drafts and not any(taken.values()):
            continue
        if (most := max(taken.values(), default=0)) > study.overlap:
            raise InvalidInputError("studies.overlap_exceeded", most=most, overlap=study.overlap)
        free = [(hit, place) for hit, count in taken.items() for place in range(count + 1, study.overlap + 1)]
        write(partial(_store_free_places, free))
        (opening if free else closing).append(batch.pk)

    def launch() -> None:
        Batch.objects.filter(pk__in=closing).update(
            state=BatchState.CLOSED, opened_at=now, closed_at=now, closed_because="imported"
        )
        Batch.objects.filter(pk__in=opening).update(state=BatchState.OPEN, opened_at=now)
        and_then()

    write(launch)


def _store_free_places(free: Iterable[tuple[int, int]]) -> None:
    Assignment.objects.bulk_create(
        (Assignment(hit_id=hit, place=place) for hit, place in free), batch_size=ROWS_AT_ONCE
    )

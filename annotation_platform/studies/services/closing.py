"""Closing batches: when they are complete, at their deadline, by hand."""

from django.db import transaction
from django.utils import timezone

from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState


@transaction.atomic
def close_batch(*, batch: Batch, because: str) -> bool:
    """Close an open batch; False when it was not open (any more). Judgments already submitted count.

    The rows of its places are locked until the end, so a submission under way is either in before the batch
    closes or sees it closed.
    """
    closed = Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN).update(
        state=BatchState.CLOSED, closed_at=timezone.now(), closed_because=because
    )
    if closed:
        list(Assignment.objects.filter(hit__batch=batch).select_for_update().order_by("pk").values_list("pk"))
        batch.refresh_from_db()
    return bool(closed)


def close_batch_if_complete(*, batch: Batch) -> bool:
    """Close a batch all of whose places are submitted. Call it after the last submission has been committed."""
    unfinished = Assignment.objects.filter(hit__batch=batch).exclude(state=AssignmentState.SUBMITTED)
    if unfinished.exists():
        return False
    return close_batch(batch=batch, because="all places submitted")


def close_due_batches() -> list[Batch]:
    """Close every open batch that is complete or past its deadline, and return them."""
    now = timezone.now()
    closed = []
    for batch in Batch.objects.filter(state=BatchState.OPEN):
        is_late = batch.deadline_at is not None and batch.deadline_at <= now
        if (is_late and close_batch(batch=batch, because="deadline reached")) or close_batch_if_complete(batch=batch):
            closed.append(batch)
    return closed

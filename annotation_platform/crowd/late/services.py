"""Accepting late work, with what follows for the batch."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.late import accept_late_work
from annotation_platform.studies.models import Batch, Hit, Member
from annotation_platform.studies.services import close_batch_if_complete


@transaction.atomic
def accept(*, hit: Hit, annotator: Member, actor: Actor) -> bool:
    """Let late work count; give whether its batch closed by that, so that whoever calls this starts the sweep.

    Raises
    ------
    ConflictError
        As :func:`accept_late_work`.
    """
    accept_late_work(hit=hit, annotator=annotator, actor=actor)
    return close_batch_if_complete(batch=Batch.objects.get(pk=hit.batch_id), actor=actor)

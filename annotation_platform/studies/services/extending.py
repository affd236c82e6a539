"""More time for a task, as annotators ask for it themselves: as often, and by as much, as their study says."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Study, takes_judgments
from annotation_platform.studies.services.changing import change_study

MOST_EXTENSIONS, MOST_PERCENT = 100, 500


def extension_of(study: Study) -> timedelta:
    """By how much a lease is lengthened at a time: whole minutes, one at least."""
    return timedelta(minutes=max(study.time_limit_minutes * study.extension_percent // 100, 1))


def may_extend(assignment: Assignment) -> bool:
    """Whether its holder may lengthen the lease now.

    Whose time is up may, as long as nobody else has taken the place. In a batch that waits for leases to end, nobody.
    """
    batch = assignment.hit.batch
    return (
        assignment.state == AssignmentState.CLAIMED
        and assignment.extensions < batch.study.most_extensions
        and batch.takes_judgments
        and not batch.is_finishing
    )


@transaction.atomic
def lengthen_lease(*, assignment: Assignment, annotator: Member, extensions: int, actor: Actor) -> bool:
    """Give the holder of a place more time, once for each time that they ask; False when that was done already.

    ``extensions``: how many they had when they asked, so that asking twice at once counts once. Others wait for no
    place longer than the study's limit for one person: the number of extensions is capped, not the queue behind them.

    Raises
    ------
    ConflictError
        When the place is not theirs any more, its batch takes nothing or is closing, or they have had all extensions.
    """
    place = (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("hit__batch__study")
        .filter(takes_judgments("hit__batch__"), pk=assignment.pk, annotator=annotator)
        .first()
    )
    if place is None or place.state != AssignmentState.CLAIMED:
        raise ConflictError("studies.task_not_yours_to_extend")
    if place.extensions > extensions:
        return False
    study = place.hit.batch.study
    if place.hit.batch.is_finishing:
        raise ConflictError("studies.no_extension_at_the_end")
    if not may_extend(place):
        raise ConflictError("studies.no_extension_left", count=study.most_extensions)
    before = place.lease_expires_at
    until = max(timezone.now(), before or timezone.now()) + extension_of(study)
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=until, extensions=extensions + 1)
    record(actor, Verb.TASK_EXTENDED, place, study=study, change={"lease_expires_at": (before, until)})
    assignment.refresh_from_db(fields=["annotator", "state", "lease_expires_at", "extensions"])
    return True


def set_extensions(*, study: Study, most: int, percent: int, actor: Actor) -> None:
    """How often annotators may lengthen the time of a task (0: never), and by how much of the time limit.

    Raises
    ------
    InvalidInputError
        When a number is none that a study can have.
    """
    if not 0 <= most <= MOST_EXTENSIONS or not 1 <= percent <= MOST_PERCENT:
        raise InvalidInputError("studies.extensions_wrong", most=MOST_EXTENSIONS, percent=MOST_PERCENT)
    change_study(study=study, most_extensions=most, extension_percent=percent, actor=actor)

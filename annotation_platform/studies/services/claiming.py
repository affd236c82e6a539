"""Which task an annotator gets next, and for how long it is theirs: claiming, leases, giving back."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.assignment_policies import POLICIES
from annotation_platform.studies.eligibility import Moment, NotEligibleError, check_eligible
from annotation_platform.studies.models import (
    Assignment,
    AssignmentState,
    BatchState,
    Item,
    Member,
    Role,
    Study,
)
from annotation_platform.studies.opening_rules import OpeningRefusedError
from annotation_platform.studies.own_places import place_of_their_own

MOST_MINUTES = 10_000
STANDING = ("user", "role", "paused_at", "paused_because", "excluded_at", "excluded_because", "replicate")
"""What of an annotator can change while their own request waits for their row."""


class NothingToClaimError(ConflictError):
    """No place is left for this annotator at the moment."""


@transaction.atomic
def claim_assignment(*, annotator: Member, actor: Actor) -> Assignment:
    """Give an annotator a place in an open batch: the one they hold already, or the next free one by the policy.

    A place is taken by a conditional update of its row, so two requests never get the same one; the annotator's
    row is locked first, so that one person's two requests get the same one.

    Raises
    ------
    NotEligibleError
        When a rule of the study lets them take nothing new; what they hold already stays theirs.
    NothingToClaimError
        When no HIT that this annotator has not had yet has a free place, or a round's budget allows no more.
    """
    if annotator.study.is_round:  # its study before its members, as whoever changes these does: places are made there
        Study.every.select_for_update(no_key=True).get(pk=annotator.study_id)
    # Not the row's key: rows that refer to the annotator (a judgment just being stored) must not wait for this.
    annotator.refresh_from_db(fields=STANDING, from_queryset=Member.objects.select_for_update(no_key=True))
    if annotator.role != Role.ANNOTATOR:
        raise InvalidInputError("studies.not_an_annotator")
    if annotator.user_id is None:  # let out while this waited
        raise NotEligibleError("studies.no_longer_a_member")
    held = Assignment.objects.in_hand().filter(annotator=annotator).first()
    if held is not None:
        renew_lease(assignment=held)
        if held.annotator_id == annotator.pk:  # else the lease had run out and somebody was faster
            return held

    check_eligible(annotator, Moment.TAKING)
    for place in _places_for(annotator):
        if lease_assignment(place=place, annotator=annotator):
            change = {"annotator": (None, annotator.pseudonym)}
            record(actor, Verb.TASK_TAKEN, place, study=annotator.study, change=change)
            return place
    raise NothingToClaimError("studies.no_task_at_the_moment")


def _places_for(annotator: Member) -> Iterator[Assignment]:
    """The places to try, the first first: of a study with checks, those first whose checks are new to them."""
    if annotator.study.is_round:
        try:
            yield from place_of_their_own(annotator)
        except OpeningRefusedError as refused:
            raise NothingToClaimError("studies.no_place_in_the_round") from refused
        return
    policy = POLICIES[annotator.study.assignment_policy]
    free = Assignment.objects.free_for(annotator)
    if Item.every.filter(study=annotator.study_id, is_check=True).exists():
        yield from policy(free.new_to(annotator), annotator)
    yield from policy(free, annotator)


def lease_assignment(*, place: Assignment, annotator: Member) -> bool:
    """Take a free place of an open batch by a conditional update; False when somebody was faster.

    Judgments of a previous holder whose lease ran out stay as history but count no more: a place has one
    current judgment for each of its items.
    """
    now = timezone.now()
    lease = timedelta(minutes=annotator.study.time_limit_minutes)
    previous = place.annotator_id
    # The condition is about this row alone: the database checks it again after waiting for another writer.
    taken = (
        Assignment.objects.unheld()
        .filter(pk=place.pk, annotator=previous)
        .update(
            annotator=annotator,
            replicate=annotator.replicate,
            state=AssignmentState.CLAIMED,
            claimed_at=now,
            lease_expires_at=now + lease,
            extensions=0,
        )
    )
    if taken and previous is not None:
        place.annotations(manager="given").filter(is_current=True).exclude(annotator=annotator).update(is_current=False)
    place.refresh_from_db()
    return bool(taken)


def renew_lease(*, assignment: Assignment) -> None:
    """Give the holder of an expired lease a new one, unless the batch waits for leases to end only.

    A running lease stays as it is.
    """
    if not assignment.has_expired or assignment.hit.batch.is_finishing:
        return
    now = timezone.now()
    lease = timedelta(minutes=assignment.hit.batch.study.time_limit_minutes)
    Assignment.objects.filter(
        pk=assignment.pk,
        annotator=assignment.annotator_id,
        state=AssignmentState.CLAIMED,
        lease_expires_at__lt=now,
    ).update(lease_expires_at=now + lease)
    assignment.refresh_from_db(fields=["annotator", "state", "lease_expires_at"])


@transaction.atomic
def extend_lease(*, assignment: Assignment, minutes: int, actor: Actor) -> None:
    """Give the holder of a claimed place more time: so many minutes from now, or from the end of the running lease.

    Raises
    ------
    InvalidInputError
        When nobody holds the place for work in an open batch, or the minutes are none that help.
    """
    if not 1 <= minutes <= MOST_MINUTES:
        raise InvalidInputError("studies.minutes_wrong", minutes=minutes, most=MOST_MINUTES)
    now = timezone.now()
    before = assignment.lease_expires_at
    start = max(now, before or now)
    extended = Assignment.objects.filter(
        pk=assignment.pk,
        annotator=assignment.annotator_id,
        state=AssignmentState.CLAIMED,
        hit__batch__state=BatchState.OPEN,
    ).update(lease_expires_at=start + timedelta(minutes=minutes))
    assignment.refresh_from_db()
    if not extended:
        raise InvalidInputError("studies.assignment_not_held")
    change = {"lease_expires_at": (before, assignment.lease_expires_at)}
    record(actor, Verb.TASK_EXTENDED, assignment, study=assignment.hit.batch.study, change=change)


@transaction.atomic
def return_assignment(*, assignment: Assignment, annotator: Member, actor: Actor) -> bool:
    """Give a claimed place back; False if it was not theirs, or its batch has closed: what they judged counts there.

    What the annotator typed and submitted stays theirs, for when they take the HIT again.
    """
    # Whoever is closing the batch holds this row; only after them its state is read.
    list(Assignment.objects.filter(pk=assignment.pk).select_for_update().order_by().values_list("pk"))
    returned = Assignment.objects.filter(
        pk=assignment.pk, annotator=annotator, state=AssignmentState.CLAIMED, hit__batch__state=BatchState.OPEN
    ).update(annotator=None, state=AssignmentState.OPEN, claimed_at=None, lease_expires_at=None)
    if returned:
        assignment.annotations(manager="given").filter(is_current=True).update(is_current=False)
        change = {"annotator": (annotator.pseudonym, None)}
        record(actor, Verb.TASK_GIVEN_BACK, assignment, study=annotator.study, change=change)
    return bool(returned)

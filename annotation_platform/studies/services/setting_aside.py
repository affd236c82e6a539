"""Work that is kept and counts no more: of somebody who is excluded, or one task that is rejected.

The place of such work opens again, so that a HIT always has as many places as before. It counts again when it is
restored, as long as nobody else has the place, and the study has the version of its scheme under which it was judged.
"""

from contextlib import suppress

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Role, SetAside, Study
from annotation_platform.studies.services.members import MOST_WORDS, give_back_all


@transaction.atomic
def set_aside(*, assignment: Assignment, kind: SetAside.Kind, because: str, actor: Actor) -> SetAside:
    """Let the submitted work in a place count no more, and open the place to others.

    Raises
    ------
    InvalidInputError
        When nothing is submitted in it, or there is no reason that its annotator could read.
    """
    because = reason_for_people(because)
    place = Assignment.objects.select_for_update(of=("self",)).select_related("annotator__study").get(pk=assignment.pk)
    if place.state != AssignmentState.SUBMITTED or place.annotator is None:
        raise InvalidInputError("studies.nothing_to_set_aside")
    aside = _open_place(place, place.annotator, kind, because)
    change = {"annotator": (place.annotator.pseudonym, None), "because": ("", because)}
    record(actor, Verb.TASK_SET_ASIDE, assignment, study=place.annotator.study, change=change)
    assignment.refresh_from_db()
    return aside


@transaction.atomic
def restore_work(*, aside: SetAside, actor: Actor) -> None:
    """Let work count again that was set aside; nothing happens when it does already.

    Raises
    ------
    ConflictError
        When somebody else has the place by now, or the study's scheme has another version: what was set aside is not
        migrated to it.
    """
    place = (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("hit__batch__study")
        .get(pk=aside.assignment_id)
    )
    if not SetAside.objects.filter(pk=aside.pk, restored_at=None).update(restored_at=timezone.now()):
        return
    if place.state != AssignmentState.OPEN:
        raise ConflictError("studies.place_taken_meanwhile")
    Assignment.objects.filter(pk=place.pk).update(
        annotator=aside.annotator_id,
        state=AssignmentState.SUBMITTED,
        submitted_at=aside.submitted_at,
    )
    _count_again(place, aside)
    change = {"annotator": (None, aside.annotator.pseudonym)}
    record(actor, Verb.TASK_RESTORED, place, study=place.hit.batch.study, change=change)
    aside.refresh_from_db()


@transaction.atomic
def exclude_member(*, member: Member, because: str, keep_work: bool = False, actor: Actor) -> int:
    """Let an annotator take and submit nothing any more; how many submitted tasks were set aside.

    What they hold is given back. What they submitted is kept and counts no more, and its places are open to others,
    unless ``keep_work``.

    Raises
    ------
    InvalidInputError
        When it is no annotator, or there is no reason that they could read.
    """
    if member.role != Role.ANNOTATOR:
        raise InvalidInputError("studies.only_annotators_are_excluded", member=str(member))
    because = reason_for_people(because)
    # Their own requests wait for this row, so that nothing is taken or submitted meanwhile.
    Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    excluded = Member.objects.filter(pk=member.pk, excluded_at=None).update(
        excluded_at=timezone.now(), excluded_because=because
    )
    if not excluded:
        member.refresh_from_db()
        return 0
    work = Assignment.objects.none() if keep_work else member.assignments.filter(state=AssignmentState.SUBMITTED)
    # All in one order, as a migration of the scheme locks them.
    under_way = member.assignments.filter(state=AssignmentState.CLAIMED)
    list((work | under_way).select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    give_back_all(member, actor)
    free_unfinished(member=member, actor=actor)
    places = list(work.order_by("pk"))
    for place in places:
        _open_place(place, member, SetAside.Kind.EXCLUDED, because)
    change = {"excluded_because": ("", because), "tasks_set_aside": (0, len(places))}
    record(actor, Verb.MEMBER_EXCLUDED, member, study=member.study, change=change)
    member.refresh_from_db()
    return len(places)


@transaction.atomic
def readmit_member(*, member: Member, actor: Actor) -> int:
    """Let somebody who was excluded take tasks again; how many of their tasks count again.

    Those whose place nobody else has by now do, unless the study's scheme has another version since. A second click
    tells what the first one did.
    """
    if not Member.objects.filter(pk=member.pk).exclude(excluded_at=None).update(excluded_at=None, excluded_because=""):
        return _restored_last(member)
    asides = SetAside.objects.filter(annotator=member, kind=SetAside.Kind.EXCLUDED, restored_at=None)
    free = asides.filter(assignment__state=AssignmentState.OPEN).select_related("annotator").order_by("assignment_id")
    restored = 0
    for aside in free:
        with suppress(ConflictError), transaction.atomic():
            restore_work(aside=aside, actor=actor)
            restored += 1
    record(actor, Verb.MEMBER_READMITTED, member, study=member.study, change={"tasks_restored": (0, restored)})
    member.refresh_from_db()
    return restored


def _restored_last(member: Member) -> int:
    """How many tasks counted again when somebody was readmitted last; 0 when they never were."""
    verb = Verb.MEMBER_READMITTED
    of_them = Event.objects.filter(study=member.study_id, topic=verb.topic, verb=verb, subject_id=member.pk)
    last = of_them.order_by("-pk").values_list("change", flat=True).first()
    return last["tasks_restored"][1] if last else 0


def reason_for_people(because: str) -> str:
    """A reason that its reader can use, on one line.

    Raises
    ------
    InvalidInputError
        When it is empty or too long.
    """
    because = " ".join(because.split())
    if not because:
        raise InvalidInputError("studies.reason_needed")
    if len(because) > MOST_WORDS:
        raise InvalidInputError("studies.reason_too_long", length=len(because), most=MOST_WORDS)
    return because


@transaction.atomic
def free_unfinished(*, member: Member, actor: Actor) -> None:
    """Open the places in closed batches that they had not finished: nobody gives back there, but a batch can reopen."""
    places = list(
        member.assignments.filter(state=AssignmentState.CLAIMED).select_for_update(of=("self",)).order_by("pk")
    )
    for place in places:
        place.annotations(manager="given").filter(is_current=True).update(is_current=False)
        change = {"annotator": (member.pseudonym, None)}
        record(actor, Verb.TASK_GIVEN_BACK, place, study=member.study, change=change)
    Assignment.objects.filter(pk__in=[place.pk for place in places]).update(
        annotator=None, state=AssignmentState.OPEN, claimed_at=None, lease_expires_at=None
    )


def _count_again(place: Assignment, aside: SetAside) -> None:
    """Let the last judgments of whoever did the work count in the place, as far as the study has their version."""
    # Read after the place was locked, for which a migration of the scheme waits, or which waits for it.
    version = Study.objects.values_list("scheme_version", flat=True).get(pk=place.hit.batch.study_id)
    mine = place.annotations(manager="given").filter(annotator=aside.annotator_id)
    last = list(mine.values("item").annotate(last=Max("pk")).values_list("last", flat=True))
    if not mine.filter(pk__in=last, scheme_version=version).update(is_current=True) and last:
        raise ConflictError("studies.work_of_other_scheme")


def _open_place(place: Assignment, annotator: Member, kind: SetAside.Kind, because: str) -> SetAside:
    # What they did in the same place before, and did anew since, can be aside already.
    aside, _ = SetAside.objects.update_or_create(
        assignment=place,
        annotator=annotator,
        restored_at=None,
        defaults={
            "kind": kind,
            "because": because,
            "submitted_at": place.submitted_at,
            "set_aside_at": timezone.now(),
        },
    )
    Assignment.objects.filter(pk=place.pk).update(
        annotator=None, state=AssignmentState.OPEN, claimed_at=None, lease_expires_at=None, submitted_at=None
    )
    place.annotations(manager="given").filter(is_current=True).update(is_current=False)
    return aside

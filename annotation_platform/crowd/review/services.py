"""Approving and rejecting submitted work, and the appeal against a rejection."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.review.approval import work_is_approved, work_is_rejected
from annotation_platform.crowd.review.models import LONGEST_APPEAL, Review, Verdict
from annotation_platform.crowd.review.selectors import Submission, with_changes
from annotation_platform.studies.models import Assignment, AssignmentState, Member, SetAside
from annotation_platform.studies.services import restore_work, set_aside
from annotation_platform.studies.services.setting_aside import reason_for_people


def check_theirs(submission: Submission) -> None:
    """Refuse a verdict on what somebody else has submitted in the place, after this work in it was set aside.

    Raises
    ------
    InvalidInputError
        When the place is another one's by now, or nobody's.
    """
    if submission.assignment.annotator_id != submission.annotator.pk:
        raise InvalidInputError("crowd.nothing_to_review")


@transaction.atomic
def approve(*, assignment: Assignment, by: Member | None, seen: datetime | None = None, actor: Actor) -> Review:
    """Approve the submitted work in a place; when it is approved already, only as it is now, if it was changed since.

    ``seen``: when the last of it was judged that whoever approves has seen.

    Raises
    ------
    InvalidInputError
        When nothing is submitted in it.
    ConflictError
        When its annotator changed it since.
    """
    place, annotator = _locked(assignment)
    _refuse_unseen(place, annotator, seen)
    review = Review.objects.filter(assignment=place, annotator=annotator, verdict=Verdict.APPROVED).first()
    if review is None:
        review = _store(place, annotator, Verdict.APPROVED, by)
        record(actor, Verb.REVIEW_APPROVED, annotator, study=annotator.study, change={"task_number": (None, place.pk)})
        work_is_approved(assignment=place, annotator=annotator, actor=actor)
    elif with_changes(Review.objects.filter(pk=review.pk)).get().changed_at is not None:
        _approve_as_it_is_now(review, by, actor)
    return review


def _approve_as_it_is_now(review: Review, by: Member | None, actor: Actor) -> None:
    """It was paid for when it was approved first, so nobody is told."""
    if review.appeal_decided_at is None:
        review.decided_by, review.decided_at = by, timezone.now()
    else:
        review.appeal_decided_by, review.appeal_decided_at = by, timezone.now()
    review.save(update_fields=["decided_by", "decided_at", "appeal_decided_by", "appeal_decided_at"])
    change = {"task_number": (None, review.assignment_id)}
    record(actor, Verb.REVIEW_APPROVED, review.annotator, study=review.annotator.study, change=change)


@transaction.atomic
def approve_aside(*, aside: SetAside, by: Member | None, actor: Actor) -> Review:
    """Approve work that stays aside although its annotator takes part again: it can be paid, and counts in no figure.

    Nothing happens when it is approved already.

    Raises
    ------
    InvalidInputError
        When it counts again, its annotator is excluded, or it was rejected.
    ConflictError
        When its annotator has submitted the same place again, which nobody has looked at.
    """
    # The place before what is aside of it, as whoever sets its work aside or lets it count again does.
    place = Assignment.objects.select_for_update(no_key=True).get(pk=aside.assignment_id)
    if (place.state, place.annotator_id) == (AssignmentState.SUBMITTED, aside.annotator_id):
        raise ConflictError("crowd.work_changed_since")
    left = SetAside.objects.filter(kind=SetAside.Kind.EXCLUDED, restored_at=None, annotator__excluded_at=None)
    locked = left.select_for_update(of=("self",)).filter(pk=aside.pk).select_related("annotator__study").first()
    if locked is None:
        raise InvalidInputError("crowd.nothing_to_review")
    annotator = locked.annotator
    review, is_new = Review.objects.get_or_create(
        assignment_id=locked.assignment_id,
        annotator=annotator,
        defaults={
            "verdict": Verdict.APPROVED,
            "submitted_at": locked.submitted_at,
            "set_aside": locked,
            "decided_by": by,
            "decided_at": timezone.now(),
        },
    )
    if is_new:
        change = {"task_number": (None, locked.assignment_id)}
        record(actor, Verb.REVIEW_APPROVED, annotator, study=annotator.study, change=change)
        work_is_approved(assignment=review.assignment, annotator=annotator, actor=actor)
    elif review.verdict != Verdict.APPROVED:
        raise InvalidInputError("crowd.reviewed_already", verdict=Verdict(review.verdict).label)
    return review


@transaction.atomic
def approve_many(*, assignments: Sequence[Assignment], by: Member | None, actor: Actor) -> int:
    """Approve all of these that still wait for it; how many that were."""
    waiting = Assignment.objects.filter(pk__in=[each.pk for each in assignments], state=AssignmentState.SUBMITTED)
    count = 0
    for place in waiting.order_by("pk"):
        if not Review.objects.filter(assignment=place, annotator=place.annotator_id, verdict=Verdict.APPROVED).exists():
            approve(assignment=place, by=by, actor=actor)
            count += 1
    return count


@transaction.atomic
def reject(
    *, assignment: Assignment, because: str, by: Member | None, seen: datetime | None = None, actor: Actor
) -> Review:
    """Reject the submitted work in a place: it is kept and counts no more, and the place is open to others.

    ``seen``: as of :func:`approve`.

    Raises
    ------
    InvalidInputError
        When nothing is submitted in it, it was approved, or there is no reason that its annotator could read.
    ConflictError
        When its annotator changed it since.
    """
    because = reason_for_people(because)
    place, annotator = _locked(assignment)
    _refuse_unseen(place, annotator, seen)
    if Review.objects.filter(assignment=place, annotator=annotator, verdict=Verdict.APPROVED).exists():
        raise InvalidInputError("crowd.reviewed_already", verdict=Verdict.APPROVED.label)
    submitted_at = place.submitted_at
    aside = set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because=because, actor=actor)
    place.submitted_at = submitted_at
    review = _store(place, annotator, Verdict.REJECTED, by, because=because, set_aside=aside)
    change = {"task_number": (None, place.pk), "because": ("", because)}
    record(actor, Verb.REVIEW_REJECTED, annotator, study=annotator.study, change=change)
    work_is_rejected(assignment=place, annotator=annotator, actor=actor)
    return review


@transaction.atomic
def appeal(*, review: Review, words: str, actor: Actor) -> None:
    """Say why a rejection should be looked at again, once.

    Raises
    ------
    InvalidInputError
        When there are no words, or too many.
    ConflictError
        When the work is not rejected, or it was appealed against already.
    """
    words = words.replace("\r\n", "\n").strip()
    if not words:
        raise InvalidInputError("crowd.appeal_needs_words")
    if len(words) > LONGEST_APPEAL:
        raise InvalidInputError("crowd.appeal_too_long", length=len(words), most=LONGEST_APPEAL)
    rejected = Review.objects.filter(pk=review.pk, verdict=Verdict.REJECTED, appealed_at=None)
    words = "\n\n".join(filter(None, [review.appeal, words]))  # after those against an earlier rejection
    if not rejected.update(appeal=words, appealed_at=timezone.now()):
        raise ConflictError("crowd.cannot_appeal")
    record(actor, Verb.REVIEW_APPEALED, review.annotator, study=review.annotator.study)
    review.refresh_from_db()


@transaction.atomic
def decide_appeal(*, review: Review, accept: bool, note: str, by: Member | None, actor: Actor) -> bool:
    """Accept an appeal or turn it down, with an answer that the annotator reads; whether the work counts again.

    Accepted work is approved. It counts again if nobody else has the place by now and the study's scheme is still the
    one that it was done under, and is kept aside otherwise.

    Raises
    ------
    InvalidInputError
        When there is no answer that could be read.
    ConflictError
        When no appeal waits.
    """
    note = reason_for_people(note)
    # The place before the verdict, as whoever decides about what was done anew in it.
    Assignment.objects.select_for_update(no_key=True).get(pk=review.assignment_id)
    verdict = Verdict.APPROVED if accept else Verdict.REJECTED
    waiting = Review.objects.filter(pk=review.pk, appealed_at__isnull=False, appeal_decided_at=None)
    decided = {"appeal_note": note, "appeal_decided_by": by, "appeal_decided_at": timezone.now()}
    if not waiting.update(verdict=verdict, **decided):
        raise ConflictError("crowd.no_appeal")
    review.refresh_from_db()
    study = review.annotator.study
    change = {"verdict": (Verdict.REJECTED.value, verdict.value), "because": ("", note)}
    record(actor, Verb.REVIEW_APPEAL_DECIDED, review.annotator, study=study, change=change)
    counts = False
    if accept:
        if review.set_aside is not None and review.annotator.excluded_at is None:
            with suppress(ConflictError), transaction.atomic():  # the place is taken, or the scheme another
                restore_work(aside=review.set_aside, actor=actor)
                counts = True
        work_is_approved(assignment=review.assignment, annotator=review.annotator, actor=actor)
    return counts


def _store(
    place: Assignment,
    annotator: Member,
    verdict: Verdict,
    by: Member | None,
    *,
    because: str = "",
    set_aside: SetAside | None = None,
) -> Review:
    """The verdict on what is submitted in a place, instead of the one on earlier work that was rejected there.

    What its annotator wrote against that stays; the history says the rest, and nothing that an annotator wrote.
    """
    review, _ = Review.objects.update_or_create(
        assignment=place,
        annotator=annotator,
        defaults={
            "verdict": verdict,
            "because": because,
            "submitted_at": place.submitted_at,
            "set_aside": set_aside,
            "decided_by": by,
            "decided_at": timezone.now(),
            "appealed_at": None,
            "appeal_note": "",
            "appeal_decided_by": None,
            "appeal_decided_at": None,
        },
    )
    return review


def _locked(assignment: Assignment) -> tuple[Assignment, Member]:
    """The place with its submitted work's annotator, held until the transaction ends; not its key, for which a worker
    waits that has entered what is due for it.
    """
    place = (
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("annotator__study")
        .filter(pk=assignment.pk)
        .first()
    )
    if place is None or place.state != AssignmentState.SUBMITTED or place.annotator is None:
        raise InvalidInputError("crowd.nothing_to_review")
    if place.annotator_id != assignment.annotator_id:  # somebody else has done it since it was read
        raise InvalidInputError("crowd.nothing_to_review")
    return place, place.annotator


def _refuse_unseen(place: Assignment, annotator: Member, seen: datetime | None) -> None:
    """What a migration of the scheme carried over keeps the time at which it was judged, and is no change."""
    if seen is None:
        return
    if Annotation.objects.current().filter(assignment=place, annotator=annotator, created_at__gt=seen).exists():
        raise ConflictError("crowd.work_changed_since")

"""What becomes due by itself: work that counts as approved at once or after some hours, and what was given back."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import Event
from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.pay.models import Approval, EntryKind, LedgerEntry, PayTerms
from annotation_platform.crowd.pay.services.crediting import (
    credit_bonus,
    credit_returned,
    credit_submitted,
    parts_due,
    without_reward,
)
from annotation_platform.crowd.pay.services.taking_back import take_back_what_is_rejected
from annotation_platform.crowd.pay.terms import Versions, versions_of
from annotation_platform.crowd.review.models import DONE_ANEW, Review
from annotation_platform.crowd.review.services import approve_many
from annotation_platform.studies.models import (
    FINISHED_STATES,
    Assignment,
    AssignmentState,
    Batch,
    Member,
    SetAside,
    Study,
)

AT_ONCE = 500
LOOK_AGAIN = timedelta(hours=1)

_State = tuple[datetime | None, int | None]
"""When a study was archived, and the newest event in it."""

_nothing_due: dict[int, tuple[_State, datetime]] = {}
"""Archived study → how it was, and when nothing was due in it, as this process found it."""


def credit_what_is_due(*, actor: Actor) -> int:
    """Credit what is due in all studies that agreed on pay, some of each at a time; how many entries that made.

    Archived ones are among them: they give out no task, and owe what they owed. One in which nothing was due is looked
    at again when something has happened in it, or an hour later.
    """
    newest = Event.objects.filter(study=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    studies = Study.objects.filter(pk__in=PayTerms.objects.values("study")).annotate(newest_event=Subquery(newest))
    made = 0
    for study in studies:
        known: _State = (study.archived_at, getattr(study, "newest_event", None))
        if study.archived_at is not None and _was_looked_at(study.pk, known):
            continue
        credited = _credit_in(study, actor)
        if study.archived_at is not None and not credited:
            _nothing_due[study.pk] = (known, timezone.now())
        made += credited
    return made


def _was_looked_at(study: int, known: _State) -> bool:
    """Whether nothing was due in an archived study within the last hour, and nothing has happened in it since."""
    before, at = _nothing_due.get(study, (None, timezone.now()))
    return before == known and at > timezone.now() - LOOK_AGAIN


def _credit_in(study: Study, actor: Actor) -> int:
    versions = versions_of(study.pk)
    assert versions is not None
    made = _approved_by_time(study, versions, actor) + _done_anew(study, versions, actor)
    made += _returned(study, versions, actor)
    made += take_back_what_is_rejected(study, actor)
    if versions.newest.approval != Approval.BY_HAND and any(terms.bonus_percent for terms in versions.all):
        closed = Batch.objects.filter(study=study, state__in=FINISHED_STATES)
        made += sum(credit_bonus(batch=batch, actor=actor) for batch in closed)
    return made


def _approved_by_time(study: Study, versions: Versions, actor: Actor) -> int:
    """Reward submitted tasks whose terms say that they count as approved by now.

    What was there before anything was agreed is for a person to approve. What was done anew follows apart.
    """
    if all(terms.approval == Approval.BY_HAND for terms in versions.all):
        return 0
    now = timezone.now()
    promised = _promised(study, versions).exclude(pk__in=_done_anew_in(study).values("assignment"))
    places = without_reward(promised).order_by("submitted_at", "pk")
    due = (place for place in places.iterator() if _is_approved(place, versions.of(place), now))
    return credit_submitted(study=study, places=list(islice(due, AT_ONCE)), actor=actor)


def _done_anew(study: Study, versions: Versions, actor: Actor) -> int:
    """Approve what was rejected and done anew, some hours after that, where the terms say so.

    Where they say at once, it waits for a person: what is approved is rejected no more, so nobody could look at it.
    """
    now, done_anew = timezone.now(), _done_anew_in(study).values("assignment")
    places = _promised(study, versions).filter(pk__in=done_anew).order_by("pk")
    terms = ((place, versions.of(place)) for place in places)
    due = [place for place, each in terms if each.approval_hours and _is_approved(place, each, now)]
    return approve_many(assignments=due[:AT_ONCE], by=None, actor=actor)


def _done_anew_in(study: Study) -> QuerySet[Review]:
    return Review.objects.filter(DONE_ANEW, assignment__hit__batch__study=study)


def _promised(study: Study, versions: Versions) -> QuerySet[Assignment]:
    """The places that somebody took, or submitted, once something was agreed."""
    first = versions.all[0].made_at
    return Assignment.objects.filter(Q(claimed_at__gte=first) | Q(submitted_at__gte=first), hit__batch__study=study)


def _is_approved(place: Assignment, terms: PayTerms, now: datetime) -> bool:
    if terms.approval == Approval.BY_HAND or place.submitted_at is None:
        return False
    return place.submitted_at + timedelta(hours=terms.approval_hours or 0) <= now


def _returned(study: Study, versions: Versions, actor: Actor) -> int:
    """Credit what was done of tasks that their annotators do not have any more."""
    if not any(terms.returned_percent for terms in versions.all):
        return 0
    keys, made = _left_unfinished(study, versions.all[0].made_at), 0
    for start in range(0, len(keys), AT_ONCE):
        for place, member in _with_something_due(versions, keys[start : start + AT_ONCE]):
            made += credit_returned(assignment=place, annotator=member, actor=actor) is not None
        if made >= AT_ONCE:
            break
    return made


def _left_unfinished(study: Study, since: datetime) -> list[tuple[int, int]]:
    """Keys of places with judgments of somebody who has not finished the task, and of whom.

    Without what was credited since; there may be many for which nothing is due. The same HIT in another attempt at a
    round is another task.
    """
    same = Q(hit=OuterRef("item__hit"), annotator=OuterRef("annotator"), replicate=OuterRef("assignment__replicate"))
    going_on = Assignment.objects.filter(same).exclude(
        state=AssignmentState.CLAIMED, hit__batch__state__in=FINISHED_STATES
    )
    aside = SetAside.objects.filter(
        assignment__hit=OuterRef("item__hit"),
        assignment__replicate=OuterRef("assignment__replicate"),
        annotator=OuterRef("annotator"),
        restored_at=None,
    )
    after = LedgerEntry.objects.filter(
        Q(kind=EntryKind.REWARD) | Q(kind=EntryKind.PARTIAL, created_at__gte=OuterRef("created_at")),
        hit=OuterRef("item__hit"),
        member=OuterRef("annotator"),
        replicate=OuterRef("assignment__replicate"),
    )
    judged = Annotation.objects.filter(
        ~Exists(going_on), ~Exists(aside), ~Exists(after), item__study=study, created_at__gte=since
    )
    return list(judged.order_by().values_list("assignment", "annotator").distinct())


def _with_something_due(versions: Versions, keys: Sequence[tuple[int, int]]) -> list[tuple[Assignment, Member]]:
    """The places and members of such keys, where something is due."""
    places = Assignment.objects.select_related("hit").in_bulk({place for place, _ in keys})
    members = Member.objects.select_related("study").in_bulk({member for _, member in keys})
    owed = parts_due(versions, [(places[place], members[member]) for place, member in keys])
    return [(places[place], members[member]) for place, member in owed]

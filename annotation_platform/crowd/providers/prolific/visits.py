"""A visit from Prolific: arriving with three identifiers, and going back by the right code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.consent.models import ConsentText
from annotation_platform.crowd.consent.services import answer
from annotation_platform.crowd.endings import Ending, Stage, WayBack, stage_of
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from annotation_platform.crowd.providers.vault.identities import keep_identity, member_of
from annotation_platform.studies.eligibility import Moment, refusal
from annotation_platform.studies.models import (
    Assignment,
    AssignmentQuerySet,
    AssignmentState,
    Member,
    Role,
    Study,
    takes_judgments,
)
from annotation_platform.studies.services import add_member
from annotation_platform.studies.services.members import give_back_all

KEY = "prolific"
IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{6,64}")
PLACEHOLDER = re.compile(r"\{\{.*\}\}|%.*%")


class VisitError(InvalidInputError):
    """Somebody cannot come in by this address, or not so."""


@dataclass(frozen=True)
class Arrival:
    """The three identifiers that Prolific sends along."""

    person: str
    study: str
    session: str

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> "Arrival":
        """
        Raises
        ------
        VisitError
            When one is missing, or is none that Prolific makes.
        """
        names = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        values = [sent.get(name, "").strip() for name in names]
        if missing := [name for name, value in zip(names, values, strict=True) if not value]:
            raise VisitError("crowd.arrival_incomplete", missing=missing)
        for name, value in zip(names, values, strict=True):
            if PLACEHOLDER.fullmatch(value) or not IDENTIFIER.fullmatch(value):
                raise VisitError("crowd.arrival_wrong", name=name)
        return cls(*values)


def connection_of(token: str) -> ProlificStudy:
    """The study that an address leads to.

    Raises
    ------
    NotThereError
        When there is none, or it takes nobody in any more.
    """
    found = ProlificStudy.objects.select_related("study__scheme_version").filter(address_token=token).first()
    if found is None or found.study.arriving_at is not None:
        raise NotThereError("crowd.no_such_address")
    return found


def known_member(connection: ProlificStudy, arrival: Arrival) -> Member | None:
    """Who came as this person before.

    Raises
    ------
    VisitError
        When they were removed from the study, or the study takes nobody in from there.
    """
    if not connection.is_open or connection.study.archived_at is not None:
        raise VisitError("crowd.arrival_closed")
    if connection.external_studies and arrival.study not in connection.external_studies:
        raise VisitError("crowd.arrival_of_other_study")
    member = member_of(study=connection.study, provider=KEY, external_id=arrival.person)
    if member is not None and member.user_id is None:
        raise VisitError("studies.no_longer_a_member")
    return member


@transaction.atomic
def arrive(
    *, connection: ProlificStudy, arrival: Arrival, agreed_to: ConsentText | None, language: str, actor: Actor
) -> Member:
    """Let somebody in: as who they were, or as somebody new of whom the vault alone knows the identifier.

    Raises
    ------
    VisitError
        When they may not come in, or somebody else came by this submission.
    ConsentChangedError
        When they agreed to a text that holds no more.
    """
    Study.objects.select_for_update(no_key=True).get(pk=connection.study_id)
    member = known_member(connection, arrival)
    other = connection.submissions.filter(external_id=arrival.session).first()
    if other is not None and (member is None or other.member_id != member.pk):
        raise VisitError("crowd.submission_of_somebody_else")
    if member is None:
        member = _somebody_new(connection, arrival, actor)
    assert member.user_id is not None
    acting = actor.signed_in_as(member.user_id)
    if other is None:
        submission = Submission.objects.create(
            connection=connection, member=member, external_id=arrival.session, external_study=arrival.study
        )
        record(acting, Verb.PROVIDER_ARRIVED, member, study=connection.study, change={"visit": (None, submission.pk)})
    else:  # also of who had left before its end, and was let in again
        connection.submissions.filter(pk=other.pk, ending="").update(ended_at=None)
    if agreed_to is not None:
        answer(member=member, text=agreed_to, agreed=True, language=language, actor=acting)
    return member


@transaction.atomic
def decline(*, member: Member, arrival: Arrival, text: ConsentText, language: str, actor: Actor) -> None:
    """Keep that somebody who was here before says no to a new text: what they hold goes back, and this visit ends."""
    assert member.user_id is not None  # who was removed does not come in
    acting = actor.signed_in_as(member.user_id)
    _hold(member)
    answer(member=member, text=text, agreed=False, language=language, actor=acting)
    visit = open_visit(member)
    if visit is not None and visit.external_id == arrival.session:
        end(member, Ending.NO_CONSENT, acting)
    else:
        _give_all_back(member, acting)


def open_visit(member: Member) -> Submission | None:
    """The submission under which somebody is at work, or was last."""
    return Submission.objects.filter(member=member).select_related("connection").order_by("-arrived_at", "-pk").first()


def ending_of(submission: Submission) -> Ending | None:
    """How a visit ends if it ends now; None while there is something left to do for it.

    Where nothing is left, whatever the reason (a pause, a cap, languages, a verdict that is waited for, no open batch,
    also that of the task in hand), the visit is done if something was submitted in it, be it in a round, and screened
    out if not. Who has no attempt left of a round finishes the task in hand where the rules let them.
    """
    member = submission.member
    if tasks_done(submission) >= submission.connection.tasks_wanted:
        return Ending.DONE
    stage, held = stage_of(member), _places(member).in_hand().select_related("annotator__study").first()
    if member.excluded_at is not None or (stage == Stage.OUT and not _may_submit(held)):
        return Ending.SCREENED_OUT
    if held is not None:
        return Ending.TIMED_OUT if held.has_expired else None
    if _can_go_on(member, stage):
        return None
    if _places(member).filter(takes_judgments("hit__batch__"), state=AssignmentState.CLAIMED).exists():
        return Ending.TIMED_OUT  # while its batch was finishing
    was_at_work = _submitted(_places(member), submission).exists()
    return Ending.DONE if was_at_work else Ending.SCREENED_OUT


def tasks_done(submission: Submission) -> int:
    """The study's own tasks that were submitted in a visit; those of its rounds are none."""
    return _submitted(Assignment.objects.filter(annotator=submission.member), submission).count()


def _may_submit(held: Assignment | None) -> bool:
    if held is None or held.annotator is None or held.has_expired:
        return False
    return refusal(held.annotator, Moment.SUBMITTING) is None


def _can_go_on(member: Member, stage: Stage | None) -> bool:
    if member.paused_at is not None:
        return False
    if stage == Stage.TO_DO:
        return True
    return refusal(member, Moment.TAKING) is None and Assignment.objects.free_for(member).exists()


def _places(member: Member) -> AssignmentQuerySet:
    """What somebody has, or had, of a study and of its rounds."""
    return Assignment.objects.filter(Q(annotator=member) | Q(annotator__in=member.in_rounds()))


def _submitted(places: QuerySet[Assignment], submission: Submission) -> QuerySet[Assignment]:
    return places.filter(state=AssignmentState.SUBMITTED, submitted_at__gte=submission.arrived_at)


@transaction.atomic
def end(member: Member, ending: Ending, actor: Actor) -> WayBack | None:
    """End the visit of somebody who came from Prolific; the code that it ended with stays theirs.

    A task under way goes back. None for somebody who came in another way, or where the study has no such code.
    """
    submission = open_visit(member)
    if submission is None:
        return None
    _hold(member)
    ended = Submission.objects.filter(pk=submission.pk, ending="").update(ending=ending, ended_at=timezone.now())
    if ended:
        _give_all_back(member, actor)
        change = {"ending": (None, str(ending))}
        record(actor, Verb.PROVIDER_LEFT, member, study=submission.connection.study, change=change)
    submission.refresh_from_db(fields=["ending"])
    # Who said no and came back to say yes, or was timed out and then finished, leaves by what holds now.
    if not ended and submission.ending != Ending.DONE and submission.ending != ending:
        Submission.objects.filter(pk=submission.pk).update(ending=ending, ended_at=timezone.now())
        submission.ending = ending
    return way_back(submission.connection, Ending(submission.ending))


@transaction.atomic
def leave(member: Member, actor: Actor) -> None:
    """End the visit of somebody who is let out of the study: as it would end now, and before its end without an ending.

    One that has ended stays so where others let them out. A follower of ``studies.parting``.
    """
    submission = open_visit(member)
    if submission is None or (submission.ending and actor.user_id != member.user_id):
        return
    if (ending := ending_of(submission)) is not None:
        end(member, ending, actor)
        return
    left = Submission.objects.filter(pk=submission.pk, ending="", ended_at=None).update(ended_at=timezone.now())
    if left:
        change = {"ending": (None, "")}
        record(actor, Verb.PROVIDER_LEFT, member, study=submission.connection.study, change=change)


def way_back_of(member: Member) -> WayBack | None:
    """How somebody gets back whose visit has ended; None where it has no ending, or the study no code for it."""
    submission = open_visit(member)
    return way_back(submission.connection, Ending(submission.ending)) if submission and submission.ending else None


def way_back(connection: ProlificStudy, ending: Ending) -> WayBack | None:
    """The address on Prolific that ends a submission so; None where the study has no code for it."""
    code = connection.code(ending)
    if not code:
        return None
    return WayBack(f"{settings.PROLIFIC_APP_URL}/submissions/complete?{urlencode({'cc': code})}", code)


def _hold(member: Member) -> None:
    """Have their own requests wait, so that nothing is taken meanwhile; in the order of whoever begins a round."""
    Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    list(member.in_rounds().select_for_update(no_key=True, of=("self",)).order_by("pk").values_list("pk"))


def _give_all_back(member: Member, actor: Actor) -> None:
    for each in (member, *member.in_rounds()):
        give_back_all(each, actor)


def _somebody_new(connection: ProlificStudy, arrival: Arrival, actor: Actor) -> Member:
    user = User.objects.create_guest("Prolific")
    record(actor.signed_in_as(user.pk), Verb.ACCOUNT_CREATED, user)
    member = add_member(study=connection.study, user=user, role=Role.ANNOTATOR, actor=actor.signed_in_as(user.pk))
    User.objects.filter(pk=user.pk).update(first_name=member.pseudonym)
    keep_identity(member=member, provider=KEY, external_id=arrival.person)
    return member

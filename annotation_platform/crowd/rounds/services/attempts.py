"""Beginning an attempt, and what follows when the last of its tasks is submitted."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Draft
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.rounds.measuring import measured, what_the_rule_says
from annotation_platform.crowd.rounds.models import Attempt, Round, Verdict
from annotation_platform.crowd.rounds.refusals import why_not_begin
from annotation_platform.crowd.rounds.selectors import standings_of
from annotation_platform.crowd.rounds.services.verdicts import give_verdict
from annotation_platform.crowd.rounds.standing import State
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Hit, Member, Role, Study
from annotation_platform.studies.services import add_member


class MayNotBeginError(ConflictError):
    """It is not this person's turn for the round; the reason says why, and what to do."""


@transaction.atomic
def begin_attempt(*, round_: Round, member: Member, actor: Actor) -> Assignment:
    """Begin a round, or go on in it: the place of the first task that waits.

    Whoever begins comes into the round's own study under the pseudonym that they have. ``member``: who they are in the
    study that it qualifies for; their row is locked, so that two clicks make one attempt.

    Raises
    ------
    MayNotBeginError
        When they have passed it, have no attempt left, wait for a verdict, or have another round to pass first.
    NotEligibleError
        When they are paused or excluded.
    NothingToClaimError
        When no task is left.
    """
    Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    standing = next((each for each in standings_of(member) if each.round.pk == round_.pk), None)
    if standing is None:
        raise MayNotBeginError("crowd.no_round")
    if standing.state == State.UNDER_WAY and standing.last is not None and standing.last.annotator is not None:
        return take_task(annotator=standing.last.annotator, actor=actor)
    if (reason := why_not_begin(standing)) is not None:
        raise MayNotBeginError(reason)
    number = (round_.attempts.filter(member=member).aggregate(last=Max("number"))["last"] or 0) + 1
    change = {"round": (None, round_.title), "attempt": (None, number)}
    # The event holds the key of the study that the round is of: before the round's own study, as its deletion does.
    record(actor, Verb.ROUND_BEGUN, member, study=member.study, change=change)
    annotator = _annotator(round_, member, number, actor)
    Attempt.objects.create(round=round_, member=member, annotator=annotator, number=number, started_at=timezone.now())
    place = take_task(annotator=annotator, actor=actor)
    # What they typed before is no part of this attempt. After the place, as whoever keeps what is typed locks them.
    Draft.objects.filter(annotator=annotator).delete()
    return place


def _annotator(round_: Round, member: Member, number: int, actor: Actor) -> Member:
    """Who they are in the round's own study, beginning anew."""
    own = round_.study
    Study.every.select_for_update(no_key=True).get(pk=own.pk)  # before its members, as whoever takes a task does
    annotator = own.members.filter(user=member.user_id, role=Role.ANNOTATOR).first() or add_member(
        study=own, role=Role.ANNOTATOR, user=member.user, pseudonym=member.pseudonym, actor=actor
    )
    Member.objects.filter(pk=annotator.pk).update(replicate=number - 1)
    return Member.objects.select_related("study__scheme_version").get(pk=annotator.pk)


def finish_if_all_is_submitted(assignment: Assignment, actor: Actor) -> None:
    """What follows a submitted task: when it was the last one of an attempt, that is compared, and decided by the rule.

    A follower of ``annotations.finishing``, in the transaction that submits the task.
    """
    under_way = Attempt.objects.filter(
        annotator=assignment.annotator_id, number=assignment.replicate + 1, finished_at=None, verdict=Verdict.PENDING
    )
    # Held while it is measured, for who changes the accepted answers meanwhile and compares it again. Without its
    # order, for which its round would be held, too: whoever ends that waits for the places.
    held = under_way.select_for_update(no_key=True).order_by()
    if not list(held.values_list("pk")):  # as of most tasks, which are of no round
        return
    attempt = under_way.select_related("round__study__scheme_version", "member__study").first()
    if attempt is None or _waits(attempt):
        return
    found = measured(attempt.round, [attempt])[attempt.pk]
    fields = {"matched": found.matched, "compared": found.compared, "failed": found.failed}
    Attempt.objects.filter(pk=attempt.pk).update(finished_at=timezone.now(), **fields)
    verdict = what_the_rule_says(attempt.round, found)
    if verdict != Verdict.PENDING and not attempt.round.is_reviewed:
        give_verdict(attempt, verdict, by=None, actor=actor)


def _waits(attempt: Attempt) -> bool:
    """Whether a task of the attempt is not submitted."""
    done = Assignment.objects.filter(
        annotator=attempt.annotator_id, replicate=attempt.number - 1, state=AssignmentState.SUBMITTED
    )
    hits = Hit.objects.filter(batch__study=attempt.round.study_id).exclude(batch__state=BatchState.DRAFT)
    return hits.exclude(pk__in=done.values("hit")).exists()

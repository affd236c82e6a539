"""Why somebody may not begin a round, and the eligibility rule that asks for rounds before tasks."""

from django.db.models import Q

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.endings import Stage
from annotation_platform.crowd.rounds.models import Attempt, Round, Verdict
from annotation_platform.crowd.rounds.selectors import standings_of
from annotation_platform.crowd.rounds.standing import Standing, State
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.eligibility import Moment, refusal_in_rounds
from annotation_platform.studies.models import Member
from annotation_platform.studies.own_places import gives_a_place

_NOT_BEFORE = {
    State.UNDER_WAY: "crowd.finish_the_round",
    State.REVIEWED: "crowd.round_is_reviewed",
    State.FAILED: "crowd.round_not_passed",
    State.NOT_OPEN: "crowd.round_not_open",
    State.ENDED: "crowd.round_ended_before",
}


_FIRST_ROUND = CompiledQuery(
    lambda study, itself: (
        Round.objects.filter(Q(study__qualifies_for=study) | Q(study=itself)).order_by("pk").values_list("study_id")[:1]
    )
)


def qualified(annotator: Member, moment: Moment) -> Reason | None:
    """Who has not passed all rounds of a study takes no task of it; in a round, tasks belong to an attempt.

    Who held a task when their pass expired, or when a round was added, may finish it; whose pass was taken back may
    not.
    """
    if not (rounds := _FIRST_ROUND.rows(annotator.study_id, annotator.study_id)):
        return None
    if rounds[0][0] == annotator.study_id:
        return _in_a_round(annotator, moment)
    for each in standings_of(annotator):
        if moment == Moment.SUBMITTING and each.was_withdrawn:
            return Reason("crowd.round_taken_back", round=each.round.title)
        if moment == Moment.TAKING and not each.is_passed:
            return why_no_task(each)
    return None


def stage(annotator: Member) -> Stage | None:
    """Who has no attempt left of a round that the study asks for is out; who can try one has that to do, as long as it
    gives out tasks.
    """
    standings = standings_of(annotator)
    if any(each.state == State.FAILED for each in standings):
        return Stage.OUT
    return Stage.TO_DO if any(_can_be_done(each) for each in standings) else None


def _can_be_done(standing: Standing) -> bool:
    if standing.state == State.READY:
        return gives_a_place(standing.round.study, None)
    if standing.state != State.UNDER_WAY or standing.last is None or standing.last.annotator is None:
        return standing.state == State.UNDER_WAY
    annotator = standing.last.annotator
    return annotator.assignments.in_hand().exists() or gives_a_place(standing.round.study, annotator)


def why_no_task(standing: Standing) -> Reason:
    """Why somebody gets no task of the study while a round is not passed."""
    if standing.state in (State.READY, State.LATER):
        code = "crowd.round_expired" if standing.has_expired else "crowd.first_pass_the_round"
        return Reason(code, round=standing.round.title)
    return Reason(_NOT_BEFORE[standing.state], round=standing.round.title)


def why_not_begin(standing: Standing) -> Reason | None:
    """Why somebody may not begin a round now; None when they may."""
    match standing.state:
        case State.READY:
            return None
        case State.PASSED:
            return Reason("crowd.round_is_passed", round=standing.round.title)
        case State.LATER:
            return Reason("crowd.round_comes_later", round=standing.round.title)
        case state:
            return Reason(_NOT_BEFORE[state], round=standing.round.title)


def _in_a_round(annotator: Member, moment: Moment) -> Reason | None:
    """What the study asks of its annotators, as consent, holds in its rounds too, which have none of it themselves."""
    attempt = (
        Attempt.objects.filter(
            annotator=annotator, number=annotator.replicate + 1, finished_at=None, verdict=Verdict.PENDING
        )
        .select_related("member__study")
        .first()
    )
    if attempt is None:
        return Reason("crowd.begin_the_round" if moment == Moment.TAKING else "crowd.round_is_finished")
    if attempt.member.user_id is None:
        return Reason("studies.no_longer_a_member")
    return refusal_in_rounds(attempt.member, moment)

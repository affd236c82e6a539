"""Opening a round, and ending it."""

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.rounds.models import Round, Rule, Verdict
from annotation_platform.crowd.rounds.results import results_of
from annotation_platform.crowd.rounds.selectors import lacks_key
from annotation_platform.crowd.rounds.services.verdicts import give_verdict
from annotation_platform.studies.models import FINISHED_STATES, BatchState, Member, Study
from annotation_platform.studies.services import close_batch, open_batch, reopen_batch


class RoundStateError(ConflictError):
    """The round has been opened or ended meanwhile."""


def open_round(*, round_: Round, actor: Actor) -> None:
    """Let people try, for the first time or again.

    Raises
    ------
    InvalidInputError
        When its rule compares with accepted answers and there are none.
    DatabaseBusyError
        When others write all the time.
    """
    if lacks_key(round_):
        raise InvalidInputError("crowd.round_without_key")
    for batch in round_.study.batches.filter(state=BatchState.DRAFT):
        open_batch(batch=batch, actor=actor)
    with transaction.atomic():
        _held(round_)
        for batch in round_.study.batches.filter(state__in=FINISHED_STATES):
            reopen_batch(batch=batch, actor=actor)
        Round.objects.filter(pk=round_.pk).update(ended_at=None)
        record(actor, Verb.ROUND_OPENED, round_, study=round_.study.qualifies_for)
    round_.refresh_from_db()


@transaction.atomic
def end_round(*, round_: Round, actor: Actor) -> int:
    """Let nobody try any more; where the best pass, decide who they are. Return how many verdicts that gave.

    Where a person confirms them, the verdicts are proposed on the page of results and given there.

    Raises
    ------
    RoundStateError
        When it has ended already.
    """
    _held(round_)
    if not Round.objects.filter(pk=round_.pk, ended_at=None).update(ended_at=timezone.now()):
        raise RoundStateError("crowd.round_has_ended")
    round_.refresh_from_db()
    for batch in round_.study.batches.filter(state=BatchState.OPEN):
        close_batch(batch=batch, because="the round has ended", actor=actor)
    record(actor, Verb.ROUND_ENDED, round_, study=round_.study.qualifies_for)
    return 0 if round_.rule != Rule.BEST or round_.is_reviewed else _give_proposed(round_, None, actor)


def _held(round_: Round) -> None:
    """Hold the round's study, before the round, until the transaction ends: nobody opens or ends the round meanwhile,
    which would leave it open with closed batches."""
    Study.every.select_for_update(no_key=True).get(pk=round_.study_id)


@transaction.atomic
def confirm_proposals(*, round_: Round, by: Member, actor: Actor) -> int:
    """Give all who wait the verdict that the rule proposes; return how many. Whom it leaves to a person waits on."""
    return _give_proposed(round_, by, actor)


def _give_proposed(round_: Round, by: Member | None, actor: Actor) -> int:
    waiting = round_.attempts.filter(finished_at__isnull=False, verdict=Verdict.PENDING)
    attempts = list(waiting.select_for_update(of=("self",)).select_related("member__study", "round").order_by("pk"))
    proposed = [(each.attempt, each.rule_says) for each in results_of(round_, attempts)]
    given = 0
    for attempt, verdict in proposed:
        if verdict in (Verdict.PASSED, Verdict.FAILED):
            give_verdict(attempt, verdict, by=by, actor=actor)
            given += 1
    return given

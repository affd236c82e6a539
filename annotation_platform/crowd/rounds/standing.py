"""How somebody stands in the rounds of a study: what is passed, what they may try, what they wait for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from annotation_platform.crowd.rounds.models import Attempt, Round, Verdict


class State(StrEnum):
    PASSED = "passed"
    UNDER_WAY = "under_way"
    REVIEWED = "reviewed"  # finished, and not decided yet
    READY = "ready"
    LATER = "later"  # another round comes first
    NOT_OPEN = "not_open"
    ENDED = "ended"  # before they had finished what they had begun
    FAILED = "failed"  # no attempt is left


@dataclass(frozen=True)
class Standing:
    """Where somebody stands in one round.

    Attributes
    ----------
    round : Round
    state : State
    last : Attempt, optional
        The decided or running attempt that the state rests on.
    tries_left : int
        Attempts that are left after those decided against since the last pass.
    valid_until : datetime, optional
        When the pass ends, or ended; None where it does not.
    has_expired : bool
        Whether there was a pass that has ended by now.
    was_withdrawn : bool
        Whether a person decided against them, and nothing made them pass since. Who fails an attempt by the rule loses
        nothing by having tried.
    """

    round: Round
    state: State
    last: Attempt | None
    tries_left: int
    valid_until: datetime | None = None
    has_expired: bool = False
    was_withdrawn: bool = False

    @property
    def is_passed(self) -> bool:
        return self.state == State.PASSED


def standings(
    rounds: Sequence[Round], attempts: Iterable[Attempt], *, open_rounds: set[int], now: datetime
) -> list[Standing]:
    """Where somebody stands in each round, in order.

    Parameters
    ----------
    rounds
        Of one study, in the order in which they are passed.
    attempts
        This person's, in all of them.
    open_rounds
        Keys of the rounds that can be tried now.
    """
    by_round: dict[int, list[Attempt]] = {each.pk: [] for each in rounds}
    for attempt in attempts:
        by_round[attempt.round_id].append(attempt)
    found: list[Standing] = []
    for each in rounds:
        is_next = all(before.is_passed for before in found)
        found.append(standing(each, by_round[each.pk], is_open=each.pk in open_rounds, is_next=is_next, now=now))
    return found


def standing(round_: Round, attempts: Sequence[Attempt], *, is_open: bool, is_next: bool, now: datetime) -> Standing:
    """Where somebody stands in one round: the last decision about them counts, until it expires.

    Who was decided against without an attempt may try no more; after a pass has expired all attempts are theirs again.
    """
    decided = sorted((each for each in attempts if each.decided_at), key=lambda each: (each.decided_at, each.pk))
    last = decided[-1] if decided else None
    is_pass = last is not None and last.verdict == Verdict.PASSED
    until = _valid_until(round_, last) if last is not None and is_pass else None
    has_expired = until is not None and until <= now
    left = max(round_.attempts_allowed - _tried(attempts), 0)
    is_barred = last is not None and last.verdict == Verdict.FAILED and not last.number
    pending = next((each for each in attempts if each.verdict == Verdict.PENDING), None)
    if is_pass and not has_expired:
        state = State.PASSED
    elif pending is not None:
        state = _of_pending(round_, pending, is_open=is_open)
    elif is_barred or not left:
        state = State.FAILED
    elif not is_next:
        state = State.LATER
    else:
        state = State.READY if is_open else State.NOT_OPEN
    return Standing(
        round_,
        state,
        pending or last,
        left,
        valid_until=until,
        has_expired=has_expired,
        was_withdrawn=_was_withdrawn(decided),
    )


def _was_withdrawn(decided: Sequence[Attempt]) -> bool:
    """Of decisions in order: whether the last one that is more than an attempt failed by the rule is against them."""
    weighty = [each for each in decided if each.verdict == Verdict.PASSED or each.decided_by_id or not each.number]
    return bool(weighty) and weighty[-1].verdict == Verdict.FAILED


def _of_pending(round_: Round, attempt: Attempt, *, is_open: bool) -> State:
    if not attempt.is_under_way:
        return State.REVIEWED
    if round_.ended_at is not None:
        return State.ENDED
    return State.UNDER_WAY if is_open else State.NOT_OPEN


def _tried(attempts: Sequence[Attempt]) -> int:
    """How many attempts were begun since the last pass."""
    passes = [each.decided_at for each in attempts if each.verdict == Verdict.PASSED and each.decided_at]
    begun = [each.started_at for each in attempts if each.verdict != Verdict.PASSED and each.started_at]
    return sum(not passes or at > max(passes) for at in begun)


def _valid_until(round_: Round, attempt: Attempt) -> datetime | None:
    if round_.valid_days is None or attempt.decided_at is None:
        return None
    return attempt.decided_at + timedelta(days=round_.valid_days)

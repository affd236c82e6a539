"""What a researcher reads of a round: how many tried and passed, and each attempt with what its rule says now."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q

from annotation_platform.crowd.rounds.measuring import best_of, what_the_rule_says
from annotation_platform.crowd.rounds.models import Attempt, Round, Rule, Verdict
from annotation_platform.crowd.rounds.selectors import items_of, lacks_key, state_of, waiting_for_review


@dataclass(frozen=True)
class Overview:
    """A round in the list: its state, and how many people and attempts came to what."""

    round: Round
    state: str
    items: int
    keyed: int
    lacks_key: bool
    people: int
    under_way: int
    waiting: int
    passed: int
    failed: int


def overview_of(round_: Round) -> Overview:
    items = items_of(round_)
    undecided = Q(verdict=Verdict.PENDING)
    counts = round_.attempts.aggregate(
        people=Count("member", distinct=True),
        under_way=Count("pk", filter=undecided & Q(finished_at=None)),
        passed=Count("member", distinct=True, filter=Q(verdict=Verdict.PASSED)),
        failed=Count("pk", filter=Q(verdict=Verdict.FAILED)),
    )
    return Overview(
        round_,
        state_of(round_),
        len(items),
        sum(each.key is not None and bool(each.key.accepted) for each in items),
        lacks_key(round_),
        waiting=waiting_for_review(round_).count(),
        **counts,
    )


@dataclass(frozen=True)
class Result:
    """An attempt, and what the rule says of it with the accepted answers and settings as they are now."""

    attempt: Attempt
    rule_says: Verdict | None

    @property
    def differs(self) -> bool:
        """Whether the rule would decide otherwise than was decided, or proposes what is to be decided."""
        said = self.rule_says
        return said is not None and said != Verdict.PENDING and said != self.attempt.verdict


def proposals_in(round_: Round) -> dict[str, int]:
    """What the rule proposes for those who wait: how many would pass, and how many would not."""
    results = results_of(round_, list(waiting_for_review(round_)))
    passed = sum(each.rule_says == Verdict.PASSED for each in results)
    return {"passed": passed, "failed": sum(each.rule_says == Verdict.FAILED for each in results)}


def results_of(round_: Round, attempts: Iterable[Attempt]) -> list[Result]:
    rule = RuleNow(round_)
    return [rule.result_of(each) for each in attempts]


class RuleNow:
    """The rule of a round, with accepted answers and settings as they are now; the best attempts are found once."""

    def __init__(self, round_: Round) -> None:
        self._round = round_

    @cached_property
    def _passing(self) -> set[int] | None:
        """The attempts that are among the best, once that is known."""
        is_known = self._round.rule == Rule.BEST and self._round.ended_at is not None
        return best_of(self._round) if is_known else None

    @cached_property
    def _passing_but_for_people(self) -> set[int]:
        return best_of(self._round, with_refused=True)

    def result_of(self, attempt: Attempt) -> Result:
        found = attempt.tally
        if found is None or attempt.finished_at is None:
            return Result(attempt, None)
        says = what_the_rule_says(self._round, found)
        if says == Verdict.PENDING and self._passing is not None:
            is_refused = attempt.verdict == Verdict.FAILED and attempt.decided_by_id is not None
            passing = self._passing_but_for_people if is_refused else self._passing
            says = Verdict.PASSED if attempt.pk in passing else Verdict.FAILED
        return Result(attempt, says)

"""What a researcher reads of a round: how many tried and passed, and each attempt with what its rule says now."""

from dataclasses import dataclass

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


def results_of(round_: Round, attempts: list[Attempt]) -> list[Result]:
    passing = best_of(round_) if round_.rule == Rule.BEST and round_.ended_at is not None else None
    return [_result(round_, each, passing) for each in attempts]


def _result(round_: Round, attempt: Attempt, passing: set[int] | None) -> Result:
    """``passing``: the attempts that are among the best, once that is known."""
    found = attempt.tally
    if found is None or attempt.finished_at is None:
        return Result(attempt, None)
    says = what_the_rule_says(round_, found)
    if says == Verdict.PENDING and passing is not None:
        says = Verdict.PASSED if attempt.pk in passing else Verdict.FAILED
    return Result(attempt, says)

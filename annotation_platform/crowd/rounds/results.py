"""What a researcher reads of a round: how many tried and passed, and each attempt with what its rule says now."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q
from django.utils import timezone

from annotation_platform.crowd.rounds.measuring import best_of, what_the_rule_says
from annotation_platform.crowd.rounds.models import Attempt, Round, Rule, Verdict
from annotation_platform.crowd.rounds.selectors import items_of, lacks_key, state_of, waiting_for_review
from annotation_platform.crowd.rounds.standing import standing


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
    """Who was picked by hand has begun nothing; those pass whose last verdict says so, as long as it is valid."""
    items = items_of(round_)
    undecided, begun = Q(verdict=Verdict.PENDING), Q(number__gt=0)
    counts = round_.attempts.aggregate(
        people=Count("member", distinct=True, filter=begun),
        under_way=Count("pk", filter=undecided & Q(finished_at=None)),
        failed=Count("pk", filter=begun & Q(verdict=Verdict.FAILED)),
    )
    return Overview(
        round_,
        state_of(round_),
        len(items),
        sum(each.key is not None and bool(each.key.accepted) for each in items),
        lacks_key(round_),
        waiting=waiting_for_review(round_).count(),
        passed=_passed(round_),
        **counts,
    )


def _passed(round_: Round) -> int:
    """How many people pass as things stand."""
    by_member: defaultdict[int, list[Attempt]] = defaultdict(list)
    for attempt in round_.attempts.defer("note"):
        by_member[attempt.member_id].append(attempt)
    now = timezone.now()
    found = (standing(round_, each, is_open=False, is_next=True, now=now) for each in by_member.values())
    return sum(each.is_passed for each in found)


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
    """The rule of a round, with accepted answers and settings as they are now; the best attempts are found once.

    Of what a person decided against it is said what the rule would decide if nobody had.
    """

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

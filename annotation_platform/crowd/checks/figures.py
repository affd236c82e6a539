"""How many passed each check, and how each annotator stands: shares with Wilson's intervals."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Z95 = 1.959963984540054
FEWEST_OTHERS, GOOD, FEWEST_GOOD = 3, 0.8, 3


class Result(NamedTuple):
    """One annotator's first judgment of one check; ``missed``: slot keys."""

    check: int
    annotator: int
    passed: bool
    missed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Share:
    """How many of n passed."""

    passed: int
    n: int

    @property
    def percent(self) -> float | None:
        return 100 * self.passed / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval in percent; each annotator judges a check once, so these are lone observations."""
        if not self.n:
            return None
        import numpy as np  # statistics, which pages start without

        from annotation_platform.core.statistics.wilson import wilson

        low, high = wilson(np.array([self.passed / self.n]), np.array([float(self.n)]), np.array([Z95]))
        return 100 * float(low[0]), 100 * float(high[0])


@dataclass(frozen=True)
class CheckFigures:
    """What came of one check; ``good``: of those who pass the others. It is doubtful when most of them fail it."""

    share: Share
    good: Share
    missed: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_doubtful(self) -> bool:
        return self.good.n >= FEWEST_GOOD and 2 * self.good.passed < self.good.n


def by_check(results: Iterable[Result]) -> dict[int, CheckFigures]:
    """Check → what came of it.

    Who is good is decided by the other checks alone: at least 3 of them judged, 80% passed. So a wrong check makes
    nobody look bad at itself.

    Examples
    --------
    >>> wrong = [Result(9, who, False) for who in (1, 2, 3)]
    >>> right = [Result(check, who, True) for who in (1, 2, 3) for check in (5, 6, 7)]
    >>> by_check(wrong + right)[9].is_doubtful
    True
    """
    rows = list(results)
    totals = by_annotator(rows)
    found: defaultdict[int, list[Result]] = defaultdict(list)
    for row in rows:
        found[row.check].append(row)
    return {
        check: CheckFigures(
            _share(mine), _share([row for row in mine if _is_good(totals[row.annotator], row)]), _missed(mine)
        )
        for check, mine in found.items()
    }


def by_annotator(results: Iterable[Result]) -> dict[int, Share]:
    """Annotator → how many checks they passed."""
    found: defaultdict[int, list[Result]] = defaultdict(list)
    for row in results:
        found[row.annotator].append(row)
    return {annotator: _share(mine) for annotator, mine in found.items()}


def _share(rows: list[Result]) -> Share:
    return Share(sum(row.passed for row in rows), len(rows))


def _is_good(total: Share, row: Result) -> bool:
    n, passed = total.n - 1, total.passed - row.passed
    return n >= FEWEST_OTHERS and passed >= GOOD * n


def _missed(rows: list[Result]) -> dict[str, int]:
    counts: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        for slot in row.missed:
            counts[slot] += 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))

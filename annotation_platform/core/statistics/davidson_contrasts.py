"""What a fit says of a strength, a difference of two or an effect: for other groups, and for other raters, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

from annotation_platform.core.arrays import Floats
from annotation_platform.core.few_units import FEWEST_RATERS, too_few_raters
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE
from annotation_platform.core.statistics.crossed import ForOtherRaters, Spread, joined
from annotation_platform.core.statistics.davidson_fit import Fit
from annotation_platform.core.statistics.result import Interval
from annotation_platform.core.statistics.students_t import t_interval, t_p_value
from annotation_platform.core.text import ONE_GROUP

_ALIKE = 0.01  # of the standard error that independent comparisons would have; less is the penalty's, or rounding


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, p that it is 0, and how many groups it rests on.

    Attributes
    ----------
    value : float or None
    undefined_because : str or None
        The reason, exactly where `value` is None.
    interval : Interval or None
    no_interval_because : str or None
        The reason, exactly where `interval` is None.
    p_value : float or None
        Two-sided; None where there is no interval.
    n_units : int
        Groups in which it was compared.
    for_others : ForOtherRaters or None
        What it says about other raters, too; None where `davidson` was not told who they are.
    """

    value: float | None
    undefined_because: str | None
    interval: Interval | None
    no_interval_because: str | None
    p_value: float | None
    n_units: int
    for_others: ForOtherRaters | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """How many groups, or raters, something rests on, and how many of equal weight tell as much."""

    n: int
    effective: float

    @classmethod
    def of(cls, information: Floats) -> Support:
        square = float((information**2).sum())
        return cls(int((information > 0).sum()), float(information.sum()) ** 2 / square if square > 0 else 0.0)

    @classmethod
    def fewest(cls, supports: Iterable[Support]) -> Support:
        counts, effective = zip(*((each.n, each.effective) for each in supports), strict=True)
        return cls(min(counts), min(effective))

    @property
    def freedom(self) -> float:
        return max(self.effective - 1, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Contrasts:
    """Sums of the fitted parameters, each with its weight, and their intervals."""

    fitted: Fit
    of_groups: Floats
    of_raters_and_cells: tuple[Floats, Floats] | None
    level: float

    @classmethod
    def of(cls, fitted: Fit, level: float) -> Contrasts:
        raters = fitted.raters
        others = None if raters is None else (raters.left_out.covariance, raters.cells)
        return cls(fitted, fitted.groups.covariance, others, level)

    def estimate(self, weights: Floats, groups: Support, raters: Support | None, reason: str | None) -> Estimate:
        """``reason``: why there is no interval."""
        value, variance = float(weights @ self.fitted.parameters), _along(weights, self.of_groups)
        if groups.n < 2:  # at the maximum its scores sum to nothing, however far they are from what others would say
            reason = ONE_GROUP
        elif reason is None and variance <= _ALIKE**2 * _along(weights, self.fitted.inverse):
            reason = ALL_ALIKE
        if reason is not None:
            others = None if raters is None else ForOtherRaters(None, reason, None, groups.n, raters.n)
            return Estimate(value, None, None, reason, None, groups.n, others)
        interval, p_value = self._told(value, variance, groups.freedom)
        alone = Estimate(value, None, interval, None, p_value, groups.n)
        if raters is None or self.of_raters_and_cells is None:
            return alone
        if raters.n < FEWEST_RATERS:
            return replace(alone, for_others=ForOtherRaters(None, too_few_raters(raters.n), None, groups.n, raters.n))
        of_raters, of_cells = (_along(weights, each) for each in self.of_raters_and_cells)
        spread = Spread.of(variance, of_raters, of_cells, (groups.freedom, raters.freedom))
        wider, larger = self._told(value, *spread)
        wider = joined(interval, wider.low, wider.high, self.level)
        others = ForOtherRaters(wider, None, max(larger, p_value), groups.n, raters.n)
        return replace(alone, for_others=others)

    def _told(self, value: float, variance: float, freedom: float) -> tuple[Interval, float]:
        error = sqrt(variance)
        return t_interval(value, error, freedom, self.level), t_p_value(value, error, freedom)


def _along(weights: Floats, covariance: Floats) -> float:
    return max(float(weights @ covariance @ weights), 0.0)

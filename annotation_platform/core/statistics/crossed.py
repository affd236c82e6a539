"""Figures of ratings that units and raters cross: how far both make them vary, and the intervals that follow.

The formulas are those of `pigeonhole`, and of `linear_for_others` where the variance from unit to unit is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import stdtrit

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.few_units import FEWEST_RATERS, too_few_raters
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.result import Ends, Interval
from annotation_platform.core.statistics.wilson import wilson, wilson_of_counts

_ROUNDING = 1e-12


class Figure(Protocol):
    """A figure with its interval for other units."""

    @property
    def value(self) -> float | None: ...
    @property
    def interval(self) -> Interval | None: ...
    @property
    def no_interval_because(self) -> str | None: ...


class Known(Figure, Protocol):
    """One of which it is also known how far other units make it vary."""

    @property
    def p_value(self) -> float | None: ...
    @property
    def standard_error(self) -> float | None: ...
    @property
    def degrees_of_freedom(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class ForOtherRaters:
    """What a figure says about other units and other raters; its value is that of the figure itself.

    Attributes
    ----------
    interval : Interval or None
    no_interval_because : str or None
        The reason, exactly where `interval` is None.
    p_value : float or None
        Of a difference, for the hypothesis that there is none, two-sided; None without an interval.
    n_units, n_raters : int
    """

    interval: Interval | None
    no_interval_because: str | None
    p_value: float | None
    n_units: int
    n_raters: int


class Spread(NamedTuple):
    """The pigeonhole variance of a linear figure, and its degrees of freedom."""

    variance: float
    freedom: float

    @classmethod
    def of(cls, units: float, raters: float, cells: float, freedom: tuple[float, float]) -> Spread:
        """From the variances that units and raters add, with the degrees of freedom of the two, and their cells."""
        variance = units + raters + cells
        parts = units**2 / freedom[0] + raters**2 / freedom[1]
        return cls(variance, max(variance**2 / parts, 1.0) if parts > 0 else 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """Which unit, rater and cell of the two each rating is in, by codes from 0 without gaps."""

    unit: Codes
    rater: Codes
    cell: Codes
    n_units: int
    n_raters: int

    @classmethod
    def of(cls, units: Codes, raters: Codes) -> Crossed:
        unit_codes, unit = distinct(units, int(units.max(initial=-1)) + 1)
        rater_codes, rater = distinct(raters, int(raters.max(initial=-1)) + 1)
        n_raters = len(rater_codes)
        cell = distinct(unit * n_raters + rater, len(unit_codes) * n_raters)[1]
        return cls(unit, rater, cell, len(unit_codes), n_raters)

    @property
    def fewest(self) -> int:
        return min(self.n_units, self.n_raters)

    def spread(self, residues: Floats) -> Spread:
        """Of a figure to which ratings add these, which sum to 0; there are at least two units and raters."""
        by_unit, by_rater, by_cell = (
            float((np.bincount(codes, residues) ** 2).sum()) for codes in (self.unit, self.rater, self.cell)
        )
        n, m = self.n_units, self.n_raters
        return Spread.of(by_unit * n / (n - 1), by_rater * m / (m - 1), by_cell, (n - 1, m - 1))

    def beside(self, variance: float, freedom: float, residues: Floats) -> Spread:
        """A known variance of so many degrees of freedom, and what raters add to it (`linear_for_others`)."""
        by_rater, by_cell = (float((np.bincount(codes, residues) ** 2).sum()) for codes in (self.rater, self.cell))
        m = self.n_raters
        by_rater *= m / (m - 1)
        whole = variance + max(by_rater - by_cell, 0.0)
        return Spread(whole, max(whole**2 / (variance**2 / freedom + by_rater**2 / (m - 1)), 1.0))


class Observations(NamedTuple):
    """As of how many observations, with how many degrees of freedom, a mean between these ends is; p is its distance
    from the lower one, as a share of the scale's length where that is finite."""

    p: float
    n: float
    freedom: float
    ends: Ends

    @classmethod
    def of(cls, value: float, crossed: Crossed, spread: Spread, ends: Ends) -> Observations:
        """At an end, and where nothing varies, as many as there are units, or raters if these are fewer."""
        lowest, highest = ends
        length = 1.0 if isinf(highest) else highest - lowest
        p, error = (min(max(value, lowest), highest) - lowest) / length, sqrt(spread.variance) / length
        if not lowest < value < highest or error <= _ROUNDING * max(p, 1.0):
            return cls(p, float(crossed.fewest), float(crossed.fewest - 1), ends)
        return cls(p, (p if isinf(highest) else p * (1 - p)) / error**2, spread.freedom, ends)

    def interval(self, level: float) -> tuple[float, float]:
        lowest, highest = self.ends
        length, of = (1.0, wilson_of_counts) if isinf(highest) else (highest - lowest, wilson)
        q = float(stdtrit(self.freedom, (1 + level) / 2))
        low, high = of(np.array([self.p]), np.array([self.n]), np.array([q]))
        return lowest + length * float(low[0]), lowest + length * float(high[0])


def why_not(found: Figure, crossed: Crossed, least: int = FEWEST_RATERS) -> str | None:
    if found.value is None or found.interval is None:
        return found.no_interval_because
    if crossed.n_raters < least:
        return too_few_raters(crossed.n_raters, least)
    return None


def joined(of_units: Interval, low: float, high: float, level: float) -> Interval:
    """Never narrower than for other units alone."""
    return Interval(min(low, of_units.low), max(high, of_units.high), level)

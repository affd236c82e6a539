"""Shares, of lone or grouped observations, with intervals that hold near 0 and 1 and for few observations.

One definition for every share that is shown with an interval: how often a label was given, how often a verdict is
right, how often raters agree. With N observations y between 0 and 1 that come in G units (items, or whatever they
share), S_g their sum and N_g their number in unit g::

    p      = Σ y / N
    V      = G / (G − 1) · Σ_g (S_g − p N_g)² / N²          variance of a ratio, units drawn
    n_eff  = min(p (1 − p) / V, M)                          so many lone observations would be as informative
    G_eff  = N² / Σ_g N_g²                                  units of equal size that weigh as much

where M counts the yes-or-no observations behind the y: N where each is one itself, so that the design effect
deff = V / (p (1 − p) / N) is not below 1. Where p is 0 or 1, V says nothing, and n_eff is G_eff; so it is for lone
observations, of which no unit has two. The interval is Wilson's with n_eff observations::

    (p + q² / 2 n_eff ± q √(p (1 − p) / n_eff + q² / 4 n_eff²)) / (1 + q² / n_eff)

q is the normal quantile for lone observations, else that of Student's t, since V is itself estimated from G units. Near
0 and 1 a few of them decide what V is, so that the degrees of freedom are no more than their terms u = S_g − p N_g
tell, and at least 1::

    min(G_eff − 1, 2 G / (κ − 1)),   κ = G Σ u⁴ / (Σ u²)²     the variance of a variance

A mean on a scale from a to b is a share of its length, p = (mean − a) / (b − a), that many values make up and not only
two: M is then p (1 − p) N² / Σ (y − p)², so that V is not below that of lone values. For what has a lowest value and
no highest, such as a count, b goes to infinity: n_eff = p / V, and the interval

    p + q² / 2 n_eff ± q √(p / n_eff + q² / 4 n_eff²)

The variance of a mean is taken to be proportional to (mean − a) (b − mean), of a count to its mean: it vanishes at an
end, where nothing can vary. This is the score interval of a binomial, or Poisson, model with that dispersion.

Source: Wilson (1927), Probable inference, the law of succession, and statistical inference; Korn and Graubard (1998),
Confidence intervals for proportions with small expected number of positive counts estimated from survey data; McCullagh
and Nelder (1989), Generalized Linear Models, 4.5 and 9.2 (dispersion); Box (1953), Non-normality and tests on variances
(degrees of freedom).
Coverage: ``docs/reference/statistics/coverage.md``.
"""

from __future__ import annotations

from math import isinf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.result import Ends, Interval, Statistic, signature_line
from annotation_platform.core.statistics.students_t import t_interval
from annotation_platform.core.text import ONE_GROUP

LEVEL = 0.95
_ROUNDING = 1e-12


def wilson(p: Floats, n_effective: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Both ends of Wilson's interval of shares p, with so many observations and quantiles q; arrays of one shape."""
    n = np.maximum(n_effective, 1e-9)
    middle, half = p + q**2 / (2 * n), q * np.sqrt(p * (1 - p) / n + q**2 / (4 * n**2))
    low, high = (np.clip((middle + side * half) / (1 + q**2 / n), 0, 1) for side in (-1, 1))
    return np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high)


def wilson_of_counts(mean: Floats, n_effective: Floats, q: Floats) -> tuple[Floats, Floats]:
    """What `wilson` becomes for what has no highest value; ``n_effective`` is the mean over its variance."""
    n = np.maximum(n_effective, 1e-9)
    middle, half = mean + q**2 / (2 * n), q * np.sqrt(mean / n + q**2 / (4 * n**2))
    return np.maximum(middle - half, 0.0), middle + half


class CountedShares(NamedTuple):
    """What the interval needs of each share, arrays of shape (shares,): p, observations N, units G, Σ N_g², Σ u²,
    yes-or-no observations M, whether no unit has two, and Σ u⁴, 0 where the units' terms are not known."""

    p: Floats
    n: Floats
    units: Floats
    sizes_squared: Floats
    residues_squared: Floats
    trials: Floats
    is_lone: Flags
    residues_fourth: Floats

    @classmethod
    def of(
        cls,
        items: Codes,
        groups: Codes,
        rows: Codes,
        values: Floats,
        n_groups: int,
        per_group: int,
        trials: ArrayLike | None = None,
        times: Floats | None = None,
    ) -> CountedShares:
        """Shares of `rows`, of which each group has `per_group`; a value counts in its row, and is one of its group's
        observations, or as many equal ones as ``times`` says."""
        width, n_rows = int(items.max(initial=0)) + 1, n_groups * per_group

        def by_group(weights: Floats | None) -> Floats:
            return np.repeat(np.bincount(groups, weights, minlength=n_groups).astype(np.float64), per_group)

        given = values if times is None else values * times
        cells, cell = distinct(groups * width + items, n_groups * width)
        sizes = np.bincount(cell, times, minlength=len(cells)).astype(np.float64)
        own_cells, own = distinct(rows * width + items, n_rows * width) if per_group > 1 else (cells, cell)
        n = by_group(times)
        p = np.bincount(rows, given, minlength=n_rows) / np.where(n > 0, n, 1.0)
        group, size = cells // width, sizes
        row = group
        if per_group > 1:
            row, size = own_cells // width, np.empty(len(own_cells))
            size[own] = sizes[cell]
        terms = np.bincount(own, given, minlength=len(own_cells)) - p[row] * size

        def summed(u: Floats, size: Floats, sizes: Floats, p: Floats) -> tuple[Floats, Floats]:
            """Of powers: Σ u and Σ N_g; the units of its group in which a row has no value have u = − p N_g."""
            whole = np.bincount(group, sizes, minlength=n_groups).astype(np.float64).repeat(per_group)
            found = np.bincount(row, u, minlength=n_rows).astype(np.float64)
            if per_group > 1:
                found += p * (whole - np.bincount(row, size, minlength=n_rows))
            return found, whole

        squares = terms**2, size**2, sizes**2, p**2
        (squared, sizes_squared), (fourth, _) = summed(*squares), summed(*(each**2 for each in squares))
        observed = n if trials is None else by_group(np.asarray(trials, dtype=np.float64))
        units = np.repeat(np.bincount(group, minlength=n_groups).astype(np.float64), per_group)
        return cls(
            p=np.where(n > 0, np.clip(p, 0, 1), np.nan),
            n=n,
            units=units,
            sizes_squared=sizes_squared,
            residues_squared=squared,
            trials=observed,
            is_lone=(units == n) & (observed == n),
            residues_fourth=fourth,
        )

    @property
    def equal_units(self) -> Floats:
        """So many units of equal size would weigh as much: a large one among small ones decides more than its share."""
        return self.n**2 / np.where(self.sizes_squared > 0, self.sizes_squared, 1.0)

    @property
    def variance(self) -> Floats:
        g = self.units
        found: Floats = g / np.maximum(g - 1, 1) * self.residues_squared / np.maximum(self.n, 1) ** 2
        return found

    @property
    def n_effective(self) -> Floats:
        binomial, variance = self.p * (1 - self.p), self.variance
        least = binomial / np.maximum(self.trials, 1)
        effective = binomial / np.where(binomial > 0, np.maximum(variance, least), 1.0)
        return np.where((binomial > 0) & ~self.is_lone, effective, self.equal_units)

    @property
    def freedom(self) -> Floats:
        found = self.equal_units - 1
        told = freedom_of_moments(self.units, self.residues_squared, self.residues_fourth)
        varies = self.residues_squared > _ROUNDING**2 * self.sizes_squared  # else it is by rounding
        return np.maximum(np.where(varies, np.minimum(found, told), found), 1.0)

    def intervals(self, level: float) -> list[Interval | None]:
        """None for fewer than two units."""
        chance = (1 + level) / 2
        q = np.where(self.is_lone, ndtri(chance), stdtrit(self.freedom, chance))
        low, high = wilson(self.p, self.n_effective, q)
        return [
            Interval(ends[0], ends[1], level) if units > 1 else None
            for *ends, units in zip(low.tolist(), high.tolist(), self.units, strict=True)
        ]

    def statistics(self, signature: str, level: float) -> list[Statistic]:
        """Each as a statistic, still without its raters."""
        columns = zip(self.p.tolist(), self.n, self.units, self.intervals(level), strict=True)
        return [_statistic(p, int(n), int(units), interval, signature) for p, n, units, interval in columns]


def scale_intervals(
    values: Floats, units: Codes, groups: Codes, n_groups: int, ends: Ends, level: float
) -> list[Interval | None]:
    """Of the mean of each group's values, which lie between the ends of a scale.

    Parameters
    ----------
    values : float array, shape (n,)
    units, groups : int arrays, shape (n,)
        Codes from 0 of what values come in, and of the groups.
    ends : tuple of two floats
        Of the scale; the higher one may be infinite.
    level : float
        Confidence level.

    Returns
    -------
    list of Interval or None
        By group. None for fewer than two units, and for values that are all the same but at neither end: nothing says
        how others would be.
    """
    is_open = isinf(ends[1])
    length = (float(values.max(initial=ends[0])) - ends[0] or 1.0) if is_open else ends[1] - ends[0]
    y: Floats = np.clip((values - ends[0]) / length, 0, 1)
    found = CountedShares.of(units, groups, groups, y, n_groups, 1)
    if is_open or ((y > 0) & (y < 1)).any():
        intervals = _of_many_values(found, y, groups, level, is_open=is_open)
    else:
        intervals = found.intervals(level)
    return [each and Interval(ends[0] + length * each.low, ends[0] + length * each.high, level) for each in intervals]


def lies_within(values: Floats, ends: Ends) -> bool:
    """Whether no value lies beyond the ends of a scale, but for rounding."""
    slack = _ROUNDING * max(abs(each) for each in ends if not isinf(each))
    return not len(values) or bool(ends[0] - slack <= values.min() and values.max() <= ends[1] + slack)


def _of_many_values(
    found: CountedShares, y: Floats, groups: Codes, level: float, *, is_open: bool
) -> list[Interval | None]:
    """Of means of values between 0 and 1, or from 0 on."""
    p = np.nan_to_num(found.p)
    apart = np.bincount(groups, (y - p[groups]) ** 2, minlength=len(p))
    varies = apart > _ROUNDING**2 * np.maximum(found.n, 1)
    variance = np.where(varies, np.maximum(found.variance, apart / np.maximum(found.n, 1) ** 2), 1.0)
    n_effective = np.where(varies, (p if is_open else p * (1 - p)) / variance, found.equal_units)
    q: Floats = stdtrit(found.freedom, (1 + level) / 2).astype(np.float64)
    low, high = (wilson_of_counts if is_open else wilson)(p, n_effective, q)
    told = (found.units > 1) & (varies | np.isin(p, () if is_open else (0, 1)))
    return [
        Interval(lowest, highest, level) if is_told else None
        for lowest, highest, is_told in zip(low.tolist(), high.tolist(), told.tolist(), strict=True)
    ]


def freedom_of_moments(n: Floats, squares: Floats, fourth: Floats) -> Floats:
    """Degrees of freedom of sums of n squared terms u²: 2 n / (κ − 1), with κ = n Σ u⁴ / (Σ u²)²; at least 1."""
    excess = n * fourth / np.where(squares > 0, squares, 1.0) ** 2 - 1
    found: Floats = np.maximum(2 * n / np.maximum(excess, _ROUNDING), 1.0)
    return found


def freedom_of(terms: Floats) -> float:
    """The same of one sum. Those that are 0 have no part in it."""
    squares = terms[terms != 0] ** 2
    n, second, fourth = (np.array([float(each)]) for each in (len(squares), squares.sum(), (squares**2).sum()))
    return float(freedom_of_moments(n, second, fourth)[0])


def interval_on_scale(value: float, error: float, freedom: float, ends: Ends, level: float) -> Interval:
    """Wilson's, of a mean between the ends of a scale, of which the higher one may be infinite, whose standard error is
    known otherwise.

    An estimate that is no mean of values, such as one that a model takes part in, may lie at an end or beyond: then it
    is that of Student's t, cut there.
    """
    if not ends[0] < value < ends[1]:
        return t_interval(value, error, freedom, level).within(ends)
    is_open = isinf(ends[1])
    length = 1.0 if is_open else ends[1] - ends[0]
    p, variance = (value - ends[0]) / length, (error / length) ** 2
    n_effective, q = (p if is_open else p * (1 - p)) / variance, float(stdtrit(freedom, (1 + level) / 2))
    low, high = (wilson_of_counts if is_open else wilson)(*(np.array([each]) for each in (p, n_effective, q)))
    return Interval(ends[0] + length * float(low[0]), ends[0] + length * float(high[0]), level)


def _statistic(p: float, n: int, units: int, interval: Interval | None, signature: str) -> Statistic:
    if not n:
        return Statistic(
            None,
            gettext_noop("The group has no ratings."),
            0,
            0,
            0,
            0,
            None,
            gettext_noop("The statistic itself is undefined."),
            signature,
        )
    return Statistic(p, None, units, 0, n, units, interval, None if interval else ONE_GROUP, signature)


def share_signature(name: str, level: float) -> str:
    """Which share it is, and how its interval was made."""
    return signature_line(name, interval="wilson", level=level)

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

q is the normal quantile for lone observations, else that of Student's t with G_eff − 1, at least 1,
degrees of freedom, since V is itself estimated from G units.

Source: Wilson (1927), Probable inference, the law of succession, and statistical inference; Korn and Graubard (1998),
Confidence intervals for proportions with small expected number of positive counts estimated from survey data.
Coverage: ``docs/reference/statistics/coverage.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.result import Interval, Statistic, signature_line
from annotation_platform.core.text import ONE_GROUP

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """A share between 0 and 1.

    Attributes
    ----------
    value : float or None
        None where there are no observations.
    n, n_groups : int
        Observations, and the groups that they come in.
    n_effective : float
        So many independent observations would be as informative.
    interval : tuple of two floats, or None
    no_interval_because : str or None
    p_value : float or None
        Of the hypothesis that the share is one half, two-sided; below 1 − level where the interval leaves it out.
    signature : str
    """

    value: float | None
    n: int
    n_groups: int
    n_effective: float
    interval: tuple[float, float] | None
    no_interval_because: str | None
    p_value: float | None
    signature: str


def grouped_share(values: ArrayLike, groups: ArrayLike, *, level: float = LEVEL) -> Share:
    """The mean of values between 0 and 1 (an event, or half of one), with the interval of this module.

    Judgments of one question, or of the questions of one article, are alike, so these are the groups. The p-value is
    that of the score test which the interval inverts.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        1 for the event, 0 for its absence, 0.5 for a tie.
    groups : array-like of int, shape (n,)
        Codes of the groups, any whole numbers.
    level : float
        Confidence level.

    Returns
    -------
    Share
        Undefined without values; without an interval, and its reason, for a single group.

    Raises
    ------
    RatingsError
        When a value lies outside of 0 to 1, or the columns differ in length.
    """
    y, group = np.asarray(values, dtype=np.float64), np.asarray(groups)
    if y.shape != group.shape or y.ndim != 1:
        raise RatingsError(f"Give one group for each value, not {group.shape} for {y.shape}.")
    signature = _signature("share", level)
    if not len(y):
        return Share(None, 0, 0, 0.0, None, "There is nothing to count.", None, signature)
    one = np.zeros(len(y), dtype=np.int64)
    found = _Counted.of(np.unique(group, return_inverse=True)[1], one, one, _between_0_and_1(y), 1, 1)
    p, n, g = float(found.p[0]), len(y), int(found.units[0])
    if g < 2:
        return Share(p, n, g, 1.0, None, ONE_GROUP, None, signature)
    (interval,) = found.intervals(level)
    n_effective = float(found.n_effective[0])
    score = abs(p - 0.5) * np.sqrt(n_effective) / 0.5
    p_value = float(2 * (ndtr(-score) if found.is_lone[0] else stdtr(found.freedom[0], -score)))
    assert interval is not None
    return Share(p, n, g, n_effective, (interval.low, interval.high), None, p_value, signature)


def group_shares(
    ratings: Ratings,
    groups: ArrayLike,
    n_groups: int,
    *,
    trials: ArrayLike | None = None,
    level: float = LEVEL,
    name: str = "share",
    undefined_because: str = "The group has no ratings.",
) -> tuple[Statistic, ...]:
    """Mean of the ratings in each group, all of them between 0 and 1; its interval has the units of the ratings.

    Parameters
    ----------
    ratings : Ratings
        1 for the event, 0 for its absence; a share of several observations, such as of agreeing raters, is a value
        between.
    groups : array-like of int, shape (n ratings,)
        Group codes ``0 … n_groups - 1``, one a rating.
    n_groups : int
    trials : array-like of int, shape (n ratings,), optional
        How many observations each value is the share of; by default one.
    level : float
        Confidence level.

    Returns
    -------
    tuple of Statistic
        One a group, in the order of codes. The share of a group without ratings is undefined; that of a group with a
        single unit has no interval.

    Raises
    ------
    RatingsError
        When the groups do not fit the ratings, or a rating lies outside of 0 to 1.
    """
    group = np.asarray(groups)
    if group.shape != ratings.values.shape:
        raise RatingsError(f"groups has shape {group.shape}; give one code for each of {len(ratings)} ratings.")
    group = group.astype(np.int64)
    if group.size and not 0 <= group.min() <= group.max() < n_groups:
        raise RatingsError(f"Group codes run from {group.min()} to {group.max()}, not from 0 to {n_groups - 1}.")
    units = ratings.unit_of_item[ratings.items]
    found = _Counted.of(units, group, group, _between_0_and_1(ratings.values), n_groups, 1, trials)
    n_items, n_raters = (
        np.bincount(_cells(group, codes)[0], minlength=n_groups) for codes in (ratings.items, ratings.raters)
    )
    return tuple(
        replace(
            each,
            n_items=int(items),
            n_raters=int(raters),
            undefined_because=undefined_because if each.value is None else None,
        )
        for each, items, raters in zip(found.statistics(_signature(name, level), level), n_items, n_raters, strict=True)
    )


def label_shares(
    units: Codes, groups: Codes, labels: Codes, n_groups: int, n_labels: int, *, level: float = LEVEL, name: str
) -> list[list[Statistic]]:
    """Share of each label among the ratings of each group, [group][label]; all arguments are codes from 0.

    ``n_items`` of the statistics counts units, and ``n_raters`` is 0; whose labels they are is known to the caller.
    """
    rows = groups * n_labels + labels
    found = _Counted.of(units, groups, rows, np.ones(len(rows)), n_groups, n_labels)
    flat = found.statistics(_signature(name, level), level)
    return [flat[start : start + n_labels] for start in range(0, n_groups * n_labels, n_labels)]


def mean_share(
    values: ArrayLike,
    units: ArrayLike,
    *,
    trials: int,
    n_raters: int,
    n_ratings: int,
    undefined_because: str,
    name: str,
    level: float = LEVEL,
) -> Statistic:
    """Mean of shares, one an item, each item weighing the same.

    Parameters
    ----------
    values : array-like of float, shape (items,)
    units : array-like of int, shape (items,)
        Codes from 0 of what items are drawn together with.
    trials : int
        M, how many lone observations are behind them at most.
    """
    y, unit = np.asarray(values, dtype=np.float64), np.asarray(units)
    n, sizes = len(y), np.bincount(unit)
    p = float(y.sum()) / max(n, 1)
    residues = np.bincount(unit, y, minlength=len(sizes)) - p * sizes
    (found,) = _one(p, n, int((sizes > 0).sum()), float(sizes @ sizes), float(residues @ residues), trials).statistics(
        _signature(name, level), level
    )
    reason = undefined_because if found.value is None else None
    return replace(found, n_items=n, n_raters=n_raters, n_ratings=n_ratings, undefined_because=reason)


def _one(p: float, n: int, units: int, sizes_squared: float, residues_squared: float, trials: float) -> _Counted:
    def one(value: float) -> Floats:
        return np.array([float(value)])

    lone = np.zeros(1, dtype=np.bool_)
    return _Counted(one(p), one(n), one(units), one(sizes_squared), one(residues_squared), one(trials), lone)


def resampled_shares(found: Sequence[Statistic], *, trials: Sequence[int]) -> list[Statistic]:
    """Shares that are no means over units, such as ones of pairs, with Wilson's intervals, also for few units.

    V is the variance of their resamples, and every unit counts as much. A share that is undefined, or was in too many
    of its resamples, stays as it is.
    """
    kept = [
        index
        for index, each in enumerate(found)
        if each.value is not None
        and each.resampled is not None
        and np.isnan(each.resampled.values).mean() <= 1 - each.resampled.level
    ]
    drawn = [share.resampled for share in map(found.__getitem__, kept) if share.resampled is not None]
    shares = list(found)
    if not drawn:
        return shares
    n = np.array([found[index].n_units for index in kept], dtype=np.float64)
    squared = np.nanvar(np.stack([each.values for each in drawn]), axis=1) * n * np.maximum(n - 1, 1)
    counted = _Counted(
        p=np.array([found[index].value for index in kept], dtype=np.float64),
        n=n,
        units=n,
        sizes_squared=n,
        residues_squared=squared,
        trials=np.array([trials[index] for index in kept], dtype=np.float64),
        is_lone=np.zeros(len(kept), dtype=np.bool_),
    )
    intervals = counted.intervals(drawn[0].level)
    for index, interval, each in zip(kept, intervals, drawn, strict=True):
        shares[index] = replace(
            found[index],
            interval=interval and replace(interval, resamples=len(each.values), seed=each.seed),
            no_interval_because=None if interval else ONE_GROUP,
            signature=f"{found[index].signature}|interval:wilson",
        )
    return shares


def share_with_variance(
    value: float, variance: float, *, n: int, trials: float, n_units: int, sizes_squared: float, level: float = LEVEL
) -> Statistic:
    """An estimated share, such as a chance, with Wilson's interval for a variance V that is known otherwise.

    ``n`` observations in ``n_units`` units, ``sizes_squared`` the sum of the squares of their sizes; they are worth at
    most ``trials`` lone ones.
    """
    squared = variance * n**2 * max(n_units - 1, 1) / max(n_units, 1)
    found = _one(min(max(value, 0.0), 1.0), n, n_units, sizes_squared, squared, trials)
    return found.statistics(_signature("share", level), level)[0]


def wilson(p: Floats, n_effective: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Both ends of Wilson's interval of shares p, with so many observations and quantiles q; arrays of one shape."""
    n = np.maximum(n_effective, 1e-9)
    middle, half = p + q**2 / (2 * n), q * np.sqrt(p * (1 - p) / n + q**2 / (4 * n**2))
    low, high = (np.clip((middle + side * half) / (1 + q**2 / n), 0, 1) for side in (-1, 1))
    return np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high)


class _Counted(NamedTuple):
    """What the interval needs of each share, arrays of shape (shares,): p, observations N, units G, Σ N_g²,
    Σ (S_g − p N_g)², yes-or-no observations M, and whether no unit has two."""

    p: Floats
    n: Floats
    units: Floats
    sizes_squared: Floats
    residues_squared: Floats
    trials: Floats
    is_lone: Flags

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
    ) -> _Counted:
        """Shares of `rows`, of which each group has `per_group`; a value counts in its row, and is one of its group's
        observations."""
        width, n_rows = int(items.max(initial=0)) + 1, n_groups * per_group
        cells, cell = distinct(groups * width + items, n_groups * width)
        size = np.bincount(cell, minlength=len(cells)).astype(np.float64)[cell]
        _, own = distinct(rows * width + items, n_rows * width) if per_group > 1 else (cells, cell)
        total = np.bincount(own, values)[own] if len(own) else values

        def by_group(weights: Floats | None = None) -> Floats:
            return np.repeat(np.bincount(groups, weights, minlength=n_groups).astype(np.float64), per_group)

        def by_row(weights: Floats) -> Floats:
            return np.bincount(rows, weights, minlength=n_rows).astype(np.float64)

        n = by_group()
        m = np.where(n > 0, n, 1.0)
        p = by_row(values) / m
        squared = by_row(values * total) - 2 * p * by_row(values * size) + p**2 * by_group(size)
        observed = n if trials is None else by_group(np.asarray(trials, dtype=np.float64))
        units = np.repeat(np.bincount(cells // width, minlength=n_groups).astype(np.float64), per_group)
        return cls(
            p=np.where(n > 0, np.clip(p, 0, 1), np.nan),
            n=n,
            units=units,
            sizes_squared=by_group(size),
            residues_squared=np.maximum(squared, 0.0),
            trials=observed,
            is_lone=(units == n) & (observed == n),
        )

    @property
    def equal_units(self) -> Floats:
        """So many units of equal size would weigh as much: a large one among small ones decides more than its share."""
        return self.n**2 / np.where(self.sizes_squared > 0, self.sizes_squared, 1.0)

    @property
    def n_effective(self) -> Floats:
        g, binomial = self.units, self.p * (1 - self.p)
        variance = g / np.maximum(g - 1, 1) * self.residues_squared / np.maximum(self.n, 1) ** 2
        least = binomial / np.maximum(self.trials, 1)
        effective = binomial / np.where(binomial > 0, np.maximum(variance, least), 1.0)
        return np.where((binomial > 0) & ~self.is_lone, effective, self.equal_units)

    @property
    def freedom(self) -> Floats:
        return np.maximum(self.equal_units - 1, 1.0)

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


def _statistic(p: float, n: int, units: int, interval: Interval | None, signature: str) -> Statistic:
    if not n:
        return Statistic(
            None, "The group has no ratings.", 0, 0, 0, 0, None, "The statistic itself is undefined.", signature
        )
    return Statistic(p, None, units, 0, n, units, interval, None if interval else ONE_GROUP, signature)


def _cells(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    """The distinct pairs of two columns of codes."""
    width = int(second.max(initial=0)) + 1
    keys, _ = distinct(first * width + second, (int(first.max(initial=0)) + 1) * width)
    return keys // width, keys % width


def _between_0_and_1(values: Floats) -> Floats:
    if len(values) and not (values.min() >= 0 and values.max() <= 1):
        raise RatingsError("A value of a share lies outside of 0 to 1.")
    return values


def _signature(name: str, level: float) -> str:
    return signature_line(name, interval="wilson", level=level)

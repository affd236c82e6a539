"""Shares of events in groups, of labels, of items and of resampled pairs; wilson.py has the formula of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import counted_codes, distinct
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.result import Statistic
from annotation_platform.core.statistics.wilson import LEVEL, CountedShares, share_signature
from annotation_platform.core.text import ONE_GROUP


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
    """The mean of values between 0 and 1 (an event, or half of one), with Wilson's interval for groups.

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
    signature = share_signature("share", level)
    if not len(y):
        return Share(None, 0, 0, 0.0, None, gettext_noop("There is nothing to count."), None, signature)
    one = np.zeros(len(y), dtype=np.int64)
    found = CountedShares.of(np.unique(group, return_inverse=True)[1], one, one, _between_0_and_1(y), 1, 1)
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
    undefined_because: str = gettext_noop("The group has no ratings."),
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
    found = CountedShares.of(units, group, group, _between_0_and_1(ratings.values), n_groups, 1, trials)
    n_items, n_raters = (
        np.bincount(_cells(group, codes)[0], minlength=n_groups) for codes in (ratings.items, ratings.raters)
    )
    shares = found.statistics(share_signature(name, level), level)
    return tuple(
        replace(
            each,
            n_items=int(items),
            n_raters=int(raters),
            undefined_because=undefined_because if each.value is None else None,
        )
        for each, items, raters in zip(shares, n_items, n_raters, strict=True)
    )


def label_shares(
    units: Codes, groups: Codes, labels: Codes, n_groups: int, n_labels: int, *, level: float = LEVEL, name: str
) -> list[list[Statistic]]:
    """Share of each label among the ratings of each group, [group][label]; all arguments are codes from 0.

    ``n_items`` of the statistics counts units, and ``n_raters`` is 0; whose labels they are is known to the caller.
    """
    width, n_rows = int(units.max(initial=0)) + 1, n_groups * n_labels
    # Equal ones are counted first, which are many; all that is added up are whole numbers.
    cells, times = counted_codes((groups * n_labels + labels) * width + units, n_rows * width)
    rows, unit = np.divmod(cells, width)
    found = CountedShares.of(
        unit, rows // n_labels, rows, np.ones(len(cells)), n_groups, n_labels, times=times.astype(np.float64)
    )
    flat = found.statistics(share_signature(name, level), level)
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
    squares = residues**2
    moments = float(squares.sum()), float(squares @ squares)
    (found,) = _one(p, n, int((sizes > 0).sum()), float(sizes @ sizes), moments, trials).statistics(
        share_signature(name, level), level
    )
    reason = undefined_because if found.value is None else None
    return replace(found, n_items=n, n_raters=n_raters, n_ratings=n_ratings, undefined_because=reason)


def _one(
    p: float, n: int, units: int, sizes_squared: float, residues: tuple[float, float], trials: float
) -> CountedShares:
    """A single share; of ``residues`` the sums of their squares and of their fourth powers, 0 where that is unknown."""

    def one(value: float) -> Floats:
        return np.array([float(value)])

    lone, (squared, fourth) = np.zeros(1, dtype=np.bool_), residues
    return CountedShares(one(p), one(n), one(units), one(sizes_squared), one(squared), one(trials), lone, one(fourth))


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
    counted = CountedShares(
        p=np.array([found[index].value for index in kept], dtype=np.float64),
        n=n,
        units=n,
        sizes_squared=n,
        residues_squared=squared,
        trials=np.array([trials[index] for index in kept], dtype=np.float64),
        is_lone=np.zeros(len(kept), dtype=np.bool_),
        residues_fourth=np.zeros(len(kept)),
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
    found = _one(min(max(value, 0.0), 1.0), n, n_units, sizes_squared, (squared, 0.0), trials)
    return found.statistics(share_signature("share", level), level)[0]


def _cells(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    """The distinct pairs of two columns of codes."""
    width = int(second.max(initial=0)) + 1
    keys, _ = distinct(first * width + second, (int(first.max(initial=0)) + 1) * width)
    return keys // width, keys % width


def _between_0_and_1(values: Floats) -> Floats:
    if len(values) and not (values.min() >= 0 and values.max() <= 1):
        raise RatingsError("A value of a share lies outside of 0 to 1.")
    return values

"""Means and differences of rows that were drawn with chances that differ, each weighed by one over its chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.clustered_means import (
    ALL_ALIKE,
    NOTHING_TO_COMPARE,
    UNDEFINED,
    ClusteredDifference,
    Estimate,
)
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import Ends, Interval, signature_line
from annotation_platform.core.statistics.students_t import t_interval, t_p_value
from annotation_platform.core.statistics.wilson import freedom_of
from annotation_platform.core.text import ONE_GROUP

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class GroupWeights:
    """How much each group counts in a weighted mean, W = Σ w, S = Σ w²; arrays are by group.

    ``scale`` is 1 / (W √a_g) with a_g = 1 − 2 W_g / W + W_g² S / (W² S_g), 0 for a group without rows: the sums of
    w (y − ȳ) of the groups, times it, have squares that add up to the variance of the mean on average.
    """

    total: float
    squares: float
    of_group: Floats
    squares_of: Floats
    scale: Floats

    @classmethod
    def of(cls, weights: Floats, groups: Codes, n_groups: int) -> GroupWeights:
        of_group: Floats = np.bincount(groups, weights=weights, minlength=n_groups).astype(np.float64)
        squares_of: Floats = np.bincount(groups, weights=weights**2, minlength=n_groups).astype(np.float64)
        total, squares = float(of_group.sum()), float(squares_of.sum())
        share = of_group / total
        ratio = np.divide(squares, squares_of, out=np.ones(n_groups), where=squares_of > 0)
        left = 1 - 2 * share + share**2 * ratio
        counts = (squares_of > 0) & (left > ROUNDING)
        scale = np.where(counts, 1 / (total * np.sqrt(np.maximum(left, ROUNDING))), 0)
        return cls(total, squares, of_group, squares_of, scale)

    @property
    def n_groups(self) -> int:
        return int((self.squares_of > 0).sum())

    def terms(self, apart: Floats, weights: Floats, groups: Codes) -> Floats:
        """u_g of rows that lie so far from their mean."""
        sums = np.bincount(groups, weights=weights * apart, minlength=len(self.scale)).astype(np.float64)
        found: Floats = sums * self.scale
        return found

    def covariance(self, variance: float) -> GroupCovariance:
        """That of u_g, for rows of this variance that do not depend on each other."""
        between = [
            [variance * self.squares / self.total**2, -variance / self.total],
            [-variance / self.total, 0],
        ]
        return GroupCovariance(
            own=variance * self.squares_of * self.scale**2,
            columns=np.stack([self.of_group * self.scale, self.squares_of * self.scale], axis=1),
            between=np.array(between),
        )


@dataclass(frozen=True, slots=True, eq=False)
class GroupCovariance:
    """C = diag(own) + columns between columnsᵀ, of terms by group."""

    own: Floats
    columns: Floats
    between: Floats

    def plus(self, other: GroupCovariance) -> GroupCovariance:
        """Of the sum of two that do not depend on each other."""
        n = len(self.between)
        size = n + len(other.between)
        between = np.zeros((size, size))
        between[:n, :n], between[n:, n:] = self.between, other.between
        return GroupCovariance(self.own + other.own, np.hstack([self.columns, other.columns]), between)

    @property
    def freedom(self) -> float:
        """tr(C)² / tr(C²)."""
        own, columns, between = self.own, self.columns, self.between
        inner = between @ (columns.T @ columns)
        trace = float(own.sum() + np.trace(inner))
        of_square = float(
            (own**2).sum() + 2 * np.trace(between @ ((columns.T * own) @ columns)) + np.trace(inner @ inner)
        )
        return trace**2 / of_square


@dataclass(frozen=True, slots=True, eq=False)
class WeightedMean:
    """Σ w y / W of rows in groups, with what its variance needs."""

    value: float
    n_rows: int
    n_groups: int
    terms: Floats
    covariance: GroupCovariance

    @classmethod
    def of(cls, values: Floats, weights: Floats, groups: Codes, n_groups: int) -> WeightedMean | None:
        """None where no row counts."""
        if not len(values):
            return None
        by_group = GroupWeights.of(weights, groups, n_groups)
        mean = float(weights @ values) / by_group.total
        apart = values - mean
        variance = float(weights @ apart**2) / by_group.total
        terms = by_group.terms(apart, weights, groups)
        return cls(mean, len(values), by_group.n_groups, terms, by_group.covariance(variance))


def weighted_mean(
    values: ArrayLike, weights: ArrayLike, groups: ArrayLike, *, ends: Ends | None = None, level: float = 0.95
) -> ClusteredDifference:
    """Mean of all rows from those that were drawn, each of which stands for w = 1 / π of them (Hájek)::

        m   = Σ w y / W,   W = Σ w
        V   = Σ_g u_g²,    u_g = Σ_{i in g} w_i (y_i − m) / (W √a_g)
        a_g = 1 − 2 W_g / W + W_g² S / (W² S_g)
        df  = tr(C)² / tr(C²)

    with W_g, S_g the sums of w and w² of a group, S = Σ w², and C the covariance of u_g for rows that do not depend on
    each other. It is `active.active_mean` without a model. The interval is m ± t_df √V, or with ``ends`` Wilson's.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        NaN where a row was not judged, or has no number.
    weights : array-like of float, shape (n,)
        1 / π, as of `chances.weights_of_draws`; a row with 0 does not count.
    groups : array-like of int, shape (n,)
        Codes of the groups, any whole numbers: what was drawn together belongs to one.
    ends : tuple of two floats, optional
        Of the scale, between which intervals stay.
    level : float
        Confidence level.

    Returns
    -------
    ClusteredDifference
        From zero. Undefined where nothing counts; without interval and p, with the reason, where what counts comes
        from a single group, or does not differ at all.

    Raises
    ------
    RatingsError
        When the columns differ in length, a value is infinite, or a weight is no number at or above 0.

    References
    ----------
    Hájek (1971) for W; Bell and McCaffrey (2002) for the roots. Checked against `clustered_difference` with equal
    weights; coverage in ``docs/reference/statistics/active.md``.

    >>> found = weighted_mean([1, 1, 4, 4], [3, 3, 1, 1], groups=[0, 1, 2, 3])
    >>> found.value, found.n_items, found.n_units
    (1.75, 4, 4)
    """
    is_second = np.ones(np.shape(values), dtype=np.bool_)
    rows = _Rows.of(values, is_second, weights, groups)
    (second,) = rows.means[1:]
    found = _estimate([second], level)
    interval = found.interval if ends is None else found.on_scale(ends, level)
    return _told(rows, found, interval=interval, name="weighted-mean", level=level)


def weighted_difference(
    values: ArrayLike,
    is_second: ArrayLike,
    weights: ArrayLike,
    groups: ArrayLike,
    *,
    ends: Ends | None = None,
    level: float = 0.95,
) -> ClusteredDifference:
    """Weighted mean of the second's rows less that of the first's, by groups in which both lie.

    Rows are such as the answers of two systems to the same questions, drawn apart or together, each with a known
    chance; groups are articles::

        d = m₂ − m₁,   V = Σ_g (u_2g − u_1g)²

    with m, u_g as in `weighted_mean`. What an article does to both at once cancels out within its group, as far as
    both were drawn there. No chance that *both* answers to a question were drawn is needed: each mean is right by the
    chances of its own rows. Where every weight is the same and every question has both, it is `clustered_difference`,
    paired. df is that of the sum of both covariances.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        NaN where a row was not judged, or has no number.
    is_second : array-like of bool, shape (n,)
        Whose row it is.
    weights, groups, level
        As in `weighted_mean`.
    ends : tuple of two floats, optional
        The least and the most that a difference can be, where the interval is cut.

    Returns
    -------
    ClusteredDifference
        ``n_first`` and ``n_second`` rows count; ``is_paired`` where a group has rows of both. Undefined where one of
        the two has no row that counts; without interval and p, with the reason, where one has rows of a single group,
        or nothing differs.

    Raises
    ------
    RatingsError
        As in `weighted_mean`.

    References
    ----------
    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, 5.7, for the ratio's linearisation; Bell and
    McCaffrey (2002). Coverage in ``docs/reference/statistics/active.md``.

    >>> found = weighted_difference([1, 2, 2, 5], [False, True, False, True], [3, 3, 1, 1], groups=[0, 0, 1, 1])
    >>> found.value, found.n_first, found.n_second
    (1.5, 2, 2)
    """
    rows = _Rows.of(values, is_second, weights, groups)
    found = _estimate([*reversed(rows.means)], level)
    interval = found.interval and found.interval.within(ends)
    return _told(rows, found, interval=interval, name="weighted-difference", level=level)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What counts, by whose it is: the means of the first and of the second, and the groups of both."""

    means: tuple[WeightedMean | None, WeightedMean | None]
    n_groups: int
    is_paired: bool

    @classmethod
    def of(cls, values: ArrayLike, is_second: ArrayLike, weights: ArrayLike, groups: ArrayLike) -> _Rows:
        y, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
        second, group = np.asarray(is_second, dtype=np.bool_), np.asarray(groups)
        if not y.shape == w.shape == second.shape == group.shape or y.ndim != 1:
            shapes = f"{y.shape}, {second.shape}, {w.shape} and {group.shape}"
            raise RatingsError(f"Give one value, one side, one weight and one group a row, not {shapes}.")
        if np.isinf(y).any():
            raise RatingsError("A value is infinite; leave its row out.")
        known = ~np.isnan(y)
        if not (np.isfinite(w[known]) & (w[known] >= 0)).all():
            raise RatingsError("A row that was judged has no weight.")
        counts: Flags = known & (w > 0)
        codes: Codes = np.unique(group[counts], return_inverse=True)[1].astype(np.int64)
        n = int(codes.max(initial=-1)) + 1
        sides = [second[counts] == side for side in (False, True)]
        first, last = (WeightedMean.of(y[counts][side], w[counts][side], codes[side], n) for side in sides)
        both = np.intersect1d(codes[sides[0]], codes[sides[1]])
        return cls((first, last), n, len(both) > 0)


def _estimate(means: list[WeightedMean | None], level: float) -> Estimate:
    """The first of these means less the second, if there is one."""
    known = [mean for mean in means if mean is not None]
    if len(known) < len(means):
        return Estimate(None, None, None, None, None, UNDEFINED)
    value = known[0].value - sum(mean.value for mean in known[1:])
    if min(mean.n_groups for mean in known) < 2:
        return Estimate(value, None, None, None, None, ONE_GROUP)
    terms, covariance = known[0].terms, known[0].covariance
    for mean in known[1:]:
        terms, covariance = terms - mean.terms, covariance.plus(mean.covariance)
    error = sqrt(float(terms @ terms))
    if error <= ROUNDING * max(1.0, *(abs(mean.value) for mean in known)):
        return Estimate(value, None, None, None, None, ALL_ALIKE)
    freedom = covariance.freedom
    interval, p_value = t_interval(value, error, freedom, level), t_p_value(value, error, freedom)
    return Estimate(value, interval, p_value, error, freedom, None, freedom_of(terms))


def _told(rows: _Rows, found: Estimate, *, interval: Interval | None, name: str, level: float) -> ClusteredDifference:
    n_first, n_second = (0 if mean is None else mean.n_rows for mean in rows.means)
    return ClusteredDifference(
        value=found.value,
        undefined_because=None if found.value is not None else NOTHING_TO_COMPARE,
        p_value=found.p_value,
        no_p_value_because=found.no_spread_because,
        interval=interval,
        no_interval_because=found.no_spread_because,
        n_items=n_first + n_second,
        n_units=rows.n_groups,
        signature=signature_line(name, interval="t|cr2", level=level),
        is_paired=rows.is_paired,
        n_first=n_first,
        n_second=n_second,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
    )

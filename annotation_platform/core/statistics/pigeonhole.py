"""Intervals for other raters, too: the pigeonhole bootstrap of means, differences and shares, without drawing.

The intervals of `resampling` and of `clustered_means` speak about other units (articles, else questions) that the same
raters judge. A sentence about what *people* say is also about raters who were not in the study. The pigeonhole
bootstrap draws units with replacement and, independently, raters with replacement; a rating weighs the product of both
draws. For a figure θ that is linear in its ratings, or nearly so as a ratio is, infinitely many such draws need not be
made. With e_k what rating k adds to θ less its expectation (Σ e_k = 0), and its sums over each unit g, rater j and
cell of the two::

    A = Σ_g e_g²     B = Σ_j e_j²     C = Σ_gj e_gj²
    V = A n / (n − 1) + B m / (m − 1) + C                      n units, m raters
    df = V² / (A² n² / (n − 1)³ + B² m² / (m − 1)³)

The draws themselves have A (1 − 1/m) + B (1 − 1/n) + C; as in `resampling`, n units drawn from n vary less than n
others would, so that A and B are set right. The interval is θ ± t_df √V, cut at what a difference can be; of a share,
and of a mean on a scale with ends as a share of its length, Wilson's with p (1 − p) / V observations, of a count, which
has no highest value, with p / V. e_k is (y_k − θ) / N of a mean and of a share, of a difference see
`difference_for_other_raters`.

It is conservative: what only the single rating is due to is in A, in B and in C, where once would do, so that V is too
large, the more so the less units and raters matter. No procedure that resamples is exact here (McCullagh 2000). It is
never narrower than the interval for other units alone: the two are joined.

Not for coefficients of agreement: a rater drawn twice would agree with himself.

Source: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1; McCullagh (2000), Resampling and
exchangeable arrays; Satterthwaite (1946) for df. Coverage: ``docs/reference/statistics/coverage.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import FEWEST_RATERS, too_few_raters
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, ClusteredDifference
from annotation_platform.core.statistics.crossed import Crossed, ForOtherRaters, Observations, joined, why_not
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.result import Ends, Interval, Statistic
from annotation_platform.core.statistics.shares import Share
from annotation_platform.core.statistics.students_t import t_interval, t_p_value
from annotation_platform.core.statistics.wilson import lies_within

LEVEL = 0.95
_ROUNDING = 1e-12


def means_for_other_raters(
    ratings: Ratings, groups: ArrayLike, found: Sequence[Statistic], *, level: float = LEVEL
) -> tuple[ForOtherRaters, ...]:
    """Intervals of `group_means`, or of `scale_means` where the ratings have ends, for other raters, too.

    Parameters
    ----------
    ratings : Ratings
    groups : array-like of int, shape (n ratings,)
        Group codes ``0 … len(found) - 1``, one a rating.
    found : sequence of Statistic
        The means by code, with their intervals for other units.

    Returns
    -------
    tuple of ForOtherRaters
        By code. Without an interval, and its reason, where the figure has none; where fewer than three raters rated the
        group; where nothing varies.

    Raises
    ------
    RatingsError
        When there is not one group a rating.
    """
    group, units, values = _groups(ratings, groups), ratings.unit_of_item[ratings.items], ratings.values
    ends = ratings.ends if ratings.ends and lies_within(values, ratings.ends) else None
    told = []
    for code, mean in enumerate(found):
        rows = np.flatnonzero(group == code)
        crossed = Crossed.of(units[rows], ratings.raters[rows])
        y = values[rows]
        residues = (y - y.mean()) / len(y) if len(y) else y
        if ends is None:
            told.append(_on_a_line(mean, crossed, residues, None, level))
        else:
            told.append(_on_scale(mean, crossed, residues, ends, level))
    return tuple(told)


def shares_for_other_raters(
    ratings: Ratings,
    values: Sequence[float],
    found: Sequence[Sequence[Statistic]],
    *,
    groups: ArrayLike | None = None,
    level: float = LEVEL,
) -> list[list[ForOtherRaters]]:
    """Intervals of `label_distributions` for other raters, too, [group][label].

    Where p is 0 or 1, so many observations stand behind it as there are units, or raters if these are fewer.

    Parameters
    ----------
    ratings : Ratings
    values : sequence of float
        Of the labels, in the order of each group's shares.
    found : sequence of sequences of Statistic
        The shares, [group][label].
    groups : array-like of int, shape (n ratings,), optional
        Group codes, one a rating; those beyond ``len(found)`` are in no group. By default all are in one.
    """
    group = _groups(ratings, np.zeros(len(ratings), dtype=np.int64) if groups is None else groups)
    units, given = ratings.unit_of_item[ratings.items], ratings.values
    told = []
    for code, shares in enumerate(found):
        rows = np.flatnonzero(group == code)
        crossed, y = Crossed.of(units[rows], ratings.raters[rows]), given[rows]
        told.append(
            [
                _on_scale(share, crossed, ((y == value) - (share.value or 0.0)) / max(len(y), 1), (0.0, 1.0), level)
                for value, share in zip(values, shares, strict=True)
            ]
        )
    return told


def preference_for_other_raters(
    values: ArrayLike, groups: ArrayLike, raters: ArrayLike, found: Share, *, level: float = LEVEL
) -> ForOtherRaters:
    """Interval and p of `grouped_share` for other raters, too; p is of the hypothesis that the share is one half.

    With the n_eff observations and df degrees of freedom of the interval, p is that of the score test which it inverts,
    2 T_df(−|p − ½| √n_eff / ½), and no smaller than that for other groups alone.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        1 for the event, 0 for its absence, 0.5 for a tie.
    groups, raters : array-like of int, shape (n,)
    found : Share
        Of the same values, by group.

    Raises
    ------
    RatingsError
        When the columns differ in length.
    """
    y = np.asarray(values, dtype=np.float64)
    group, rater = np.asarray(groups), np.asarray(raters)
    if not y.shape == group.shape == rater.shape or y.ndim != 1:
        raise RatingsError("Give one group and one rater for each value.")
    crossed = Crossed.of(*(np.unique(codes, return_inverse=True)[1].astype(np.int64) for codes in (group, rater)))
    why = found.no_interval_because or (too_few_raters(crossed.n_raters) if crossed.n_raters < FEWEST_RATERS else None)
    if why or found.value is None or found.interval is None:
        return ForOtherRaters(None, why, None, crossed.n_units, crossed.n_raters)
    seen = Observations.of(found.value, crossed, crossed.spread((y - found.value) / len(y)), (0.0, 1.0))
    p_value = float(2 * stdtr(seen.freedom, -abs(seen.p - 0.5) * sqrt(seen.n) / 0.5))
    interval = joined(Interval(*found.interval, level), *seen.interval(level), level)
    return ForOtherRaters(interval, None, max(p_value, found.p_value or 0.0), crossed.n_units, crossed.n_raters)


def difference_for_other_raters(
    values: ArrayLike,
    questions: ArrayLike,
    is_second: ArrayLike,
    raters: ArrayLike,
    groups: ArrayLike,
    found: ClusteredDifference,
    *,
    ends: Ends | None = None,
    level: float = LEVEL,
) -> ForOtherRaters:
    """Interval and p of `clustered_difference` of two systems' means for other raters, too.

    The mean of each answer's ratings stands for it, so that rating k of an answer with n_k ratings weighs 1 / n_k of
    one of Q answers. With y the ratings and μ the mean of its system over the Q questions::

        e_k = ± (y_k − μ) / (Q n_k)        + for the second system

    A rater's leniency cancels as far as the same one judged both answers. Unpaired, Q is that of each system.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        Ratings of both systems' answers.
    questions, raters : array-like of int, shape (n,)
    is_second : array-like of bool, shape (n,)
        Whose answer it is.
    groups : array-like of int, shape (n,)
        Codes of what the questions are drawn with.
    found : ClusteredDifference
        The difference of the means of the same ratings by question.

    Raises
    ------
    RatingsError
        When the columns differ in length.
    """
    y, second = np.asarray(values, dtype=np.float64), np.asarray(is_second, dtype=np.bool_)
    question, rater, group = (np.asarray(each, dtype=np.int64) for each in (questions, raters, groups))
    if not y.shape == second.shape == question.shape == rater.shape == group.shape or y.ndim != 1:
        raise RatingsError("Give one question, rater and group for each value.")
    n_questions = int(question.max(initial=-1)) + 1
    answer = question + n_questions * second
    n_ratings = np.bincount(answer, minlength=2 * n_questions).reshape(2, n_questions)
    if found.is_paired:
        in_both: Flags = np.logical_and(n_ratings[0] > 0, n_ratings[1] > 0)
        kept = in_both[question]
        y, second = y[kept], second[kept]
        answer, rater, group = (each[kept] for each in (answer, rater, group))
        n_ratings = n_ratings * in_both
    of_system = np.maximum((n_ratings > 0).sum(axis=1), 1)
    weight = 1 / (of_system[second.astype(np.int64)] * np.maximum(n_ratings.ravel()[answer], 1))
    means = np.bincount(second, weight * y, minlength=2)
    residues = np.where(second, 1, -1) * weight * (y - means[second.astype(np.int64)])
    return _on_a_line(found, Crossed.of(group, rater), residues, ends, level)


def _on_a_line(
    found: Statistic | ClusteredDifference, crossed: Crossed, residues: Floats, ends: Ends | None, level: float
) -> ForOtherRaters:
    """By Student's t around the figure's value, joined with its interval for other units."""
    why = why_not(found, crossed)
    spread = None if why else crossed.spread(residues)
    if spread is None or found.value is None or found.interval is None:
        return ForOtherRaters(None, why, None, crossed.n_units, crossed.n_raters)
    error = sqrt(spread.variance)
    if error <= _ROUNDING * max(abs(found.value), 1):
        return ForOtherRaters(None, ALL_ALIKE, None, crossed.n_units, crossed.n_raters)
    p_value = None
    if isinstance(found, ClusteredDifference):
        p_value = max(t_p_value(found.value, error, spread.freedom), found.p_value or 0.0)
    own = t_interval(found.value, error, spread.freedom, level).within(ends)
    interval = joined(found.interval, own.low, own.high, level)
    return ForOtherRaters(interval, None, p_value, crossed.n_units, crossed.n_raters)


def _on_scale(found: Statistic, crossed: Crossed, residues: Floats, ends: Ends, level: float) -> ForOtherRaters:
    """Wilson's of a share, or of a mean as a share of the scale's length; of what has no highest value its limit."""
    why = why_not(found, crossed)
    if why or found.value is None or found.interval is None:
        return ForOtherRaters(None, why, None, crossed.n_units, crossed.n_raters)
    seen = Observations.of(found.value, crossed, crossed.spread(residues), ends)
    interval = joined(found.interval, *seen.interval(level), level)
    return ForOtherRaters(interval, None, None, crossed.n_units, crossed.n_raters)


def _groups(ratings: Ratings, groups: ArrayLike) -> Codes:
    group = np.asarray(groups, dtype=np.int64)
    if group.shape != ratings.values.shape:
        raise RatingsError(f"groups has shape {group.shape}; give one code for each of {len(ratings)} ratings.")
    return group

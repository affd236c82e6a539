"""How far a judge is biased against the people beside it: leniency, place, length, own family, another language.

Everything starts from what the judge says of an answer less what people say of the same answer, so that the answer's
quality, as these people see it, is taken out. A bias is a difference from these people: not from the truth, which
nobody knows here, and not from other people. Rows that only one of the two has judged are left out.

A judgment is a number on a scale, or, where one of several answers was chosen as the best, an answer's share of the
choice (`place_share`): 1 for the chosen one, and an even share each where none was.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.statistics.clustered_means import ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.clustered_slope import ClusteredSlope, clustered_slope
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import Ends, ends_of_difference


def judge_leniency(
    people: ArrayLike, judge: ArrayLike, groups: ArrayLike, *, ends: Ends | None = None, level: float = 0.95
) -> ClusteredDifference:
    """Mean of the judge less mean of people, on the rows that both have judged.

    With d_i the judge's value less people's, of n rows: Σ d_i / n, and interval and test of `clustered_difference`.
    Of shares of a place (`place_share`) it is how much more often the judge's choice falls on that place than
    people's: what the place does to the judge, where people saw the answers in other orders.

    Parameters
    ----------
    people, judge : array-like of float, shape (n,)
        In one unit, such as a number of a scale; people's is the mean over those who judged the row. NaN where there
        is none.
    groups : array-like of int, shape (n,)
        Codes of the groups, such as of articles or questions, any whole numbers.
    ends : tuple of two floats, optional
        The lowest and the highest value that either can give.
    level : float
        Confidence level.

    Returns
    -------
    ClusteredDifference
        Undefined where no row has both. Without interval and p, with the reason, where these come from one group or
        the differences do not vary.

    Raises
    ------
    RatingsError
        When the columns differ in length, or a value is infinite.

    >>> found = judge_leniency([3, 2, 4, 1], [4, 2, 5, np.nan], groups=[1, 1, 2, 2])
    >>> round(found.value, 3), found.n_items, found.is_paired
    (0.667, 3, True)
    """
    said, judged, group = _columns(people, judge, groups)
    both = ~np.isnan(said) & ~np.isnan(judged)
    return clustered_difference(
        np.where(both, said, np.nan),
        np.where(both, judged, np.nan),
        group,
        ends=ends_of_difference(ends, ends),
        level=level,
    )


def place_share(chosen: ArrayLike, sizes: ArrayLike, place: int) -> Floats:
    """Which share of a choice falls on the answer at a place: 1 if it was chosen, 0 if another was.

    Where none was chosen (a tie), every one of the k answers has 1 / k of it, so that whoever leaves more open is not
    taken for somebody who shuns a place.

    Parameters
    ----------
    chosen : array-like of float, shape (n,)
        The place of the chosen answer from 1; 0 where none was; NaN where nothing is known.
    sizes : array-like of int, shape (n,)
        How many answers there were.
    place : int
        From 1; from the end where it is negative: −1 is the last.

    >>> place_share([1, 2, 0, np.nan], [2, 2, 2, 2], 1).tolist()
    [1.0, 0.0, 0.5, nan]
    """
    given, k = np.asarray(chosen, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    at = k + 1 + place if place < 0 else np.full_like(k, place)
    return np.where(np.isnan(given), np.nan, np.where(given == 0, 1 / k, given == at))


def length_bias(
    people: ArrayLike,
    judge: ArrayLike,
    lengths: ArrayLike,
    groups: ArrayLike,
    *,
    within: ArrayLike | None = None,
    level: float = 0.95,
) -> ClusteredSlope:
    """By how much the judge's value less people's rises where the answer is twice as long.

    The slope b of d_i = a + b log₂ length_i + e_i by `clustered_slope`: 0 where the judge sees in longer answers just
    what people see in them, however much these like long ones.

    Parameters
    ----------
    people, judge, groups, level
        As of `judge_leniency`.
    lengths : array-like of float, shape (n,)
        Such as in characters; rows with 0 or less are left out.
    within : array-like of int, shape (n,), optional
        Codes of what the answers of a choice share. Shares of a choice add up, so that an answer is only longer or
        shorter than those beside it: log₂ length is then taken around its mean over these.

    Returns
    -------
    ClusteredSlope
        In the unit of the values. Undefined for fewer than three rows that both judged, or where all lengths are equal.

    Raises
    ------
    RatingsError
        When the columns differ in length, or a value is infinite.

    >>> found = length_bias([3] * 5, [3, 4, 5, 4, 3], [100, 200, 400, 200, 100], groups=[1, 1, 2, 2, 3])
    >>> round(found.value, 6)
    1.0
    """
    said, judged, group = _columns(people, judge, groups)
    length = np.asarray(lengths, dtype=np.float64)
    if length.shape != said.shape:
        raise RatingsError(f"Give one length a row, not {length.shape} for {said.shape}.")
    apart = judged - said
    kept = ~np.isnan(apart) & (length > 0)
    along = along_lengths(length, kept, within)
    return clustered_slope(np.where(kept, along, np.nan), np.where(kept, apart, np.nan), group, level=level)


def along_lengths(lengths: Floats, kept: Flags, within: ArrayLike | None) -> Floats:
    """log₂ length of the kept rows, around its mean over those that share a choice where ``within`` says so."""
    along: Floats = np.log2(np.where(kept, lengths, 1.0))
    if within is None:
        return along
    shared = np.unique(np.asarray(within), return_inverse=True)[1]
    n = np.maximum(np.bincount(shared, weights=kept), 1)
    around: Floats = along - (np.bincount(shared, weights=along * kept) / n)[shared]
    return around


def bias_apart(
    people: ArrayLike,
    judge: ArrayLike,
    is_second: ArrayLike,
    groups: ArrayLike,
    *,
    questions: ArrayLike | None = None,
    ends: Ends | None = None,
    level: float = 0.95,
) -> ClusteredDifference:
    """How much kinder the judge is, against people, to one kind of rows than to the others.

    The mean of the judge's value less people's over the rows of the kind, minus that over the others: of answers by
    systems of the judge's own family, or in another language. With ``questions`` it is compared question by question
    wherever some have rows of both kinds: a question's mean of the one less its mean of the other, over these questions
    only, so that the kinds' questions need not be equally hard for the judge.

    Parameters
    ----------
    people, judge, groups, ends, level
        As of `judge_leniency`.
    is_second : array-like of bool, shape (n,)
        Which rows are of the kind.
    questions : array-like of int, shape (n,), optional
        Codes of the questions; one lies in one group.

    Returns
    -------
    ClusteredDifference
        Undefined where one of the two kinds has no row that both judged; paired or not, and on how many rows (or
        questions) of each.

    Raises
    ------
    RatingsError
        When the columns differ in length, or a value is infinite.

    >>> found = bias_apart([3, 3, 3, 3], [4, 3, 5, 4], [True, False, True, False], [1, 1, 2, 2], questions=[1, 1, 2, 2])
    >>> found.value, found.is_paired, found.n_items
    (1.0, True, 2)
    """
    said, judged, group = _columns(people, judge, groups)
    second: Flags = np.asarray(is_second, dtype=np.bool_)
    apart = judged - said
    possible = ends_of_difference(ends, ends)
    possible = ends_of_difference(possible, possible)
    if questions is None:
        first_apart, second_apart = (np.where(side, apart, np.nan) for side in (~second, second))
        return clustered_difference(first_apart, second_apart, group, ends=possible, level=level)
    _, place, code = np.unique(np.asarray(questions), return_index=True, return_inverse=True)
    sides = []
    for side in (~second, second):
        kept = side & ~np.isnan(apart)
        n = np.bincount(code[kept], minlength=len(place))
        total = np.bincount(code[kept], weights=apart[kept], minlength=len(place))
        sides.append(np.where(n > 0, total / np.maximum(n, 1), np.nan))
    return clustered_difference(sides[0], sides[1], group[place], ends=possible, level=level)


def _columns(people: ArrayLike, judge: ArrayLike, groups: ArrayLike) -> tuple[Floats, Floats, np.ndarray]:
    said, judged = np.asarray(people, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    group = np.asarray(groups)
    if not said.shape == judged.shape == group.shape or said.ndim != 1:
        shapes = f"{said.shape}, {judged.shape} and {group.shape}"
        raise RatingsError(f"Give one value of people, one of the judge and one group a row, not {shapes}.")
    return said, judged, group

"""What a judge's biases against people say about other people, too.

Each bias is linear in people's means of the rows, so that `linear_for_other_raters` holds. With d_i = J_i − Ȳ_i of a
row that both judged, and d̂_i what the bias says of it, t_i = J_i − d̂_i::

    leniency      c_i = −1 / n                      d̂_i = the bias
    apart         c_i = ∓1 / (Q n_qi)               d̂_i = the mean of its kind, − for the second kind
    length        c_i = −(x_i − x̄) / Σ (x − x̄)²     d̂_i = a + b x_i

n rows; Q questions (or rows) of the kind, n_qi of its rows in the row's question; x = log₂ length. What other people
think of these answers has the judge's sign turned: a person who is kinder than others makes the judge look stricter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.statistics.clustered_means import ClusteredDifference
from annotation_platform.core.statistics.clustered_slope import ClusteredSlope
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.judge_bias import along_lengths
from annotation_platform.core.statistics.linear_for_others import Said, linear_for_other_raters
from annotation_platform.core.statistics.result import Ends, ends_of_difference


def leniency_for_other_raters(
    said: Said,
    judge: ArrayLike,
    groups: ArrayLike,
    found: ClusteredDifference,
    *,
    ends: Ends | None = None,
    level: float = 0.95,
) -> ForOtherRaters:
    """Interval and p of `judge_leniency` for other raters, too; ``said`` is what its people's means are of."""
    judged = np.asarray(judge, dtype=np.float64)
    both = _both(said, judged)
    effects = np.where(both, -1 / max(int(both.sum()), 1), 0.0)
    possible = ends_of_difference(ends, ends)
    return _told(said, effects, judged - (found.value or 0.0), groups, found, possible, level)


def length_for_other_raters(
    said: Said,
    judge: ArrayLike,
    lengths: ArrayLike,
    groups: ArrayLike,
    found: ClusteredSlope,
    *,
    within: ArrayLike | None = None,
    level: float = 0.95,
) -> ForOtherRaters:
    """Interval and p of `length_bias` for other raters, too."""
    judged, length = np.asarray(judge, dtype=np.float64), np.asarray(lengths, dtype=np.float64)
    kept = _both(said, judged) & (length > 0)
    along = along_lengths(length, kept, within)
    apart = np.where(kept, along - (along[kept].mean() if kept.any() else 0.0), 0.0)
    effects = -apart / max(float(apart @ apart), 1e-300)
    fitted = (found.intercept or 0.0) + (found.value or 0.0) * along
    return _told(said, effects, judged - fitted, groups, found, None, level)


def apart_for_other_raters(
    said: Said,
    judge: ArrayLike,
    is_second: ArrayLike,
    groups: ArrayLike,
    found: ClusteredDifference,
    *,
    questions: ArrayLike | None = None,
    ends: Ends | None = None,
    level: float = 0.95,
) -> ForOtherRaters:
    """Interval and p of `bias_apart` for other raters, too."""
    judged, second = np.asarray(judge, dtype=np.float64), np.asarray(is_second, dtype=np.bool_)
    both = _both(said, judged)
    of_row = np.arange(len(judged)) if questions is None else np.unique(np.asarray(questions), return_inverse=True)[1]
    n = np.stack([np.bincount(of_row[both & side], minlength=len(judged)) for side in (~second, second)])
    kept: Flags = both & (n[:, of_row] > 0).all(axis=0) if found.is_paired else both
    side = second.astype(np.int64)
    of_kind = np.array([max(len(np.unique(of_row[kept & (side == kind)])), 1) for kind in (0, 1)])
    weights = np.where(kept, 1 / (of_kind[side] * np.maximum(n[side, of_row], 1)), 0.0)
    apart = np.where(kept, judged - _means(said, len(judged)), 0.0)
    middle = np.bincount(side, weights=weights * apart, minlength=2)
    possible = ends_of_difference(ends, ends)
    effects = np.where(second, -1, 1) * weights
    possible = ends_of_difference(possible, possible)
    return _told(said, effects, judged - middle[side], groups, found, possible, level)


def _told(
    said: Said,
    effects: Floats,
    expected: Floats,
    groups: ArrayLike,
    found: ClusteredDifference | ClusteredSlope,
    ends: Ends | None,
    level: float,
) -> ForOtherRaters:
    return linear_for_other_raters(said, effects, np.nan_to_num(expected), groups, found, ends=ends, level=level)


def _both(said: Said, judge: Floats) -> Flags:
    flags: Flags = (np.bincount(said.rows, minlength=len(judge)) > 0) & ~np.isnan(judge)
    return flags


def _means(said: Said, rows: int) -> Floats:
    n = np.bincount(said.rows, minlength=rows)
    means: Floats = np.bincount(said.rows, weights=said.values, minlength=rows) / np.maximum(n, 1)
    return means

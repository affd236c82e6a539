"""How sure a ranking is: the share of resamples in which each rank is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.result import Statistic


@dataclass(frozen=True, slots=True)
class RankShares:
    """The rank of one figure among several, and how often it takes each rank when items are resampled.

    Attributes
    ----------
    rank : int or None
        1 is the best; equal figures share the better rank. None where the figure is undefined.
    shares : tuple of float
        Share of resamples in which it has rank 1, 2, …; empty without resamples. They sum to 1.
    """

    rank: int | None
    shares: tuple[float, ...]


def competition_ranks(values: Floats) -> Codes:
    """1 + the number of smaller values, along the first axis: equal ones share the better rank.

    Examples
    --------
    >>> competition_ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist()
    [3, 1, 3, 2]
    """
    return np.array([1 + (values < row).sum(axis=0) for row in values], dtype=np.int64)


def rank_shares(figures: Sequence[Statistic], *, better: Literal["high", "low"] = "high") -> tuple[RankShares, ...]:
    """Ranks of several figures, and how stable they are under resampling of items.

    All of them are ranked anew in every resample, so the same draw of items decides for all. A figure that is
    undefined in a resample comes last there.

    Parameters
    ----------
    figures : sequence of Statistic
        With intervals from an equal `Bootstrap` over the same items (give `n_items`), or without.
    better : {'high', 'low'}
        Which end is rank 1.

    Examples
    --------
    >>> from annotation_platform.core.statistics import Bootstrap, Ratings, group_means
    >>> table = Ratings.from_arrays([0, 1, 2, 3], [0, 0, 0, 0], [1, 2, 8, 9], repeated="error")
    >>> means = group_means(table, [0, 0, 1, 1], 2, bootstrap=Bootstrap(resamples=50))
    >>> [each.rank for each in rank_shares(means)]
    [2, 1]
    """
    sign = -1.0 if better == "high" else 1.0
    values = np.array([np.inf if each.value is None else sign * each.value for each in figures])
    ranks = competition_ranks(values)
    samples = [each.resampled.values for each in figures if each.resampled is not None]
    if len(samples) < len(figures) or not figures:
        shares: list[tuple[float, ...]] = [()] * len(figures)
    else:
        drawn = np.stack(samples)
        drawn = np.where(np.isnan(drawn), np.inf, sign * drawn)
        taken = competition_ranks(drawn)
        counts = [np.bincount(row, minlength=len(figures) + 1)[1:] / drawn.shape[1] for row in taken]
        shares = [tuple(float(share) for share in row) for row in counts]
    return tuple(
        RankShares(None if each.value is None else int(rank), share)
        for each, rank, share in zip(figures, ranks, shares, strict=True)
    )

"""Label distributions: the share of each label, overall or by group (such as system or annotator)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LabelShare:
    """How many ratings of a group have one value, and their share of the group's ratings."""

    value: float
    count: int
    share: Statistic


@dataclass(frozen=True, slots=True)
class Distribution:
    """The labels of one group of ratings; `group` is its code, 0 when there are no groups."""

    group: int
    n_items: int
    n_raters: int
    n_ratings: int
    shares: tuple[LabelShare, ...]


def label_distributions(
    ratings: Ratings,
    values: Sequence[float],
    *,
    groups: ArrayLike | None = None,
    n_groups: int | None = None,
    bootstrap: Bootstrap | None = None,
) -> tuple[Distribution, ...]:
    """Share of each value in each group of ratings.

    share(c | g) = ratings in g with value c / ratings in g. Intervals resample items, so that the ratings
    of one item, which are alike, are not taken for independent ones.

    Parameters
    ----------
    ratings : Ratings
        Use ``repeated='cross'`` to count every judgment; averages of repeated judgments are no labels.
    values : sequence of float
        The scale's values, in the order wanted; each gets a share, if only 0.
    groups : array-like of int, shape (n ratings,), optional
        Group codes from 0, one a rating: ``ratings.raters`` for annotators, ``system[ratings.items]`` for a
        system of each item. By default all ratings are one group.
    n_groups : int, optional
        By default the greatest group code plus one.
    bootstrap : Bootstrap, optional
        Resample items for an interval of each share.

    Returns
    -------
    tuple of Distribution
        One a group, in the order of codes. Shares of a group without ratings are undefined.

    Raises
    ------
    RatingsError
        When a rating's value is not among `values`, or the groups do not fit the ratings.
    """
    group = np.zeros(len(ratings), dtype=np.int64) if groups is None else np.asarray(groups)
    if group.shape != ratings.values.shape:
        raise RatingsError(f"groups has shape {group.shape}; give one code for each of {len(ratings)} ratings.")
    if n_groups is None:
        n_groups = 1 if groups is None else int(group.max(initial=-1)) + 1
    if group.size and not 0 <= group.min() <= group.max() < n_groups:
        raise RatingsError(f"Group codes run from {group.min()} to {group.max()}, not from 0 to {n_groups - 1}.")
    code = _position(ratings.values, values)
    size = n_groups * len(values)
    by_item = sparse.csr_array(
        (np.ones(len(ratings)), (group * len(values) + code, ratings.items)), shape=(size, ratings.n_items)
    )
    counts = np.bincount(group * len(values) + code, minlength=size).reshape(n_groups, len(values))

    def shares(weights: Floats) -> Floats:
        cells = np.asarray(by_item @ weights)
        weighted = cells.reshape(n_groups, len(values), weights.shape[1])
        totals = weighted.sum(axis=1, keepdims=True)
        return np.where(totals > 0, weighted / np.where(totals > 0, totals, 1), np.nan)

    sample = bootstrap.sample(shares, ratings.n_items, width=size) if bootstrap else None
    return tuple(
        _distribution(
            ratings,
            code_of_group,
            group == code_of_group,
            values,
            counts[code_of_group],
            None if sample is None else sample[code_of_group],
            bootstrap,
        )
        for code_of_group in range(n_groups)
    )


def _distribution(
    ratings: Ratings,
    group: int,
    members: NDArray[np.bool_],
    values: Sequence[float],
    counts: NDArray[np.int64],
    sample: Floats | None,
    bootstrap: Bootstrap | None,
) -> Distribution:
    n_ratings = int(counts.sum())
    n_items = len(np.unique(ratings.items[members]))
    n_raters = len(np.unique(ratings.raters[members]))
    shares = tuple(
        LabelShare(
            value=float(value),
            count=int(count),
            share=statistic(
                value=int(count) / n_ratings if n_ratings else None,
                undefined_because=None if n_ratings else "The group has no ratings.",
                n_items=n_items,
                n_raters=n_raters,
                n_ratings=n_ratings,
                sample=None if sample is None else sample[index],
                bootstrap=bootstrap,
                signature=signature_line("label-share", repeated=ratings.repeated),
                n_items_resampled=ratings.n_items,
            ),
        )
        for index, (value, count) in enumerate(zip(values, counts, strict=True))
    )
    return Distribution(group=group, n_items=n_items, n_raters=n_raters, n_ratings=n_ratings, shares=shares)


def _position(ratings: Floats, values: Sequence[float]) -> NDArray[np.int64]:
    scale = np.asarray(values, dtype=np.float64)
    order = np.argsort(scale)
    if not len(scale):
        raise RatingsError("Give the values of the scale, at least one.")
    found = order[np.minimum(np.searchsorted(scale, ratings, sorter=order), len(scale) - 1)]
    strange = scale[found] != ratings
    if strange.any():
        raise RatingsError(f"A rating has the value {ratings[strange][0]:g}, which the scale does not have.")
    return found

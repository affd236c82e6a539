"""Label distributions: the share of each label, overall or by group (such as system or annotator)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import label_shares
from annotation_platform.core.statistics.wilson import LEVEL


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
    level: float = LEVEL,
) -> tuple[Distribution, ...]:
    """Share of each value in each group of ratings.

    share(c | g) = ratings in g with value c / ratings in g. Intervals are those of `shares` with items as units, so
    that the ratings of one item, which are alike, are not taken for independent ones.

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
    level : float
        Confidence level of the intervals.

    Returns
    -------
    tuple of Distribution
        One a group, in the order of codes. Shares of a group without ratings are undefined; those of a group with a
        single item have no interval.

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
    shares = label_shares(
        ratings.unit_of_item[ratings.items],
        group,
        code,
        n_groups,
        len(values),
        level=level,
        name=signature_line("label-share", repeated=ratings.repeated),
    )
    size = n_groups * len(values)
    counts = np.bincount(group * len(values) + code, minlength=size).reshape(n_groups, len(values)).tolist()
    pairs = distinct(group * ratings.n_raters + ratings.raters, n_groups * ratings.n_raters)[0]
    n_raters = np.bincount(pairs // max(ratings.n_raters, 1), minlength=n_groups).tolist()
    pairs = distinct(group * ratings.n_items + ratings.items, n_groups * ratings.n_items)[0]
    n_items = np.bincount(pairs // max(ratings.n_items, 1), minlength=n_groups).tolist()
    return tuple(
        Distribution(
            group=each,
            n_items=n_items[each],
            n_raters=n_raters[each],
            n_ratings=sum(counts[each]),
            shares=tuple(
                LabelShare(
                    value=float(value),
                    count=count,
                    share=replace(share, n_items=n_items[each], n_raters=n_raters[each]),
                )
                for value, count, share in zip(values, counts[each], shares[each], strict=True)
            ),
        )
        for each in range(n_groups)
    )


def _position(ratings: Floats, values: Sequence[float]) -> Codes:
    scale = np.asarray(values, dtype=np.float64)
    order = np.argsort(scale)
    if not len(scale):
        raise RatingsError("Give the values of the scale, at least one.")
    found = order[np.minimum(np.searchsorted(scale, ratings, sorter=order), len(scale) - 1)]
    strange = scale[found] != ratings
    if strange.any():
        raise RatingsError(f"A rating has the value {ratings[strange][0]:g}, which the scale does not have.")
    return found

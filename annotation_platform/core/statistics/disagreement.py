"""How far the judgments of one item lie apart: the mean difference between two of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.codes import pairs_within
from annotation_platform.core.statistics.ratings import RatingsError


def item_disagreement(items: ArrayLike, values: ArrayLike, n_items: int, *, span: float | None = None) -> Floats:
    """Mean difference between two judgments of an item, over all unordered pairs of its judgments::

        with a span   D(u) = mean over i < j of |x_ui - x_uj| / span      (Gini's mean difference)
        without       D(u) = share of pairs i < j with x_ui ≠ x_uj        (labels that have no order)

    Parameters
    ----------
    items : array-like of int, shape (n,)
        Codes ``0 … n_items - 1``, one a judgment.
    values : array-like of float, shape (n,)
        Finite numbers; leave out judgments that have none.
    n_items : int
    span : float, optional
        From the lowest to the highest number that can be given, above 0.

    Returns
    -------
    float array, shape (n_items,)
        0 (all alike) to 1 (as far apart as the scale allows); NaN for an item with fewer than two judgments.

    Raises
    ------
    RatingsError
        When the columns have unequal lengths, or the span is not above 0.

    Examples
    --------
    >>> item_disagreement([0, 0, 0, 1], [0, 70, 100, 30], 2, span=100).round(3).tolist()
    [0.667, nan]
    """
    if span is not None and not span > 0:
        raise RatingsError(f"The span is {span}; give the distance from the lowest to the highest number.")
    numbers = np.asarray(values, dtype=np.float64)
    if span is None:
        return _mean_over_pairs(items, len(numbers), n_items, lambda a, b: np.not_equal(numbers[a], numbers[b]))
    return _mean_over_pairs(items, len(numbers), n_items, lambda a, b: np.abs(numbers[a] - numbers[b]) / span)


def item_set_distance(items: ArrayLike, sets: Sequence[frozenset[Hashable]], n_items: int) -> Floats:
    """Mean Jaccard distance between two judgments' sets, such as the sentences that they cite; as `item_disagreement`.

    1 - |A ∩ B| / |A ∪ B|, and 0 between two empty sets.

    Examples
    --------
    >>> item_set_distance([0, 0], [frozenset({2, 3}), frozenset({3})], 1).tolist()
    [0.5]
    """

    members: dict[Hashable, int] = {}
    codes = [members.setdefault(member, len(members)) for each in sets for member in each]
    owners = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    return item_member_distance(items, owners, np.array(codes, dtype=np.int64), n_items)


def item_member_distance(items: ArrayLike, owners: Codes, members: Codes, n_items: int) -> Floats:
    """`item_set_distance` of sets as columns: a code of each member, and the position of the judgment that it is of.

    >>> item_member_distance([0, 0], np.array([0, 0, 1]), np.array([2, 3, 3]), 1).tolist()
    [0.5]
    """
    n = len(np.asarray(items))
    distinct, codes = np.unique(members, return_inverse=True)
    holds = sparse.csr_array((np.ones(len(codes)), (owners, codes)), shape=(n, len(distinct)))
    size = np.bincount(owners, minlength=n)

    def distance(first: Codes, second: Codes) -> Floats:
        shared: Floats = np.asarray(holds[first].multiply(holds[second]).sum(axis=1)).reshape(-1)
        union = size[first] + size[second] - shared
        return np.where(union > 0, 1 - shared / np.where(union > 0, union, 1), 0.0)

    return _mean_over_pairs(items, n, n_items, distance)


def _mean_over_pairs(
    items: ArrayLike, n_values: int, n_items: int, distance: Callable[[Codes, Codes], ArrayLike]
) -> Floats:
    codes = np.asarray(items, dtype=np.int64)
    if codes.shape != (n_values,):
        raise RatingsError(f"items has shape {codes.shape}; give one code for each of {n_values} judgments.")
    order = np.argsort(codes, kind="stable")
    first, second = pairs_within(codes[order])
    distances = np.asarray(distance(order[first], order[second]), dtype=np.float64)
    item_of_pair = codes[order][first]
    pairs = np.bincount(item_of_pair, minlength=n_items)
    sums = np.bincount(item_of_pair, distances, minlength=n_items)
    return np.where(pairs > 0, sums / np.maximum(pairs, 1), np.nan)

"""Joined rows: the judgments that two raters gave to the same item, for all pairs of raters at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation_platform.core.statistics.ratings import Codes, Flags, Ratings, pairs_within


@dataclass(frozen=True, slots=True, eq=False)
class JoinedRows:
    """All combinations of a judgment by one rater and a judgment by another of the same item.

    Attributes
    ----------
    rater_a, rater_b : int arrays, shape (pairs,)
        The pairs of raters, ``rater_a < rater_b``, ordered by the first, then the second; all of them, also
        those without rows.
    pair, first, second, item : int arrays, shape (rows,)
        The position of the row's pair, the positions in the ratings of its judgments by `rater_a` and
        `rater_b`, and the code of its item. Ordered by item.
    """

    rater_a: Codes
    rater_b: Codes
    pair: Codes
    first: Codes
    second: Codes
    item: Codes


def join_raters(ratings: Ratings, *, without_both: Flags | None = None) -> JoinedRows:
    """Join the ratings of every pair of raters; drop rows whose two ratings are both flagged."""
    n_raters = ratings.n_raters
    order = np.argsort(ratings.items * n_raters + ratings.raters, kind="stable")
    items = ratings.items[order]
    first, second = pairs_within(items)
    item = items[first]
    first, second = order[first], order[second]
    a, b = ratings.raters[first], ratings.raters[second]
    kept = a != b
    if without_both is not None:
        kept &= ~(without_both[first] & without_both[second])
    rater_a, rater_b = np.triu_indices(n_raters, 1)
    # The position of (a, b) in the upper triangle, row by row.
    pair = a * (2 * n_raters - a - 3) // 2 + b - 1
    return JoinedRows(
        rater_a=rater_a,
        rater_b=rater_b,
        pair=pair[kept],
        first=first[kept],
        second=second[kept],
        item=item[kept],
    )

"""Small random ratings tables, and plain copies of tables, for the tests of the statistics."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from annotation_platform.core.statistics import Ratings

LABELS = (0.0, 30.0, 70.0, 100.0)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    values: st.SearchStrategy[float] | None = None,
    max_items: int = 7,
    max_raters: int = 4,
    max_repeated: int = 2,
) -> Ratings:
    """Some raters' judgments of some items, some of them repeated, in any order; `best` is a value of 100."""
    n_items, n_raters = draw(st.integers(1, max_items)), draw(st.integers(1, max_raters))
    values = st.sampled_from(LABELS) if values is None else values
    rows = []
    for item in range(n_items):
        for rater in range(n_raters):
            repeated = draw(st.integers(0, max_repeated))
            rows += [(item, rater, draw(values)) for _ in range(repeated)]
    rows = draw(st.permutations(rows))
    items, raters, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return make(np.array(items, int), np.array(raters, int), np.array(numbers, float), n_items, n_raters)


def make(items: np.ndarray, raters: np.ndarray, values: np.ndarray, n_items: int, n_raters: int) -> Ratings:
    return Ratings.from_arrays(
        items, raters, values, best=values == 100, n_items=n_items, n_raters=n_raters, repeated="cross"
    )


def resampled(ratings: Ratings, weights: np.ndarray) -> Ratings:
    """The table that a resample stands for: every drawn copy of an item is an item of its own."""
    items, raters, values = [], [], []
    copy = 0
    for item, times in enumerate(weights.astype(int)):
        of_item = ratings.items == item
        for _ in range(times):
            items += [copy] * int(of_item.sum())
            raters += ratings.raters[of_item].tolist()
            values += ratings.values[of_item].tolist()
            copy += 1
    return make(np.array(items, int), np.array(raters, int), np.array(values, float), max(copy, 1), ratings.n_raters)


def relabelled(ratings: Ratings, item_order: np.ndarray, rater_order: np.ndarray) -> Ratings:
    """The same judgments under other codes."""
    return make(
        item_order[ratings.items],
        rater_order[ratings.raters],
        ratings.values,
        ratings.n_items,
        ratings.n_raters,
    )


def with_a_lone_rating(ratings: Ratings, value: float = 30.0) -> Ratings:
    return make(
        np.r_[ratings.items, ratings.n_items],
        np.r_[ratings.raters, 0],
        np.r_[ratings.values, value],
        ratings.n_items + 1,
        ratings.n_raters,
    )

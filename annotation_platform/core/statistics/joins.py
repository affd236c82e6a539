"""Joined rows: the judgments that two raters gave to the same item, for all pairs of raters at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Integers
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import changes, distinct, pairs_within
from annotation_platform.core.statistics.ratings import Ratings, RatingsError

_RATINGS_AT_ONCE = 1 << 16

NO_ROWS = gettext_noop("There is no row in which both have a value.")


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """All combinations of a judgment by one rater and a judgment by another of the same item.

    Attributes
    ----------
    rater_a, rater_b : int arrays, shape (pairs,)
        The pairs of raters that judged an item together, ``rater_a < rater_b``, ordered by the first, then the
        second; also those without rows, where their rows were dropped. In a large crowd most raters never meet.
    pair, first, second, item : int arrays, shape (rows,)
        The position of the row's pair, the positions in the ratings of its judgments by `rater_a` and
        `rater_b`, and the code of its item. Ordered by pair, there by item. In four bytes where they fit: a million
        judgments have millions of rows. What multiplies them takes them as int64.
    n_items_of_all : int
        Items of the ratings.
    units : int array, or None
        The unit of each item (`Ratings.units`).
    has_repetitions : bool
        Whether some rater judged an item several times, so that a pair can have several rows of one item.
    """

    rater_a: Codes
    rater_b: Codes
    pair: Integers
    first: Integers
    second: Integers
    item: Integers
    n_items_of_all: int
    units: Codes | None
    has_repetitions: bool

    @cached_property
    def ends(self) -> Codes:
        """Where the rows of each pair begin, the end of the last behind them, shape (pairs + 1,)."""
        return np.cumsum([0, *np.bincount(self.pair, minlength=len(self.rater_a))])

    def part(self, kept: Flags) -> JoinedRows:
        """Some of the rows, of the same pairs."""
        pair, first, second, item = (column[kept] for column in (self.pair, self.first, self.second, self.item))
        return JoinedRows(
            self.rater_a,
            self.rater_b,
            pair,
            first,
            second,
            item,
            self.n_items_of_all,
            self.units,
            self.has_repetitions,
        )

    @cached_property
    def n_items(self) -> Codes:
        """How many items each pair shares, shape (pairs,)."""
        if not self.has_repetitions:
            return np.bincount(self.pair, minlength=len(self.rater_a))
        return self._n_distinct(self.item, self.n_items_of_all)

    @cached_property
    def n_units(self) -> Codes:
        """To how many units the items of each pair belong, shape (pairs,)."""
        if self.units is None:
            return self.n_items
        return self._n_distinct(self.units[self.item], int(self.units.max(initial=-1)) + 1)

    def used(self, entered: Flags) -> tuple[Flags, int]:
        """Of the pairs flagged: which items their rows are from, and how many judgments are in these rows."""
        if entered.all():
            return self._all_used
        rows = entered[self.pair]
        return self._used_in(self.item[rows], self.first[rows], self.second[rows])

    @cached_property
    def _all_used(self) -> tuple[Flags, int]:
        return self._used_in(self.item, self.first, self.second)

    def _used_in(self, item: Integers, first: Integers, second: Integers) -> tuple[Flags, int]:
        items = np.zeros(self.n_items_of_all, dtype=np.bool_)
        items[item] = True
        judgments = np.zeros(max(first.max(initial=-1), second.max(initial=-1)) + 1, dtype=np.bool_)
        judgments[first] = judgments[second] = True
        return items, int(judgments.sum())

    def _n_distinct(self, codes: Integers, n_codes: int) -> Codes:
        n_pairs = len(self.rater_a)
        shared, _ = distinct(self.pair.astype(np.int64) * n_codes + codes, n_pairs * n_codes)
        return np.bincount(shared // max(n_codes, 1), minlength=n_pairs)


def join_raters(ratings: Ratings) -> JoinedRows:
    """Join the ratings of every pair of raters."""
    n_raters = ratings.n_raters
    fits = max(len(ratings), n_raters**2, ratings.n_items) < 1 << 31
    small: type[np.signedinteger[Any]] = np.int32 if fits else np.int64
    blocks = [[each.astype(small) for each in columns] for columns in _joined(ratings)]
    first, second, raters = (np.concatenate(each) for each in zip(*blocks, strict=True))
    del blocks
    met, pair = distinct(raters, n_raters**2)
    del raters
    rater_a, rater_b = np.divmod(met, max(n_raters, 1))
    order = np.argsort(pair.astype(np.min_scalar_type(len(met))), kind="stable")  # few bits are counted, not compared
    first, second, pair = (column[order] for column in (first, second, pair.astype(small)))
    del order
    per_item = ratings.per_item()
    return JoinedRows(
        rater_a=rater_a,
        rater_b=rater_b,
        pair=pair,
        first=first,
        second=second,
        item=ratings.item_codes[first].astype(small),
        n_items_of_all=ratings.n_items,
        units=ratings.units,
        has_repetitions=len(first) < int((per_item * (per_item - 1) // 2).sum()),
    )


def _joined(ratings: Ratings) -> Iterator[tuple[Codes, Codes, Codes]]:
    """The positions of both judgments of each row, and a code of the two raters; of some items after the others."""
    raters, n_raters = ratings.raters, ratings.n_raters
    items = ratings.items
    is_sorted = bool((items[1:] >= items[:-1]).all())
    order = np.arange(len(items)) if is_sorted else np.argsort(items, kind="stable")
    starts = np.flatnonzero(changes(items[order]))
    bounds = np.unique(starts[np.searchsorted(starts, np.arange(0, len(items), _RATINGS_AT_ONCE), "right") - 1])
    for start, end in pairwise([*bounds.tolist(), len(items)] if len(items) else [0, 0]):
        mine = order[start:end]
        first, second = (mine[each] for each in pairs_within(items[mine]))
        swapped = raters[first] > raters[second]
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
        differ = raters[first] != raters[second]
        first, second = first[differ], second[differ]
        yield first, second, raters[first] * n_raters + raters[second]


def two_columns(first: ArrayLike, second: ArrayLike, units: ArrayLike | None = None) -> Ratings:
    """Two columns of equal length, one row an item, as the ratings of raters 0 and 1; ``units`` has one a row."""
    columns = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    n = len(columns[0])
    if n != len(columns[1]):
        raise RatingsError(f"The columns have {n} and {len(columns[1])} rows; join them first.")
    return Ratings.from_arrays(
        np.tile(np.arange(n), 2),
        np.repeat([0, 1], n),
        np.concatenate(columns),
        n_raters=2,
        units=units,
        repeated="cross",
    )

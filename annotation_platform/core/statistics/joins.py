"""Joined rows: the judgments that two raters gave to the same item, for all pairs of raters at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Integers
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import changes, distinct, slices_of
from annotation_platform.core.statistics.ratings import Ratings, RatingsError

_AT_ONCE = 1 << 15

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
    per_item : int array, shape (items,), or None
        How many judgments each item has. None where some of them are not joined with each of the others.
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
    per_item: Codes | None

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
            per_item=None,
        )

    @cached_property
    def n_items(self) -> Codes:
        """How many items each pair shares, shape (pairs,)."""
        if not self.has_repetitions:
            return np.diff(self.ends)
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
        if self.per_item is not None:
            items = self.per_item > 1
            return items, int(self.per_item[items].sum())
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
    """Join the ratings of every pair of raters.

    Raises
    ------
    RatingsError
        Where pair, place and distance of a row do not fit into one number: a hundred thousand raters and a million
        ratings do, with a hundred to an item.
    """
    per_item = ratings.per_item()
    order, sizes = _by_item(ratings), per_item[per_item > 0]
    places = _Places.of(ratings.n_raters, len(ratings), int(sizes.max(initial=1)))
    keys = _keys(ratings.raters if order is None else ratings.raters[order], sizes, places)
    fits = max(len(ratings), ratings.n_raters**2, ratings.n_items) < 1 << 31
    small: type[np.signedinteger[Any]] = np.int32 if fits else np.int64
    pair, first, second, item = (np.empty(len(keys), dtype=small) for _ in range(4))
    met = [np.empty(0, dtype=np.int64)]
    n_met = 0
    for rows in slices_of(len(keys), _AT_ONCE):
        raters, first_place, second_place = places.of_keys(keys[rows])
        is_new = changes(raters)
        is_new[0] = n_met == 0 or raters[0] != met[-1][-1]
        pair[rows] = np.cumsum(is_new) + (n_met - 1)
        if is_new.any():
            met.append(raters[is_new])
            n_met += len(met[-1])
        first[rows] = first_place if order is None else order[first_place]
        second[rows] = second_place if order is None else order[second_place]
        item[rows] = ratings.item_codes[first[rows]]
    rater_a, rater_b = np.divmod(np.concatenate(met), max(ratings.n_raters, 1))
    has_repetitions = len(keys) < _n_rows(sizes)
    return JoinedRows(
        rater_a=rater_a,
        rater_b=rater_b,
        pair=pair,
        first=first,
        second=second,
        item=item,
        n_items_of_all=ratings.n_items,
        units=ratings.units,
        has_repetitions=has_repetitions,
        per_item=None if has_repetitions else per_item,
    )


class _Places(NamedTuple):
    """How one number holds a row, so that sorting these numbers sorts the rows by pair of raters, there by item.

    From the highest bit on: the code of both raters, the place of the first one's rating among those sorted by item,
    and how many places later the second one's stands; counted from ``-most``, since it may stand before.
    """

    n_raters: int
    of_place: int
    of_distance: int
    most: int

    @classmethod
    def of(cls, n_raters: int, n_ratings: int, most_per_item: int) -> _Places:
        places = cls(n_raters, n_ratings.bit_length(), (2 * most_per_item).bit_length(), most_per_item)
        if (n_raters**2).bit_length() + places.of_place + places.of_distance > 63:
            raise RatingsError(
                f"{n_ratings} ratings by {n_raters} raters, up to {most_per_item} of an item, are too many to join."
            )
        return places

    def keys(self, raters: Codes, later: Codes, place: Codes, distance: int) -> Codes:
        """Of the raters at these places, and of those who stand so much later."""
        keys = np.minimum(raters, later) * self.n_raters + np.maximum(raters, later)
        keys <<= self.of_place
        keys |= place
        keys <<= self.of_distance
        keys |= self.most + distance
        keys += (raters > later) * ((distance << self.of_distance) - 2 * distance)
        return keys

    def of_keys(self, keys: Codes) -> tuple[Codes, Codes, Codes]:
        """The code of both raters, and the places of the first one's rating and of the second one's."""
        first = keys >> self.of_distance
        raters = first >> self.of_place
        first &= (1 << self.of_place) - 1
        second = keys & (1 << self.of_distance) - 1
        second += first
        second -= self.most
        return raters, first, second


def _by_item(ratings: Ratings) -> Codes | None:
    """The ratings in the order of their items; None where they are."""
    items = ratings.item_codes
    return None if bool((items[1:] >= items[:-1]).all()) else np.argsort(ratings.items, kind="stable")


def _n_rows(sizes: Codes) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _keys(raters: Codes, sizes: Codes, places: _Places) -> Codes:
    """The rows of different raters as numbers, sorted; ``raters`` stand by item, so many of each as ``sizes`` say."""
    n = len(raters)
    behind = np.repeat(np.cumsum(sizes), sizes) - np.arange(1, n + 1)  # how many of the item are behind each
    keys = np.empty(_n_rows(sizes), dtype=np.int64)
    n_keys = 0
    for start in range(0, n, _AT_ONCE):
        place = np.arange(start, min(start + _AT_ONCE, n))
        for distance in range(1, int(sizes.max(initial=1))):
            place = place[behind[place] >= distance]
            if not len(place):
                break
            mine, later = raters[place], raters[place + distance]
            found = places.keys(mine, later, place, distance)
            differ = mine != later
            if not differ.all():
                found = found[differ]
            keys[n_keys : n_keys + len(found)] = found
            n_keys += len(found)
    keys = keys[:n_keys]
    keys.sort()
    return keys


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

"""The ratings table: which rater gave which item which value. Missing ratings are simply absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotation_platform.core.arrays import Codes, Flags, Floats, Integers, Numbers
from annotation_platform.core.statistics.codes import distinct, slices_of, sum_by_item
from annotation_platform.core.statistics.result import Ends

Repeated = Literal["cross", "mean", "last", "error"]


class RatingsError(ValueError):
    """The arrays cannot be read as a ratings table."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of items by raters, one entry a rating.

    Build it with `from_arrays` (integer codes) or `from_names` (any strings); both validate.

    Attributes
    ----------
    item_codes, rater_codes : int arrays, shape (n,)
        Codes ``0 … n_items - 1`` and ``0 … n_raters - 1``, in whatever integer type they were given.
    numbers : int or float array, shape (n,)
        The rating as a number: a label's number, its rank, or a score. Always finite.
    best : bool array, shape (n,), or None
        Whether the *raw label* behind the rating is the best one of its scale. Carried along with any
        values (also rescaled ones), because the incomplete setting of pairwise τ asks for it.
    repeated : {'cross', 'mean', 'last', 'error'}
        What was done with several judgments of one item by one rater. 'cross' keeps them all: pairwise
        statistics join each of one rater's with each of the other's, the other statistics count each.
        'mean' averages them (`best` where all were best), 'last' keeps the one that comes last,
        'error' refuses them.
    n_items, n_raters : int
        Size of the code ranges.
    units : int array, shape (n_items,), or None
        Which items are drawn together when intervals are made: codes from 0 of what they share, such as an article.
        None: each item is drawn by itself.
    item_names, rater_names : tuple of str, or None
        Names by code; rater names appear in the reasons of undefined values.
    ends : tuple of two floats, or None
        The lowest and the highest value that there can be, such as the ends of the scale; the highest may be infinite.
        None: not known.

    Notes
    -----
    The arrays are read-only views of what was passed in, also of a pandas column: five million ratings as
    int32, int16 and int8 stay 35 MB. Small types overflow in arithmetic, so what calculates takes `items`,
    `raters` and `values`, which are int64 and float64 (a view where they are so already, else made anew).
    """

    item_codes: Integers
    rater_codes: Integers
    numbers: Numbers
    best: Flags | None
    repeated: Repeated
    n_items: int
    n_raters: int
    item_names: tuple[str, ...] | None = None
    rater_names: tuple[str, ...] | None = None
    units: Codes | None = None
    ends: Ends | None = None

    @classmethod
    def from_arrays(
        cls,
        items: ArrayLike,
        raters: ArrayLike,
        values: ArrayLike,
        *,
        repeated: Repeated,
        best: ArrayLike | None = None,
        n_items: int | None = None,
        n_raters: int | None = None,
        item_names: Sequence[str] | None = None,
        rater_names: Sequence[str] | None = None,
        units: ArrayLike | None = None,
        ends: Ends | None = None,
    ) -> Ratings:
        """Validate the columns of a ratings table and apply the policy for repeated judgments.

        Parameters
        ----------
        items, raters : array-like of int, shape (n,)
            Codes from 0.
        values : array-like of float, shape (n,)
            Finite numbers; leave a missing rating out.
        repeated : {'cross', 'mean', 'last', 'error'}
            See the class. There is no default: programs differ silently here.
        best : array-like of bool, shape (n,), optional
            Whether the raw label is the best of its scale.
        n_items, n_raters : int, optional
            Size of the code ranges; by default the greatest code plus one. Give them when two tables are
            to be compared (raw and rescaled) and one might lack the last items.
        item_names, rater_names : sequence of str, optional
            One name a code.
        units : array-like of int, shape (n_items,), optional
            What items are drawn together with.
        ends : tuple of two floats, optional
            The lowest and the highest value that there can be.

        Raises
        ------
        RatingsError
            For columns of unequal length, codes that are no integers from 0 to the range's end, values
            that are not finite, names or units that do not fit the range, or, with ``repeated='error'``, a
            rater who judged an item more than once.
        """
        item_codes, rater_codes = _codes(items, "item"), _codes(raters, "rater")
        numbers = _numbers(values)
        flags: Flags | None = None if best is None else _column(best, np.bool_, "best")
        for name, column in (("raters", rater_codes), ("values", numbers), ("best", flags)):
            if column is not None and len(column) != len(item_codes):
                raise RatingsError(
                    f"items has {len(item_codes)} entries but {name} has {len(column)}; give one a rating."
                )
        if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise RatingsError(f"The value of rating {row} is {numbers[row]}; leave missing ratings out instead.")
        ratings = cls(
            item_codes=item_codes,
            rater_codes=rater_codes,
            numbers=numbers,
            best=flags,
            repeated=repeated,
            n_items=_range(item_codes, n_items, item_names, "item"),
            n_raters=_range(rater_codes, n_raters, rater_names, "rater"),
            item_names=None if item_names is None else tuple(item_names),
            rater_names=None if rater_names is None else tuple(rater_names),
            ends=ends,
        )
        if units is not None:
            ratings = replace(ratings, units=_units(units, ratings.n_items))
        return ratings if repeated == "cross" else _without_repetitions(ratings)

    @classmethod
    def from_names(
        cls,
        items: Sequence[str],
        raters: Sequence[str],
        values: ArrayLike,
        *,
        repeated: Repeated,
        best: ArrayLike | None = None,
    ) -> Ratings:
        """Make the table from names, which get codes in their sorted order; otherwise as `from_arrays`."""
        item_names, item_codes = np.unique(np.asarray(items, dtype=np.str_), return_inverse=True)
        rater_names, rater_codes = np.unique(np.asarray(raters, dtype=np.str_), return_inverse=True)
        return cls.from_arrays(
            item_codes,
            rater_codes,
            values,
            repeated=repeated,
            best=best,
            item_names=[str(name) for name in item_names],
            rater_names=[str(name) for name in rater_names],
        )

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def items(self) -> Codes:
        return self.item_codes.astype(np.int64, copy=False)

    @property
    def raters(self) -> Codes:
        return self.rater_codes.astype(np.int64, copy=False)

    @property
    def values(self) -> Floats:
        return self.numbers.astype(np.float64, copy=False)

    def where(self, kept: Flags | Codes) -> Ratings:
        """The table with only the ratings that are flagged, or at these positions; codes keep their meaning."""
        return replace(
            self,
            item_codes=self.item_codes[kept],
            rater_codes=self.rater_codes[kept],
            numbers=self.numbers[kept],
            best=None if self.best is None else self.best[kept],
        )

    def per_item(self) -> Codes:
        """How many ratings each item has, shape (n_items,)."""
        return sum_by_item(self.item_codes, self.n_items).astype(np.int64)

    def n_raters_of(self, items: Flags) -> int:
        """How many raters rated any of the items that are flagged."""
        seen = np.zeros(self.n_raters, dtype=np.bool_)
        for rows in slices_of(len(self)):
            seen[self.rater_codes[rows][items[self.item_codes[rows]]]] = True
            if seen.all():
                break
        return int(seen.sum())

    def n_units_of(self, items: Flags | Codes) -> int:
        """How many units the items belong to that are flagged, or have these codes."""
        if items.dtype != np.bool_:
            return len(np.unique(items if self.units is None else self.units[items]))
        if self.units is None:
            return int(items.sum())
        return int(np.count_nonzero(np.bincount(self.units[items])))

    @property
    def unit_of_item(self) -> Codes:
        return np.arange(self.n_items) if self.units is None else self.units

    def item_name(self, code: int) -> str:
        return str(code) if self.item_names is None else self.item_names[code]

    def rater_name(self, code: int) -> str:
        return str(code) if self.rater_names is None else self.rater_names[code]


def raters_of_items(ratings: Ratings) -> Codes:
    """How many raters each item has, shape (n_items,)."""
    return np.bincount(_cells(ratings) // ratings.n_raters, minlength=ratings.n_items)


def items_of_raters(ratings: Ratings) -> Codes:
    """How many items each rater has rated, shape (n_raters,)."""
    return np.bincount(_cells(ratings) % ratings.n_raters, minlength=ratings.n_raters)


def are_alone(ratings: Ratings) -> Flags:
    """Whether each rater shares no item with another, shape (n_raters,)."""
    shared = raters_of_items(ratings)[ratings.items] > 1
    alone: Flags = np.bincount(ratings.raters, shared, minlength=ratings.n_raters) == 0
    return alone


def _cells(ratings: Ratings) -> Codes:
    """The pairs of item and rater that there are, each once."""
    return distinct(ratings.items * ratings.n_raters + ratings.raters, ratings.n_items * ratings.n_raters)[0]


def _column(values: ArrayLike, dtype: Any, name: str) -> NDArray[Any]:
    try:
        column = np.asarray(values, dtype=dtype).view()
    except (TypeError, ValueError) as error:
        raise RatingsError(f"The {name} column cannot be read as numbers: {error}") from error
    if column.ndim != 1:
        raise RatingsError(f"The {name} column has {column.ndim} dimensions; give a flat list.")
    column.flags.writeable = False
    return column


def _numbers(values: ArrayLike) -> Numbers:
    given = np.asarray(values)
    numbers: Numbers = _column(given, given.dtype if given.dtype.kind in "iuf" else np.float64, "value")
    return numbers


def _codes(values: ArrayLike, name: str) -> Integers:
    given = np.asarray(values)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise RatingsError(f"The {name} codes are {given.dtype}; give integers from 0, or use from_names.")
    codes: Integers = _column(given, given.dtype if given.size else np.int64, name)
    if codes.size and codes.min() < 0:
        raise RatingsError(f"The smallest {name} code is {codes.min()}; codes count from 0.")
    return codes


def _range(codes: Integers, given: int | None, names: Sequence[str] | None, name: str) -> int:
    needed = int(codes.max()) + 1 if codes.size else 0
    size = given if given is not None else needed if names is None else len(names)
    if needed > size:
        raise RatingsError(f"The greatest {name} code is {needed - 1}, but there are only {size} {name}s.")
    if names is not None and len(names) != size:
        raise RatingsError(f"There are {len(names)} {name} names for {size} {name}s.")
    return size


def _units(units: ArrayLike, n_items: int) -> Codes:
    codes: Codes = _codes(units, "unit").astype(np.int64, copy=False)
    if len(codes) != n_items:
        raise RatingsError(f"There are {len(codes)} units for {n_items} items; give one an item.")
    return codes


def _without_repetitions(ratings: Ratings) -> Ratings:
    keys = ratings.items * ratings.n_raters + ratings.raters
    if (keys[1:] > keys[:-1]).all():
        return ratings
    present, position = distinct(keys, ratings.n_items * ratings.n_raters)
    if len(present) == len(keys):
        return ratings
    counts = np.bincount(position, minlength=len(present))
    if ratings.repeated == "error":
        key = int(present[counts > 1][0])
        item, rater = ratings.item_name(key // ratings.n_raters), ratings.rater_name(key % ratings.n_raters)
        raise RatingsError(
            f"Rater {rater} judged item {item} {int(counts[counts > 1][0])} times, and "
            f"{int((counts > 1).sum()) - 1} more such cases follow; "
            "choose repeated='cross', 'mean' or 'last' to say how to count them."
        )
    if ratings.repeated == "mean":
        values = np.bincount(position, ratings.values) / counts
        best = None if ratings.best is None else np.bincount(position, ratings.best) == counts
    else:
        last = np.empty(len(present), dtype=np.int64)
        last[position] = np.arange(len(keys))
        values = ratings.values[last]
        best = None if ratings.best is None else ratings.best[last]
    return Ratings(
        item_codes=present // ratings.n_raters,
        rater_codes=present % ratings.n_raters,
        numbers=values,
        best=best,
        repeated=ratings.repeated,
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        item_names=ratings.item_names,
        rater_names=ratings.rater_names,
        units=ratings.units,
        ends=ratings.ends,
    )

"""Concordant and tied pairs of rows in every resample, as quadratic forms in how often each unit is drawn.

Let w be how often units are drawn, r and s the joined rows of one pair of raters. Then::

    C − D = ½ Σ_{u,v} w_u w_v M[u, v]        M[u, v] = Σ_{r in u, s in v} sign(x_r − x_s) · sign(y_r − y_s)

M is made once and multiplied by the weights of all resamples. Rows n, units u, resamples b of a pair: time
O(n² + u² · b), where a step of the product takes a hundredth of what it takes to count one row by digits
(`concordance`). So this is many times as fast where raters share many different values and rows come from at most some
thousand units, such as articles. All terms are whole numbers, and are added exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.concordance import TauSums
from annotation_platform.core.statistics.quadratic_forms import one_thread

_UNITS_AT_ONCE = 128
_COLUMNS_AT_ONCE = 1024
_MOST_IN_A_BYTE = 127
_EXACT_IN_SINGLE = 2**24
_MOST_BYTES = 100_000_000

Single = NDArray[np.float32]
Small = NDArray[np.int8]


class Cost(NamedTuple):
    """What a block of pairs takes by forms, in nanoseconds, and the bytes of its matrices."""

    time: float
    size: int


def cost_of(pair: Codes, unit: Codes, n_pairs: int, n_units: int, resamples: int) -> Cost:
    """An estimate from how many rows and units each pair has."""
    keys, place = distinct(pair * n_units + unit, n_pairs * n_units)
    rows, units = (np.bincount(each, minlength=n_pairs).astype(np.float64) for each in (pair, keys // n_units))
    largest = np.zeros(n_pairs)
    np.maximum.at(largest, keys // n_units, np.bincount(place, minlength=len(keys)))
    calls = largest**2 * (1 + units / _UNITS_AT_ONCE) * (1 + units / _COLUMNS_AT_ONCE)
    each = rows**2 / 2 + 20_000 * calls + (0.02 * units**2 + 2 * rows + 1_000) * resamples
    return Cost(float(each.sum()), int(2 * (units * (units + 2 * _UNITS_AT_ONCE)).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class UnitForms:
    """What it takes to count the rows of some pairs of raters, one after the other."""

    pairs: tuple[_OfPair, ...]

    @classmethod
    def of(cls, pair: Codes, unit: Codes, first: Codes, second: Codes, *, n_pairs: int) -> UnitForms:
        """Of joined rows, ordered by pair: the unit of each, and its levels as codes in the values' order."""
        ends = np.searchsorted(pair, np.arange(n_pairs + 1))
        parts = (slice(start, end) for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
        return cls(tuple(_OfPair.of(unit[mine], first[mine], second[mine]) for mine in parts))

    def sums(self, weights: Floats) -> TauSums:
        """Of the pairs in every resample, given the weights of units, shape (units, resamples)."""
        with one_thread():
            found = [each.sums(weights) for each in self.pairs]
        return TauSums(*(np.stack(each) for each in zip(*found, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class _OfPair:
    """The joined rows of one pair.

    Attributes
    ----------
    units, sizes : int arrays, shape (units,)
        The units that have rows, those with most rows first, and how many these are.
    signs : float arrays, shape (some units, they and all that follow)
        M from the diagonal on, twice what is beyond the block on it.
    margins : two of _Margin
        Those of x and of y.
    """

    units: Codes
    sizes: Single
    signs: tuple[Single, ...]
    margins: tuple[_Margin, _Margin]

    @classmethod
    def of(cls, unit: Codes, first: Codes, second: Codes) -> _OfPair:
        units, place = distinct(unit, int(unit.max(initial=-1)) + 1)
        sizes = np.bincount(place, minlength=len(units))
        largest_first = np.argsort(-sizes, kind="stable")
        units, sizes, place = units[largest_first], sizes[largest_first], np.argsort(largest_first)[place]
        by_unit = np.argsort(place, kind="stable")
        place, x, y = place[by_unit], _ranks(first[by_unit]), _ranks(second[by_unit])
        return cls(
            units=units,
            sizes=sizes.astype(np.float32),
            signs=tuple(_signs(place, sizes, x, y)),
            margins=(_Margin.of(place, x, len(units)), _Margin.of(place, y, len(units))),
        )

    def sums(self, weights: Floats) -> TauSums:
        """Arrays of shape (resamples,)."""
        drawn = weights[self.units]
        rows = self.sizes.astype(np.float64) @ drawn
        largest = (self.sizes[:, None] * drawn).max(axis=0, initial=0.0)
        of_unit = float((2 * largest * rows).max(initial=1.0))
        drawn = drawn.astype(np.float32 if of_unit < _EXACT_IN_SINGLE else np.float64)
        first, second = (margin.squared(drawn) for margin in self.margins)
        at_once = max(int(_EXACT_IN_SINGLE / of_unit), 1)  # units whose terms may be added as they are
        difference, start = np.zeros(weights.shape[1]), 0
        for signs in self.signs:
            product = signs.astype(drawn.dtype, copy=False) @ drawn[start:]
            product *= drawn[start : start + len(signs)]
            some = np.add.reduceat(product, np.arange(0, len(product), at_once))
            difference += some.sum(axis=0, dtype=np.float64)
            start += len(signs)
        return TauSums(rows, first, second, difference / 2)


class _Margin(NamedTuple):
    """How many rows of one pair each unit has on each level of x, or of y.

    Attributes
    ----------
    alone : float array, shape (units,)
        The sum of these numbers' squares over the levels that no other unit has.
    shared : sparse array, shape (other levels, units)
    """

    alone: Floats
    shared: sparse.csr_array

    @classmethod
    def of(cls, place: Codes, ranks: Codes, n_units: int) -> _Margin:
        shape = int(ranks.max(initial=0)) + 1, n_units
        rows = sparse.csr_array((np.ones(len(place), np.float32), (ranks.astype(np.int64), place)), shape=shape)
        is_alone = np.diff(rows.indptr) == 1
        first = rows.indptr[:-1][is_alone]
        alone = np.zeros(n_units)
        np.add.at(alone, rows.indices[first], rows.data[first].astype(np.float64) ** 2)
        return cls(alone, rows[~is_alone])

    def squared(self, drawn: Single | Floats) -> Floats:
        """Σ over levels of the square of how many rows a resample has on each."""
        counts = self.shared @ drawn
        largest = float(counts.max(initial=0.0)) * float(counts.sum(axis=0, dtype=np.float64).max(initial=0.0))
        if largest >= _EXACT_IN_SINGLE:
            counts = counts.astype(np.float64)
        counts *= counts
        found: Floats = self.alone @ drawn**2 + counts.sum(axis=0)
        return found


def _ranks(levels: Codes) -> Codes:
    """The same order in as small a type as it fits, of which more are compared at once."""
    return distinct(levels, int(levels.max(initial=-1)) + 1)[1].astype(np.min_scalar_type(len(levels)))


class _Rows(NamedTuple):
    """One row of each unit that has so many, which are the first units."""

    x: Codes
    y: Codes

    def of(self, units: slice) -> _Rows:
        return _Rows(self.x[units], self.y[units])


def _signs(place: Codes, sizes: Codes, x: Codes, y: Codes) -> Iterator[Single]:
    """Blocks of M, given rows in the order of their units."""
    n = len(sizes)
    number = np.arange(len(place)) - (np.cumsum(sizes) - sizes)[place]
    by_number = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number)) if len(number) else np.zeros(0, dtype=np.int64)
    each = [_Rows(x[of_number], y[of_number]) for of_number in np.split(by_number, ends[:-1])]
    for start in range(0, n, _UNITS_AT_ONCE):
        stop = min(start + _UNITS_AT_ONCE, n)
        block = np.empty((stop - start, n - start), dtype=np.float32)
        mine = _some(each, slice(start, stop))
        for left in range(start, n, _COLUMNS_AT_ONCE):
            right = min(left + _COLUMNS_AT_ONCE, n)
            block[:, left - start : right - start] = _compared(mine, _some(each, slice(left, right)), stop - start)
        block[:, stop - start :] *= 2
        yield block


def _some(each: Iterable[_Rows], units: slice) -> list[_Rows]:
    return list(takewhile(lambda rows: len(rows.x), (rows.of(units) for rows in each)))


def _compared(these: list[_Rows], those: list[_Rows], n: int) -> Single:
    """Σ sign · sign over the rows of every two units."""
    total = np.zeros((n, len(those[0].x)), dtype=np.float32)
    some, added = np.zeros(total.shape, dtype=np.int8), 0
    for one in these:
        for other in those:
            signs = _sign(one.x, other.x)
            signs *= _sign(one.y, other.y)
            some[: len(one.x), : len(other.x)] += signs
            added += 1
            if added == _MOST_IN_A_BYTE:
                total += some
                some[:], added = 0, 0
    total += some
    return total


def _sign(first: Codes, second: Codes) -> Small:
    found = np.greater.outer(first, second).view(np.int8)
    found -= np.less.outer(first, second).view(np.int8)
    return found

"""Weighted counting of concordant and tied pairs of rows, for all pairs of raters and resamples at once.

Kendall's τ of two raters needs five sums over the contingency table t of their joined rows: how many rows
there are, the sums of squares of its cells and of its two margins, and the number of concordant row pairs,
Σ t[x, y] · Σ t[x' < x, y' < y]. `PairTables` holds the tables of all pairs of raters as their non-empty
cells, together with the sparse matrix cells × items, which is the product of the one-hot ratings with their
own transpose, kept apart by item. Its product with item weights gives the tables of every resample, and the
concordant pairs are counted level by level of the binary digits of y: two values differ first at one digit,
so at each digit the rows with a 0 and a smaller x are counted for every row with a 1, by one cumulative sum.
Digits are those of y's rank within the pair. Cells m, resamples b, levels L of a pair: time O(m · b · log L), with no
loop over pairs of raters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.codes import changes, distinct

_BLOCK = 16
_FEW_COLUMNS = 8  # one after the other is faster than side by side


class TauSums(NamedTuple):
    """What τ is made of: rows, sums of the squares of both margins, and C − D; arrays of one shape."""

    rows: Floats
    first_squared: Floats
    second_squared: Floats
    difference: Floats

    def columns(self, which: slice) -> TauSums:
        """Those of some resamples."""
        return TauSums(*(each[:, which] for each in self))

    def tau_b(self) -> Floats:
        return tau_b(self.rows, self.first_squared, self.second_squared, self.difference)

    def tau_a(self, same: Floats) -> Floats:
        return tau_a(self.rows, same, self.difference)


class PairSums(NamedTuple):
    """Sums of the weighted tables; each an array of shape (pairs, resamples)."""

    rows: Floats
    cells_squared: Floats
    first_squared: Floats
    second_squared: Floats
    concordant: Floats

    @property
    def untied(self) -> Floats:
        """Pairs of rows that are tied in neither of both columns."""
        untied: Floats = (self.rows**2 - self.first_squared - self.second_squared + self.cells_squared) / 2
        return untied

    @property
    def for_tau(self) -> TauSums:
        return TauSums(self.rows, self.first_squared, self.second_squared, 2 * self.concordant - self.untied)


def tau_b(rows: Floats, first_squared: Floats, second_squared: Floats, difference: Floats) -> Floats:
    """τ-b from C − D; NaN where a column is constant or there are fewer than two rows."""
    first, second = rows**2 - first_squared, rows**2 - second_squared
    defined = (first > 0) & (second > 0)
    root = np.sqrt(np.where(defined, first * second, 1.0))
    return np.where(defined, 2 * difference / root, np.nan)


def tau_a(rows: Floats, same: Floats, difference: Floats) -> Floats:
    """τ-a from C − D; NaN where there are fewer than two rows. ``same`` is the sum of the squared weights of the rows:
    a row that a resample has several times is not compared with itself."""
    row_pairs = rows**2 - same
    defined = row_pairs > 0
    return np.where(defined, 2 * difference / np.where(defined, row_pairs, 1), np.nan)


class _Digit(NamedTuple):
    zeros: Codes
    ones: Codes
    below: Codes
    group: Codes
    pair: Codes  # of the ones, ascending


class Margin(NamedTuple):
    """Totals of the tables' rows or columns, one a pair and level that occurs, ordered by pair, then level."""

    of_cell: Codes
    from_cells: sparse.csr_array
    to_pairs: sparse.csr_array
    pair: Codes
    level: Codes


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """The contingency tables of all pairs, by non-empty cell.

    Attributes
    ----------
    counts : float array, shape (cells,)
        Rows in each cell, each item counted once.
    pair, first_level, second_level : int arrays, shape (cells,)
        Where the cell is.
    first, second : Margin
    per_pair : sparse array, shape (pairs, cells)
        Its product with the cells sums them by pair.
    """

    n_pairs: int
    counts: Floats
    pair: Codes
    first_level: Codes
    second_level: Codes
    first: Margin
    second: Margin
    per_pair: sparse.csr_array
    _cell_of_row: Codes

    @classmethod
    def from_rows(cls, pairs: Codes, first: Codes, second: Codes, *, n_pairs: int) -> PairTables:
        """Tables of joined rows: which pair of raters, and their levels as codes in the values' order."""
        width = int(first.max(initial=0)) + 1
        depth = int(second.max(initial=0)) + 1
        first_keys, first_of_row = distinct(pairs * width + first, n_pairs * width)
        cells, cell_of_row = distinct(first_of_row * depth + second, len(first_keys) * depth)
        first_of_cell, y = np.divmod(cells, depth)
        pair, x = np.divmod(first_keys[first_of_cell], width)
        second_keys, second_of_cell = distinct(pair * depth + y, n_pairs * depth)
        return cls(
            n_pairs=n_pairs,
            counts=np.bincount(cell_of_row, minlength=len(cells)).astype(np.float64),
            pair=pair,
            first_level=x,
            second_level=y,
            first=_margin(first_of_cell, first_keys, width, n_pairs),
            second=_margin(second_of_cell, second_keys, depth, n_pairs),
            per_pair=summing(pair, n_pairs),
            _cell_of_row=cell_of_row,
        )

    @property
    def second_rank(self) -> Codes:
        """Of the second level of each cell among those that the pair has."""
        return self.second.of_cell - np.searchsorted(self.second.pair, np.arange(self.n_pairs))[self.pair]

    def of_rows(self, counts: Floats) -> Floats:
        """Counts of rows added up by cell."""
        found: Floats = summing(self._cell_of_row, len(self.counts)) @ counts
        return found

    def counted(self, kept: Flags | None) -> Floats:
        """Rows in each cell, of all or of those flagged."""
        if kept is None:
            return self.counts
        return np.bincount(self._cell_of_row[kept], minlength=len(self.counts)).astype(np.float64)

    def by_item(self, items: Codes, n_items: int, kept: Flags | None = None) -> sparse.csr_array:
        """Rows in each cell, of all or of those flagged, kept apart by item, shape (cells, items), given the item of
        each row."""
        cells = self._cell_of_row if kept is None else self._cell_of_row[kept]
        items = items if kept is None else items[kept]
        return sparse.csr_array((np.ones(len(items)), (cells, items)), shape=(len(self.counts), n_items))


@dataclass(frozen=True, slots=True, eq=False)
class Concordance:
    """What it takes to count the concordant row pairs of tables."""

    tables: PairTables
    _digits: tuple[_Digit, ...]

    @classmethod
    def of(cls, tables: PairTables) -> Concordance:
        return cls(tables, _digits(tables.pair, tables.first_level, tables.second_rank))

    def sums(self, cells: Floats) -> PairSums:
        """The sums over the tables whose cells, shape (cells, resamples), are given."""
        tables = self.tables
        concordant = self._by_column(cells) if cells.shape[1] <= _FEW_COLUMNS else self._side_by_side(cells)
        return PairSums(
            rows=tables.per_pair @ cells,
            cells_squared=tables.per_pair @ cells**2,
            first_squared=tables.first.to_pairs @ (tables.first.from_cells @ cells) ** 2,
            second_squared=tables.second.to_pairs @ (tables.second.from_cells @ cells) ** 2,
            concordant=concordant,
        )

    def _side_by_side(self, cells: Floats) -> Floats:
        concordant = np.zeros((self.tables.n_pairs, cells.shape[1]))
        for digit in self._digits:
            smaller = _cumulate(cells[digit.zeros])
            reached = smaller[digit.below]
            reached -= smaller[digit.group]
            reached *= cells[digit.ones]
            concordant += summing(digit.pair, len(concordant)) @ reached
        return concordant

    def _by_column(self, cells: Floats) -> Floats:
        """The same, each resample by itself: numpy goes along a single row many times as fast as along few columns."""
        columns = np.ascontiguousarray(cells.T)
        concordant = np.zeros((len(columns), self.tables.n_pairs))
        smaller = np.zeros(cells.shape[0] + 1)
        for digit in self._digits:
            starts = np.flatnonzero(np.diff(digit.pair, prepend=-1))
            pairs = digit.pair[starts]
            for column, found in zip(columns, concordant, strict=True):
                np.cumsum(column[digit.zeros], out=smaller[1 : len(digit.zeros) + 1])
                reached = smaller[digit.below]
                reached -= smaller[digit.group]
                reached *= column[digit.ones]
                found[pairs] += np.add.reduceat(reached, starts)
        return concordant.T


def _margin(of_cell: Codes, keys: Codes, n_levels: int, n_pairs: int) -> Margin:
    pair, level = np.divmod(keys, n_levels)
    return Margin(of_cell, summing(of_cell, len(keys)), summing(pair, n_pairs), pair, level)


def summing(targets: Codes, n_targets: int, values: Floats | None = None) -> sparse.csr_array:
    """The matrix whose product with a column sums its entries, each times its value, by target."""
    n = len(targets)
    shape, values = (n_targets, n), np.ones(n) if values is None else values
    if (targets[1:] >= targets[:-1]).all():
        ends = np.cumsum(np.bincount(targets, minlength=n_targets))
        return sparse.csr_array((values, np.arange(n), np.r_[0, ends]), shape=shape)
    return sparse.csr_array((values, (targets, np.arange(n))), shape=shape)


def _digits(pair: Codes, x: Codes, y: Codes) -> tuple[_Digit, ...]:
    """For each binary digit of y, where each cell with a 1 finds its lesser cells with a 0."""
    digits = []
    order = np.arange(len(pair))  # cells come in the order of their pairs, and there of x
    # Cells are comparable at a digit when they agree in the pair and in all higher digits: they come in the order of
    # these groups, and there of x.
    group = pair
    for bit in reversed(range(int(y.max(initial=0)).bit_length())):
        is_one = (y[order] >> bit) & 1 == 1
        n_zeros = np.cumsum(~is_one)
        begins = changes(group)
        columns = begins | changes(x[order])
        ones = np.flatnonzero(is_one)
        start, below = (_zeros_before(n_zeros, is_one, marks, ones) for marks in (begins, columns))
        useful = below > start
        if useful.any():
            cells = order[ones[useful]]
            digits.append(_Digit(order[~is_one], cells, below[useful], start[useful], pair[cells]))
        halves = 2 * (np.cumsum(begins) - 1) + is_one
        by_half = np.argsort(halves.astype(np.min_scalar_type(2 * len(order))), kind="stable")
        order, group = order[by_half], halves[by_half]
    return tuple(digits)


def _zeros_before(n_zeros: Codes, is_one: Flags, marks: Flags, places: Codes) -> Codes:
    """Of these places, how many zeros come before the latest mark, the place itself included."""
    marked = np.flatnonzero(marks)
    before: Codes = n_zeros[marked] - ~is_one[marked]
    found: Codes = before[np.cumsum(marks)[places] - 1]
    return found


def _cumulate(values: Floats) -> Floats:
    """Sums of the rows before each row, and of all rows at the end; shape (rows + 1, columns).

    numpy accumulates along the first axis one element at a time; adding whole rows in two levels of
    blocks is eight times as fast for many columns.
    """
    n, columns = values.shape
    blocks = -(-n // _BLOCK)
    sums = np.zeros((1 + blocks * _BLOCK, columns))
    if n < _BLOCK:
        np.cumsum(values, axis=0, out=sums[1 : n + 1])
        return sums[: n + 1]
    sums[1 : n + 1] = values
    blocked = sums[1:].reshape(blocks, _BLOCK, columns)
    for position in range(1, _BLOCK):
        blocked[:, position] += blocked[:, position - 1]
    blocked += _cumulate(blocked[:, -1])[:-1, None]
    return sums[: n + 1]

"""Weighted counting of concordant and tied pairs of rows, for all pairs of raters and resamples at once.

Kendall's τ of two raters needs five sums over the contingency table t of their joined rows: how many rows
there are, the sums of squares of its cells and of its two margins, and the number of discordant row pairs,
Σ t[x, y] · Σ t[x' < x, y' > y]. `PairTables` holds the tables of all pairs of raters as their non-empty
cells, together with the sparse matrix cells × items, which is the product of the one-hot ratings with their
own transpose, kept apart by item. Its product with item weights gives the tables of every resample. Discordant
pairs are the inversions of y in the order of x (`inversions`); the levels of y are its ranks within the pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats, Integers
from annotation_platform.core.statistics.codes import distinct, summing
from annotation_platform.core.statistics.inversions import Inversions


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
    def from_rows(cls, pairs: Integers, first: Integers, second: Integers, *, n_pairs: int) -> PairTables:
        """Tables of joined rows: which pair of raters, and their levels as codes in the values' order."""
        width = int(first.max(initial=0)) + 1
        depth = int(second.max(initial=0)) + 1
        keys = pairs.astype(np.int64, copy=False) * width
        keys += first
        kept: Codes | None = None
        space = n_pairs * width
        if space * depth >= 1 << 63:  # more than one number holds: those that there are are numbered
            kept, keys = distinct(keys, space)
            space = len(kept)
        keys *= depth
        keys += second
        cells, cell_of_row = distinct(keys, space * depth)
        y = cells % depth
        first_keys, first_of_cell = distinct(cells // depth, space)
        if kept is not None:
            first_keys = kept
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

    def by_item(self, items: Integers, n_items: int, kept: Flags | None = None) -> sparse.csr_array:
        """Rows in each cell, of all or of those flagged, kept apart by item, shape (cells, items), given the item of
        each row; or by unit in the place of item."""
        cells = self._cell_of_row if kept is None else self._cell_of_row[kept]
        items = items if kept is None else items[kept]
        return sparse.csr_array((np.ones(len(items)), (cells, items)), shape=(len(self.counts), n_items))


@dataclass(frozen=True, slots=True, eq=False)
class Concordance:
    """What it takes to count the concordant row pairs of tables."""

    tables: PairTables
    _discordant: Inversions

    @classmethod
    def of(cls, tables: PairTables) -> Concordance:
        # Cells come in the order of their pairs, there of x and there of y: those tied in x are not turned round.
        rows = np.arange(len(tables.pair))
        return cls(tables, Inversions.of(rows, tables.pair, tables.second_rank, tables.n_pairs))

    def sums(self, cells: Floats) -> TauSums:
        """The sums over the tables whose cells, shape (cells, resamples), are given."""
        tables = self.tables
        rows = tables.per_pair @ cells
        first = tables.first.to_pairs @ (tables.first.from_cells @ cells) ** 2
        second = tables.second.to_pairs @ (tables.second.from_cells @ cells) ** 2
        untied = (rows**2 - first - second + tables.per_pair @ cells**2) / 2
        return TauSums(rows, first, second, untied - 2 * self._discordant.counted(cells))


def _margin(of_cell: Codes, keys: Codes, n_levels: int, n_pairs: int) -> Margin:
    pair, level = np.divmod(keys, n_levels)
    return Margin(of_cell, summing(of_cell, len(keys)), summing(pair, n_pairs), pair, level)

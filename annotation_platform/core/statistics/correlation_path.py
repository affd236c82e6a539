"""Kendall's τ of all pairs of raters along a path: the same judgments, whose values change from step to step.

Along the mixtures of a rescaling most judgments keep their order from one step to the next. So the joined rows are
counted once, by cell: a pair of raters with the values of both judgments at all steps. Let c be these counts, in a
resample or in the data themselves. At step t a pair of raters has::

    C − D = Σ_{r<s} K_t[r, s] c_r c_s       K_t[r, s] = sign(x_r − x_s) · sign(y_r − y_s)

and its squared margins are sums of the same form over the ties within x or within y. Between two steps only the entries
of K change where an order did, a few in a hundred; where more change, as between "all scores of a label are tied" and
"none is", the product is made anew with the whole of K, after cells that are equal at this step are added up. The
incomplete setting is a part of the same sum: that over the cells in which not both labels are the best.

All terms are whole numbers and are added exactly, so that τ is that of `pairwise_taus`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Counts, Flags, Floats
from annotation_platform.core.statistics.codes import levels, pairs_within, summing
from annotation_platform.core.statistics.concordance import Margin, PairTables, tau_a, tau_b
from annotation_platform.core.statistics.correlation import Rows, joined, pairwise_tau_of, taus_of_rows
from annotation_platform.core.statistics.equal_judgments import EqualJudgments
from annotation_platform.core.statistics.joins import JoinedRows
from annotation_platform.core.statistics.pair_taus import PairwiseTau, Setting
from annotation_platform.core.statistics.path_cells import counts_of_cells, distinct_judgments, squared_margins
from annotation_platform.core.statistics.quadratic_forms import Entries, one_thread
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap

_MOST_COUNTS = 10_000_000  # cells × resamples, at four or eight bytes each
_MOST_OF_PAIRS = 2_000_000  # pairs × resamples, of which a dozen are kept
_MOST_CELLS_OF_PAIR = 2_000  # whose K is made whole
_MOST_TWO_CELLS = 20_000_000  # of one pair each, whose order is kept at 40 bytes or so
_MOST_OF_ONE_STEP = 500  # the same on average, where there is no further step to take over from it
_WHOLE_IS_FASTER = 10  # an entry of the whole K costs so much less than one that is looked up


def pairwise_taus_along(
    path: Sequence[Ratings],
    settings: Iterable[Setting] = tuple(Setting),
    *,
    bootstrap: Bootstrap,
    equal: EqualJudgments | None = None,
    rows: Rows | None = None,
) -> Iterator[dict[Setting, PairwiseTau]]:
    """`pairwise_taus` of each step of a path, without noise; far faster where steps are alike.

    Parameters
    ----------
    path : sequence of Ratings
        The same judgments in the same order, with other values.
    settings, bootstrap
        As in `pairwise_taus`.
    equal : EqualJudgments, optional
        Of this path, where they are known.
    rows : Rows, optional
        `joined` of these judgments, where they are known.

    Yields
    ------
    dict of Setting to PairwiseTau
        For each step in turn. Where raters share so many different values that nothing is won, each is computed alone.
    """
    asked = tuple(settings)
    rows = joined(path[0], asked) if rows is None else rows
    steps = _Steps.of(path, rows, bootstrap)
    if steps is None:
        for ratings in path:
            codes = equal.ranks(ratings.numbers).take(equal.cell) if equal else None
            yield taus_of_rows(ratings, rows, asked, noise=None, bootstrap=bootstrap, codes=codes)
        return
    for ratings, sums in zip(path, steps.sums(), strict=True):
        yield {setting: steps.tau(ratings, setting, sums[setting is Setting.INCOMPLETE]) for setting in asked}


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums of one step; each an array of shape (pairs, 1 + resamples)."""

    first_squared: Floats
    second_squared: Floats
    difference: Floats

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.first_squared + other.first_squared,
            self.second_squared + other.second_squared,
            self.difference + other.difference,
        )


@dataclass(frozen=True, eq=False)
class _Side:
    """One rater of each pair: the margins of the cells, and how their values lie at each step."""

    margin: Margin
    ranks: Codes  # (steps, margins)

    @cached_property
    def within(self) -> tuple[Codes, Codes]:
        """All two margins of one pair of raters."""
        return pairs_within(self.margin.pair)

    def order(self, step: int) -> Codes:
        first, second = self.within
        return _order(self.ranks[step], first, second)

    def order_of_cells(self, step: int, first: Codes, second: Codes) -> Codes:
        return _order(self.ranks[step][self.margin.of_cell], first, second)

    def turned(self, step: int) -> tuple[Codes, Codes, Codes]:
        """Which two margins lie otherwise than at the step before, with their order then and now."""
        before, now = self.order(step - 1), self.order(step)
        changed = np.flatnonzero(before != now)
        return changed, before[changed], now[changed]

    def cells_turned(self, changed: Codes) -> int:
        """How many two cells these margins stand for: few margins of many cells each are a great many."""
        cells = np.bincount(self.margin.of_cell, minlength=len(self.margin.pair))
        first, second = (cells[each[changed]] for each in self.within)
        return int(first @ second)

    def changes(self, changed: Codes, before: Codes, now: Codes) -> tuple[Entries, Entries]:
        """What the last step did to the ties of margins, and to the order of cells."""
        if not len(changed):
            nothing = Entries(changed, changed, np.zeros(0))
            return nothing, nothing
        first, second = (each[changed] for each in self.within)
        ties = Entries(first, second, 2.0 * ((now == 0).astype(np.float64) - (before == 0)))
        size = len(self.margin.pair)
        turned = sparse.csr_array(((now - before).astype(np.float64), (first, second)), shape=(size, size))
        of_cells = (self.margin.from_cells.T @ turned @ self.margin.from_cells).tocoo()
        return ties.changed(), Entries(*_rows_and_columns(of_cells), of_cells.data)

    def tied(self, ties: Entries, counts: Counts, cells: Flags, n_pairs: int) -> Floats:
        """What these ties, of the margins of some cells, add to the sums of their squares."""
        if not len(ties):
            return np.zeros((n_pairs, counts.shape[1]))
        used, position = np.unique(np.concatenate([ties.row, ties.column]), return_inverse=True)
        row, column = position.reshape(2, -1)
        margins = (_only(self.margin.from_cells[used], cells, counts) @ counts).astype(np.float64)
        return Entries(row, column, ties.value).form(margins, self.margin.pair[used], n_pairs)


@dataclass(frozen=True, eq=False)
class _Steps:
    """Cells of the joined rows with their counts in the data (the first column) and in every resample."""

    tables: PairTables
    first: _Side
    second: _Side
    both_best: Flags  # of each cell
    rows: tuple[JoinedRows, JoinedRows]  # all, and without those in which both are the best
    counts: Counts  # (cells, 1 + resamples)
    same: Floats
    bootstrap: Bootstrap
    n_steps: int

    @classmethod
    def of(cls, path: Sequence[Ratings], rows_of: Rows, bootstrap: Bootstrap) -> _Steps | None:
        ratings = path[0]
        rows = rows_of.every
        if _has_too_many_cells(path, rows):
            return None
        best = np.zeros(len(ratings), dtype=np.bool_) if ratings.best is None else ratings.best
        classes, code = distinct_judgments(path, best)
        tables = PairTables.from_rows(rows.pair, code[rows.first], code[rows.second], n_pairs=len(rows.rater_a))
        bootstrap, of_pair = bootstrap.of_pairs(tables.n_pairs), np.bincount(tables.pair)
        if (
            len(tables.counts) * bootstrap.resamples > _MOST_COUNTS
            or tables.n_pairs * bootstrap.resamples > _MOST_OF_PAIRS
            or of_pair.max(initial=0) > _MOST_CELLS_OF_PAIR
            or (of_pair**2).sum() > _MOST_TWO_CELLS
            or (len(path) == 1 and (of_pair**2).sum() > _MOST_OF_ONE_STEP * len(tables.counts))
        ):
            return None
        is_best = classes[-1].astype(np.bool_)
        counts, same = counts_of_cells(tables, rows, ratings, bootstrap)
        return cls(
            tables=tables,
            first=_Side(tables.first, classes[:-1, tables.first.level]),
            second=_Side(tables.second, classes[:-1, tables.second.level]),
            both_best=is_best[tables.first_level] & is_best[tables.second_level],
            rows=(rows, rows_of.incomplete or rows),
            counts=counts,
            same=same,
            bootstrap=bootstrap,
            n_steps=len(path),
        )

    def sums(self) -> Iterator[tuple[_Sums, _Sums]]:
        """Of all rows, and of those without both the best, at each step."""
        found: tuple[_Sums, _Sums] | None = None
        for step in range(self.n_steps):
            changes = self._changes(step) if found else None
            if found is None or changes is None:
                found = self._anew(step)
            else:
                added = self._changed(*changes)
                found = found[0] + added[0], found[1] + added[1]
            yield found

    def tau(self, ratings: Ratings, setting: Setting, sums: _Sums) -> PairwiseTau:
        is_incomplete = setting is Setting.INCOMPLETE
        n_rows = self._n_rows[is_incomplete]
        if setting is Setting.NO_TIES:
            taus = tau_a(n_rows, self.same, sums.difference)
        else:
            taus = tau_b(n_rows, sums.first_squared, sums.second_squared, sums.difference)
        return pairwise_tau_of(
            ratings,
            self.rows[is_incomplete],
            setting,
            None,
            taus[:, 0],
            n_rows[:, 0],
            np.stack([sums.first_squared[:, 0], sums.second_squared[:, 0]], axis=1),
            self.bootstrap,
            taus[:, 1:],
        )

    @cached_property
    def _cells(self) -> tuple[Flags, Flags]:
        """All, and those that the incomplete setting is about."""
        return np.ones_like(self.both_best), ~self.both_best

    @cached_property
    def _n_rows(self) -> tuple[Floats, Floats]:
        """Joined rows of each pair: all, and without both the best."""
        every, some = (_only(self.tables.per_pair, cells, self.counts) @ self.counts for cells in self._cells)
        return every.astype(np.float64), some.astype(np.float64)

    def _changes(self, step: int) -> tuple[Entries, Entries, Entries] | None:
        """Ties of both sides and K, as far as they are others than at the step before; None where too much is."""
        sides = self.first, self.second
        turned = [side.turned(step) for side in sides]
        entries = sum(side.cells_turned(changed) for side, (changed, *_) in zip(sides, turned, strict=True))
        of_pair = np.bincount(self._merged(step)[0])
        if entries * _WHOLE_IS_FASTER > (of_pair.astype(np.float64) ** 2).sum():
            return None
        (first_ties, first), (second_ties, second) = (
            side.changes(*each) for side, each in zip(sides, turned, strict=True)
        )
        first.value[:] *= self.second.order_of_cells(step, first.row, first.column)
        second.value[:] *= self.first.order_of_cells(step - 1, second.row, second.column)
        both = Entries(*(np.concatenate(each) for each in zip(_columns(first), _columns(second), strict=True)))
        return first_ties, second_ties, both.changed()

    def _changed(self, first_ties: Entries, second_ties: Entries, turned: Entries) -> tuple[_Sums, _Sums]:
        n, counts, pair = self.tables.n_pairs, self.counts, self.tables.pair
        is_with_best = self.both_best[turned.row] | self.both_best[turned.column]
        some = turned.among(~is_with_best).form(counts, pair, n)
        differences = some + turned.among(is_with_best).form(counts, pair, n), some
        every, without = (
            _Sums(self.first.tied(first_ties, counts, cells, n), self.second.tied(second_ties, counts, cells, n), each)
            for cells, each in zip(self._cells, differences, strict=True)
        )
        return every, without

    def _merged(self, step: int) -> tuple[Codes, Codes, Codes, Flags, Codes]:
        """Cells that are equal at this step are one: its pair, its ranks and whether both are the best; and of each
        cell, which one it belongs to."""
        tables = self.tables
        x, y = (side.ranks[step][side.margin.of_cell] for side in (self.first, self.second))
        width, depth = int(x.max(initial=0)) + 1, int(y.max(initial=0)) + 1
        keys = ((tables.pair * 2 + self.both_best) * width + x) * depth + y
        merged, of_cell = np.unique(keys, return_inverse=True)
        rest, y = np.divmod(merged, depth)
        rest, x = np.divmod(rest, width)
        return rest // 2, x, y, rest % 2 == 1, of_cell

    def _anew(self, step: int) -> tuple[_Sums, _Sums]:
        n, counts = self.tables.n_pairs, self.counts
        pair, x, y, both_best, of_cell = self._merged(step)
        if len(pair) < len(counts):
            merged = summing(of_cell, len(pair)).astype(counts.dtype) @ counts
        else:
            merged = counts[np.argsort(of_cell)]
        differences = np.zeros((2, n, counts.shape[1]))
        ends = np.searchsorted(pair, np.arange(n + 1)).tolist()
        with one_thread():
            for code, (start, end) in enumerate(pairwise(ends)):
                # Ordered by whether both are the best, so that the others are the first rows.
                n_others = int(np.searchsorted(both_best[start:end], True))
                mine = slice(start, end)
                differences[:, code] = _differences(x[mine], y[mine], merged[mine], n_others)
        squared = (squared_margins(pair, ranks, both_best, merged, n) for ranks in (x, y))
        every, without = (_Sums(*each) for each in zip(*squared, differences, strict=True))
        return every, without


def _differences(x: Codes, y: Codes, counts: Counts, n_others: int) -> tuple[Floats, Floats]:
    """C − D of one pair of raters, among all its cells and among the first of them."""
    order = (np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).astype(counts.dtype)
    others, best = counts[:n_others], counts[n_others:]

    def form(rows: Counts, matrix: Counts, columns: Counts) -> Floats:
        product = matrix @ columns
        product *= rows
        found: Floats = product.sum(axis=0, dtype=np.float64)
        return found

    some = form(others, order[:n_others, :n_others], others) / 2
    rest = form(best, order[n_others:, :n_others], others) + form(best, order[n_others:, n_others:], best) / 2
    return some + rest, some


def _has_too_many_cells(path: Sequence[Ratings], rows: JoinedRows) -> bool:
    """Whether the pair with the most rows has too many cells at one of the steps; looked at before all are counted."""
    n_rows = np.diff(rows.ends)
    if n_rows.max(initial=0) <= _MOST_CELLS_OF_PAIR:
        return False
    largest = int(n_rows.argmax())
    mine = slice(rows.ends[largest], rows.ends[largest + 1])
    for ratings in path:
        first, second = (levels(ratings.numbers[side[mine]])[1].astype(np.int64) for side in (rows.first, rows.second))
        if len(np.unique(first * (int(second.max()) + 1) + second)) > _MOST_CELLS_OF_PAIR:
            return True
    return False


def _only(matrix: sparse.csr_array, cells: Flags, counts: Counts) -> sparse.csr_array:
    """A matrix that adds up cells, for some of them only."""
    kept = matrix.data * cells[matrix.indices]
    return sparse.csr_array((kept.astype(counts.dtype), matrix.indices, matrix.indptr), shape=matrix.shape)


def _columns(entries: Entries) -> tuple[Codes, Codes, Counts]:
    return entries.row, entries.column, entries.value


def _rows_and_columns(matrix: Any) -> tuple[Codes, Codes]:
    row, column = matrix.coords
    return row.astype(np.int64), column.astype(np.int64)


def _order(ranks: Codes, first: Codes, second: Codes) -> Codes:
    order: Codes = np.sign(ranks[first] - ranks[second])
    return order

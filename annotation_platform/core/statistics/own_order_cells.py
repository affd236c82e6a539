"""What own order and spread are made of: equal judgments of one rater, how often each is drawn, and their sums.

Judgments of one rater that are equal before and after all steps are one cell. Pairs that are turned round are the
inversions of the values before in the order after (`inversions`), tied ones come from sums over equal values, and sums
of squares from the cells' values as deviations from the rater's own mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats, Integers
from annotation_platform.core.statistics.codes import changes, distinct, pairs_within, summing
from annotation_platform.core.statistics.equal_judgments import EqualJudgments
from annotation_platform.core.statistics.inversions import Inversions
from annotation_platform.core.statistics.quadratic_forms import Entries
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap

_ROUNDING = 1e-12
_CELLS_AT_ONCE = 1 << 13
_FEW_PAIRS = 8  # turned round or tied, for each cell: listing them is faster than blocks of rows
_MANY_PAIRS = 64  # to look at, for each cell
_MOST_SUMS = 10_000_000  # of all steps that are gone through at once, at eight bytes each

Sums = Callable[[Floats], Sequence[Floats]]
"""Of the cells' counts, (cells, columns): some arrays, (…, raters, columns)."""


@dataclass(frozen=True, eq=False)
class RaterCells:
    """Equal judgments of one rater, with how many there are in the data and in every resample.

    Those counts, cells × resamples, would be larger than all else: of a million judgments 3 GB. So everything is
    computed of the cells of some raters and of some columns after the other, the data's coming first.
    """

    parts: tuple[_Part, ...]
    bootstrap: Bootstrap | None

    @classmethod
    def of(
        cls, before: Ratings, path: Sequence[Ratings], bootstrap: Bootstrap | None, equal: EqualJudgments
    ) -> RaterCells:
        n, rater, n_cells = before.n_raters, equal.rater, len(equal.example)
        units = before.unit_of_item.astype(equal.cell.dtype)
        drawn = sparse.csr_array(
            (np.ones(len(before)), (equal.cell, units[before.items])), shape=(n_cells, int(units.max(initial=-1)) + 1)
        )
        values = np.empty((1 + len(path), n_cells))
        order = np.empty((1 + len(path), n_cells), dtype=equal.cell.dtype)
        for step, table in enumerate(chain([before], path)):
            # Deviations from the rater's own mean, so that large numbers do not swallow small differences.
            values[step] = table.values[equal.example] - _means(table.values, before.raters, n)[rater]
            order[step] = equal.ranks(table.numbers)
        ends = np.searchsorted(rater, np.arange(n + 1))
        starts = np.flatnonzero(np.diff(ends[:-1] // _CELLS_AT_ONCE, prepend=-1)).tolist() or [0]
        return cls(
            tuple(
                _Part.of(
                    rater[mine] - first, order[:, mine].astype(np.int64), values[:, mine], drawn[mine], last - first
                )
                for first, last in pairwise([*starts, n])
                for mine in [slice(int(ends[first]), int(ends[last]))]
            ),
            bootstrap,
        )

    def shares(self) -> Iterator[Floats]:
        """After each step (reversed, tied, spread, nuance) × (pooled, rater by rater) × (data, resamples), NaN where
        undefined."""
        ordered, before = self._over_columns([part.before for part in self.parts])
        for steps in self._steps():
            of_steps = self._over_columns([partial(part.after, steps) for part in self.parts])
            for turned, tied, after, among_equals in zip(*of_steps, strict=True):
                parts = [(turned, ordered), (tied, ordered), (after, before), (among_equals, after)]
                yield np.stack([_ratio(_pooled(above), _pooled(below)) for above, below in parts])

    @property
    def n_ordered(self) -> Floats:
        """How many pairs are ordered before, in the data: pooled, and of each rater."""
        of_raters = [part.before(part.drawn @ np.ones((self._n_units, 1)))[0] for part in self.parts]
        return _pooled(np.concatenate(of_raters))[:, 0]

    def _steps(self) -> Iterator[slice]:
        """So many at once that their sums are not too large; what is drawn is the same for all of them."""
        n_raters, n_steps = sum(part.n_raters for part in self.parts), len(self.parts[0].new)
        of_step = 4 * n_raters * (1 + (self.bootstrap.resamples if self.bootstrap else 0))
        at_once = max(_MOST_SUMS // max(of_step, 1), 1)
        return (slice(start, min(start + at_once, n_steps)) for start in range(0, n_steps, at_once))

    def _over_columns(self, sums: Sequence[Sums]) -> list[Floats]:
        """These sums of all raters, of the data and of all resamples."""
        by_columns = []
        for weights in self._weights():
            counted = (of_part(part.drawn @ weights) for of_part, part in zip(sums, self.parts, strict=True))
            by_columns.append([np.concatenate(of_parts, axis=-2) for of_parts in zip(*counted, strict=True)])
        return [np.concatenate(of_columns, axis=-1) for of_columns in zip(*by_columns, strict=True)]

    def _weights(self) -> Iterator[Floats]:
        """Of units in the resamples; in the data, where each counts once, as a column before them."""
        data = [np.ones((self._n_units, 1))]
        if self.bootstrap is None:
            yield from data
            return
        for weights in self.bootstrap.weights(self._n_units, width=max(len(part.rater) for part in self.parts)):
            yield np.hstack([*data, weights])
            data = []

    @property
    def _n_units(self) -> int:
        return int(self.parts[0].drawn.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The cells of some raters, ordered by rater, then by the value before.

    Attributes
    ----------
    rater : int array, shape (cells,)
        Codes from 0.
    old : float array, shape (cells,)
        The values before, as deviations from the rater's own mean.
    new : float array, shape (steps, cells)
        Those after each step.
    orders : tuple of _Listed or _Order
        One a step.
    drawn : sparse array, shape (cells, units)
        Its product with the weights of units is the counts of resamples.
    groups, of_cell : int arrays
        The rater of each group of cells with one value before, and the group of each cell.
    """

    n_raters: int
    rater: Codes
    old: Floats
    new: Floats
    orders: tuple[_Listed | _Order, ...]
    drawn: sparse.csr_array
    groups: Codes
    of_cell: Codes

    @classmethod
    def of(cls, rater: Codes, ranks: Codes, values: Floats, drawn: sparse.csr_array, n_raters: int) -> _Part:
        before, *after = ranks
        few = len(rater) and (np.bincount(rater) ** 2).sum() <= 2 * _MANY_PAIRS * len(rater)
        pairs = pairs_within(rater) if few else None
        depth = int(before.max(initial=0)) + 1
        groups, of_cell = distinct(rater * depth + before, n_raters * depth)
        return cls(
            n_raters=n_raters,
            rater=rater,
            old=values[0],
            new=values[1:],
            orders=tuple(
                (pairs and _Listed.of(rater, before, of_step, n_raters, pairs))
                or _Order.of(rater, before, of_step, n_raters)
                for of_step in after
            ),
            drawn=drawn,
            groups=groups // depth,
            of_cell=of_cell,
        )

    def before(self, counts: Floats) -> Sequence[Floats]:
        """Ordered pairs of each rater, and the sum of squared deviations from the own mean."""
        n, sizes = self._n(counts)
        squares, total = (summing(self.rater, self.n_raters, of) @ counts for of in (self.old**2, self.old))
        return (n**2 - self._pooling @ sizes**2) / 2, squares - _mean_part(total, n)

    def after(self, steps: slice, counts: Floats) -> Sequence[Floats]:
        """At each of these steps, of each rater: pairs that are turned round, and tied; squared deviations from the own
        mean, and from that of judgments that were equal before."""
        n, sizes = self._n(counts)
        pairs = [order.pairs(counts) for order in self.orders[steps]]
        squares, among_equals = [], []
        for new in self.new[steps]:
            squared = summing(self.rater, self.n_raters, new**2) @ counts
            total = summing(self.of_cell, len(self.groups), new) @ counts
            squares.append(squared - _mean_part(self._pooling @ total, n))
            among_equals.append(squared - self._pooling @ _mean_part(total, sizes))
        turned, tied = zip(*pairs, strict=True)
        return tuple(np.stack(each) for each in (turned, tied, squares, among_equals))

    def _n(self, counts: Floats) -> tuple[Floats, Floats]:
        """Judgments of each rater, and of each rater and value before."""
        return summing(self.rater, self.n_raters) @ counts, summing(self.of_cell, len(self.groups)) @ counts

    @property
    def _pooling(self) -> sparse.csr_array:
        return summing(self.groups, self.n_raters)


class _Listed(NamedTuple):
    """The pairs of cells that a step turns round, and that it makes equal, where these are few."""

    turned: Entries
    tied: Entries
    rater: Codes
    n_raters: int

    @classmethod
    def of(cls, rater: Codes, before: Codes, after: Codes, n_raters: int, pairs: tuple[Codes, Codes]) -> _Listed | None:
        """Of all pairs of cells of one rater; None where too many are left of them."""
        first, second = pairs
        is_ordered = before[first] < before[second]  # cells of a rater are in the order before
        turned, tied = (
            Entries(first[kept], second[kept], np.ones(np.count_nonzero(kept)))
            for kept in (is_ordered & (after[first] > after[second]), is_ordered & (after[first] == after[second]))
        )
        return cls(turned, tied, rater, n_raters) if len(turned) + len(tied) <= _FEW_PAIRS * len(rater) else None

    def pairs(self, counts: Floats) -> tuple[Floats, Floats]:
        turned, tied = (each.form(counts, self.rater, self.n_raters) for each in (self.turned, self.tied))
        return turned, tied


class _Order(NamedTuple):
    """The cells of some raters after a step, in its order, and there in that before.

    Attributes
    ----------
    inversions : Inversions
        Of the values before, one sequence a rater.
    tied : int array
        Cells that are equal to others after, but not before.
    cells, ties : int arrays
        Where in `tied` those begin that are equal in both, and where in `cells` those that are equal after.
    rater : int array, shape (ties,)
    """

    inversions: Inversions
    tied: Integers
    cells: Codes
    ties: Codes
    rater: Codes

    @classmethod
    def of(cls, rater: Codes, before: Codes, after: Codes, n_raters: int) -> _Order:
        """Of cells that are ordered by rater, then by the value before."""
        keys = rater * (int(after.max(initial=0)) + 1) + after
        rows = np.argsort(keys, kind="stable")
        rater, before, keys = rater[rows], before[rows], keys[rows]
        is_new, is_other = changes(keys), changes(keys) | changes(before)
        tie = np.cumsum(is_new) - 1
        is_tied = (np.bincount(tie[is_other]) > 1)[tie]
        cells = np.flatnonzero(is_other[is_tied])
        ties = np.flatnonzero(is_new[is_tied][cells])
        return cls(
            inversions=Inversions.of(rows, rater, before, n_raters),
            tied=rows[is_tied].astype(np.min_scalar_type(len(rows))),
            cells=cells,
            ties=ties,
            rater=rater[is_tied][cells][ties],
        )

    def pairs(self, counts: Floats) -> tuple[Floats, Floats]:
        """Pairs of each rater that are ordered before and turned round after, and those that are equal after."""
        turned = self.inversions.counted(counts)
        if not len(self.tied):
            return turned, np.zeros_like(turned)
        of_cell = np.add.reduceat(counts[self.tied], self.cells)
        of_tie, squared = (np.add.reduceat(each, self.ties) for each in (of_cell, of_cell**2))
        return turned, summing(self.rater, len(turned)) @ (of_tie**2 - squared) / 2


def _means(values: Floats, raters: Codes, n_raters: int) -> Floats:
    n = np.maximum(np.bincount(raters, minlength=n_raters), 1)
    means: Floats = np.bincount(raters, values, minlength=n_raters) / n
    return means


def _mean_part(total: Floats, n: Floats) -> Floats:
    """(Σ v)² / n, what the mean takes of a sum of squares."""
    part: Floats = total**2 / np.where(n > 0, n, 1)
    return part


def _pooled(by_rater: Floats) -> Floats:
    return np.concatenate([by_rater.sum(axis=0, keepdims=True), by_rater])


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing below; sums of squares that are rounding only count as nothing."""
    defined = below > 1e-9
    ratio: Floats = np.where(defined, above / np.where(defined, below, 1.0), np.nan)
    return np.where(ratio < _ROUNDING, 0.0, ratio)

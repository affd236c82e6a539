"""τ of all pairs of raters from their joined rows, in the data and in every resample, some pairs at a time.

What it takes to count concordant rows (`concordance`) is many times as large as the rows. Of so few pairs at once that
it fits a processor's cache, counting is also several times as fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats, Integers
from annotation_platform.core.statistics.concordance import Concordance, PairSums, PairTables
from annotation_platform.core.statistics.joins import JoinedRows
from annotation_platform.core.statistics.resampling import Bootstrap

_ROWS_AT_ONCE = 1 << 14
_FEW_COLUMNS = 16


class TauKind(NamedTuple):
    """A kind of τ: about all rows or those kept only, and with ties (τ-b) or without (τ-a)."""

    is_of_kept: bool
    has_ties: bool


class CountedTaus(NamedTuple):
    """The sums of the data, shape (pairs, 1), by whether of kept rows only; and τ in the resamples, (asked, pairs,
    resamples)."""

    sums: dict[bool, PairSums]
    samples: Floats


def count_rows(
    rows: JoinedRows, kept: Flags | None, codes: Integers, asked: Sequence[TauKind], bootstrap: Bootstrap | None
) -> CountedTaus:
    """Count the rows of all pairs.

    Parameters
    ----------
    rows : JoinedRows
    kept : bool array, shape (rows,), or None
        Which rows those asked for are about that are not about all.
    codes : int array, shape (ratings,)
        Of the value of each rating, in the values' order.
    asked : sequence of TauKind
    bootstrap : Bootstrap or None
    """
    n_pairs = len(rows.rater_a)
    unit = rows.item if rows.units is None else rows.units[rows.item]
    n_units = rows.n_items_of_all if rows.units is None else int(rows.units.max(initial=-1)) + 1
    parts = dict.fromkeys(each.is_of_kept for each in asked)
    sums = {part: PairSums(*(np.zeros((n_pairs, 1)) for _ in PairSums._fields)) for part in parts}
    samples = np.empty((len(asked), n_pairs, bootstrap.resamples if bootstrap else 0))
    # The weights of a resample are gone through with each block.
    for pairs, mine in _blocks(rows, max(_ROWS_AT_ONCE, n_units if bootstrap else 0)):
        pair = rows.pair[mine] - pairs.start
        first, second = (codes[side[mine]].astype(np.int64) for side in (rows.first, rows.second))
        tables = PairTables.from_rows(pair, first, second, n_pairs=pairs.stop - pairs.start)
        flags = {part: kept[mine] if part and kept is not None else None for part in parts}
        block = _Block(tables, Concordance.of(tables), asked, flags)
        of_data = block.resampled(unit[mine], n_units, bootstrap, samples[:, pairs]) if bootstrap else block.counted()
        for part, found in of_data.items():
            for whole, each in zip(sums[part], found, strict=True):
                whole[pairs] = each
    return CountedTaus(sums, samples)


def _blocks(rows: JoinedRows, size: int) -> Iterator[tuple[slice, Codes]]:
    """Pairs one after the other, so many that they have about so many rows, and these rows."""
    n_pairs = len(rows.rater_a)
    order, ends = rows.by_pair
    starts = [0, *np.flatnonzero(np.diff((ends[:-1] - 1) // size, prepend=0)).tolist()] if n_pairs else []
    for start, stop in pairwise([*dict.fromkeys(starts), n_pairs]):
        yield slice(start, stop), order[ends[start] : ends[stop]]


class _Block(NamedTuple):
    tables: PairTables
    concordance: Concordance
    asked: Sequence[TauKind]
    flags: dict[bool, Flags | None]  # of the rows that each part is about

    def counted(self) -> dict[bool, PairSums]:
        return self._sums([self.tables.counted(flags)[:, None] for flags in self.flags.values()])

    def resampled(self, unit: Codes, n_units: int, bootstrap: Bootstrap, into: Floats) -> dict[bool, PairSums]:
        """Put τ of the resamples there; returns the sums of the data."""
        drawn = [self.tables.by_item(unit, n_units, flags) for flags in self.flags.values()]
        rows_drawn = self.tables.per_pair @ drawn[0]
        of_data: dict[bool, PairSums] = {}
        done = 0
        for weights in bootstrap.weights(n_units, width=len(self.tables.counts)):
            if not of_data:  # the data as a further resample, so that cells are gone through once less
                weights = np.hstack([np.ones((n_units, 1)), weights])
            sums = self._sums([cells @ weights for cells in drawn])
            n_of_data = 0 if of_data else 1
            stop = done + weights.shape[1] - n_of_data
            for place, each in enumerate(self.asked):
                found = sums[each.is_of_kept]
                taus = found.tau_b() if each.has_ties else found.tau_a(same=rows_drawn @ weights**2)
                into[place, :, done:stop] = taus[:, n_of_data:]
            of_data = of_data or {part: each.columns(slice(0, 1)) for part, each in sums.items()}
            done = stop
        return of_data

    def _sums(self, cells: Sequence[Floats]) -> dict[bool, PairSums]:
        """Of each part; few columns are gone through side by side."""
        n = cells[0].shape[1]
        if n > _FEW_COLUMNS:
            return {part: self.concordance.sums(each) for part, each in zip(self.flags, cells, strict=True)}
        sums = self.concordance.sums(np.hstack(cells))
        starts = range(0, n * len(cells), n)
        return {part: sums.columns(slice(start, start + n)) for part, start in zip(self.flags, starts, strict=True)}

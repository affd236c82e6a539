"""τ of all pairs of raters from their joined rows, in the data and in every resample, some pairs at a time.

What it takes to count concordant rows (`concordance`) is many times as large as the rows. Of so few pairs at once that
it fits a processor's cache, counting is also several times as fast. Resamples are counted by digits (`inversions`), or
as quadratic forms (`unit_forms`) where that takes less time; few of them, and the data alone, by merging (`merges`)
where there are many levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats, Integers
from annotation_platform.core.statistics.codes import changes
from annotation_platform.core.statistics.concordance import Concordance, PairTables, TauSums
from annotation_platform.core.statistics.joins import JoinedRows
from annotation_platform.core.statistics.merges import Packed, sums_of_rows
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.unit_forms import UnitForms, cost_of

_ROWS_AT_ONCE = 1 << 17
_ROWS_MERGED = 1 << 15  # at once; they have to fit a processor's cache
_FEW_COLUMNS = 16
_FEW_LEVELS = 16  # of which digits have one
_MOST_MERGED = 6  # the data and resamples
_BY_DIGIT = 3.0  # nanoseconds that a cell takes for each binary digit of its rank, in each resample
_MOST_BYTES = 100_000_000  # of the matrices of one block


class TauKind(NamedTuple):
    """A kind of τ: about all rows or those kept only, and with ties (τ-b) or without (τ-a)."""

    is_of_kept: bool
    has_ties: bool


class CountedTaus(NamedTuple):
    """The sums of the data, shape (pairs, 1), by whether of kept rows only; and τ in the resamples, (asked, pairs,
    resamples)."""

    sums: dict[bool, TauSums]
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
    n_units = rows.n_items_of_all if rows.units is None else int(rows.units.max(initial=-1)) + 1
    parts = dict.fromkeys(each.is_of_kept for each in asked)
    sums = {part: TauSums(*(np.zeros((n_pairs, 1)) for _ in TauSums._fields)) for part in parts}
    samples = np.empty((len(asked), n_pairs, bootstrap.resamples if bootstrap else 0))
    drawn = _few_columns(rows, n_units, bootstrap) if int(codes.max(initial=0)) >= _FEW_LEVELS else None
    # The weights of many resamples are gone through with each block.
    size = _ROWS_MERGED if drawn is not None else max(_ROWS_AT_ONCE, n_units if bootstrap else 0)
    for pairs, mine in _blocks(rows, size):
        first, second = (codes.take(side[mine]).astype(np.int64, copy=False) for side in (rows.first, rows.second))
        pair, item = rows.pair[mine].astype(np.int64) - pairs.start, rows.item[mine]
        flags = {part: kept[mine] if part and kept is not None else None for part in parts}
        some = _Rows(pair, item, first, second, pairs.stop - pairs.start, rows.units, n_units, flags)
        if drawn is not None:
            of_data = _merged(some, asked, drawn, samples[:, pairs])
        else:
            of_data = _resampled(some, asked, bootstrap, samples[:, pairs]) if bootstrap else _counted(some)
        for kind, found in of_data.items():
            for whole, each in zip(sums[kind], found, strict=True):
                whole[pairs] = each
    return CountedTaus(sums, samples)


def _blocks(rows: JoinedRows, size: int) -> Iterator[tuple[slice, slice]]:
    """Pairs one after the other, so many that they have about so many rows, and these rows."""
    n_pairs = len(rows.rater_a)
    starts = [0, *np.flatnonzero(np.diff((rows.ends[:-1] - 1) // size, prepend=0)).tolist()] if n_pairs else []
    for start, stop in pairwise([*dict.fromkeys(starts), n_pairs]):
        yield slice(start, stop), slice(rows.ends[start], rows.ends[stop])


class _Rows(NamedTuple):
    """The joined rows of some pairs: pair, item and both levels of each, and which of them each part is about."""

    pair: Codes
    item: Integers
    first: Codes
    second: Codes
    n_pairs: int
    unit_of_item: Codes | None
    n_units: int
    flags: dict[bool, Flags | None]

    @property
    def unit(self) -> Codes:
        return self.item.astype(np.int64) if self.unit_of_item is None else self.unit_of_item.take(self.item)

    @property
    def tables(self) -> PairTables:
        return PairTables.from_rows(self.pair, self.first, self.second, n_pairs=self.n_pairs)


def _counted(rows: _Rows) -> dict[bool, TauSums]:
    tables = rows.tables
    return _by_digits(
        Concordance.of(tables), {part: tables.counted(kept)[:, None] for part, kept in rows.flags.items()}
    )


class _Drawn(NamedTuple):
    """How often each item is in the data and in the resamples, and the squares of that: columns by item."""

    times: Packed
    squares: Packed


def _few_columns(rows: JoinedRows, n_units: int, bootstrap: Bootstrap | None) -> _Drawn | None:
    """Of few columns."""
    resamples = bootstrap.resamples if bootstrap else 0
    if 1 + resamples > _MOST_MERGED:
        return None
    weights = bootstrap.weights(n_units) if bootstrap else ()
    columns = np.vstack([np.ones(n_units), *(each.T for each in weights)]).astype(np.int64)
    if rows.units is not None:
        columns = columns[:, rows.units]
    most_rows = int(np.diff(rows.ends).max(initial=0))
    return _Drawn(*(Packed.of(list(each), most_rows * int(each.max(initial=0))) for each in (columns, columns**2)))


def _merged(rows: _Rows, asked: Sequence[TauKind], drawn: _Drawn, into: Floats) -> dict[bool, TauSums]:
    """Put τ of few resamples there; returns the sums of the data."""
    n_columns, item = drawn.times.n_columns, rows.item.astype(np.int64)
    every = drawn.times.each(lambda word: word.take(item))
    parts = [every if kept is None else every.each(partial(np.multiply, kept)) for kept in rows.flags.values()]
    sums = sums_of_rows(rows.pair, rows.first, rows.second, Packed.beside(parts), rows.n_pairs)
    starts = range(0, n_columns * len(parts), n_columns)
    found = {part: sums.columns(slice(n, n + n_columns)) for part, n in zip(rows.flags, starts, strict=True)}
    same = drawn.squares.each(lambda word: np.add.reduceat(word.take(item), np.flatnonzero(changes(rows.pair))))
    squared = np.zeros((rows.n_pairs, n_columns))
    squared[rows.pair[changes(rows.pair)]] = np.stack(list(same.columns()), axis=1)
    for place, each in enumerate(asked):
        into[place] = _taus(found, each, squared)[:, 1:]
    return {part: each.columns(slice(0, 1)) for part, each in found.items()}


def _resampled(rows: _Rows, asked: Sequence[TauKind], bootstrap: Bootstrap, into: Floats) -> dict[bool, TauSums]:
    """Put τ of the resamples there; returns the sums of the data."""
    tables = rows.tables
    sums, width = _of_resamples(rows, tables, bootstrap)
    shape = rows.n_pairs, rows.n_units
    rows_drawn = sparse.csr_array((np.ones(len(rows.pair)), (rows.pair, rows.unit)), shape=shape)
    of_data: dict[bool, TauSums] = {}
    done = 0
    for weights in bootstrap.weights(rows.n_units, width=width):
        if not of_data:  # the data as a further resample, so that cells are gone through once less
            weights = np.hstack([np.ones((rows.n_units, 1)), weights])
        found = sums(weights)
        n_of_data = 0 if of_data else 1
        stop = done + weights.shape[1] - n_of_data
        same = np.asarray(rows_drawn @ weights**2)
        for place, each in enumerate(asked):
            into[place, :, done:stop] = _taus(found, each, same)[:, n_of_data:]
        of_data = of_data or {part: each.columns(slice(0, 1)) for part, each in found.items()}
        done = stop
    return of_data


def _taus(found: dict[bool, TauSums], kind: TauKind, same: Floats) -> Floats:
    """``same`` is the sum of the squared weights of each pair's rows, in each column."""
    of_kind = found[kind.is_of_kept]
    return of_kind.tau_b() if kind.has_ties else of_kind.tau_a(same)


class _OfResamples(NamedTuple):
    """What gives the sums of each part from how often units are drawn, (units, resamples), and how many values it keeps
    of a resample."""

    sums: Callable[[Floats], dict[bool, TauSums]]
    width: int


def _of_resamples(rows: _Rows, tables: PairTables, bootstrap: Bootstrap) -> _OfResamples:
    """The faster way."""
    digits = int(tables.second_rank.max(initial=0)).bit_length()
    by_digits = _BY_DIGIT * digits * len(tables.counts) * bootstrap.resamples
    by_units = cost_of(rows.pair, rows.unit, rows.n_pairs, rows.n_units, bootstrap.resamples)
    if by_units.time < by_digits and by_units.size * len(rows.flags) <= _MOST_BYTES:
        forms = {part: _forms(rows, kept) for part, kept in rows.flags.items()}
        return _OfResamples(lambda weights: {part: each.sums(weights) for part, each in forms.items()}, rows.n_units)
    concordance = Concordance.of(tables)
    drawn = {part: tables.by_item(rows.unit, rows.n_units, kept) for part, kept in rows.flags.items()}
    return _OfResamples(
        lambda weights: _by_digits(concordance, {part: each @ weights for part, each in drawn.items()}),
        len(tables.counts),
    )


def _forms(rows: _Rows, kept: Flags | None) -> UnitForms:
    columns = rows.pair, rows.unit, rows.first, rows.second
    some = columns if kept is None else [each[kept] for each in columns]
    return UnitForms.of(*some, n_pairs=rows.n_pairs)


def _by_digits(concordance: Concordance, cells: dict[bool, Floats]) -> dict[bool, TauSums]:
    """Of the cells of each part; few columns are gone through side by side."""
    n = next(iter(cells.values())).shape[1]
    if n > _FEW_COLUMNS:
        return {part: concordance.sums(each) for part, each in cells.items()}
    beside = concordance.sums(np.hstack(list(cells.values())))
    return {part: beside.columns(slice(start * n, (start + 1) * n)) for start, part in enumerate(cells)}

"""What a rescaling does to each rater's own values: how much of their spread and of their order is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import distinct, levels, pairs_within
from annotation_platform.core.statistics.concordance import Concordance, PairTables, summing
from annotation_platform.core.statistics.quadratic_forms import Entries
from annotation_platform.core.statistics.ratings import Ratings, RatingsError, Repeated
from annotation_platform.core.statistics.resampling import Bootstrap, by_unit, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import resampled_shares

_ROUNDING = 1e-12
_MOST_PAIRS = 5_000_000  # of cells of one rater, whose order is kept from step to step
_WHOLE_IS_FASTER = 20  # changed pairs for each cell, from which counting all anew takes less time
_MOST_KEPT = 10_000_000  # cells × resamples whose counts are kept from step to step, at eight bytes each
_NAMES = ("reversed", "tied", "spread", "nuance")
_UNDEFINED = {
    "reversed": gettext_noop("No two judgments of one rater differ in their label."),
    "tied": gettext_noop("No two judgments of one rater differ in their label."),
    "spread": gettext_noop("Every rater gave one and the same label to everything."),
    "nuance": gettext_noop("After rescaling, every rater has one and the same value throughout."),
}


@dataclass(frozen=True, slots=True)
class OwnOrder:
    """One rater's values before and after, or those of all raters pooled.

    Attributes
    ----------
    rater : int or None
        The rater's code; None for all raters together.
    n_ordered : int
        Pairs of this rater's judgments whose values before differ.
    reversed, tied : Statistic
        Share of these pairs whose order is the other way round after, and share that is equal after.
    spread : Statistic
        Variance after / variance before, both within the rater.
    nuance : Statistic
        Share of the variance after that lies among judgments that were equal before.
    """

    rater: int | None
    n_ordered: int
    reversed: Statistic
    tied: Statistic
    spread: Statistic
    nuance: Statistic


def own_order(before: Ratings, after: Ratings, *, bootstrap: Bootstrap | None = None) -> tuple[OwnOrder, ...]:
    """Compare each rater with themselves: all raters pooled first, then one by one in the order of codes.

    Over the pairs (i, k) of one rater's judgments with x_i < x_k before::

        reversed = #{y_i > y_k} / #{x_i < x_k}        tied = #{y_i = y_k} / #{x_i < x_k}

    and with SS the sum of squared deviations from the rater's mean, SS' from the rater's mean for the same x::

        spread = SS(y) / SS(x)                        nuance = SS'(y) / SS(y)

    Pooled, the counts and the sums of squares are added over raters. So differences *between* raters, which a
    rescaling is there to remove, do not count as spread lost.

    Parameters
    ----------
    before, after : Ratings
        The same judgments in the same order; larger means better in both, and for `spread` both on one scale.
    bootstrap : Bootstrap, optional
        Resample items for intervals; those of shares are Wilson's, by the spread of their resamples.

    Raises
    ------
    RatingsError
        When the two tables do not hold the same judgments.
    """
    same = np.array_equal(before.items, after.items) and np.array_equal(before.raters, after.raters)
    if not same or before.n_items != after.n_items:
        raise RatingsError("Before and after must hold the same judgments in the same order.")
    return next(own_order_along(before, [after], bootstrap=bootstrap))


def own_order_along(
    before: Ratings, path: Sequence[Ratings], *, bootstrap: Bootstrap | None = None
) -> Iterator[tuple[OwnOrder, ...]]:
    """`own_order` for each of several rescalings of the same judgments, which are counted once."""
    cells = _Cells.of(before, path, bootstrap)
    described = [_Described.of(before, rater) for rater in (None, *range(before.n_raters))]
    for shares in cells.shares():
        found = {
            name: [each.statistic(name, shares[place, row], bootstrap) for row, each in enumerate(described)]
            for place, name in enumerate(_NAMES)
        }
        trials = [each.n_ratings for each in described]
        for name in ("reversed", "tied", "nuance"):
            found[name] = resampled_shares(found[name], trials=trials)
        yield tuple(
            OwnOrder(each.rater, int(cells.n_ordered[row]), *(found[name][row] for name in _NAMES))
            for row, each in enumerate(described)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Described:
    """What a rater's shares rest on, which is the same for all of them."""

    rater: int | None
    n_items: int
    n_raters: int
    n_ratings: int
    n_units: int
    n_items_resampled: int
    repeated: Repeated

    @classmethod
    def of(cls, ratings: Ratings, rater: int | None) -> _Described:
        mine = np.ones(len(ratings), dtype=np.bool_) if rater is None else ratings.raters == rater
        return cls(
            rater=rater,
            n_items=len(np.unique(ratings.items[mine])),
            n_raters=len(np.unique(ratings.raters[mine])),
            n_ratings=int(mine.sum()),
            n_units=len(np.unique(ratings.unit_of_item[ratings.items[mine]])),
            n_items_resampled=ratings.n_items,
            repeated=ratings.repeated,
        )

    def statistic(self, name: str, values: Floats, bootstrap: Bootstrap | None) -> Statistic:
        """Of the value in the data, which comes first, and those in the resamples."""
        return statistic(
            value=float(values[0]),
            undefined_because=_UNDEFINED[name],
            n_items=self.n_items,
            n_units=self.n_units,
            n_raters=self.n_raters,
            n_ratings=self.n_ratings,
            sample=values[1:] if bootstrap else None,
            bootstrap=bootstrap,
            signature=signature_line(f"own-order-{name}", repeated=self.repeated),
            n_items_resampled=self.n_items_resampled,
            scale="ratio",
        )


Sums = Callable[[Floats], Sequence[Floats]]
"""Of the cells' counts, (cells, columns): some arrays, (…, columns)."""


@dataclass(frozen=True, eq=False)
class _Cells:
    """Equal judgments of one rater, with how many there are in the data and in every resample.

    Those counts, cells × resamples, would be larger than all else: of a million judgments 3 GB. So everything is
    computed of some columns after the other, the data's coming first.
    """

    rater: Codes
    before: Codes  # which value, in their order
    after: Codes  # (steps, cells)
    old: Floats  # the values, as deviations from the rater's own mean
    new: Floats  # (steps, cells)
    counts: Floats  # in the data
    drawn: sparse.csr_array  # by unit: its product with the weights of units is the counts of resamples
    bootstrap: Bootstrap | None
    n_raters: int

    @classmethod
    def of(cls, before: Ratings, path: Sequence[Ratings], bootstrap: Bootstrap | None) -> _Cells:
        raters, n = before.raters, before.n_raters
        # One table after the other: of a million judgments along a path they would be as large as all else.
        ranks = [levels(table.numbers)[1] for table in chain([before], path)]
        cell = raters
        for of_table in ranks:
            depth = int(of_table.max(initial=0)) + 1
            cell = distinct(cell * depth + of_table, (int(cell.max(initial=0)) + 1) * depth)[1]
        n_cells = int(cell.max(initial=-1)) + 1
        example = np.zeros(n_cells, dtype=np.int64)
        example[cell] = np.arange(len(cell))
        by_item = sparse.csr_array((np.ones(len(cell)), (cell, before.items)), shape=(n_cells, before.n_items))
        # Deviations from the rater's own mean, so that large numbers do not swallow small differences.
        old, *new = (_centred(table.values, raters, n)[example] for table in chain([before], path))
        of_cells = np.array([of_table[example] for of_table in ranks], dtype=np.int64)
        return cls(
            rater=raters[example],
            before=of_cells[0],
            after=of_cells[1:],
            old=old,
            new=np.array(new),
            counts=np.bincount(cell, minlength=n_cells).astype(np.float64),
            drawn=by_unit(by_item, before.units),
            bootstrap=bootstrap,
            n_raters=n,
        )

    def shares(self) -> Iterator[Floats]:
        """After each step (reversed, tied, spread, nuance) × (pooled, rater by rater) × (data, resamples), NaN where
        undefined."""
        ordered, before, n, sizes = self._before_all
        groups, of_cell = self._groups
        turned, untied = np.zeros_like(ordered), ordered
        for new, (counted, goes_on) in zip(self.new, self._counting(), strict=True):
            squares, sums = summing(self.rater, self.n_raters, new**2), summing(of_cell, len(groups), new)
            more_turned, more_untied, squared, total = self._over_columns(_beside(counted, squares, sums))
            turned, untied = (turned + more_turned, untied + more_untied) if goes_on else (more_turned, more_untied)
            after = squared - _mean_part(self._pooling @ total, n)
            among_equals = squared - self._pooling @ _mean_part(total, sizes)
            parts = [(turned, ordered), (ordered - untied, ordered), (after, before), (among_equals, after)]
            yield np.stack([_ratio(_pooled(above), _pooled(below)) for above, below in parts])

    @property
    def n_ordered(self) -> Floats:
        """How many pairs are ordered before, in the data: pooled, and of each rater."""
        return _pooled(self._before_all[0][:, :1])[:, 0]

    def _counting(self) -> Iterator[tuple[Sums, bool]]:
        """For each step, what counts the pairs of each rater's judgments that are ordered before and the other way
        round after, and those that are not equal after: all of them, or from one step to the next only those that
        changed, which are then added to what was before."""
        if (np.bincount(self.rater).astype(np.float64) ** 2).sum() > 2 * _MOST_PAIRS:
            yield from ((self._all_pairs(step), False) for step in range(len(self.after)))
            return
        first, second = pairs_within(self.rater)
        ordered = self.before[first] < self.before[second]  # cells of a rater are in the order before
        first, second = first[ordered], second[ordered]
        was = np.ones(len(first), dtype=np.int64)
        for step, ranks in enumerate(self.after):
            now = np.sign(ranks[second] - ranks[first])
            changed = np.flatnonzero(now != was)
            if len(changed) > _WHOLE_IS_FASTER * len(self.rater):
                yield self._all_pairs(step), False
            else:
                yield self._changed_pairs(first[changed], second[changed], was[changed], now[changed]), True
            was = now

    def _changed_pairs(self, first: Codes, second: Codes, was: Codes, now: Codes) -> Sums:
        turned, untied = (
            Entries(first, second, after.astype(np.float64) - before).changed()
            for after, before in ((now == -1, was == -1), (now != 0, was != 0))
        )
        return lambda counts: [each.form(counts, self.rater, self.n_raters) for each in (turned, untied)]

    def _all_pairs(self, step: int) -> Sums:
        # The labels come second, for the second of the two is gone through digit by digit.
        tables = PairTables.from_rows(self.rater, self.after[step], self.before, n_pairs=self.n_raters)
        concordance = Concordance.of(tables)

        def counted(counts: Floats) -> Sequence[Floats]:
            sums = concordance.sums(tables.of_rows(counts))
            return sums.untied - sums.concordant, sums.untied

        return counted

    def _over_columns(self, sums: Sums) -> list[Floats]:
        """These sums, of the data and of all resamples."""
        return [np.hstack(parts) for parts in zip(*map(sums, self._columns()), strict=True)]

    def _columns(self) -> Iterable[Floats]:
        """The counts in the data and in the resamples, some columns at a time."""
        is_small = len(self.rater) * (self.bootstrap.resamples if self.bootstrap else 0) <= _MOST_KEPT
        return self._kept if is_small else self._drawn_anew()

    @cached_property
    def _kept(self) -> list[Floats]:
        return [np.hstack(list(self._drawn_anew()))]

    def _drawn_anew(self) -> Iterator[Floats]:
        yield self.counts[:, None]
        if self.bootstrap:
            for weights in self.bootstrap.weights(self.drawn.shape[1], width=len(self.rater)):
                yield np.asarray(self.drawn @ weights)

    @cached_property
    def _before_all(self) -> list[Floats]:
        """Before any step, of each rater: ordered pairs, sums of squared deviations from the own mean, judgments; and
        judgments of each rater and value."""
        groups, of_cell = self._groups
        of_rater, of_group = summing(self.rater, self.n_raters), summing(of_cell, len(groups))
        squares, total = (summing(self.rater, self.n_raters, values) for values in (self.old**2, self.old))

        def sums(counts: Floats) -> Sequence[Floats]:
            n, sizes = of_rater @ counts, of_group @ counts
            return (
                (n**2 - self._pooling @ sizes**2) / 2,
                squares @ counts - _mean_part(total @ counts, n),
                n,
                sizes,
            )

        return self._over_columns(sums)

    @cached_property
    def _groups(self) -> tuple[Codes, Codes]:
        """A rater and a value before: these, and of each cell which one it is in."""
        depth = int(self.before.max(initial=0)) + 1
        return distinct(self.rater * depth + self.before, self.n_raters * depth)

    @cached_property
    def _pooling(self) -> sparse.csr_array:
        depth = int(self.before.max(initial=0)) + 1
        return summing(self._groups[0] // depth, self.n_raters)


def _beside(counted: Sums, *products: sparse.csr_array) -> Sums:
    return lambda counts: (*counted(counts), *(product @ counts for product in products))


def _centred(values: Floats, raters: Codes, n_raters: int) -> Floats:
    n = np.maximum(np.bincount(raters, minlength=n_raters), 1)
    centred: Floats = values - (np.bincount(raters, values, minlength=n_raters) / n)[raters]
    return centred


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

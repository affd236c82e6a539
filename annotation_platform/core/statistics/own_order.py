"""What a rescaling does to each rater's own values: how much of their spread and of their order is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.statistics.concordance import Concordance, PairTables
from annotation_platform.core.statistics.ratings import Codes, Floats, Ratings, RatingsError, distinct, levels
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

_UNDEFINED = {
    "reversed": "No two judgments of one rater differ in their label.",
    "tied": "No two judgments of one rater differ in their label.",
    "spread": "Every rater gave one and the same label to everything.",
    "nuance": "After rescaling, every rater has one and the same value throughout.",
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
        Resample items for intervals.

    Raises
    ------
    RatingsError
        When the two tables do not hold the same judgments.
    """
    same = np.array_equal(before.items, after.items) and np.array_equal(before.raters, after.raters)
    if not same or before.n_items != after.n_items:
        raise RatingsError("Before and after must hold the same judgments in the same order.")
    sums = _Sums.of(before, after)
    names = ("reversed", "tied", "spread", "nuance")
    ones = np.ones((before.n_items, 1))
    values = sums.shares(ones)[:, :, 0]
    n_ordered = sums.n_ordered(ones)[:, 0]
    sample = bootstrap.sample(sums.shares, before.n_items, width=sums.width) if bootstrap else None
    found = []
    for row, rater in enumerate([None, *range(before.n_raters)]):
        mine = np.ones(len(before), dtype=np.bool_) if rater is None else before.raters == rater
        figures = {
            name: statistic(
                value=float(values[place, row]),
                undefined_because=_UNDEFINED[name],
                n_items=len(np.unique(before.items[mine])),
                n_raters=len(np.unique(before.raters[mine])),
                n_ratings=int(mine.sum()),
                sample=None if sample is None else sample[place, row],
                bootstrap=bootstrap,
                signature=signature_line(f"own-order-{name}", repeated=before.repeated),
                n_items_resampled=before.n_items,
            )
            for place, name in enumerate(names)
        }
        found.append(OwnOrder(rater=rater, n_ordered=int(n_ordered[row]), **figures))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Matrices whose product with item weights gives, rater by rater, what the shares are made of."""

    concordance: Concordance
    cells: sparse.csr_array
    moments: tuple[sparse.csr_array, ...]
    group: sparse.csr_array
    group_moments: tuple[sparse.csr_array, ...]

    @classmethod
    def of(cls, before: Ratings, after: Ratings) -> _Sums:
        raters, items, n = before.raters, before.items, before.n_raters
        x, y = (levels(table.numbers)[1].astype(np.int64) for table in (before, after))
        tables = PairTables.from_rows(raters, x, y, n_pairs=n)
        # Deviations from the rater's own mean, so that large numbers do not swallow small differences.
        old, new = (_centred(table.values, raters, n) for table in (before, after))
        depth = int(x.max(initial=0)) + 1
        groups, group_of_row = distinct(raters * depth + x, n * depth)
        rater_of_group = groups // depth
        summing = sparse.csr_array(
            (np.ones(len(groups)), (rater_of_group, np.arange(len(groups)))), shape=(n, len(groups))
        )
        return cls(
            concordance=Concordance.of(tables),
            cells=tables.by_item(items, before.n_items),
            moments=tuple(
                _by_item(weights, raters, items, (n, before.n_items))
                for weights in (np.ones(len(old)), old, old**2, new, new**2)
            ),
            group=summing,
            group_moments=tuple(
                _by_item(weights, group_of_row, items, (len(groups), before.n_items))
                for weights in (np.ones(len(new)), new)
            ),
        )

    @property
    def width(self) -> int:
        return int(self.cells.shape[0])

    def shares(self, weights: Floats) -> Floats:
        """(reversed, tied, spread, nuance) × (pooled, rater by rater) × resamples; NaN where undefined."""
        sums = self.concordance.sums(np.asarray(self.cells @ weights))
        ordered = (sums.rows**2 - sums.first_squared) / 2
        untied = (sums.rows**2 - sums.first_squared - sums.second_squared + sums.cells_squared) / 2
        turned = untied - sums.concordant
        n, old, old2, new, new2 = (np.asarray(moment @ weights) for moment in self.moments)
        before, after = old2 - _mean_part(old, n), new2 - _mean_part(new, n)
        size, total = (np.asarray(moment @ weights) for moment in self.group_moments)
        among_equals = new2 - np.asarray(self.group @ _mean_part(total, size))
        parts = [(turned, ordered), (ordered - untied, ordered), (after, before), (among_equals, after)]
        return np.stack([_ratio(_pooled(above), _pooled(below)) for above, below in parts])

    def n_ordered(self, weights: Floats) -> Floats:
        sums = self.concordance.sums(np.asarray(self.cells @ weights))
        return _pooled((sums.rows**2 - sums.first_squared) / 2)


def _by_item(values: Floats, rows: Codes, items: Codes, shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array((values, (rows, items)), shape=shape)


def _centred(values: Floats, raters: Codes, n_raters: int) -> Floats:
    n = np.maximum(np.bincount(raters, minlength=n_raters), 1)
    centred: Floats = values - (np.bincount(raters, values, minlength=n_raters) / n)[raters]
    return centred


def _mean_part(total: Floats, n: Floats) -> Floats:
    """(Σ v)² / n, what the mean takes of a sum of squares."""
    part: NDArray[np.float64] = total**2 / np.where(n > 0, n, 1)
    return part


def _pooled(by_rater: Floats) -> Floats:
    return np.concatenate([by_rater.sum(axis=0, keepdims=True), by_rater])


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing below; sums of squares that are rounding only count as nothing."""
    defined = below > 1e-9
    return np.where(defined, np.maximum(above, 0.0) / np.where(defined, below, 1.0), np.nan)

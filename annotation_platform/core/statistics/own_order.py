"""What a rescaling does to each rater's own values: how much of their spread and of their order is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.equal_judgments import EqualJudgments
from annotation_platform.core.statistics.own_order_cells import RaterCells
from annotation_platform.core.statistics.ratings import Ratings, RatingsError, Repeated, items_of_raters
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import resampled_shares

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
    before: Ratings,
    path: Sequence[Ratings],
    *,
    bootstrap: Bootstrap | None = None,
    equal: EqualJudgments | None = None,
) -> Iterator[tuple[OwnOrder, ...]]:
    """`own_order` for each of several rescalings of the same judgments, which are counted once; ``equal`` are those of
    this path, where they are known."""
    cells = RaterCells.of(before, path, bootstrap, equal or EqualJudgments.of(before, path))
    described = list(_Described.all_of(before))
    n_ordered = cells.n_ordered.astype(np.int64).tolist()
    for shares in cells.shares():
        found = {
            name: [each.statistic(name, shares[place, row], bootstrap) for row, each in enumerate(described)]
            for place, name in enumerate(_NAMES)
        }
        trials = [each.n_ratings for each in described]
        for name in ("reversed", "tied", "nuance"):
            found[name] = resampled_shares(found[name], trials=trials)
        yield tuple(
            OwnOrder(each.rater, n_ordered[row], *(found[name][row] for name in _NAMES))
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
    def all_of(cls, ratings: Ratings) -> Iterator[_Described]:
        """Of all raters together, then of each."""
        n, units = ratings.n_raters, ratings.unit_of_item[ratings.items]
        n_units = int(units.max(initial=-1)) + 1
        of_units = distinct(ratings.raters * n_units + units, n * n_units)[0] // max(n_units, 1)
        judgments = np.bincount(ratings.raters, minlength=n)
        used = ratings.per_item() > 0
        whole = int(used.sum()), np.count_nonzero(judgments), len(ratings), ratings.n_units_of(used)
        each = zip(
            items_of_raters(ratings).tolist(),
            (judgments > 0).astype(np.int64).tolist(),
            judgments.tolist(),
            np.bincount(of_units, minlength=n).tolist(),
            strict=True,
        )
        for rater, counts in zip((None, *range(n)), (whole, *each), strict=True):
            yield cls(rater, *counts, ratings.n_items, ratings.repeated)

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

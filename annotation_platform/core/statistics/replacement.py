"""Agreement when another rater, such as an LLM, takes the place of one random rater of each item."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.alpha import Evaluator, alpha_by_level, krippendorff_alpha, why_undefined
from annotation_platform.core.statistics.codes import distinct, levels
from annotation_platform.core.statistics.counts import ValueCounts
from annotation_platform.core.statistics.differences import Difference, paired_bootstrap
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

_MOST_ENUMERATED = 4096


@dataclass(frozen=True, slots=True)
class Replacement:
    """α of the raters, and with a candidate in the place of one of them.

    Attributes
    ----------
    raters : Statistic
        α among the raters alone, over the same items.
    draws : tuple of float
        α in each seeded draw of whom to replace, item by item; a draw in which it is undefined is left out.
    mean_of_draws : float or None
    exact : float or None
        The expectation of α over all ways to choose, by enumeration; None where these are more than 4,096.
    expected : Statistic
        α of the expected counts, to which the mean over draws tends with many items: there is no chance of a
        draw in it, and its interval resamples items only.
    change : Difference
        `expected` minus `raters`, paired by resample.
    n_without_candidate : int
        Items left out because the candidate has no rating for them.
    """

    raters: Statistic
    draws: tuple[float, ...]
    mean_of_draws: float | None
    exact: float | None
    expected: Statistic
    change: Difference
    n_without_candidate: int


def replacement(
    ratings: Ratings,
    candidate: Ratings,
    level: str,
    *,
    draws: int = 20,
    seed: int = 0,
    bootstrap: Bootstrap | None = None,
) -> Replacement:
    """Krippendorff's α among raters, and with a candidate in the place of one random rating of each item.

    For each item one of its n_u ratings, each with chance 1/n_u, gives way to the candidate's. If α falls, the
    candidate agrees less with the raters than they do among themselves.

    The expectation over draws is enumerated where that is possible. Beyond, `expected` takes every way of
    choosing for every item with weight 1/n_u: the sums of n_uc n_uk δ² and of n_c that result are the exact
    expectations of those in a draw, and α is computed from them. It differs from the expectation of α by the
    covariances of the n_c, which vanish as 1/items.

    Parameters
    ----------
    ratings : Ratings
        Of the raters; items with fewer than two ratings are left out.
    candidate : Ratings
        One rating an item, over the same items (an equal `n_items`).
    level : {'nominal', 'ordinal', 'interval', 'ratio'}
    draws, seed : int
        Number of draws, at least 1, and the seed of ``numpy.random.default_rng``.
    bootstrap : Bootstrap, optional
        Resample items for intervals of both and of their difference.

    Raises
    ------
    RatingsError
        When the candidate has two ratings for an item or another number of items, or no item is left.

    References
    ----------
    The ACORN paper, section 4: 20 draws.
    """
    if draws < 1:
        raise ValueError(f"draws is {draws}; at least 1 is needed.")
    given = candidate_column(candidate, ratings.n_items)
    per_item = ratings.per_item()
    used = (per_item > 1) & ~np.isnan(given)
    if not used.any():
        raise RatingsError("No item has both two ratings and one of the candidate.")
    left = ratings.where(used[ratings.items])
    variants = _Variants.of(left, given)
    alpha = alpha_by_level(variants.counts, level)
    drawn = alpha(variants.drawn(draws, np.random.default_rng(seed)))
    found = tuple(drawn[~np.isnan(drawn)].tolist())
    signature = signature_line("replacement-alpha", level=level, repeated=ratings.repeated)
    raters = krippendorff_alpha(left, level, bootstrap=bootstrap)
    expected = variants.expected(left, alpha, signature=signature, bootstrap=bootstrap)
    return Replacement(
        raters=raters,
        draws=found,
        mean_of_draws=float(np.mean(found)) if found else None,
        exact=variants.enumerated(alpha),
        expected=expected,
        change=paired_bootstrap(raters, expected),
        n_without_candidate=int(((per_item > 1) & np.isnan(given)).sum()),
    )


def candidate_column(candidate: Ratings, n_items: int) -> Floats:
    """The candidate's value of each item, NaN where there is none."""
    if candidate.n_items != n_items:
        raise RatingsError(f"The candidate's table has {candidate.n_items} items, that of the raters {n_items}.")
    column = np.full(n_items, np.nan)
    column[candidate.items] = candidate.values
    if (~np.isnan(column)).sum() < len(candidate):
        raise RatingsError("The candidate has several ratings of one item; give one, such as their vote or mean.")
    return column


@dataclass(frozen=True, slots=True, eq=False)
class _Variants:
    """What items can become when one of their ratings is replaced.

    Items with equal counts of values and an equal candidate are of one kind, and have the same variants: one for
    each value that occurs, with the chance of its share of the ratings. `counts` has the variants as its items;
    `kind` and `chance`, (variants,), say of which kind they are and how likely; `place` is their number among
    those of their kind.
    """

    counts: ValueCounts
    kind: Codes
    place: Codes
    chance: Floats
    kind_of_item: Codes
    sizes: Codes

    @classmethod
    def of(cls, ratings: Ratings, candidate: Floats) -> _Variants:
        """Every rated item must have a candidate, and two ratings."""
        counts = ValueCounts.of(ratings)
        label, code = levels(np.where(counts.n[counts.class_of_item] > 0, candidate, candidate[ratings.items[0]]))
        kinds, kind_of_item = distinct(counts.class_of_item * len(label) + code, counts.n_classes * len(label))
        class_of_kind = kinds // len(label)
        n_entries = np.bincount(counts.entry_class, minlength=counts.n_classes)
        first_entry = np.cumsum(n_entries) - n_entries
        kind, place = _runs(n_entries[class_of_kind])
        replaced = first_entry[class_of_kind[kind]] + place
        # The ratings of each variant: those of its class without the replaced one, and the candidate's.
        variant, entry = _runs(n_entries[class_of_kind[kind]])
        entry += first_entry[class_of_kind[kind[variant]]]
        left = counts.entry_count[entry].astype(np.int64) - (entry == replaced[variant])
        items = np.concatenate([np.repeat(variant, left), np.arange(len(kind))])
        values = [np.repeat(counts.values[counts.entry_value[entry]], left), label[kinds[kind] % len(label)]]
        table = Ratings.from_arrays(
            items, np.zeros_like(items), np.concatenate(values), n_items=len(kind), repeated="cross"
        )
        return cls(
            counts=ValueCounts.of(table),
            kind=kind,
            place=place,
            chance=counts.entry_count[replaced] / counts.n[class_of_kind[kind]],
            kind_of_item=kind_of_item,
            sizes=np.bincount(kind_of_item, minlength=len(kinds)),
        )

    def drawn(self, draws: int, rng: np.random.Generator) -> Floats:
        """Class sizes when each item is replaced in one rating at random, (classes, draws)."""
        chances = np.zeros((len(self.sizes), int(self.place.max()) + 1))
        chances[self.kind, self.place] = self.chance
        times = rng.multinomial(self.sizes, chances, size=(draws, len(self.sizes)))
        return np.asarray(self._to_classes(np.arange(len(self.kind))) @ times[:, self.kind, self.place].T)

    def enumerated(self, alpha: Evaluator) -> float | None:
        """Expectation of α over all ways to choose, where these are few and α is defined in all."""
        n_variants = np.bincount(self.kind, minlength=len(self.sizes))
        kinds = self.kind_of_item[n_variants[self.kind_of_item] > 0]
        if np.log2(n_variants[kinds]).sum() > np.log2(_MOST_ENUMERATED):
            return None
        ways = np.array(list(product(*(np.flatnonzero(self.kind == kind) for kind in kinds))))
        classes = self.counts.class_of_item[ways]
        sizes = [np.bincount(way, minlength=self.counts.n_classes) for way in classes]
        found = alpha(np.stack(sizes, axis=1).astype(np.float64))
        return None if np.isnan(found).any() else float(found @ self.chance[ways].prod(axis=1))

    def expected(self, ratings: Ratings, alpha: Evaluator, *, signature: str, bootstrap: Bootstrap | None) -> Statistic:
        by_kind = self._to_classes(self.kind, self.chance)

        def weighted(sizes: Floats) -> Floats:
            return alpha(np.asarray(by_kind @ sizes))

        value = float(weighted(self.sizes[:, None].astype(np.float64))[0])
        sample = None
        if bootstrap and value == value:
            sample = bootstrap.sample(
                weighted,
                ratings.n_items,
                units=ratings.units,
                width=2 * self.counts.n_classes,
                classes=self.kind_of_item,
            )
        rated: Flags = ratings.per_item() > 0
        return statistic(
            value=value,
            undefined_because=why_undefined(self.counts),
            n_items=int(rated.sum()),
            n_units=ratings.n_units_of(rated),
            n_raters=ratings.n_raters_of(rated) + 1,
            n_ratings=len(ratings),
            sample=sample,
            bootstrap=bootstrap,
            signature=signature,
            n_items_resampled=ratings.n_items,
        )

    def _to_classes(self, columns: Codes, weights: Floats | None = None) -> sparse.csr_array:
        """The matrix whose product with a column of weights gives class sizes."""
        given = np.ones(len(self.kind)) if weights is None else weights
        shape = (self.counts.n_classes, int(columns.max()) + 1 if weights is None else len(self.sizes))
        return sparse.csr_array((given, (self.counts.class_of_item, columns)), shape=shape)


def _runs(lengths: Codes) -> tuple[Codes, Codes]:
    """The number of the run, and the place in it, for runs of these lengths one after the other."""
    run = np.repeat(np.arange(len(lengths)), lengths)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(lengths) - lengths, lengths)

"""Value counts of items, the sufficient statistic of agreement among exchangeable raters; alike items share a class.

What α, κ, AC and percent agreement need of an item is how often each value was given to it. A million items that
five raters judged on five levels have at most 126 different counts, so that a statistic, and each of its
resamples, is a function of 126 class sizes. An item's counts become one number, Σ base^code over its ratings with
a base above any count, found in one pass over the ratings. Where such a number would not be exact (many levels),
every item is a class of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats, Integers
from annotation_platform.core.few_units import Scale
from annotation_platform.core.statistics.codes import distinct, levels, sum_by_item
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic

_EXACT_BITS = 52


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """Counts of values in the items that count, by class of alike items.

    Attributes
    ----------
    values : float array, shape (values,)
        The distinct values, ascending.
    class_of_item : int array, shape (items,)
    sizes : float array, shape (classes,)
        How many items are in each class.
    n : float array, shape (classes,)
        Ratings of an item of the class; 0 for classes of items that do not count.
    entry_class, entry_value, entry_count : arrays, shape (entries,)
        The counts above 0, ordered by class, then value.
    n_items, n_raters, n_ratings : int
        Of what counts.
    """

    values: Floats
    class_of_item: Codes
    sizes: Floats
    n: Floats
    entry_class: Codes
    entry_value: Codes
    entry_count: Floats
    n_items: int
    n_raters: int
    n_ratings: int

    @classmethod
    def of(cls, ratings: Ratings, *, fewest: int = 2, most: int | None = None) -> ValueCounts:
        """Count the items that have from `fewest` to `most` ratings."""
        values, codes = levels(ratings.numbers)
        found = _by_pattern(ratings, codes, n_values=len(values))
        class_of_item, entry_class, entry_value, entry_count = (
            _by_item(ratings, codes, n_values=len(values)) if found is None else found
        )
        sizes = np.bincount(class_of_item).astype(np.float64)
        n: Floats = np.bincount(entry_class, entry_count, minlength=len(sizes)).astype(np.float64)
        n = np.where((n >= fewest) & (n <= (np.inf if most is None else most)), n, 0.0)
        kept = n[entry_class] > 0
        occurring, entry_value = distinct(entry_value[kept], len(values))
        return cls(
            values=values[occurring],
            class_of_item=class_of_item,
            sizes=sizes,
            n=n,
            entry_class=entry_class[kept],
            entry_value=entry_value,
            entry_count=entry_count[kept],
            n_items=int(sizes[n > 0].sum()),
            n_raters=ratings.n_raters_of((n > 0)[class_of_item]),
            n_ratings=int(n @ sizes),
        )

    @property
    def n_classes(self) -> int:
        return len(self.n)

    def by_value(self) -> sparse.csr_array:
        """The counts as a matrix, (values, classes), whose product with class sizes gives the totals."""
        shape = (len(self.values), self.n_classes)
        return sparse.csr_array((self.entry_count, (self.entry_value, self.entry_class)), shape=shape)

    def sum_over_entries(self, terms: Floats) -> Floats:
        """Sums of terms, one an entry, by class; shape (classes,)."""
        return np.bincount(self.entry_class, terms, minlength=self.n_classes).astype(np.float64)


def statistic_of_counts(
    ratings: Ratings,
    counts: ValueCounts,
    figure: Callable[[Floats], Floats],
    *,
    undefined_because: str,
    signature: str,
    bootstrap: Bootstrap | None,
    width: int = 0,
    scale: Scale = "coefficient",
    skewness: float = 0.0,
) -> Statistic:
    """A figure that is a function of class sizes, (classes, resamples) → (resamples,), NaN where undefined.

    ``width`` is the number of values that it holds for a resample, beside those of the classes.
    """
    value = float(figure(counts.sizes[:, None])[0])
    sample = None
    if bootstrap and value == value:
        sample = bootstrap.sample(
            figure,
            ratings.n_items,
            units=ratings.units,
            width=width + counts.n_classes,
            classes=counts.class_of_item,
        )
    return statistic(
        value=value,
        undefined_because=undefined_because,
        n_items=counts.n_items,
        n_units=ratings.n_units_of((counts.n > 0)[counts.class_of_item]),
        n_raters=counts.n_raters,
        n_ratings=counts.n_ratings,
        sample=sample,
        bootstrap=bootstrap,
        signature=signature,
        n_items_resampled=ratings.n_items,
        scale=scale,
        skewness=skewness,
    )


ItemPatterns = tuple[Codes, Codes, Codes, Floats]


def _by_pattern(ratings: Ratings, codes: Integers, *, n_values: int) -> ItemPatterns | None:
    """Classes by each item's number in some base, or None where no base would be exact.

    A count that reaches the base carries into the next digit, which makes the sum of all digits less than the
    number of ratings; then the next power of two is tried. So the items' sizes need no pass of their own.
    """
    fewest_bits = int(len(ratings) / max(ratings.n_items, 1)).bit_length()
    for bits in range(fewest_bits, _EXACT_BITS // max(n_values, 1) + 1):
        weights = np.exp2(bits * np.arange(n_values, dtype=np.float64))
        pattern = sum_by_item(ratings.item_codes, ratings.n_items, codes, weights).astype(np.int64)
        space = 1 << (bits * n_values)
        if pattern.max(initial=0) >= space:
            continue
        patterns, class_of_item = distinct(pattern, space)
        digits = (patterns[:, None] >> (bits * np.arange(n_values))) & ((1 << bits) - 1)
        if np.bincount(class_of_item, minlength=len(patterns)) @ digits.sum(axis=1) == len(ratings):
            entry_class, entry_value = np.nonzero(digits)
            return class_of_item, entry_class, entry_value, digits[entry_class, entry_value].astype(np.float64)
    return None


def _by_item(ratings: Ratings, codes: Integers, *, n_values: int) -> ItemPatterns:
    keys = ratings.items * n_values + codes
    entries, entry = distinct(keys, ratings.n_items * n_values)
    item, value = np.divmod(entries, max(n_values, 1))
    count = np.bincount(entry, minlength=len(entries)).astype(np.float64)
    return np.arange(ratings.n_items), item, value, count

"""Krippendorff's α: agreement of any number of raters with missing ratings, at four levels of measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.statistics.ratings import Ratings, RatingsError, distinct, pairs_within
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic

Floats = NDArray[np.float64]

LEVELS = ("nominal", "ordinal", "interval", "ratio")

_BLOCK = 512


def krippendorff_alpha(ratings: Ratings, level: str, *, bootstrap: Bootstrap | None = None) -> Statistic:
    """Krippendorff's α from the value counts of each item.

    Let n_uc be how many of item u's ratings have the value c, n_u the item's number of ratings (items with
    one rating do not count), n_c = Σ_u n_uc and n = Σ_c n_c. Then::

        α = 1 - D_o / D_e
        D_o = 1/n       · Σ_u 1/(n_u - 1) · Σ_c Σ_k n_uc n_uk δ²(c, k)
        D_e = 1/n(n-1)  · Σ_c Σ_k n_c n_k δ²(c, k)

    with δ²(c, k) = 1 for c ≠ k (nominal); (m_c - m_k)², where m_c = Σ_{j<c} n_j + n_c/2 is the mid-rank of
    c (ordinal); (c - k)² (interval); ((c - k)/(c + k))² (ratio).

    Parameters
    ----------
    ratings : Ratings
        Values as numbers; for the nominal level any distinct codes. Raters are exchangeable: with
        ``repeated='cross'`` every judgment counts, also several of one rater.
    level : {'nominal', 'ordinal', 'interval', 'ratio'}
        The scale's level of measurement.
    bootstrap : Bootstrap, optional
        Resample items for an interval; mid-ranks are those of each resample.

    Returns
    -------
    Statistic
        Undefined when no item has two ratings, or when all ratings that count have one value (then D_e is
        0: nothing could have disagreed).

    Raises
    ------
    ValueError
        For an unknown level.
    RatingsError
        For a negative value at the ratio level.

    References
    ----------
    Krippendorff (2019), Content Analysis, 4th edition, chapter 12. Checked against the package
    `krippendorff` and the worked example of Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    if level not in LEVELS:
        raise ValueError(f"The level of measurement {level!r} is none of {', '.join(LEVELS)}.")
    counts = _ValueCounts.of(ratings)
    if level == "ratio" and counts.values.size and counts.values[0] < 0:
        raise RatingsError(f"The ratio level has no negative values, but there is a {counts.values[0]:g}.")
    alpha = _evaluator(counts, level)
    value = float(alpha(np.ones((ratings.n_items, 1)))[0])
    defined = value == value
    sample = None
    if bootstrap and defined:
        sample = bootstrap.sample(alpha, ratings.n_items, width=len(counts.values) + counts.n_cells)
    return statistic(
        value=value if defined else None,
        undefined_because=None if defined else _why_undefined(counts),
        n_items=int((counts.n > 0).sum()),
        n_raters=len(np.unique(ratings.raters[counts.n[ratings.items] > 0])),
        n_ratings=int(counts.n.sum()),
        sample=sample,
        bootstrap=bootstrap,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _ValueCounts:
    """Value counts of the items with at least two ratings.

    `n`, shape (items,), is 0 for the others. `by_value` is sparse, (values, items). `by_cell` is sparse,
    (cells, items): n_uc n_uk / (n_u - 1) for each pair of values c < k that meet in some item.
    """

    values: Floats
    n: Floats
    by_value: sparse.csr_array
    cell_low: NDArray[np.int64]
    cell_high: NDArray[np.int64]
    by_cell: sparse.csr_array

    @property
    def n_cells(self) -> int:
        return len(self.cell_low)

    @classmethod
    def of(cls, ratings: Ratings) -> _ValueCounts:
        n = np.bincount(ratings.items, minlength=ratings.n_items)
        n = np.where(n > 1, n, 0)
        counted = n[ratings.items] > 0
        items = ratings.items[counted]
        values, codes = np.unique(ratings.values[counted], return_inverse=True)
        n_values = len(values)
        entries, entry = distinct(items * n_values + codes, ratings.n_items * n_values)
        count = np.bincount(entry, minlength=len(entries)).astype(np.float64)
        item, value = np.divmod(entries, max(n_values, 1))
        low, high = pairs_within(item)
        cells, cell = distinct(value[low] * n_values + value[high], n_values**2)
        met = item[low]
        cell_low, cell_high = np.divmod(cells, max(n_values, 1))
        return cls(
            values=values,
            n=n.astype(np.float64),
            by_value=sparse.csr_array((count, (value, item)), shape=(n_values, ratings.n_items)),
            cell_low=cell_low,
            cell_high=cell_high,
            by_cell=sparse.csr_array(
                (count[low] * count[high] / (n[met] - 1), (cell, met)), shape=(len(cells), ratings.n_items)
            ),
        )


def _evaluator(counts: _ValueCounts, level: str) -> Callable[[Floats], Floats]:
    """α as a function of item weights, shape (items, resamples) → (resamples,); NaN where undefined."""
    if level == "ordinal":
        return lambda weights: _ordinal(counts, weights)
    values = counts.values
    low, high = values[counts.cell_low], values[counts.cell_high]
    observed_by_item = 2 * (counts.by_cell.T @ _distance(level, low, high))
    return lambda weights: _alpha(
        n=counts.n @ weights,
        observed=observed_by_item @ weights,
        expected=_expected(level, values, counts.by_value @ weights),
    )


def _alpha(*, n: Floats, observed: Floats, expected: Floats) -> Floats:
    """1 - D_o / D_e from the sums of n_uc n_uk δ² / (n_u - 1) and of n_c n_k δ²."""
    defined = expected > 0
    ratio = observed * (n - 1) / np.where(defined, expected, 1.0)
    return np.where(defined, 1.0 - ratio, np.nan)


def _distance(level: str, low: Floats, high: Floats) -> Floats:
    if level == "nominal":
        return np.not_equal(low, high).astype(np.float64)
    difference = high - low
    if level == "ratio":
        total = low + high
        difference = difference / np.where(total > 0, total, 1.0)
    return np.square(difference)


def _ordinal(counts: _ValueCounts, weights: Floats) -> Floats:
    by_value = counts.by_value @ weights
    midrank = np.cumsum(by_value, axis=0) - by_value / 2
    cells = counts.by_cell @ weights
    observed = 2 * (cells * (midrank[counts.cell_high] - midrank[counts.cell_low]) ** 2).sum(axis=0)
    return _alpha(n=counts.n @ weights, observed=observed, expected=_squared_differences(midrank, by_value))


def _squared_differences(positions: Floats, by_value: Floats) -> Floats:
    """Σ_c Σ_k n_c n_k (m_c - m_k)², by the variance around the mean, which does not cancel."""
    n = by_value.sum(axis=0)
    mean = (by_value * positions).sum(axis=0) / np.maximum(n, 1)
    squared = 2 * n * (by_value * (positions - mean) ** 2).sum(axis=0)
    # A single remaining value is a constant, whatever rounding leaves of its distance to the mean.
    return np.where((by_value > 0).sum(axis=0) > 1, squared, 0.0)


def _expected(level: str, values: Floats, by_value: Floats) -> Floats:
    """Σ_c Σ_k n_c n_k δ²(c, k) of each column of value counts."""
    if level == "nominal":
        unequal: Floats = by_value.sum(axis=0) ** 2 - (by_value**2).sum(axis=0)
        return unequal
    if level == "interval":
        return _squared_differences(values[:, None], by_value)
    total = np.zeros(by_value.shape[1])
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = _distance("ratio", values[block, None], values[None, :])
        total += (by_value[block] * (distances @ by_value)).sum(axis=0)
    return total


def _why_undefined(counts: _ValueCounts) -> str:
    if not len(counts.values):
        return "No item has two ratings."
    return f"All ratings of items with at least two have the same value, {counts.values[0]:g}."

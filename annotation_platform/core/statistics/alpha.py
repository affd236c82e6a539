"""Krippendorff's α: agreement of any number of raters with missing ratings, at any level of measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import distinct, pairs_within
from annotation_platform.core.statistics.counts import ValueCounts, statistic_of_counts
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Statistic, signature_line

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
    c (ordinal); (c - k)² (interval); ((c - k)/(c + k))² (ratio). For sets see `krippendorff_alpha_of_sets`.

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
    counts = ValueCounts.of(ratings)
    if level == "ratio" and counts.values.size and counts.values[0] < 0:
        raise RatingsError(f"The ratio level has no negative values, but there is a {counts.values[0]:g}.")
    return statistic_of_counts(
        ratings,
        counts,
        alpha_by_level(counts, level),
        width=len(counts.values) ** 2 if level == "ordinal" else len(counts.values),
        undefined_because=why_undefined(counts),
        signature=signature_line("krippendorff-alpha", level=level, repeated=ratings.repeated),
        bootstrap=bootstrap,
    )


class Distance(Protocol):
    """δ² between values given by their positions among the distinct values."""

    def pairs(self, first: Codes, second: Codes) -> Floats:
        """One by one, shape (pairs,)."""

    def block(self, rows: slice) -> Floats:
        """Of some values to all values, shape (rows, values)."""


Evaluator = Callable[[Floats], Floats]


def alpha_by_distance(counts: ValueCounts, distance: Distance) -> Evaluator:
    """α with any distance; D_e takes time quadratic in the number of distinct values."""
    cells = _Cells.of(counts)
    observed_of_class = 2 * (cells.by_class.T @ distance.pairs(cells.low, cells.high))
    by_value = counts.by_value()

    def alpha(sizes: Floats) -> Floats:
        totals = by_value @ sizes
        expected = np.zeros(sizes.shape[1])
        for start in range(0, len(totals), _BLOCK):
            rows = slice(start, start + _BLOCK)
            expected += (totals[rows] * (distance.block(rows) @ totals)).sum(axis=0)
        return _alpha(n=counts.n @ sizes, observed=observed_of_class @ sizes, expected=expected)

    return alpha


def alpha_by_level(counts: ValueCounts, level: str) -> Evaluator:
    """α as a function of class sizes, (classes, resamples) → (resamples,); NaN where undefined."""
    if level == "ratio":
        return alpha_by_distance(counts, _Ratio(counts.values))
    if level == "ordinal":
        return _ordinal(counts)
    by_value = counts.by_value()
    nominal = level == "nominal"
    observed_of_class = _unequal(counts) if nominal else _squared(counts, counts.values)

    def alpha(sizes: Floats) -> Floats:
        totals = by_value @ sizes
        expected = _unequal_pairs(totals) if nominal else _squared_differences(counts.values[:, None], totals)
        return _alpha(n=counts.n @ sizes, observed=observed_of_class @ sizes, expected=expected)

    return alpha


def _alpha(*, n: Floats, observed: Floats, expected: Floats) -> Floats:
    """1 - D_o / D_e from the sums of n_uc n_uk δ² / (n_u - 1) and of n_c n_k δ²."""
    defined = expected > 0
    ratio = observed * (n - 1) / np.where(defined, expected, 1.0)
    return np.where(defined, 1.0 - ratio, np.nan)


def _unequal(counts: ValueCounts) -> Floats:
    """Σ_c Σ_k n_uc n_uk / (n_u - 1) over c ≠ k, by class."""
    pairs = counts.n**2 - counts.sum_over_entries(counts.entry_count**2)
    return pairs / np.maximum(counts.n - 1, 1)


def _squared(counts: ValueCounts, positions: Floats) -> Floats:
    """Σ_c Σ_k n_uc n_uk (p_c - p_k)² / (n_u - 1), by class, around its mean, which does not cancel."""
    position, count = positions[counts.entry_value], counts.entry_count
    mean = counts.sum_over_entries(count * position) / np.maximum(counts.n, 1)
    around = counts.sum_over_entries(count * (position - mean[counts.entry_class]) ** 2)
    return 2 * counts.n * around / np.maximum(counts.n - 1, 1)


def _unequal_pairs(totals: Floats) -> Floats:
    pairs: Floats = totals.sum(axis=0) ** 2 - (totals**2).sum(axis=0)
    return pairs


def _squared_differences(positions: Floats, totals: Floats) -> Floats:
    """Σ_c Σ_k n_c n_k (p_c - p_k)², by the variance around the mean, which does not cancel."""
    n = totals.sum(axis=0)
    mean = (totals * positions).sum(axis=0) / np.maximum(n, 1)
    squared = 2 * n * (totals * (positions - mean) ** 2).sum(axis=0)
    # A single remaining value is a constant, whatever rounding leaves of its distance to the mean.
    return np.where((totals > 0).sum(axis=0) > 1, squared, 0.0)


def _ordinal(counts: ValueCounts) -> Evaluator:
    by_value = counts.by_value()
    cells: list[_Cells] = []

    def alpha(sizes: Floats) -> Floats:
        totals = by_value @ sizes
        midrank = np.cumsum(totals, axis=0) - totals / 2
        if sizes.shape[1] == 1:
            observed = _squared(counts, midrank[:, 0]) @ sizes
        else:
            # Every resample has mid-ranks of its own, so the meetings of values are kept apart from distances.
            if not cells:
                cells.append(_Cells.of(counts))
            distance = (midrank[cells[0].high] - midrank[cells[0].low]) ** 2
            observed = 2 * ((cells[0].by_class @ sizes) * distance).sum(axis=0)
        return _alpha(n=counts.n @ sizes, observed=observed, expected=_squared_differences(midrank, totals))

    return alpha


class _Cells:
    """Where two values c < k meet in an item: `by_class`, (cells, classes), is n_uc n_uk / (n_u - 1)."""

    def __init__(self, low: Codes, high: Codes, by_class: sparse.csr_array) -> None:
        self.low, self.high, self.by_class = low, high, by_class

    @classmethod
    def of(cls, counts: ValueCounts) -> _Cells:
        n_values = len(counts.values)
        low, high = pairs_within(counts.entry_class)
        keys = counts.entry_value[low] * n_values + counts.entry_value[high]
        cells, cell = distinct(keys, n_values**2)
        met = counts.entry_class[low]
        product = counts.entry_count[low] * counts.entry_count[high] / (counts.n[met] - 1)
        return cls(
            cells // max(n_values, 1),
            cells % max(n_values, 1),
            sparse.csr_array((product, (cell, met)), shape=(len(cells), counts.n_classes)),
        )


class _Ratio:
    """((c - k)/(c + k))², and 0 between two zeros."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    def pairs(self, first: Codes, second: Codes) -> Floats:
        return self._between(self.values[first], self.values[second])

    def block(self, rows: slice) -> Floats:
        return self._between(self.values[rows, None], self.values[None, :])

    def _between(self, c: Floats, k: Floats) -> Floats:
        total = c + k
        squared: Floats = ((c - k) / np.where(total > 0, total, 1.0)) ** 2
        return squared


def why_undefined(counts: ValueCounts) -> str:
    if not len(counts.values):
        return gettext_noop("No item has two ratings.")
    return gettext_noop("All ratings of items with at least two have the same value.")

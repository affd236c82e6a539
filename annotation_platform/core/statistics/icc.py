"""Intraclass correlations of two-way random effects: ICC(2,1) and ICC(2,k), absolute agreement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.skewness import skewness_of_values

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Icc:
    """`single` is ICC(2,1), the reliability of one rater; `average` is ICC(2,k), that of all raters' mean."""

    single: Statistic
    average: Statistic


def icc2(ratings: Ratings, *, bootstrap: Bootstrap | None = None) -> Icc:
    """ICC(2,1) and ICC(2,k) over the items that every rater judged.

    With n such items, k raters, and the mean squares of the two-way analysis of variance between items (MSR),
    between raters (MSC) and of what is left (MSE)::

        ICC(2,1) = (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)
        ICC(2,k) = (MSR - MSE) / (MSR + (MSC - MSE) / n)

    Parameters
    ----------
    ratings : Ratings
        Values on an interval scale, at most one of each rater for each item. Raters without any rating do not
        count; items that a rater lacks are left out.
    bootstrap : Bootstrap, optional
        Resample items for intervals; a drawn item that is not complete does not count.

    Returns
    -------
    Icc
        Both undefined with fewer than two raters, fewer than two items that all of them judged, or when all
        values are equal. Each also where its denominator, which estimates the variance of the values, or of their
        mean over raters, is not above zero: raters who contradict each other would get any value, even a high one.

    Raises
    ------
    RatingsError
        When a rater judged an item more than once: choose ``repeated='mean'`` or ``'last'``.

    References
    ----------
    Shrout and Fleiss (1979), Intraclass correlations: uses in assessing rater reliability, Psychological
    Bulletin 86(2), whose worked example (0.29 and 0.62) is a test. Checked against `pingouin`.
    """
    raters, rater = distinct(ratings.raters, ratings.n_raters)
    k = len(raters)
    if len(distinct(ratings.items * k + rater, ratings.n_items * k)[0]) < len(ratings):
        raise RatingsError("A rater judged an item more than once; choose repeated='mean' or 'last' for an ICC.")
    complete = (ratings.per_item() == k) & (k > 0)
    n = int(complete.sum())
    used = complete[ratings.items]
    matrix = np.empty((n, k))
    matrix[(np.cumsum(complete) - 1)[ratings.items[used]], rater[used]] = ratings.values[used]
    figures = _figures(matrix, complete)
    found = figures(np.ones((ratings.n_items, 1)))[:, 0]
    sample = None
    if bootstrap and not np.isnan(found).all():
        sample = bootstrap.sample(figures, ratings.n_items, units=ratings.units, width=k)
    if k < 2:
        reason = gettext_noop("There are fewer than two raters.")
    elif n == 0:
        reason = Reason("statistics.no_item_by_all", raters=k)
    elif n == 1:
        reason = Reason("statistics.one_item_by_all", raters=k)
    elif np.isclose(matrix, matrix[0, 0], rtol=_ROUNDING, atol=0).all():
        reason = gettext_noop("All values are equal.")
    else:
        reason = gettext_noop(
            "The raters contradict each other so much that the estimated variance of the values is not above zero."
        )
    everyone = np.zeros(matrix.size, dtype=np.int64)
    skewness = float(skewness_of_values(matrix.ravel(), np.ones(matrix.size), everyone, 1)[0])
    single, average = (
        statistic(
            value=float(value),
            undefined_because=reason,
            n_items=n,
            n_units=ratings.n_units_of(complete),
            n_raters=k,
            n_ratings=n * k,
            sample=None if sample is None else sample[index],
            bootstrap=bootstrap,
            signature=signature_line(f"icc(2,{'1' if index == 0 else 'k'})", repeated=ratings.repeated),
            n_items_resampled=ratings.n_items,
            scale="kappa",
            skewness=skewness,
        )
        for index, value in enumerate(found)
    )
    return Icc(single, average)


def _figures(matrix: Floats, complete: Flags) -> Callable[[Floats], Floats]:
    """ICC(2,1) and ICC(2,k) as functions of item weights, (items, resamples) → (2, resamples)."""
    n, k = matrix.shape
    values = matrix - (matrix.mean() if n else 0.0)
    # Everything is a sum over the complete items of one of these rows.
    terms = sparse.csr_array(np.vstack([np.ones(n), values.sum(axis=1) ** 2, (values**2).sum(axis=1), values.T]))

    def figures(weights: Floats) -> Floats:
        sums = np.asarray(terms @ weights[complete])
        n, of_items, total, by_rater = sums[0], sums[1], sums[2], sums[3:]
        usable = (n > 1) & (k > 1)
        m = np.where(usable, n, 2)
        grand = by_rater.sum(axis=0) ** 2 / (m * max(k, 1))
        between_items = of_items / max(k, 1) - grand
        between_raters = (by_rater**2).sum(axis=0) / m - grand
        rest = np.maximum(total - grand - between_items - between_raters, 0.0)
        msr = between_items / (m - 1)
        msc = between_raters / max(k - 1, 1)
        mse = rest / ((m - 1) * max(k - 1, 1))
        usable &= total - grand > _ROUNDING * total
        single = msr + (k - 1) * mse + k * (msc - mse) / m
        average = msr + (msc - mse) / m
        is_positive = np.stack([single, average]) > _ROUNDING * (msr + (k - 1) * mse + k * (msc + mse) / m)
        below = np.where(is_positive, np.stack([single, average]), 1.0)
        return np.where(usable & is_positive, (msr - mse) / below, np.nan)

    return figures

"""Fleiss' κ: agreement on categories of items that were rated equally often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.statistics.ratings import Ratings, distinct
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic

Floats = NDArray[np.float64]


def fleiss_kappa(ratings: Ratings, n_per_item: int, *, bootstrap: Bootstrap | None = None) -> Statistic:
    """Fleiss' κ over the items that have exactly `n_per_item` ratings.

    With k ratings an item, N such items, and n_uc of item u's ratings in category c::

        κ = (P - P_e) / (1 - P_e)
        P = 1/N · Σ_u (Σ_c n_uc² - k) / (k (k - 1))     share of agreeing pairs of ratings
        P_e = Σ_c (Σ_u n_uc / (N k))²                   the same, expected from the categories' shares

    Parameters
    ----------
    ratings : Ratings
        Each distinct value is a category. To ask about two groups of labels ("complete or not") give those
        as values. Raters are exchangeable; with ``repeated='cross'`` every judgment counts.
    n_per_item : int
        The k above, at least 2. Items with more or fewer ratings are left out.
    bootstrap : Bootstrap, optional
        Resample items for an interval.

    Returns
    -------
    Statistic
        Undefined when no item has `n_per_item` ratings, or when all ratings of those that have are in one
        category (then P_e is 1).

    Raises
    ------
    ValueError
        For `n_per_item` below 2.

    References
    ----------
    Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin 76(5).
    Checked against `statsmodels.stats.inter_rater.fleiss_kappa` and a worked example.
    """
    k = n_per_item
    if k < 2:
        raise ValueError(f"n_per_item is {k}; κ compares at least 2 ratings of an item.")
    used = np.bincount(ratings.items, minlength=ratings.n_items) == k
    counted = used[ratings.items]
    categories, codes = np.unique(ratings.values[counted], return_inverse=True)
    n_categories = len(categories)
    entries, entry = distinct(ratings.items[counted] * n_categories + codes, ratings.n_items * n_categories)
    count = np.bincount(entry, minlength=len(entries)).astype(np.float64)
    item, category = np.divmod(entries, max(n_categories, 1))
    by_category = sparse.csr_array((count, (category, item)), shape=(n_categories, ratings.n_items))
    agreeing = np.bincount(item, count**2, minlength=ratings.n_items) - np.where(used, k, 0)

    def kappa(weights: Floats) -> Floats:
        n_items = used @ weights
        totals = np.asarray(by_category @ weights)
        defined = (totals > 0).sum(axis=0) > 1
        n = np.where(defined, n_items, 1)
        observed = agreeing @ weights / (n * k * (k - 1))
        expected = np.where(defined, ((totals / (n * k)) ** 2).sum(axis=0), 0.0)
        return np.where(defined, (observed - expected) / (1 - expected), np.nan)

    value = float(kappa(np.ones((ratings.n_items, 1)))[0])
    defined = value == value
    if not n_categories:
        reason = f"No item has exactly {k} ratings."
    else:
        reason = f"All ratings of the items with {k} ratings have the same value, {categories[0]:g}."
    return statistic(
        value=value if defined else None,
        undefined_because=None if defined else reason,
        n_items=int(used.sum()),
        n_raters=len(np.unique(ratings.raters[counted])),
        n_ratings=int(counted.sum()),
        sample=bootstrap.sample(kappa, ratings.n_items) if bootstrap and defined else None,
        bootstrap=bootstrap,
    )

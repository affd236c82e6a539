"""Fleiss' κ: agreement on categories of items that were rated equally often."""

from __future__ import annotations

import numpy as np

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.counts import ValueCounts, statistic_of_counts
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.skewness import skewness_of_labels


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
    counts = ValueCounts.of(ratings, fewest=k, most=k)
    by_category = counts.by_value()
    agreeing = counts.sum_over_entries(counts.entry_count**2) - counts.n
    used = counts.n > 0

    def kappa(sizes: Floats) -> Floats:
        totals = np.asarray(by_category @ sizes)
        defined = (totals > 0).sum(axis=0) > 1
        n = np.where(defined, used @ sizes, 1)
        observed = agreeing @ sizes / (n * k * (k - 1))
        expected = np.where(defined, ((totals / (n * k)) ** 2).sum(axis=0), 0.0)
        return np.where(defined, (observed - expected) / (1 - expected), np.nan)

    if not len(counts.values):
        reason = Reason("statistics.no_item_with_so_many", ratings=k)
    else:
        reason = Reason("statistics.all_of_these_alike", ratings=k)
    totals = np.asarray(by_category @ counts.sizes)
    labels = np.arange(len(totals))
    return statistic_of_counts(
        ratings,
        counts,
        kappa,
        undefined_because=reason,
        signature=signature_line("fleiss-kappa", ratings_per_item=k, repeated=ratings.repeated),
        bootstrap=bootstrap,
        scale="kappa",
        skewness=float(skewness_of_labels(labels, totals, np.zeros_like(labels), 1)[0]),
    )

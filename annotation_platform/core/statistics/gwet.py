"""Gwet's AC1 and AC2, and percent agreement: any number of raters, missing ratings allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.counts import ValueCounts, statistic_of_counts
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import mean_share

Weights = Literal["identity", "linear", "quadratic"]


def gwet_ac(
    ratings: Ratings,
    *,
    scale: Sequence[float] | None = None,
    weights: Weights = "identity",
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Gwet's AC1 (identity weights) or AC2 (linear or quadratic weights).

    With n_uc of item u's n_u ratings in category c, agreement weights w_ck, N items with a rating, N₂ of them
    with at least two, and q categories::

        AC  = (p_a - p_e) / (1 - p_e)
        p_a = 1/N₂ · Σ_u Σ_c n_uc (Σ_k w_ck n_uk - 1) / (n_u (n_u - 1))
        π_c = 1/N · Σ_u n_uc / n_u
        p_e = Σ_ck w_ck / (q (q - 1)) · Σ_c π_c (1 - π_c)

    where w_ck is 1 for c = k, else 0 (identity), 1 - |c - k| / range (linear) or 1 - (c - k)² / range²
    (quadratic), by the values of the categories.

    Parameters
    ----------
    ratings : Ratings
        Raters are exchangeable; with ``repeated='cross'`` every judgment counts.
    scale : sequence of float, optional
        All values of the scale; by default those that occur. Unlike α and κ, AC depends on categories that
        nobody chose.
    weights : {'identity', 'linear', 'quadratic'}
    bootstrap : Bootstrap, optional
        Resample items for an interval.

    Returns
    -------
    Statistic
        Undefined when no item has two ratings, or the scale has a single value.

    Raises
    ------
    ValueError
        For unknown weights.
    RatingsError
        When a rating is not on the scale.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 4 and 5. Checked against `irrCAC`.
    """
    if weights not in ("identity", "linear", "quadratic"):
        raise ValueError(f"The weights {weights!r} are none of identity, linear, quadratic.")
    counts = ValueCounts.of(ratings, fewest=1)
    categories = counts.values if scale is None else np.unique(np.asarray(scale, dtype=np.float64))
    strange = np.setdiff1d(counts.values, categories)
    if len(strange):
        raise RatingsError(f"A rating has the value {strange[0]:g}, which the scale does not have.")
    w = _weights(categories, weights)
    agreeing = _agreeing_pairs(counts, w[np.ix_(*[np.searchsorted(categories, counts.values)] * 2)])
    paired = counts.n >= 2
    shares = counts.by_value() @ sparse.diags_array(1 / np.maximum(counts.n, 1))
    q = len(categories)

    def ac(sizes: Floats) -> Floats:
        n_paired = paired @ sizes
        n_rated = (counts.n > 0) @ sizes
        defined = (n_paired > 0) & (q > 1)
        observed = (agreeing @ sizes) / np.where(defined, n_paired, 1)
        share = np.asarray(shares @ sizes) / np.where(n_rated > 0, n_rated, 1)
        expected = w.sum() / max(q * (q - 1), 1) * (share * (1 - share)).sum(axis=0)
        return np.where(defined, (observed - expected) / np.where(defined, 1 - expected, 1.0), np.nan)

    return statistic_of_counts(
        ratings,
        counts,
        ac,
        undefined_because=gettext_noop("No item has two ratings.")
        if q > 1
        else gettext_noop("The scale has a single value."),
        signature=signature_line(
            "gwet-ac1" if weights == "identity" else "gwet-ac2",
            weights=weights,
            categories=q,
            repeated=ratings.repeated,
        ),
        bootstrap=bootstrap,
    )


def percent_agreement(ratings: Ratings) -> Statistic:
    """Share of agreeing pairs of ratings, averaged over the items that have at least two; p_a of `gwet_ac`.

    Its interval is Wilson's (`shares`) of the ratings' units, and an item's ratings but one are its observations.
    Undefined when no item has two ratings. Checked against `irrCAC`.
    """
    counts = ValueCounts.of(ratings)
    agreeing = _agreeing_pairs(counts, np.eye(len(counts.values)))
    paired = counts.n > 0
    is_paired = paired[counts.class_of_item]
    return mean_share(
        agreeing[counts.class_of_item[is_paired]],
        ratings.unit_of_item[is_paired],
        trials=counts.n_ratings - counts.n_items,
        n_raters=counts.n_raters,
        n_ratings=counts.n_ratings,
        undefined_because=gettext_noop("No item has two ratings."),
        name=signature_line("percent-agreement", repeated=ratings.repeated),
    )


def _weights(categories: Floats, weights: Weights) -> Floats:
    if weights == "identity" or len(categories) < 2:
        return np.eye(len(categories))
    apart: Floats = np.abs(categories[:, None] - categories) / (categories[-1] - categories[0])
    return 1.0 - (apart if weights == "linear" else apart**2)


def _agreeing_pairs(counts: ValueCounts, weights: Floats) -> Floats:
    """Weighted share of agreeing pairs of ratings in an item of each class, 0 where there is no pair."""
    matrix = counts.by_value().T.tocsr()
    alike: Floats = np.asarray(matrix.multiply(matrix @ weights).sum(axis=1)).reshape(-1)
    pairs = counts.n * (counts.n - 1)
    shares: Floats = np.where(pairs > 0, (alike - counts.n) / np.where(pairs > 0, pairs, 1.0), 0.0)
    return shares

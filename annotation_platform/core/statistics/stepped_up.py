"""How reliable the mean of k raters is, from their agreement: the Spearman–Brown formula, with intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic

NO_AGREEMENT = gettext_noop(
    "Raters agree no more than by chance, so that the mean of more of them is no more reliable."
)


def spearman_brown(agreement: Statistic, n_raters: int) -> Statistic:
    """Reliability of the mean of ``n_raters`` raters, with α (or an ICC of single raters) the agreement of one.

    ``ρ_k = k α / (1 + (k − 1) α)``: the share of the variance of the mean of k raters that another k such raters
    would find again. Unlike the correlation with a vote of those at hand it goes on beyond their number.

    Parameters
    ----------
    agreement : Statistic
        Krippendorff's α at the interval level, or ICC(2,1); its interval is carried over resample by resample.
    n_raters : int
        k, at least 1.

    Returns
    -------
    Statistic
        Undefined where α is undefined or not above 0; resamples in which it is not above 0 count as 0.

    References
    ----------
    Spearman (1910) and Brown (1910), British Journal of Psychology 3; Krippendorff (2004), Content Analysis, 2nd
    edition, chapter 11.

    >>> alpha = Statistic(0.5, None, 10, 2, 20, 10, None, "No interval was asked for.")
    >>> spearman_brown(alpha, 3).value
    0.75
    """
    if n_raters < 1:
        raise ValueError(f"n_raters is {n_raters}; at least 1 is needed.")
    signature = f"spearman-brown|raters:{n_raters}|of:[{agreement.signature}]"
    if agreement.value is None or agreement.value <= 0:
        reason = agreement.undefined_because or NO_AGREEMENT
        missing = gettext_noop("The statistic itself is undefined.")
        return replace(
            agreement,
            value=None,
            undefined_because=reason,
            interval=None,
            no_interval_because=missing,
            signature=signature,
            resampled=None,
        )
    drawn = agreement.resampled
    found = statistic(
        value=float(_stepped(np.array([agreement.value]), n_raters)[0]),
        undefined_because=None,
        n_items=agreement.n_items,
        n_units=agreement.n_units,
        n_raters=agreement.n_raters,
        n_ratings=agreement.n_ratings,
        sample=None if drawn is None else _stepped(drawn.values, n_raters),
        bootstrap=None if drawn is None else Bootstrap(len(drawn.values), drawn.seed, drawn.level),
        signature=signature,
        n_items_resampled=0 if drawn is None else drawn.n_items,
        ends=(0.0, 1.0),
    )
    return replace(found, signature=signature)


def _stepped(alpha: Floats, k: int) -> Floats:
    positive = np.where(np.isnan(alpha), np.nan, np.maximum(alpha, 0.0))
    stepped: Floats = k * positive / (1 + (k - 1) * positive)
    return stepped

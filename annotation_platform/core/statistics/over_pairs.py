"""The plain mean of a figure over the pairs of raters for which it is defined."""

from __future__ import annotations

import numpy as np

from annotation_platform.core.arrays import Floats
from annotation_platform.core.few_units import Scale
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.joins import JoinedRows
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic


def mean_over_pairs(
    ratings: Ratings,
    rows: JoinedRows,
    values: Floats,
    bootstrap: Bootstrap | None,
    sample: Floats | None,
    *,
    signature: str,
    symbol: str | None = "τ",
    scale: Scale = "coefficient",
    skewness: float = 0.0,
) -> Statistic:
    """Mean of ``values``, shape (pairs,), and of ``sample``, (pairs, resamples), over what is not NaN.

    ``symbol`` is what a value is called where none is defined, ``skewness`` that of κ's judgments: a mean of κ rests on
    as many units as a pair has on average.
    """
    nothing = (
        Reason("statistics.no_defined_pair", symbol=symbol) if symbol else Reason("statistics.no_defined_pair_value")
    )
    defined = ~np.isnan(values)
    used, n_ratings = rows.used(defined)
    return statistic(
        value=float(values[defined].mean()) if defined.any() else None,
        undefined_because=nothing,
        n_items=int(used.sum()),
        n_units=ratings.n_units_of(used),
        n_raters=len(np.union1d(rows.rater_a[defined], rows.rater_b[defined])),
        n_ratings=n_ratings,
        sample=None if sample is None else mean_of_defined(sample),
        bootstrap=bootstrap,
        signature=signature,
        n_items_resampled=ratings.n_items,
        scale=scale,
        skewness=skewness,
        shared=float(rows.n_units[defined].mean()) if scale == "kappa" and defined.any() else None,
    )


def mean_of_defined(sample: Floats) -> Floats:
    """Mean over the first axis of what is not NaN; NaN where nothing is."""
    defined = ~np.isnan(sample)
    n = defined.sum(axis=0)
    return np.where(n > 0, np.where(defined, sample, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)

"""Figures as plain JSON data: each with its n and its interval; one that is undefined is None with the reason."""

import numpy as np

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.judgment_table import Codes, Figures
from annotation_platform.core.statistics import (
    Bootstrap,
    Difference,
    Interval,
    Ratings,
    Statistic,
    holm,
    label_distributions,
    paired_bootstrap,
)
from annotation_platform.core.statistics.differences import normal_p_value


def figure(found: Statistic) -> Figures:
    return {
        "value": found.value,
        "interval": interval_of(found.interval),
        "items": found.n_items,
        "annotators": found.n_raters,
        "judgments": found.n_ratings,
        "undefined_because": found.undefined_because,
        "no_interval_because": found.no_interval_because,
    }


def counted(found: Statistic) -> CountedFigure:
    """The same as a type."""
    return CountedFigure(**figure(found))


def undefined(reason: str) -> Figures:
    return figure(Statistic(None, reason, 0, 0, 0, None, "The statistic itself is undefined."))


def interval_of(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


FEWEST_UNITS = 5  # so few drawn anew are mostly the same ones: their spread says little


def share_intervals(kinds: Codes, n_kinds: int, units: Codes, bootstrap: Bootstrap) -> list[list[float] | None]:
    """For each kind, the interval of its share when units are resampled; what is counted has a kind and a unit.

    There is none of fewer than `FEWEST_UNITS`.
    """
    distinct, codes = np.unique(units, return_inverse=True)
    if len(distinct) < FEWEST_UNITS:
        return [None] * n_kinds
    nobody = np.zeros_like(codes)
    ratings = Ratings.from_arrays(codes, nobody, kinds.astype(np.float64), repeated="cross")
    (found,) = label_distributions(ratings, list(map(float, range(n_kinds))), bootstrap=bootstrap)
    return [interval_of(each.share.interval) for each in found.shares]


def difference(found: Difference) -> Figures:
    return {
        "value": found.value,
        "interval": interval_of(found.interval),
        "items": found.n_items,
        "p_value": found.p_value,
        "undefined_because": found.undefined_because,
        "no_interval_because": found.no_interval_because,
        "no_p_value_because": found.no_p_value_because,
    }


def differences(pairs: list[tuple[Statistic, Statistic]]) -> list[Figures]:
    """A family of differences, second minus first, each with its interval and p, raw and corrected by Holm.

    p comes from the bootstrap spread, which a correction for many tests needs; the interval has the percentiles.
    """
    found = [paired_bootstrap(first, second) for first, second in pairs]
    p_values = [
        normal_p_value(each.value, second.resampled.values - first.resampled.values)
        if first.resampled is not None and second.resampled is not None
        else None
        for each, (first, second) in zip(found, pairs, strict=True)
    ]
    return [
        difference(each) | {"p_value": p_value, "p_holm": p_holm}
        for each, p_value, p_holm in zip(found, p_values, holm(p_values), strict=True)
    ]

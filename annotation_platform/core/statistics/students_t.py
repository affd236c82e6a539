"""Interval and p-value of an estimate by Student's t, from its standard error and degrees of freedom."""

from __future__ import annotations

from scipy.special import stdtr, stdtrit

from annotation_platform.core.statistics.result import Interval


def t_interval(value: float, standard_error: float, freedom: float, level: float) -> Interval:
    """value ± t s, with t the quantile of (1 + level) / 2."""
    half = float(stdtrit(freedom, (1 + level) / 2)) * standard_error
    return Interval(value - half, value + half, level)


def t_p_value(value: float, standard_error: float, freedom: float) -> float:
    """Two-sided p of the hypothesis that what is estimated is 0; ``standard_error`` is above 0."""
    return float(2 * stdtr(freedom, -abs(value) / standard_error))

"""Figures of what was drawn with unequal chances for other people, too: means and differences of two systems.

They are linear in people's means of the rows, so that `linear_for_other_raters` holds, as of `powered_for_others`. With
w_i how many rows each judged one stands for, and of each system W the sum of w over those with a value, m its weighted
mean, f̄ that of the model's judgments over all that was judged, s the share of the judged w that has a value, and λ the
weight of the model (0: people alone)::

    c_i = ± w_i / W        t_i = m + s λ (f_i − f̄)                        − for the first system

Coverage: ``docs/reference/statistics/active.md``.
"""

from __future__ import annotations

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.clustered_means import ClusteredDifference
from annotation_platform.core.statistics.crossed import ForOtherRaters, Known
from annotation_platform.core.statistics.linear_for_others import Said, linear_for_other_raters
from annotation_platform.core.statistics.powered_for_others import PoweredForOthers
from annotation_platform.core.statistics.prediction_powered import PredictionPowered
from annotation_platform.core.statistics.result import Ends


def weighted_mean_for_other_raters(
    said: Said,
    people: Floats,
    weights: Floats,
    groups: Codes,
    found: ClusteredDifference,
    *,
    ends: Ends | None = None,
    level: float = 0.95,
) -> ForOtherRaters:
    """Interval of `weighted_mean` for other raters, too; ``people`` are the means of what was ``said``."""
    counts = ~np.isnan(people) & (weights > 0)
    effects = np.where(counts, weights, 0.0) / (float(weights[counts].sum()) or 1.0)
    expected = np.full(len(people), found.value or 0.0)
    return linear_for_other_raters(
        said, effects, expected, groups, found, ends=ends, on_scale=ends is not None, level=level
    )


def weighted_difference_for_other_raters(
    said: Said,
    people: Floats,
    is_second: Flags,
    weights: Floats,
    groups: Codes,
    found: ClusteredDifference,
    *,
    ends: Ends | None = None,
    level: float = 0.95,
) -> ForOtherRaters:
    """Interval and p of `weighted_difference` for other raters, too."""
    nothing = np.zeros(len(people))
    effects, expected = _linear(people, nothing, is_second, weights, np.zeros(len(people), np.bool_), 0.0)
    return linear_for_other_raters(said, effects, expected, groups, found, ends=ends, level=level)


def active_difference_for_other_raters(
    said: Said,
    people: Floats,
    model: Floats,
    is_second: Flags,
    weights: Floats,
    groups: Codes,
    found: PredictionPowered,
    *,
    without_value: Flags | None = None,
    ends: Ends | None = None,
    level: float = 0.95,
) -> PoweredForOthers:
    """Intervals and p of `active_difference` for other raters, too; arguments as it was made from."""
    silent = np.zeros(len(people), np.bool_) if without_value is None else without_value

    def at(weight: float, known: Known) -> ForOtherRaters:
        effects, expected = _linear(people, model, is_second, weights, silent, weight)
        return linear_for_other_raters(said, effects, expected, groups, known, ends=ends, level=level)

    alone = at(0.0, found.people)
    return PoweredForOthers(alone, at(found.weight, found) if found.weight else alone)


def _linear(
    people: Floats, model: Floats, is_second: Flags, weights: Floats, silent: Flags, weight: float
) -> tuple[Floats, Floats]:
    """c and t of each row, for this λ."""
    counts = weights > 0
    has_value = ~np.isnan(people) & counts
    judged = has_value | (silent & counts)
    effects, expected = np.zeros(len(people)), np.zeros(len(people))
    for sign, side in ((-1.0, ~is_second), (1.0, is_second)):
        own, all_judged = side & has_value, side & judged
        if not own.any():
            continue
        total, of_all = float(weights[own].sum()), float(weights[all_judged].sum())
        middle = float(weights[own] @ people[own]) / total
        around = model[side] - float(weights[all_judged] @ model[all_judged]) / of_all
        effects[own] = sign * weights[own] / total
        expected[side] = middle + total / of_all * weight * around
    return effects, expected

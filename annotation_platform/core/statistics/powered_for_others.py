"""What people would say of everything, for other people, too: means and differences of people and a model at once.

Both estimates, people's alone and the one with the model, are linear in people's means of the rows, so that
`linear_for_other_raters` holds. With w_i how many rows each judged one stands for (1 where nothing was drawn), m
people's weighted mean, f the model's judgments with their weighted mean f̄ over what people judged, s the share of W
that has a value, and λ the weight of the model (0: people alone)::

    mean          c_i = w_i / Σ w over those with a value        t_i = m + s λ (f_i − f̄)
    difference    c_i = ∓1 / (n k_i)                             t_i = m + s λ (f_i − f̄) of the answer's system

n questions of which both answers have a value, s their share of those of which people judged both, k_i rows of one
system in a question, − for the first system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.crossed import ForOtherRaters, Known
from annotation_platform.core.statistics.linear_for_others import Said, linear_for_other_raters
from annotation_platform.core.statistics.prediction_powered import PredictionPowered
from annotation_platform.core.statistics.result import Ends


@dataclass(frozen=True, slots=True)
class PoweredForOthers:
    """For other groups and other raters: by people alone, and with the model (the same where it does not help)."""

    people: ForOtherRaters
    both: ForOtherRaters


def powered_mean_for_other_raters(
    said: Said,
    people: Floats,
    model: Floats,
    groups: Codes,
    found: PredictionPowered,
    *,
    weights: Floats | None = None,
    without_value: Flags | None = None,
    ends: Ends | None = None,
    level: float = 0.95,
) -> PoweredForOthers:
    """Intervals of `prediction_powered_mean`, or with ``weights`` of `active_mean`, for other raters, too.

    Parameters
    ----------
    said : Said
        What people said of the rows; ``people`` are the means of it.
    people, model, weights, without_value, ends
        As the mean was made from.
    groups : int array
        As well; what was drawn together belongs to one.
    """
    silent = np.zeros(len(people), np.bool_) if without_value is None else without_value
    w = np.ones(len(people)) if weights is None else weights
    if ((~np.isnan(people) | silent) & (w > 0)).all():
        w = np.ones(len(people))  # everything is known, however it was chosen
    has_value = ~np.isnan(people) & (w > 0)
    judged = has_value | (silent & (w > 0))
    effects = np.where(has_value, w, 0.0)
    total, of_all = float(effects.sum()) or 1.0, float(w[judged].sum()) or 1.0
    middle = float(effects @ np.nan_to_num(people)) / total
    around = model - float(w[judged] @ model[judged]) / of_all

    def at(weight: float, known: Known) -> ForOtherRaters:
        expected = middle + total / of_all * weight * around
        return linear_for_other_raters(
            said, effects / total, expected, groups, known, ends=ends, on_scale=ends is not None, level=level
        )

    alone = at(0.0, found.people)
    return PoweredForOthers(alone, at(found.weight, found) if found.weight else alone)


def powered_difference_for_other_raters(
    said: Said,
    is_second: Flags,
    questions: Codes,
    judged: Flags,
    model: Floats,
    groups: Codes,
    found: PredictionPowered,
    *,
    ends: Ends | None = None,
    level: float = 0.95,
) -> PoweredForOthers:
    """Intervals and p of the difference of two systems by question for other raters, too.

    Parameters
    ----------
    said : Said
        What people said of the rows.
    is_second, questions, model, groups : arrays, shape (rows,)
        Rows are answers of the two systems; ``model`` is what the model says of each, without NaN.
    judged : flags, shape (rows,)
        The rows of questions of which people judged both answers, with a value.
    found : PredictionPowered
        The difference by question.
    ends : tuple of two floats, optional
        The least and the most that the difference can be.
    """
    side = is_second.astype(np.int64)
    cells = questions + (int(questions.max(initial=-1)) + 1) * side
    in_cell = np.bincount(cells[judged], minlength=int(cells.max(initial=-1)) + 1)
    n = max(len(np.unique(questions[judged])), 1)
    with_value = found.n_people / max(found.people.n_items, 1)
    share = np.where(judged, 1 / (n * np.maximum(in_cell[cells], 1)), 0.0)
    counts = np.maximum(np.bincount(said.rows, minlength=len(model)), 1)
    means = np.bincount(said.rows, weights=said.values, minlength=len(model)) / counts
    middle, of_model = (np.bincount(side, weights=share * each, minlength=2)[side] for each in (means, model))

    def at(weight: float, known: Known) -> ForOtherRaters:
        expected = middle + with_value * weight * (model - of_model)
        effects = np.where(is_second, share, -share)
        return linear_for_other_raters(said, effects, expected, groups, known, ends=ends, level=level)

    alone = at(0.0, found.people)
    return PoweredForOthers(alone, at(found.weight, found) if found.weight else alone)

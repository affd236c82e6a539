"""Prediction-powered means: people judged a part at random, a model judged all, and both are used at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.ratings import Codes, Flags, Floats, RatingsError
from annotation_platform.core.statistics.result import Interval, signature_line

NOBODY = "People have judged none of them."
NOT_AT_RANDOM = (
    "What the model says of the part that people judged differs from what it says of the rest by more than chance "
    "explains, so that people did not judge a part drawn at random; only their own mean is given."
)
ALL_JUDGED = "People have judged all that the model has judged, so that it adds nothing."
TOO_FEW = (
    "People have judged fewer than twenty articles, or questions that share none, from which it "
    "cannot be told how much the model helps; only their own mean is given."
)
FEWEST_GROUPS = 20
_SURELY_APART = 0.01


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """A mean of what people would say of everything.

    Attributes
    ----------
    value : float or None
        None where people judged nothing.
    undefined_because : str or None
        The reason, exactly where `value` is None.
    interval : Interval or None
    no_interval_because : str or None
    weight : float
        λ, between 0 (people alone) and 1.
    no_model_because : str or None
        Why the model was not used at all; None where it was allowed to help, even if λ came out as 0.
    people : ClusteredDifference
        The mean of people alone, as a difference from zero.
    n_people, n_model : int
        Rows judged by people, and rows judged by the model alone.
    n_units : int
        Groups that they come in.
    n_effective : float or None
        So many judged rows would have given people alone an interval as narrow.
    signature : str
    """

    value: float | None
    undefined_because: str | None
    interval: Interval | None
    no_interval_because: str | None
    weight: float
    no_model_because: str | None
    people: ClusteredDifference
    n_people: int
    n_model: int
    n_units: int
    n_effective: float | None
    signature: str


def prediction_powered_mean(
    people: ArrayLike, model: ArrayLike, groups: ArrayLike, *, level: float = 0.95
) -> PredictionPowered:
    """What people would say on average of all rows, from people's judgments of some and a model's of all.

    With Y people's judgment of n rows, f the model's of them, and f̃ the model's of the N other rows::

        θ  = λ Σ f̃ / N + Σ (Y − λ f) / n
        λ* = − B / C   for V(λ) = A + 2 B λ + C λ², cut to 0 … 1

    θ is right for every λ, however bad the model is: what it gets wrong on the n rows is taken off again. V(λ) is the
    variance of θ as `clustered_difference` has it, with rows of a group taken as alike, of the mean of Y − λ f less
    that of −λ f̃; its interval is that function's, too. With every row a group of its own
    λ* is Cov(Y, f) / ((1 + n / N) Var f).

    It holds only if people judged a part that was drawn at random. Where the model's judgments of the two parts
    differ with p < .01, the model is left out, with the reason; so it is where people judged fewer than 20 groups, of
    which intervals with a tuned λ are too narrow.

    For a difference of two systems, give the differences by question.

    Parameters
    ----------
    people : array-like of float, shape (n + N,)
        NaN where people have not judged.
    model : array-like of float, shape (n + N,)
        In the same unit, without NaN.
    groups : array-like of int, shape (n + N,)
        Codes of the groups, such as of articles or questions; any whole numbers.
    level : float
        Confidence level.

    Returns
    -------
    PredictionPowered
        Undefined where people judged nothing; without an interval, and its reason, where what they judged comes from
        a single group or does not differ at all.

    Raises
    ------
    RatingsError
        When the columns differ in length, the model's has no number somewhere, or a value is infinite.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference, arXiv 2311.01453. Checked
    against the formulas written out, for lone rows and for groups; coverage in
    ``docs/reference/statistics/prediction-powered.md``.

    >>> people = 2 * [1, 0, 1, 1, 0, 1, 1, 0, 1, 1] + 20 * [np.nan]
    >>> model = 2 * [1, 0, 1, 1, 0, 1, 1, 1, 1, 1] + 2 * [1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    >>> found = prediction_powered_mean(people, model, groups=range(40))
    >>> found.people.value, found.n_people, found.value > 0.7, found.n_effective > 20
    (0.7, 20, True, True)
    """
    said, predicted, group = np.asarray(people, np.float64), np.asarray(model, np.float64), np.asarray(groups)
    if not said.shape == predicted.shape == group.shape or said.ndim != 1:
        shapes = f"{said.shape}, {predicted.shape} and {group.shape}"
        raise RatingsError(f"Give one judgment of each and one group a row, not {shapes}.")
    if not np.isfinite(predicted).all():
        raise RatingsError("The model has no number for a row; leave the row out.")
    judged = ~np.isnan(said)
    alone = clustered_difference(np.where(judged, 0.0, np.nan), said, group, level=level)
    no_model = _why_not(judged, predicted, group)
    weight, found = 0.0, alone
    if no_model is None:
        weight = _best_weight(said, predicted, group)
        found = _corrected(said, predicted, group, weight, level)
        if weight == 0 or found.interval is None:
            weight, found = 0.0, alone
    gained = alone.standard_error and found.standard_error and (alone.standard_error / found.standard_error) ** 2
    n_people = int(judged.sum())
    return PredictionPowered(
        value=found.value,
        undefined_because=None if found.value is not None else NOBODY,
        interval=found.interval,
        no_interval_because=found.no_interval_because,
        weight=weight,
        no_model_because=no_model,
        people=alone,
        n_people=n_people,
        n_model=len(said) - n_people,
        n_units=len(np.unique(group)),
        n_effective=None if gained is None else n_people * gained,
        signature=signature_line("prediction-powered-mean", interval="t|cr2", level=level),
    )


def _why_not(judged: Flags, predicted: Floats, group: Codes) -> str | None:
    if not judged.any():
        return NOBODY
    if judged.all():
        return ALL_JUDGED
    if len(np.unique(group[judged])) < FEWEST_GROUPS:
        return TOO_FEW
    with_people, without = np.where(judged, predicted, np.nan), np.where(judged, np.nan, predicted)
    p_value = clustered_difference(with_people, without, group).p_value
    return NOT_AT_RANDOM if p_value is not None and p_value < _SURELY_APART else None


def _corrected(said: Floats, predicted: Floats, group: Codes, weight: float, level: float) -> ClusteredDifference:
    judged = ~np.isnan(said)
    return clustered_difference(
        np.where(judged, np.nan, -weight * predicted), said - weight * predicted, group, level=level
    )


def _best_weight(said: Floats, predicted: Floats, group: Codes) -> float:
    """Where the variance, which is a parabola of the weight, is smallest; 0 where it cannot be told."""
    found = {weight: _corrected(said, predicted, group, weight, 0.95) for weight in (-1.0, 0.0, 1.0)}
    if any(each.standard_error is None and each.no_interval_because != ALL_ALIKE for each in found.values()):
        return 0.0
    below, none, above = ((each.standard_error or 0.0) ** 2 for each in found.values())
    slope, bend = (above - below) / 4, (above + below) / 2 - none
    return float(np.clip(-slope / bend, 0, 1)) if bend > 0 else 0.0

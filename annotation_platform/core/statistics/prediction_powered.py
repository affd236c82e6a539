"""Prediction-powered means: people judged a part at random, a model judged all, and both are used at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.clustered_means import (
    ClusteredDifference,
    Estimate,
    GroupedMean,
    clustered_difference,
    estimate_of,
)
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import Ends, Interval, signature_line
from annotation_platform.core.statistics.wilson import scale_intervals

NOBODY = gettext_noop("People have judged none of them.")
NOT_AT_RANDOM = gettext_noop(
    "What the model says of the part that people judged differs from what it says of the rest by more than chance "
    "explains, so that people did not judge a part drawn at random; only their own mean is given."
)
ALL_JUDGED = gettext_noop("People have judged all that the model has judged, so that it adds nothing.")
TOO_FEW = gettext_noop(
    "People have judged fewer than twenty articles (or questions, where none share an article): from so few it cannot "
    "be told how much the model helps, so that only people's own mean is given."
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
    p_value : float or None
        Two-sided, for the hypothesis that it is 0: of a difference of two systems. None where there is no interval.
    standard_error, degrees_of_freedom : float or None
        √V and of how many; None where there is no interval.
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
    p_value: float | None
    standard_error: float | None
    degrees_of_freedom: float | None
    weight: float
    no_model_because: str | None
    people: ClusteredDifference
    n_people: int
    n_model: int
    n_units: int
    n_effective: float | None
    signature: str


def prediction_powered_mean(
    people: ArrayLike,
    model: ArrayLike,
    groups: ArrayLike,
    *,
    without_value: ArrayLike | None = None,
    ends: Ends | None = None,
    unknown_because: str | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """What people would say on average of all rows, from people's judgments of some and a model's of all.

    With Y people's judgment of n rows, f the model's of them, and f̃ the model's of the N other rows::

        θ  = λ Σ f̃ / N + Σ (Y − λ f) / n
        λ* = − B / C   for V(λ) = A + 2 B λ + C λ², cut to 0 … 1

    θ is right for every λ, however bad the model is: what it gets wrong on the n rows is taken off again. V(λ) is the
    variance of θ as `clustered_difference` has it, with rows of a group taken as alike, of the mean of Y − λ f less
    that of −λ f̃; its interval is that function's, too, but that λ was fitted to the same G judged groups: V is taken
    (G − 1) / (G − 2) times, with one degree of freedom less. With every row a group of its own λ* is
    Cov(Y, f) / ((1 + n / N) Var f). Where that is no narrower than people alone, these are what is given.

    It holds only if people judged a part that was drawn at random, which no test of the values can prove: the caller
    says where that is not known. Where the model's judgments of the two parts differ with p < .01, it is known not to
    be so. In both cases the model is left out, with the reason; so it is where people judged fewer than 20 groups, of
    which intervals with a tuned λ are too narrow.

    On a scale with ``ends`` both intervals are Wilson's (`wilson`), of θ by its V, and of people's mean as
    `scale_means` has it; θ is cut at the ends. For a difference of two systems, give the differences by question,
    without ``ends``.

    Where people judged rows without giving a value (“not applicable”, or the question was not asked), the mean is of
    the rows that would have one, a ratio. With m people's mean, and s the share of the judged rows that have a value,
    Y is m + (Y − m) / s where there is a value and m where there is none (linearisation).

    Parameters
    ----------
    people : array-like of float, shape (n + N,)
        NaN where people have not judged.
    model : array-like of float, shape (n + N,)
        In the same unit, without NaN.
    groups : array-like of int, shape (n + N,)
        Codes of the groups, such as of articles or questions; any whole numbers.
    without_value : array-like of bool, shape (n + N,), optional
        Rows that people judged without giving a value; `people` is NaN there. The model should say of such rows what
        moves nothing, people's mean.
    ends : tuple of two floats, optional
        Of the scale of what people say.
    unknown_because : str, optional
        Why it is not known that people judged a part drawn at random.
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
    against the formulas written out, for lone rows and for groups, and against `ppi-python`; coverage in
    ``docs/reference/statistics/prediction-powered.md``.

    >>> people = 2 * [1, 0, 1, 1, 0, 1, 1, 0, 1, 1] + 20 * [np.nan]
    >>> model = 2 * [1, 0, 1, 1, 0, 1, 1, 1, 1, 1] + 2 * [1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    >>> found = prediction_powered_mean(people, model, groups=range(40))
    >>> found.people.value, found.n_people, found.value > 0.7, found.n_effective > 20
    (0.7, 20, True, True)
    """
    said, predicted, group = np.asarray(people, np.float64), np.asarray(model, np.float64), np.asarray(groups)
    silent = np.zeros(said.shape, np.bool_) if without_value is None else np.asarray(without_value, np.bool_)
    if not said.shape == predicted.shape == group.shape == silent.shape or said.ndim != 1:
        shapes = f"{said.shape}, {predicted.shape} and {group.shape}"
        raise RatingsError(f"Give one judgment of each and one group a row, not {shapes}.")
    if not np.isfinite(predicted).all():
        raise RatingsError("The model has no number for a row; leave the row out.")
    given, has_value = said, ~np.isnan(said)
    n_people = int(has_value.sum())
    judged = has_value | silent if n_people else has_value
    if n_people < judged.sum():
        mean = said[has_value].mean()
        said = np.where(has_value, mean + (said - mean) * (judged.sum() / n_people), mean)
    n_units, codes = _coded(group)
    rows = _Rows(judged, said[judged], predicted[judged], predicted[~judged], codes, ends, unknown_because, level)
    alone = rows.alone
    if ends is not None:
        alone = _people_on_scale(alone, given[has_value], codes[has_value], ends, level)
    no_model = rows.why_no_model
    weight, found = 0.0, _as_estimate(alone)
    if no_model is None and (best := rows.best_weight) > 0:
        both = rows.estimate(best)
        if is_narrower(both.interval, alone.interval):
            weight, found = best, both
    gained = alone.standard_error and found.standard_error and (alone.standard_error / found.standard_error) ** 2
    return PredictionPowered(
        value=inside(found.value, ends),
        undefined_because=None if found.value is not None else NOBODY,
        interval=found.interval,
        no_interval_because=None if found.interval else found.no_spread_because,
        p_value=found.p_value,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
        weight=weight,
        no_model_because=no_model,
        people=alone,
        n_people=n_people,
        n_model=int((~judged).sum()),
        n_units=n_units,
        n_effective=None if gained is None else n_people * gained,
        signature=signature_line("prediction-powered-mean", interval="t|cr2", level=level),
    )


def _as_estimate(alone: ClusteredDifference) -> Estimate:
    return Estimate(
        alone.value,
        alone.interval,
        alone.p_value,
        alone.standard_error,
        alone.degrees_of_freedom,
        alone.no_interval_because,
    )


def _people_on_scale(
    alone: ClusteredDifference, said: Floats, groups: Codes, ends: Ends, level: float
) -> ClusteredDifference:
    """People's mean with the interval of `scale_means`."""
    if not len(said):
        return alone
    (interval,) = scale_intervals(said, groups, np.zeros(len(said), dtype=np.int64), 1, ends, level)
    return replace(alone, interval=interval, no_interval_because=None if interval else alone.no_interval_because)


def inside(value: float | None, ends: Ends | None) -> float | None:
    """An estimate, cut at the ends of its scale."""
    return value if value is None or ends is None else min(max(value, ends[0]), ends[1])


def _coded(group: NDArray[Any]) -> tuple[int, Codes]:
    """How many groups there are, and their codes from 0; counted where they are small whole numbers, else sorted."""
    if len(group) and np.issubdtype(group.dtype, np.integer):
        low, high = int(group.min()), int(group.max())
        if high - low < 4 * len(group):
            is_there = np.bincount(group - low) > 0
            places = np.cumsum(is_there) - 1
            return int(places[-1]) + 1, places[group - low]
    distinct, codes = np.unique(group, return_inverse=True)
    return len(distinct), codes


def is_narrower(one: Interval | None, other: Interval | None) -> bool:
    return one is not None and (other is None or one.high - one.low < other.high - other.low)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Columns of the judged rows (``said``, ``predicted``) and of the others; groups are coded from 0 over both."""

    judged: Flags
    said: Floats
    predicted: Floats
    others: Floats
    codes: Codes
    ends: Ends | None
    unknown_because: str | None
    level: float

    @cached_property
    def alone(self) -> ClusteredDifference:
        return clustered_difference(np.zeros_like(self.said), self.said, self.codes[self.judged], level=self.level)

    @cached_property
    def model_apart(self) -> list[GroupedMean]:
        """The model's mean of the other rows, and of those that people judged."""
        return [self._mean(self.others, judged=False), self._mean(self.predicted, judged=True)]

    @cached_property
    def why_no_model(self) -> str | None:
        if not len(self.said):
            return NOBODY
        if not len(self.others):
            return ALL_JUDGED
        if self.model_apart[1].n_groups < FEWEST_GROUPS:
            return TOO_FEW
        p_value = estimate_of(self.model_apart, level=self.level).p_value
        return NOT_AT_RANDOM if p_value is not None and p_value < _SURELY_APART else self.unknown_because

    @cached_property
    def best_weight(self) -> float:
        """Where the variance, which is a parabola of the weight, is smallest; 0 where it cannot be told."""
        means = [self._mean(self.said, judged=True), *self.model_apart]
        if min(mean.n_groups for mean in means) < 2:
            return 0.0
        n = int(self.codes.max()) + 1
        people, others, same = (mean.wide(n)[0] for mean in means)
        model = others - same
        bend = float(model @ model)
        return float(np.clip(-(people @ model) / bend, 0, 1)) if bend > 0 else 0.0

    def estimate(self, weight: float) -> Estimate:
        corrected = self._mean(self.said - weight * self.predicted, judged=True)
        means = [corrected, self._mean(-weight * self.others, judged=False)]
        found = estimate_of(means, level=self.level, fitted=1)
        return found if self.ends is None else replace(found, interval=found.on_scale(self.ends, self.level))

    def _mean(self, values: Floats, *, judged: bool) -> GroupedMean:
        return GroupedMean.of(values, self.codes[self.judged == judged])

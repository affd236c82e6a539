"""The mean of what people would say of everything, where a model's uncertainty chose what they were asked about."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, UNDEFINED, ClusteredDifference, Estimate
from annotation_platform.core.statistics.prediction_powered import (
    FEWEST_GROUPS,
    NOBODY,
    TOO_FEW,
    PredictionPowered,
    inside,
    is_narrower,
    prediction_powered_mean,
)
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import Ends, signature_line
from annotation_platform.core.statistics.students_t import t_interval, t_p_value
from annotation_platform.core.statistics.weighted_means import ROUNDING, GroupCovariance, GroupWeights
from annotation_platform.core.statistics.wilson import freedom_of
from annotation_platform.core.text import ONE_GROUP


def active_mean(
    people: ArrayLike,
    model: ArrayLike,
    weights: ArrayLike,
    groups: ArrayLike,
    *,
    without_value: ArrayLike | None = None,
    ends: Ends | None = None,
    unknown_because: str | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """What people would say on average of M rows, from people's judgments of those drawn with known probabilities.

    With Y people's judgment, f the model's, and w = 1 / π how many rows each judged one stands for::

        θ  = λ Σ f / M + Σ w (Y − λ f) / W,    W = Σ w over the judged
        V  = Σ_g u_g²
        u_g = λ Σ_{i in g} (f_i − f̄) / (M √(1 − M_g / M)) + Σ_{i in g} w_i (e_i − ē) / (W √a_g)
        a_g = 1 − 2 W_g / W + W_g² S / (W² S_g)
        λ* = the λ in 0 … 1 with the smallest V

    e = Y − λ f, ē its weighted mean, M_g rows and W_g, S_g sums of w and w² of a group, S = Σ w². It is the mean
    (1/M) Σ [f + (Y − f) ξ / π] of active inference with two changes: W in the place of M (Hájek), so that what the
    model gets wrong by the same amount everywhere costs nothing, and λ, so that a useless model costs nothing.

    The interval is θ ± t √V. The roots in u_g make V right on average, and the degrees of freedom are those of a sum
    of squares like it (Satterthwaite), for rows that are alike and as different in the one group as in another. Where
    w is the same everywhere, V is that of `clustered_difference`. On a scale with ends the u_g may tell of fewer
    degrees of freedom, and then decide (`wilson`).

    Where people judged rows without giving a value, the mean is of the rows that would have one, a ratio. With m the
    weighted mean of those that have one, and s their share of W, Y is m + (Y − m) / s where there is a value and m
    where there is none (linearisation).

    It is right however bad the model is, and whatever it was that the probabilities were made from, as long as they
    are the ones with which the rows were drawn.

    Parameters
    ----------
    people : array-like of float, shape (M,)
        NaN where people have not judged.
    model : array-like of float, shape (M,)
        In the same unit, without NaN.
    weights : array-like of float, shape (M,)
        1 / π of the judged rows, as of `weights_of_draws`; with 0 a judgment does not count. Others are not read.
    groups : array-like of int, shape (M,)
        Codes of the groups, any whole numbers: what was drawn together belongs to one.
    without_value : array-like of bool, shape (M,), optional
        Rows that people judged without giving a value; `people` is NaN there. The model should say of such rows what
        moves nothing, people's weighted mean.
    ends : tuple of two floats, optional
        Of the scale of what people say; intervals are Wilson's then, and estimates cut there.
    unknown_because : str, optional
        Why it is not known that chance alone decided which of the drawn rows people judged; then the model is left out.
    level : float
        Confidence level.

    Returns
    -------
    PredictionPowered
        `people` is the weighted mean of people alone. `n_effective`: so many judged rows, drawn uniformly at random,
        would have given people alone an interval as narrow. Undefined where people judged nothing; without an
        interval, and its reason, where what they judged comes from a single group or does not differ at all. The
        model is left out, with the reason, where people judged everything, or fewer than 20 groups, or where it is not
        known what chance decided.

    Raises
    ------
    RatingsError
        When the columns differ in length, the model's has no number somewhere, a value is infinite, or a judged row
        has no weight.

    References
    ----------
    Zrnic and Candès (2024), Active statistical inference, arXiv 2403.03208; Hájek (1971) for W; Bell and McCaffrey
    (2002) for the roots. Checked against `prediction_powered_mean` and `clustered_difference` with equal weights, and
    against the matrices written out; coverage in ``docs/reference/statistics/active.md``.

    >>> people = 2 * [1, 0, 1, 1, 0, 1, 1, 0, 1, 1] + 20 * [np.nan]
    >>> model = 2 * [1, 0, 1, 1, 0, 1, 1, 1, 1, 1] + 2 * [1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    >>> found = active_mean(people, model, weights=4 * [3, 1, 2, 1, 1, 3, 2, 1, 1, 1], groups=range(40))
    >>> found.n_people, round(found.people.value, 2), found.value > 0.7
    (20, 0.81, True)
    """
    said, silent, predicted, weight, group = checked(people, model, weights, groups, without_value)
    has_value = ~np.isnan(said)
    judged = has_value | silent if has_value.any() else has_value
    if judged.all():  # everything is known, however it was chosen
        return prediction_powered_mean(said, predicted, group, without_value=silent, ends=ends, level=level)
    rows = None
    if judged.any():
        rows = ActiveRows.of(said, silent, predicted, weight, group, n_groups=int(group.max()) + 1)
    no_model = NOBODY if rows is None else TOO_FEW if rows.n_groups < FEWEST_GROUPS else unknown_because
    alone = _difference(rows, 0.0, ends, level)
    best, found = 0.0, alone
    if rows is not None and no_model is None:
        best = rows.best_weight()
        found = _difference(rows, best, ends, level)
        if best == 0 or not is_narrower(found.interval, alone.interval):
            best, found = 0.0, alone
    gained = alone.standard_error and found.standard_error and (alone.standard_error / found.standard_error) ** 2
    n_people = int(has_value.sum())
    return PredictionPowered(
        value=found.value,
        undefined_because=None if rows is not None else NOBODY,
        interval=found.interval,
        no_interval_because=found.no_interval_because,
        p_value=found.p_value,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
        weight=best,
        no_model_because=no_model,
        people=alone,
        n_people=n_people,
        n_model=int((~judged).sum()),
        n_units=len(np.unique(group)),
        n_effective=None if gained is None else worth(weight[has_value]) * gained,
        signature=signature_line("active-mean", interval="t|cr2", level=level),
    )


def _of_all_judged(said: Floats, weight: Floats, has_value: Flags, judged: Flags) -> Floats:
    """Y, linearised where some judged rows have no value."""
    if has_value.sum() == judged.sum():
        return said
    w = weight[has_value]
    mean, share = float(w @ said[has_value] / w.sum()), float(w.sum() / weight[judged].sum())
    linear: Floats = np.where(has_value, mean + (said - mean) / share, mean)
    return linear


def worth(weights: Floats) -> float:
    """As many rows of equal weights have a mean as certain (Kish)."""
    return float(weights.sum()) ** 2 / float((weights**2).sum())


def checked(
    people: ArrayLike, model: ArrayLike, weights: ArrayLike, groups: ArrayLike, without_value: ArrayLike | None
) -> tuple[Floats, Flags, Floats, Floats, Codes]:
    said, predicted, weight = (np.array(each, dtype=np.float64) for each in (people, model, weights))
    group = np.asarray(groups)
    silent = np.zeros(said.shape, np.bool_) if without_value is None else np.array(without_value, dtype=np.bool_)
    if not said.shape == predicted.shape == weight.shape == group.shape == silent.shape or said.ndim != 1:
        shapes = f"{said.shape}, {predicted.shape}, {weight.shape} and {group.shape}"
        raise RatingsError(f"Give one judgment of each, one weight and one group a row, not {shapes}.")
    if not np.isfinite(predicted).all():
        raise RatingsError("The model has no number for a row; leave the row out.")
    judged = ~np.isnan(said) | silent
    if np.isinf(said).any():
        raise RatingsError("A value is infinite; leave its row out.")
    if not (np.isfinite(weight[judged]) & (weight[judged] >= 0)).all():
        raise RatingsError("A row that people judged has no weight.")
    said[judged & (weight == 0)] = np.nan
    codes: Codes = np.unique(group, return_inverse=True)[1].astype(np.int64)
    return said, silent & (weight != 0), predicted, weight, codes


@dataclass(frozen=True, slots=True, eq=False)
class ActiveRows:
    """What θ and its variance need, for every λ: u = people + λ model by group, and the matrices of its covariance."""

    n_people: int
    n_groups: int
    means: tuple[float, float, float]  # of Y and of f over the judged, weighted; of f over everything
    people: Floats
    model: Floats
    all_scale: Floats
    all_counts: Floats
    judged: GroupWeights
    values: tuple[Floats, Floats, Floats]  # w, Y and f of the judged
    spread_of_model: float

    @classmethod
    def of(
        cls, said: Floats, silent: Flags, predicted: Floats, weight: Floats, group: Codes, *, n_groups: int
    ) -> ActiveRows | None:
        """``group`` has codes below ``n_groups``, not all of which need rows; None where no row has a value."""
        has_value, n, size = ~np.isnan(said), n_groups, len(said)
        if not has_value.any():
            return None
        judged = has_value | silent
        linear = _of_all_judged(said, weight, has_value, judged)
        w, y, f, g = weight[judged], linear[judged], predicted[judged], group[judged]
        by_group = GroupWeights.of(w, g, n)
        counts = np.bincount(group, minlength=n).astype(np.float64)
        all_scale = np.where(counts < size, 1 / (size * np.sqrt(np.maximum(1 - counts / size, ROUNDING))), 0)
        total = by_group.total
        mean_y, mean_f, mean_all = float(w @ y) / total, float(w @ f) / total, float(predicted.mean())
        everywhere = np.bincount(group, weights=predicted - mean_all, minlength=n) * all_scale
        return cls(
            n_people=len(y),
            n_groups=by_group.n_groups,
            means=(mean_y, mean_f, mean_all),
            people=by_group.terms(y - mean_y, w, g),
            model=everywhere - by_group.terms(f - mean_f, w, g),
            all_scale=all_scale,
            all_counts=counts,
            judged=by_group,
            values=(w, y, f),
            spread_of_model=float(predicted.var()),
        )

    @property
    def is_constant(self) -> bool:
        """Whether the model says the same of everything."""
        return self.spread_of_model <= ROUNDING * max(1.0, self.means[2] ** 2)

    def best_weight(self) -> float:
        return 0.0 if self.is_constant else best_weight(self.people, self.model)

    def value(self, weight: float) -> float:
        mean_y, mean_f, mean_all = self.means
        return mean_y + weight * (mean_all - mean_f)

    def terms(self, weight: float) -> Floats:
        return self.people + weight * self.model

    def covariance(self, weight: float) -> GroupCovariance:
        """Of u, for rows that do not depend on each other."""
        w, y, f = self.values
        apart = y - self.means[0] - weight * (f - self.means[1])
        of_judged, of_all = float(w @ apart**2) / self.judged.total, weight**2 * self.spread_of_model
        everywhere = GroupCovariance(
            own=of_all * self.all_counts * self.all_scale**2,
            columns=(self.all_counts * self.all_scale)[:, None],
            between=np.array([[-of_all / float(self.all_counts.sum())]]),
        )
        return everywhere.plus(self.judged.covariance(of_judged))


class Active(Protocol):
    """A mean by its `ActiveRows`, or what is made of two of them."""

    @property
    def n_groups(self) -> int: ...

    def value(self, weight: float) -> float: ...

    def terms(self, weight: float) -> Floats: ...

    def covariance(self, weight: float) -> GroupCovariance: ...


def best_weight(people: Floats, model: Floats) -> float:
    """The λ in 0 … 1 for which Σ (people + λ model)² is least."""
    bend = float(model @ model)
    return 0.0 if bend == 0 else float(np.clip(-(people @ model) / bend, 0, 1))


def _difference(rows: ActiveRows | None, weight: float, ends: Ends | None, level: float) -> ClusteredDifference:
    """θ as a difference from zero, which is how `PredictionPowered` has it."""
    found = active_estimate(rows, weight, level)
    n_judged, n_groups = (0, 0) if rows is None else (rows.n_people, rows.n_groups)
    return ClusteredDifference(
        value=inside(found.value, ends),
        undefined_because=None if rows is not None else NOBODY,
        p_value=found.p_value,
        no_p_value_because=found.no_spread_because,
        interval=found.interval if ends is None else found.on_scale(ends, level),
        no_interval_because=found.no_spread_because,
        n_items=n_judged,
        n_units=n_groups,
        signature=signature_line("weighted-mean", interval="t|cr2", level=level),
        is_paired=True,
        n_first=n_judged,
        n_second=n_judged,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
    )


def active_estimate(rows: Active | None, weight: float, level: float) -> Estimate:
    if rows is None:
        return Estimate(None, None, None, None, None, UNDEFINED)
    value, terms = rows.value(weight), rows.terms(weight)
    error = sqrt(float(terms @ terms))
    if rows.n_groups < 2:
        return Estimate(value, None, None, None, None, ONE_GROUP)
    if error <= ROUNDING * max(1.0, abs(value)):
        return Estimate(value, None, None, None, None, ALL_ALIKE)
    freedom = rows.covariance(weight).freedom
    interval, p_value = t_interval(value, error, freedom, level), t_p_value(value, error, freedom)
    return Estimate(value, interval, p_value, error, freedom, None, freedom_of(terms))

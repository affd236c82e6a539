"""Differences of two systems from people and a model at once, of a part that was drawn with unequal chances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Floats
from annotation_platform.core.statistics.active import (
    ActiveRows,
    active_estimate,
    best_weight,
    checked,
    worth,
)
from annotation_platform.core.statistics.clustered_means import NOTHING_TO_COMPARE, ClusteredDifference
from annotation_platform.core.statistics.prediction_powered import (
    ALL_JUDGED,
    FEWEST_GROUPS,
    NOBODY,
    TOO_FEW,
    PredictionPowered,
    is_narrower,
)
from annotation_platform.core.statistics.result import Ends, signature_line
from annotation_platform.core.statistics.weighted_means import GroupCovariance


def active_difference(
    people: ArrayLike,
    model: ArrayLike,
    is_second: ArrayLike,
    weights: ArrayLike,
    groups: ArrayLike,
    *,
    without_value: ArrayLike | None = None,
    ends: Ends | None = None,
    unknown_because: str | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """What people would say of all the second system's answers on average, less the same of the first's.

    Rows are answers of both, drawn apart or together, each with a known chance π = 1 / w; the model judged all::

        d   = θ₂ − θ₁,    θ = λ Σ f / M + Σ w (Y − λ f) / W     of each system's rows, with one λ
        V   = Σ_g (u_2g − u_1g)²,    u_g as in `active.active_mean`
        λ*  = the λ in 0 … 1 with the smallest V

    With λ = 0 it is `weighted_means.weighted_difference` where every judged answer has a value; otherwise the value
    is the same, but V and the degrees of freedom differ slightly. No chance that *both* answers to a question were
    drawn is needed: each θ is right by the chances of its own rows. What an article does to both cancels out within
    its group, for the model's part in all groups, for people's as far as both were drawn there. df is that of the sum
    of both covariances.

    Parameters
    ----------
    people, model, weights, groups, without_value, unknown_because, level
        As in `active_mean`, of the rows of both.
    is_second : array-like of bool, shape (M,)
        Whose row it is.
    ends : tuple of two floats, optional
        The least and the most that a difference can be, where intervals are cut.

    Returns
    -------
    PredictionPowered
        Undefined where people judged nothing of one of the two. The model is left out, with the reason, where people
        judged everything, or fewer than 20 groups of one of them, or where it is not known what chance decided.
        ``n_people`` and ``n_model`` count rows: those with a value, and those that people did not judge.

    Raises
    ------
    RatingsError
        As in `active_mean`.

    References
    ----------
    Zrnic and Candès (2024), arXiv 2403.03208. Checked against `weighted_difference` and against two `active_mean`;
    coverage in ``docs/reference/statistics/active.md``.
    """
    said, silent, predicted, weight, group = checked(people, model, weights, groups, without_value)
    second = np.asarray(is_second, dtype=np.bool_)
    n_groups = int(group.max(initial=-1)) + 1
    first, last = (
        ActiveRows.of(said[side], silent[side], predicted[side], weight[side], group[side], n_groups=n_groups)
        for side in (~second, second)
    )
    both = None if first is None or last is None else _Apart(first, last)
    has_value = ~np.isnan(said)
    n_people, n_other = int(has_value.sum()), int((~has_value & ~silent).sum())
    no_model = unknown_because
    if both is None:
        no_model = NOBODY
    elif not n_other:
        no_model = ALL_JUDGED
    elif both.n_groups < FEWEST_GROUPS:
        no_model = TOO_FEW
    alone = _told(both, 0.0, ends, level)
    best, found = 0.0, alone
    if both is not None and no_model is None:
        best = both.best_weight()
        found = _told(both, best, ends, level)
        if best == 0 or not is_narrower(found.interval, alone.interval):
            best, found = 0.0, alone
    gained = alone.standard_error and found.standard_error and (alone.standard_error / found.standard_error) ** 2
    return PredictionPowered(
        value=found.value,
        undefined_because=found.undefined_because,
        interval=found.interval,
        no_interval_because=found.no_interval_because,
        p_value=found.p_value,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
        weight=best,
        no_model_because=no_model,
        people=alone,
        n_people=n_people,
        n_model=n_other,
        n_units=n_groups,
        n_effective=None if gained is None else worth(weight[has_value]) * gained,
        signature=signature_line("active-difference", interval="t|cr2", level=level),
    )


@dataclass(frozen=True, slots=True)
class _Apart:
    """The second's mean less the first's."""

    first: ActiveRows
    second: ActiveRows

    @property
    def n_groups(self) -> int:
        return min(self.first.n_groups, self.second.n_groups)

    def best_weight(self) -> float:
        if self.first.is_constant and self.second.is_constant:
            return 0.0
        return best_weight(self.second.people - self.first.people, self.second.model - self.first.model)

    def value(self, weight: float) -> float:
        return self.second.value(weight) - self.first.value(weight)

    def terms(self, weight: float) -> Floats:
        found: Floats = self.second.terms(weight) - self.first.terms(weight)
        return found

    def covariance(self, weight: float) -> GroupCovariance:
        return self.second.covariance(weight).plus(self.first.covariance(weight))


def _told(both: _Apart | None, weight: float, ends: Ends | None, level: float) -> ClusteredDifference:
    found = active_estimate(both, weight, level)
    n_first, n_second = (0, 0) if both is None else (both.first.n_people, both.second.n_people)
    return ClusteredDifference(
        value=found.value,
        undefined_because=NOTHING_TO_COMPARE if both is None else None,
        p_value=found.p_value,
        no_p_value_because=found.no_spread_because,
        interval=found.interval and found.interval.within(ends),
        no_interval_because=found.no_spread_because,
        n_items=n_first + n_second,
        n_units=0 if both is None else both.n_groups,
        signature=signature_line("weighted-difference", interval="t|cr2", level=level),
        is_paired=False,
        n_first=n_first,
        n_second=n_second,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
    )

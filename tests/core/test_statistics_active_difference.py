"""Differences from people and a model at once, of a part drawn with unequal chances, against simpler estimates."""

import numpy as np
import pytest

from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.active_difference import active_difference
from annotation_platform.core.statistics.prediction_powered import ALL_JUDGED, NOBODY, TOO_FEW
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.weighted_means import weighted_difference


def world(seed: int = 0, groups: int = 40) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    group, second = np.repeat(np.arange(groups), 6), np.tile([False, True], 3 * groups)
    values = random.normal(size=groups)[group] + 0.5 * second + random.normal(size=len(group))
    model = values + 1 + 0.3 * second + random.normal(0, 0.5, len(group))
    weights = random.uniform(1, 5, len(group))
    return np.where(random.random(len(group)) < 1 / weights, values, np.nan), model, second, weights, group


def test_without_a_model_it_is_the_weighted_difference() -> None:
    people, model, second, weights, group = world()
    found = active_difference(people, np.zeros_like(model), second, weights, group)
    wanted = weighted_difference(people, second, weights, group)
    assert found.weight == 0
    assert found.interval is not None
    assert wanted.interval is not None
    assert found.value == found.people.value == pytest.approx(wanted.value)
    assert found.interval.low == pytest.approx(wanted.interval.low)
    assert found.degrees_of_freedom == pytest.approx(wanted.degrees_of_freedom)
    assert found.p_value == pytest.approx(wanted.p_value)


def test_its_value_is_the_difference_of_two_means_with_the_same_weight_of_the_model() -> None:
    people, model, second, weights, group = world()
    found = active_difference(people, model, second, weights, group)
    assert 0 < found.weight <= 1

    def mean(side: np.ndarray) -> float:
        judged = side & ~np.isnan(people)
        apart = people[judged] - found.weight * model[judged]
        return float(found.weight * model[side].mean() + np.average(apart, weights=weights[judged]))

    assert found.value == pytest.approx(mean(second) - mean(~second))
    assert found.interval is not None
    assert found.people.interval is not None
    assert found.interval.high - found.interval.low < found.people.interval.high - found.people.interval.low


def test_where_the_two_share_no_group_their_variances_add_up() -> None:
    people, model, second, weights, group = world()
    group = 2 * group + second
    found = active_difference(people, model, second, weights, group)
    alone = [active_mean(people[side], model[side] * 0, weights[side], group[side]) for side in (second, ~second)]
    assert found.people.standard_error == pytest.approx(np.hypot(*(each.people.standard_error for each in alone)))


def test_when_the_model_is_left_out_and_why() -> None:
    people, model, second, weights, group = world()
    assert active_difference(people, model, second, weights, group, unknown_because="so").no_model_because == "so"
    few = world(groups=8)
    assert active_difference(*few).no_model_because == TOO_FEW
    assert active_difference(model, model, second, weights, group).no_model_because == ALL_JUDGED
    nobody = active_difference(np.where(second, people, np.nan), model, second, weights, group)
    assert (nobody.value, nobody.no_model_because) == (None, NOBODY)
    assert nobody.undefined_because
    with pytest.raises(RatingsError):
        active_difference(people, model, second, np.zeros(3), group)


def test_judged_answers_without_a_value_are_no_part_of_the_mean() -> None:
    people, model, second, weights, group = world()
    silent = ~np.isnan(people) & (np.arange(len(people)) % 5 == 0)
    with_gaps = np.where(silent, np.nan, people)
    found = active_difference(with_gaps, model, second, weights, group, without_value=silent)
    assert found.people.value == pytest.approx(weighted_difference(with_gaps, second, weights, group).value)
    assert found.people.standard_error != pytest.approx(
        active_difference(with_gaps, model, second, weights, group).people.standard_error
    )

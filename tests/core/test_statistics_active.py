"""Choosing whom to ask by a model's uncertainty: the chances, the draw, its weights, and the mean that they give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.chances import Draw, chances, draw, spread_variances, weights_of_draws
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, GroupedMean, clustered_difference
from annotation_platform.core.statistics.prediction_powered import (
    ALL_JUDGED,
    NOBODY,
    TOO_FEW,
    prediction_powered_mean,
)
from annotation_platform.core.statistics.wilson import freedom_of, interval_on_scale
from annotation_platform.core.text import ONE_GROUP
from tests.core.coverage.active import simulate_planted

NAN = float("nan")
CHEAP = settings(max_examples=40, deadline=None)
SPREADS = st.lists(st.floats(0, 100) | st.just(NAN), min_size=1, max_size=40)


@CHEAP
@given(SPREADS, st.data(), st.floats(0.1, 1))
def test_chances_sum_to_the_budget_and_keep_the_floor(spreads: list[float], data: st.DataObject, floor: float) -> None:
    n = data.draw(st.integers(1, len(spreads)))
    found = chances(spreads, n, floor=floor)
    assert found.sum() == pytest.approx(n)
    assert (found <= 1).all()
    assert (found >= floor * n / len(spreads) - 1e-12).all()


@CHEAP
@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=40), st.data())
def test_below_one_the_rest_is_in_proportion_to_the_spread(spreads: list[float], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(spreads)))
    s = np.array(spreads)
    q = (chances(s, n, floor=0.1) - 0.1 * n / len(s)) / 0.9
    below = q < 1 - 1e-9
    if below.any():
        scale = q[below] / s[below]
        assert scale == pytest.approx(scale[0])
        assert (scale[0] * s[~below] >= 1 - 1e-6).all()  # and those at one would have more


@CHEAP
@given(SPREADS, st.data())
def test_a_floor_of_one_is_a_uniformly_random_choice(spreads: list[float], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(spreads)))
    assert chances(spreads, n, floor=1) == pytest.approx(np.full(len(spreads), n / len(spreads)))


@CHEAP
@given(SPREADS, st.data(), st.integers(0, 10**6))
def test_a_draw_has_as_many_as_the_budget_and_is_the_same_again(
    spreads: list[float], data: st.DataObject, seed: int
) -> None:
    n = data.draw(st.integers(1, len(spreads)))
    pi = chances(spreads, n, floor=0.2)
    found = draw(pi, seed=str(seed))
    assert len(set(found.tolist())) == n
    assert found.tolist() == draw(pi, seed=str(seed)).tolist()


def test_each_thing_is_drawn_as_often_as_its_probability_says() -> None:
    pi = chances([0, 1, 2, 3, 4, 30], 3, floor=0.2)
    assert pi[5] == pytest.approx(0.8 + 0.1)
    often = np.zeros(6)
    for seed in range(4000):
        often[draw(pi, seed=str(seed))] += 1
    assert often / 4000 == pytest.approx(pi, abs=0.03)


@pytest.mark.parametrize(
    ("spreads", "n", "floor", "says"),
    [
        ([1, 2], 3, 0.1, "3 cannot be drawn of 2"),
        ([1, 2], 0, 0.1, "0 cannot be drawn"),
        ([1, 2], 1, 0.05, "from 0.1 to 1"),
        ([1, -2], 1, 0.1, "negative"),
        ([1, np.inf], 1, 0.1, "infinite"),
    ],
)
def test_impossible_choices_are_refused(spreads: list[float], n: int, floor: float, says: str) -> None:
    with pytest.raises(RatingsError, match=says):
        chances(spreads, n, floor=floor)


@pytest.mark.parametrize("pi", [[0.5, 0.2], [0.0, 1.0], [1.5, 0.5], []])
def test_what_are_no_probabilities_is_not_drawn_from(pi: list[float]) -> None:
    with pytest.raises(RatingsError, match="whole number"):
        draw(pi, seed="1")


@CHEAP
@given(st.integers(2, 200), st.data())
def test_of_uniform_draws_all_things_weigh_the_same(size: int, data: st.DataObject) -> None:
    left, draws, pi = size, [], []
    for _ in range(data.draw(st.integers(1, 4))):
        if left == 0:
            break
        n = data.draw(st.integers(1, left))
        draws.append(Draw(left, n))
        pi.append(n / left)
        left -= n
    found = weights_of_draws(pi, np.arange(1, len(draws) + 1), draws)
    assert found == pytest.approx(np.full(len(draws), size / (size - left)))


def test_what_people_had_before_a_draw_counts_once_and_after_the_last_not_at_all() -> None:
    draws = [Draw(90, 10), Draw(80, 20)]
    found = weights_of_draws([NAN, NAN, NAN], [0, 1, 2], draws)
    later = 20 / (80 * 60) / (20 / (80 * 60) + 10 / (90 * 80))
    assert found == pytest.approx([1, later, 0])


def test_weights_of_two_draws_give_a_total_that_is_right_on_average() -> None:
    spreads, totals = np.linspace(0.2, 5, 12), []
    truth = spreads**2
    for number in range(400):
        first_pi = chances(spreads, 4, floor=0.3)
        first = draw(first_pi, seed=f"{number}/1")
        left = np.setdiff1d(np.arange(12), first)
        second_pi = chances(spreads[left][::-1], 3, floor=0.3)  # another uncertainty
        second = draw(second_pi, seed=f"{number}/2")
        pi = np.concatenate([first_pi[first], second_pi[second]])
        weights = weights_of_draws(pi, [1] * 4 + [2] * 3, [Draw(12, 4), Draw(8, 3)])
        totals.append(weights @ truth[np.concatenate([first, left[second]])])
    assert np.mean(totals) == pytest.approx(truth.sum(), abs=3 * np.std(totals) / np.sqrt(400))


@pytest.mark.parametrize(
    ("pi", "with_it", "draws"), [([0.5], [1], []), ([0.5], [0], [Draw(4, 2)]), ([NAN], [2], [Draw(4, 2)])]
)
def test_draws_that_cannot_have_been_are_refused(pi: list[float], with_it: list[int], draws: list[Draw]) -> None:
    with pytest.raises(RatingsError):
        weights_of_draws(pi, with_it, draws)


def test_replies_that_never_differ_say_nothing_about_uncertainty() -> None:
    assert spread_variances([2, 3], [0, 0]) is None
    assert spread_variances([1, 1], [0, 0]) is None
    found = spread_variances([2, 2, 1, 0], [2.0, 0.0, 0.0, 0.0])
    assert found is not None
    assert found[:3].tolist() == [1.5, 0.5, 1.0]  # the mean variance is one
    assert np.isnan(found[3])


def rows(seed: int = 0, n: int = 60, more: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Judged and other rows in groups of different sizes, with weights between one and six."""
    random = np.random.default_rng(seed)
    groups = np.sort(random.integers(0, 90, n + more))
    random.shuffle(groups)
    truth = random.normal(2, 1, n + more) + 0.3 * groups / 90
    model = 0.8 * truth + random.normal(0, 0.5, n + more) + 1
    truth[n:] = NAN
    return truth, model, random.uniform(1, 6, n + more), groups


def test_equal_weights_give_people_the_interval_of_clustered_means() -> None:
    people, model, weights, groups = rows()
    found = active_mean(people, model, np.full_like(weights, 6), groups)
    expected = clustered_difference(np.where(np.isnan(people), NAN, 0), people, groups)
    assert found.people.value == pytest.approx(expected.value)
    assert found.people.standard_error == pytest.approx(expected.standard_error)
    assert found.people.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom)
    powered = prediction_powered_mean(people, model, groups)
    assert found.weight == pytest.approx(powered.weight, abs=0.2)  # f̄ is of all here, of the others there
    assert found.n_effective == pytest.approx(powered.n_effective, rel=0.3)


def test_value_variance_and_freedom_are_those_of_the_matrices_written_out() -> None:
    people, model, weights, groups = rows()
    found = active_mean(people, model, weights, groups)
    judged = ~np.isnan(people)
    w, e, g = weights[judged], (people - found.weight * model)[judged], groups[judged]
    codes, size = np.unique(groups), len(people)
    assert found.value == pytest.approx(found.weight * model.mean() + w @ e / w.sum())
    # e − ē and f − f̄ as matrices of the rows, summed by group and set right for the working covariance of each.
    parts = []
    for values, weight, group, scale in (
        (e, w / w.sum(), g, 1.0),
        (model, np.full(size, 1 / size), groups, found.weight),
    ):
        in_group = (codes[:, None] == group).astype(float)
        residual = (in_group * weight) @ (np.eye(len(values)) - weight)
        wanted = (in_group * weight**2).sum(axis=1)
        has = wanted > 0
        residual[has] *= np.sqrt(wanted[has] / (residual[has] ** 2).sum(axis=1))[:, None]
        variance = weight @ (values - weight @ values) ** 2
        parts.append((scale * residual @ values, scale**2 * variance * residual @ residual.T))
    u, covariance = parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
    assert found.interval is not None
    assert found.weight > 0
    alone = active_mean(people, np.zeros(size), weights, groups).people
    assert alone.value == pytest.approx(w @ people[judged] / w.sum())
    freedom = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    half = t.ppf(0.975, freedom) * np.sqrt(u @ u)
    assert found.interval.high - found.value == pytest.approx(half)


@pytest.mark.parametrize("scale", [0.9, 1.2])
def test_a_model_in_another_unit_has_its_lambda_in_that_unit(scale: float) -> None:
    people, model, weights, groups = rows()
    best, again = (active_mean(people, by * model, weights, groups) for by in (2, 2 * scale))
    assert 0 < best.weight < 0.8
    assert again.weight == pytest.approx(best.weight / scale)
    assert again.value == pytest.approx(best.value)


@pytest.mark.parametrize("more", [-3.0, 50.0])
def test_what_the_model_gets_wrong_everywhere_costs_nothing(more: float) -> None:
    people, model, weights, groups = rows()
    one, other = active_mean(people, model, weights, groups), active_mean(people, model + more, weights, groups)
    assert (one.value, one.weight) == pytest.approx((other.value, other.weight))


def test_a_useless_model_leaves_people_alone() -> None:
    people, model, weights, groups = rows()
    for useless in (np.full_like(model, 3.0), -model):
        found = active_mean(people, useless, weights, groups)
        assert (found.weight, found.value, found.interval) == (0, found.people.value, found.people.interval)
        w = weights[~np.isnan(people)]
        assert found.n_effective == pytest.approx(w.sum() ** 2 / (w**2).sum())


def test_only_the_proportion_of_weights_counts() -> None:
    people, model, weights, groups = rows()
    one, other = (active_mean(people, model, scale * weights, groups) for scale in (1, 7))
    assert one.interval is not None
    assert other.interval is not None
    assert (one.value, one.interval.low, one.n_effective) == pytest.approx(
        (other.value, other.interval.low, other.n_effective)
    )


def test_a_judgment_with_weight_zero_does_not_count() -> None:
    people, model, weights, groups = rows()
    without = people.copy()
    without[3], weights[3] = NAN, 0
    assert active_mean(people, model, weights, groups).value == active_mean(without, model, weights, groups).value


@pytest.mark.parametrize(("people", "because"), [([NAN] * 4, NOBODY), ([1, 0, 1, 0], ALL_JUDGED)])
def test_nothing_or_everything_was_judged(people: list[float], because: str) -> None:
    found = active_mean(people, [1, 0, 1, 1], [1, 2, 3, 4], range(4))
    assert found.no_model_because == because
    assert (found.value is None) == (found.undefined_because is not None) == (because == NOBODY)
    assert found.value in (None, 0.5)


def test_few_groups_leave_the_model_out_and_one_has_no_interval() -> None:
    people, model, weights, groups = rows(n=15)
    assert active_mean(people, model, weights, groups).no_model_because == TOO_FEW
    found = active_mean([1, 0, NAN, NAN], [1, 0, 1, 1], [1, 3, 1, 1], [0, 0, 1, 2])
    assert (found.value, found.interval, found.no_interval_because) == (0.25, None, ONE_GROUP)
    found = active_mean([1, 1, NAN, NAN], [1, 0, 1, 1], [1, 3, 1, 1], range(4))
    assert (found.value, found.interval, found.no_interval_because) == (1, None, ALL_ALIKE)


@pytest.mark.parametrize(
    ("model", "weights", "says"),
    [([1, NAN, 1], [1, 1, 1], "no number"), ([1, 2], [1, 1, 1], "one weight"), ([1, 1, 1], [1, NAN, 1], "no weight")],
)
def test_wrong_columns_are_refused(model: list[float], weights: list[float], says: str) -> None:
    with pytest.raises(RatingsError, match=says):
        active_mean([1, 0, NAN], model, weights, [0, 1, 2])


@pytest.mark.parametrize(("judged", "articles"), [(20, 200), (80, 800)])
def test_intervals_hold_the_planted_truth_and_are_narrower_than_of_a_random_choice(judged: int, articles: int) -> None:
    found = simulate_planted(articles=articles, judged=judged, quality=0.8, knows=True, studies=150)
    assert 0.91 <= found["active"].held <= 0.99
    assert found["active"].error < 0.9 * found["uniform"].error
    assert found["active"].width < found["uniform"].width < 0.7 * found["people"].width


def test_intervals_hold_although_the_uncertainty_says_nothing() -> None:
    found = simulate_planted(articles=200, judged=20, quality=0.8, knows=False, studies=150)
    assert 0.91 <= found["active"].held <= 0.99


def test_rows_without_a_value_leave_the_weighted_mean_of_the_others_as_a_ratio() -> None:
    rng = np.random.default_rng(5)
    values, weights = rng.normal(size=60), rng.uniform(1, 4, 60)
    silent = np.arange(60) % 4 == 0
    people = np.concatenate([np.where(silent, NAN, values), np.full(90, NAN)])
    model, flags = rng.normal(size=150), np.concatenate([silent, np.zeros(90, np.bool_)])
    weight = np.concatenate([weights, np.ones(90)])
    found = active_mean(people, model, weight, range(150), without_value=flags)
    w, y = weights[~silent], values[~silent]
    mean, share = w @ y / w.sum(), w.sum() / weights.sum()
    linear = np.where(silent, mean, mean + (values - mean) / share)
    wanted = active_mean(np.concatenate([linear, np.full(90, NAN)]), model, weight, range(150))
    assert found.people.value == pytest.approx(mean)
    assert found.people.standard_error == pytest.approx(wanted.people.standard_error)
    assert found.value == pytest.approx(wanted.value)
    assert (found.n_people, found.n_model) == (45, 90)
    assert found.n_effective is not None
    assert wanted.n_effective is not None
    worth, of_all = w.sum() ** 2 / (w @ w), weights.sum() ** 2 / (weights @ weights)
    assert found.n_effective / worth == pytest.approx(wanted.n_effective / of_all)


def test_with_equal_weights_rows_without_a_value_are_those_of_the_random_part() -> None:
    people = np.array([*np.tile([1.0, 0.0, NAN, 1.0], 15), *[NAN] * 60])
    silent = np.array([*np.tile([False, False, True, False], 15), *[False] * 60])
    ones, model, groups = np.ones(120), np.linspace(0, 1, 120) % 0.3, range(120)
    weighed = active_mean(people, model, ones, groups, without_value=silent, ends=(0, 1))
    even = prediction_powered_mean(people, model, groups, without_value=silent, ends=(0, 1))
    assert weighed.people.value == pytest.approx(even.people.value)
    assert weighed.people.standard_error == pytest.approx(even.people.standard_error)
    assert (weighed.n_people, weighed.n_model) == (even.n_people, even.n_model)


def test_near_an_end_a_mean_heeds_how_few_groups_decide() -> None:
    """As prediction-powered means do: all but one group say 1."""
    said = np.r_[np.zeros(4), np.ones(116)]
    people, group = np.r_[said, np.full(120, np.nan)], np.repeat(np.arange(40), 6)
    found = active_mean(people, np.ones(240), np.full(240, 2.0), group, ends=(0, 1)).people
    assert found.value is not None
    assert found.standard_error is not None
    assert found.degrees_of_freedom is not None
    told = freedom_of(GroupedMean.of(said, group[:120]).terms)
    assert told < 3 < found.degrees_of_freedom
    assert found.interval == interval_on_scale(found.value, found.standard_error, told, (0, 1), 0.95)

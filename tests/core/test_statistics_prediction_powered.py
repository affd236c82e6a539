"""Prediction-powered means: formulas written out, planted truth, and when the model is left out."""

import numpy as np
import pytest
from scipy import stats

from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.prediction_powered import (
    ALL_JUDGED,
    NOBODY,
    NOT_AT_RANDOM,
    TOO_FEW,
    prediction_powered_mean,
)
from tests.core.coverage.prediction_powered import planted

NAN = float("nan")


def lone_rows(seed: int = 0, n: int = 40, more: int = 400) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = random.normal(2, 1, n + more)
    model = 0.8 * truth + random.normal(0, 0.5, n + more) + 1
    truth[n:] = NAN
    return truth, model


def test_lone_rows_have_the_published_weight_mean_and_variance() -> None:
    people, model = lone_rows()
    found = prediction_powered_mean(people, model, range(len(people)))
    y, f, others = people[:40], model[:40], model[40:]
    # Each variance with its own n - 1, as in Welch's test, in place of one pooled variance of f
    weight = np.cov(y, f)[0, 1] / 40 / (others.var(ddof=1) / 400 + f.var(ddof=1) / 40)
    error = np.sqrt(weight**2 * others.var(ddof=1) / 400 + (y - weight * f).var(ddof=1) / 40)
    assert found.weight == pytest.approx(weight)
    assert found.value == pytest.approx(weight * others.mean() + (y - weight * f).mean())
    assert found.n_effective == pytest.approx(40 * y.var(ddof=1) / 40 / error**2)
    assert (found.n_people, found.n_model, found.n_units) == (40, 400, 440)


def test_people_alone_are_a_t_interval_and_never_narrower() -> None:
    people, model = lone_rows()
    found = prediction_powered_mean(people, model, range(len(people)))
    alone = found.people
    assert alone.interval is not None
    assert found.interval is not None
    expected = stats.ttest_1samp(people[:40], 0).confidence_interval()
    assert (alone.interval.low, alone.interval.high) == pytest.approx(tuple(expected))
    assert found.interval.high - found.interval.low < alone.interval.high - alone.interval.low


def test_a_constant_model_changes_nothing() -> None:
    people, model = lone_rows()
    found = prediction_powered_mean(people, np.full_like(model, 3.0), range(len(people)))
    assert (found.weight, found.value, found.interval) == (0, found.people.value, found.people.interval)
    assert found.n_effective == pytest.approx(found.n_people)
    assert found.no_model_because is None


def test_a_model_that_says_the_opposite_is_not_used() -> None:
    people, model = lone_rows()
    assert prediction_powered_mean(people, -model, range(len(people))).weight == 0


def test_adding_to_the_model_changes_nothing() -> None:
    people, model = lone_rows()
    one, other = (prediction_powered_mean(people, model + more, range(len(people))) for more in (0, 50))
    assert (one.value, one.weight) == pytest.approx((other.value, other.weight))


def test_a_part_that_is_not_random_leaves_the_model_out() -> None:
    people, model = lone_rows()
    order = np.argsort(model)
    chosen = np.full_like(people, NAN)
    chosen[order[-40:]] = model[order[-40:]]  # people judged what the model likes best
    found = prediction_powered_mean(chosen, model, range(len(chosen)))
    assert (found.no_model_because, found.weight) == (NOT_AT_RANDOM, 0)
    assert found.value == found.people.value == pytest.approx(np.nanmean(chosen))


@pytest.mark.parametrize(("people", "because"), [([NAN] * 4, NOBODY), ([1, 0, 1, 0], ALL_JUDGED)])
def test_nothing_or_everything_was_judged(people: list[float], because: str) -> None:
    found = prediction_powered_mean(people, [1, 0, 1, 1], range(4))
    assert found.no_model_because == because
    assert (found.value is None) == (found.undefined_because is not None) == (because == NOBODY)


def test_nineteen_articles_are_too_few_to_tell_how_much_the_model_helps() -> None:
    people, model = lone_rows(n=19)
    found = prediction_powered_mean(people, model, range(len(people)))
    assert (found.no_model_because, found.interval) == (TOO_FEW, found.people.interval)


def test_one_article_has_no_interval() -> None:
    found = prediction_powered_mean([1, 0, NAN, NAN], [1, 0, 1, 1], [0, 0, 1, 2])
    assert (found.value, found.interval) == (0.5, None)
    assert found.no_interval_because


@pytest.mark.parametrize(
    ("model", "groups", "says"),
    [([1, NAN, 1], [0, 1, 2], "no number"), ([1, 2, 3], [0, 1], "one group a row")],
)
def test_wrong_columns_are_refused(model: list[float], groups: list[int], says: str) -> None:
    with pytest.raises(RatingsError, match=says):
        prediction_powered_mean([1, 0, NAN], model, groups)


@pytest.mark.parametrize("quality", [0.0, 0.8])
def test_intervals_hold_the_planted_truth_although_the_model_is_biased(quality: float) -> None:
    found = planted(articles=200, judged=20, quality=quality, studies=400)
    assert 0.92 <= found.both <= 0.98
    assert found.narrower > (1.3 if quality else 0.95)

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
from tests import rests_on
from tests.core.coverage.prediction_powered import planted, planted_differences

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
    # and (G − 1) / (G − 2) times the variance, for λ was fitted to these rows
    error = np.sqrt((weight**2 * others.var(ddof=1) / 400 + (y - weight * f).var(ddof=1) / 40) * 39 / 38)
    assert found.weight == pytest.approx(weight)
    assert found.value == pytest.approx(weight * others.mean() + (y - weight * f).mean())
    assert found.n_effective == pytest.approx(40 * y.var(ddof=1) / 40 / error**2)
    assert (found.n_people, found.n_model, found.n_units) == (40, 400, 440)


def test_lone_rows_are_as_ppi_python_has_them() -> None:
    """With one λ the means are equal; of many rows λ, interval and p are, too, but for the pooled variance, normal
    quantiles and n in the place of n − 2, which differ less the more there are."""
    ppi = pytest.importorskip("ppi_py", reason="needs ppi-python (requirements-dev.txt)")
    for n, near, near_by_own in ((40, 0.1, 0.1), (20_000, 2e-4, 1e-3)):
        people, model = lone_rows(seed=4, n=n, more=10 * n)
        people = people - 2.02  # so that p is neither 0 nor 1
        found = prediction_powered_mean(people, model, range(len(people)))
        given = people[:n], model[:n], model[n:]
        assert 0 < found.weight < 1
        assert found.value == pytest.approx(ppi.ppi_mean_pointestimate(*given, lam=found.weight).item(), abs=1e-12)
        low, high = (end.item() for end in ppi.ppi_mean_ci(*given, alpha=0.05, lam=found.weight))
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=near * (high - low))
        low, high = (end.item() for end in ppi.ppi_mean_ci(*given, alpha=0.05))  # its own λ
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=near_by_own * (high - low))
    assert found.p_value == pytest.approx(ppi.ppi_mean_pval(*given, lam=found.weight).item(), rel=0.01)


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


@pytest.mark.parametrize(
    ("n", "more", "mean", "low", "high"),
    [(40, 400, 1.94648173, 1.7748973, 2.11806616), (300, 3000, 1.9824635, 1.91743867, 2.04748832)],
)
def test_it_is_what_ppi_python_gives_for_lone_rows(n: int, more: int, mean: float, low: float, high: float) -> None:
    """Printed by `ppi_mean_pointestimate` and `ppi_mean_ci` of ppi-python 0.2.3, whose variances are pooled and divided
    by n, and whose interval is by z: ours is by t, and a little wider for it."""
    people, model = lone_rows(n=n, more=more)
    found = prediction_powered_mean(people, model, range(n + more))
    assert found.interval is not None
    width = found.interval.high - found.interval.low
    assert found.value == pytest.approx(mean, abs=0.004 * width)
    assert high - low < width < (high - low) * (1 + 3 / n)


def test_a_difference_has_its_p() -> None:
    people, model = lone_rows()
    found = prediction_powered_mean(people - np.nanmean(people), model, range(len(people)))
    assert found.interval is not None
    assert found.p_value is not None
    assert (found.p_value < 0.05) == (found.interval.low > 0 or found.interval.high < 0)
    assert prediction_powered_mean([1, 0, NAN, NAN], [1, 0, 1, 1], [0, 0, 1, 2]).p_value is None


def test_without_a_value_the_mean_is_of_those_that_have_one() -> None:
    """People's mean alone is that of the values that there are, its variance that of a ratio."""
    people, model = lone_rows()
    silent = np.zeros(len(people), dtype=bool)
    silent[:8] = True
    some = np.where(silent, NAN, people)
    found = prediction_powered_mean(some, model, range(len(people)), without_value=silent)
    y = people[8:40]
    assert found.people.value == pytest.approx(y.mean())
    assert found.people.standard_error == pytest.approx(np.sqrt(((y - y.mean()) ** 2).sum() / 39 / 40) * 40 / 32)
    assert (found.n_people, found.n_model, found.weight > 0) == (32, 400, True)


def test_a_share_of_rows_without_a_value_does_not_lead_astray() -> None:
    """Rows without a value are those that the model likes best; leaving them out on one side only would show."""
    random, found = np.random.default_rng(3), []
    for _ in range(300):
        truth = random.normal(0, 1, 400)
        model = truth + random.normal(0, 0.5, 400)
        silent = truth > 1
        judged = np.arange(400) < 60
        mean = truth[judged & ~silent].mean()
        each = prediction_powered_mean(
            np.where(judged & ~silent, truth, NAN),
            np.where(silent, mean, model),
            range(400),
            without_value=judged & silent,
        )
        assert each.interval is not None
        found.append(each.interval.low <= -0.2876 <= each.interval.high)  # E[z | z ≤ 1] = −φ(1) / Φ(1)
    assert 0.91 <= np.mean(found) <= 0.98


@pytest.mark.parametrize("quality", [0.0, 0.8])
def test_intervals_hold_the_planted_truth_although_the_model_is_biased(quality: float) -> None:
    found = planted(articles=200, judged=20, quality=quality, studies=400)
    assert 0.92 <= found.both <= 0.98
    assert found.narrower > (1.3 if quality else 0.95)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize(("articles", "judged"), [(200, 20), (400, 80)])
def test_differences_hold_and_equal_systems_are_rarely_called_different(articles: int, judged: int) -> None:
    found = planted_differences(articles=articles, judged=judged, quality=0.8, studies=400)
    assert 0.92 <= found.held.both <= 0.98
    assert 0.03 <= found.type_one_error <= 0.075  # 400 studies know .05 to ± .022
    assert found.power > 1.5 * found.power_alone or found.power_alone > 0.6

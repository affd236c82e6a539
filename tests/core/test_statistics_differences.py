"""Tests of differences: pairing, scipy's permutation test, statsmodels' Holm, and how often they cry wolf."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import t
from statsmodels.stats.multitest import multipletests

from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    RatingsError,
    Setting,
    group_means,
    holm,
    krippendorff_alpha,
    mean_difference_test,
    paired_bootstrap,
    pairwise_tau,
    permutation_test,
    tau_change,
)
from annotation_platform.core.statistics.resampling import ALL_ALIKE
from tests import rests_on
from tests.core.statistics_tables import make

MANY = Bootstrap(resamples=400, seed=2)


def three_raters(noise: float, *, n: int = 60, seed: int = 1) -> Ratings:
    rng = np.random.default_rng(seed)
    quality = np.random.default_rng(9).integers(1, 6, n)
    values = np.clip(np.repeat(quality, 3) + np.rint(rng.normal(0, noise, 3 * n)), 1, 5)
    return make(np.repeat(np.arange(n), 3), np.tile([0, 1, 2], n), values, n, 3)


def test_the_paired_bootstrap_subtracts_within_each_resample() -> None:
    noisy, clear = three_raters(1.5), three_raters(0.5)
    before, after = (krippendorff_alpha(table, "ordinal", bootstrap=MANY) for table in (noisy, clear))
    difference = paired_bootstrap(before, after)
    assert before.resampled is not None
    assert after.resampled is not None
    sample = after.resampled.values - before.resampled.values
    assert difference.value == after.value - before.value
    assert difference.interval is not None
    error = sample.std(ddof=1) * np.sqrt(60 / 59)
    assert (difference.interval.low, difference.interval.high) == pytest.approx(
        t.interval(0.95, 59, difference.value, error)
    )
    assert difference.p_value == pytest.approx(2 * t.sf(difference.value / error, 59))
    assert difference.signature == f"difference|first:[{before.signature}]|second:[{after.signature}]"


def test_no_difference_is_told_with_its_p_value() -> None:
    first, second = (krippendorff_alpha(three_raters(1, seed=s), "ordinal", bootstrap=MANY) for s in (3, 4))
    difference = paired_bootstrap(first, second)
    assert difference.p_value is not None
    assert difference.p_value > 0.2
    same = paired_bootstrap(first, first)
    assert (same.value, same.p_value, same.no_p_value_because) == (0, None, ALL_ALIKE)


def test_figures_of_different_draws_are_not_paired() -> None:
    ratings = three_raters(1)
    first = krippendorff_alpha(ratings, "ordinal", bootstrap=MANY)
    with pytest.raises(ValueError, match="drew different items"):
        paired_bootstrap(first, krippendorff_alpha(ratings, "ordinal", bootstrap=Bootstrap(400, seed=3)))


def test_what_is_undefined_or_not_resampled_has_no_p_value() -> None:
    ratings = three_raters(1)
    plain = krippendorff_alpha(ratings, "ordinal")
    difference = paired_bootstrap(plain, plain)
    assert (difference.value, difference.p_value) == (0, None)
    assert difference.no_p_value_because == "The two figures were not resampled."
    same = krippendorff_alpha(make(np.array([0, 0]), np.array([0, 1]), np.ones(2), 1, 2), "ordinal", bootstrap=MANY)
    difference = paired_bootstrap(plain, same)
    assert (difference.value, difference.undefined_because) == (None, same.undefined_because)


def mean(ratings: Ratings) -> float | None:
    return group_means(ratings, np.zeros(len(ratings), int), 1)[0].value


@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6),
)
def test_exact_permutation_tests_equal_scipys(rows: list[tuple[int, int]]) -> None:
    first, second = np.array(rows, dtype=float).T
    expected = (
        stats.permutation_test(
            (first, second), lambda x, y: np.mean(y) - np.mean(x), permutation_type="samples", n_resamples=np.inf
        ).pvalue
        if len(rows) > 1
        else 1.0
    )
    quick = mean_difference_test(first, second)
    items = np.arange(len(rows))
    tables = [Ratings.from_arrays(items, items * 0, column, repeated="error") for column in (first, second)]
    plain = permutation_test(*tables, mean, name="mean")
    assert quick.p_value == pytest.approx(expected)
    assert plain.p_value == pytest.approx(expected)
    assert quick.value == pytest.approx(second.mean() - first.mean())
    assert plain.value == pytest.approx(quick.value)


def test_drawn_permutations_come_near_the_exact_p_value() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 5, 12).astype(float)
    second = first + rng.integers(-1, 3, 12)
    exact = mean_difference_test(first, second).p_value
    drawn = mean_difference_test(first, second, permutations=4000, seed=1)
    assert drawn.p_value == pytest.approx(exact, abs=0.03)
    tables = [Ratings.from_arrays(range(12), [0] * 12, column, repeated="error") for column in (first, second)]
    assert permutation_test(*tables, mean, name="mean", permutations=1500).p_value == pytest.approx(exact, abs=0.03)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("n", [1_023, 1_024, 3_000])
def test_permutations_of_thousands_are_drawn(n: int) -> None:
    rng = np.random.default_rng(6)
    first, noise = rng.normal(size=(2, n))
    tables = [Ratings.from_arrays(range(n), [0] * n, each, repeated="error") for each in (first, first + noise + 0.2)]
    assert mean_difference_test(first, first + noise + 0.2).p_value < 0.01
    assert permutation_test(*tables, mean, name="mean", permutations=199).p_value == 1 / 200


def test_a_permutation_test_of_alpha_tells_clear_from_noisy() -> None:
    def alpha(ratings: Ratings) -> float | None:
        return krippendorff_alpha(ratings, "interval").value

    noisy, clear, alike = three_raters(1.5), three_raters(0.5), three_raters(1.5, seed=5)
    found = permutation_test(noisy, clear, alpha, name="alpha", permutations=199)
    assert found.p_value == 1 / 200
    assert found.n_items == 60
    assert permutation_test(noisy, alike, alpha, name="alpha", permutations=199).p_value > 0.1


def test_permutations_want_the_same_items() -> None:
    with pytest.raises(RatingsError, match="60 items, repeated='cross', against 61"):
        permutation_test(three_raters(1), three_raters(1, n=61), mean, name="mean")


def test_equal_means_are_called_different_as_rarely_as_they_should() -> None:
    rng = np.random.default_rng(8)
    found = [
        mean_difference_test(*rng.normal(size=(2, 30)), permutations=199, seed=seed).p_value for seed in range(300)
    ]
    assert 0.02 <= np.mean(np.array(found) <= 0.05) <= 0.09


@pytest.mark.long(*rests_on.CORE)
@settings(max_examples=20)  # statsmodels takes a tenth of a second
@given(p_values=st.lists(st.none() | st.floats(0, 1), max_size=9))
def test_holm_equals_statsmodels(p_values: list[float | None]) -> None:
    given_ones = [p for p in p_values if p is not None]
    corrected = holm(p_values)
    assert [p is None for p in corrected] == [p is None for p in p_values]
    if given_ones:
        expected = multipletests(given_ones, method="holm")[1]
        assert [p for p in corrected if p is not None] == pytest.approx(expected.tolist())


def test_changes_of_pairs_are_corrected_for_their_number() -> None:
    noisy, clear = three_raters(1.2), three_raters(0.6)
    change = tau_change(*(pairwise_tau(table, Setting.ALL, bootstrap=MANY) for table in (noisy, clear)))
    assert change.p_value is not None
    assert change.p_value < 0.001
    p_values = [pair.p_value for pair in change.pairs]
    assert [pair.p_holm for pair in change.pairs] == list(holm(p_values))
    assert max(p for p in p_values if p is not None) < 0.5
    plain = tau_change(pairwise_tau(noisy), pairwise_tau(clear))
    assert plain.p_value is None
    assert {pair.p_value for pair in plain.pairs} == {None}

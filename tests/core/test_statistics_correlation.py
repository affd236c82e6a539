"""Kendall's τ-b of all pairs of raters against joins and scipy, its settings, and its changes."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from annotation_platform.core.statistics import (
    Bootstrap,
    Noise,
    Ratings,
    RatingsError,
    Setting,
    kendall_tau_b,
    pairwise_tau,
    pairwise_taus,
    resampling,
    tau_change,
)
from tests import rests_on
from tests.core.statistics_tables import make, relabelled, tables, with_a_lone_rating

REALS = st.floats(-1e6, 1e6, allow_subnormal=False)


def taus_of_joins(ratings: Ratings, setting: Setting) -> dict[tuple[int, int], tuple[int, int, float]]:
    """By pair of raters that share an item: joined rows, items, and τ-b, as pandas and scipy have it."""
    table = pd.DataFrame(
        {"item": ratings.items, "rater": ratings.raters, "value": ratings.values, "best": ratings.best}
    )
    found = {}
    for a, b in combinations(range(ratings.n_raters), 2):
        joined = table[table.rater == a].merge(table[table.rater == b], on="item")
        if joined.empty:
            continue
        if setting is Setting.INCOMPLETE:
            joined = joined[~(joined.best_x & joined.best_y)]
        constant = joined.value_x.nunique() < 2 or joined.value_y.nunique() < 2
        tau = np.nan if constant else kendalltau(joined.value_x, joined.value_y).statistic
        found[a, b] = (len(joined), joined.item.nunique(), float(tau))
    return found


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("setting", [Setting.ALL, Setting.INCOMPLETE])
@given(ratings=st.one_of(tables(), tables(values=REALS), tables(max_items=25, max_raters=3)))
def test_all_pairs_equal_scipy_on_joins(setting: Setting, ratings: Ratings) -> None:
    result = pairwise_tau(ratings, setting)
    expected = taus_of_joins(ratings, setting)
    assert [(pair.rater_a, pair.rater_b) for pair in result.pairs] == list(expected)
    for pair, (n_rows, n_items, tau) in zip(result.pairs, expected.values(), strict=True):
        assert (pair.n_rows, pair.n_items) == (n_rows, n_items)
        assert (pair.tau is None) == np.isnan(tau)
        assert (pair.tau is None) == (pair.undefined_because is not None)
        if pair.tau is not None:
            assert pair.tau == pytest.approx(tau, abs=1e-12)
    defined = [tau for _, _, tau in expected.values() if not np.isnan(tau)]
    assert result.n_defined == len(defined)
    if defined:
        assert result.mean.value == pytest.approx(np.mean(defined), abs=1e-12)
    else:
        assert result.mean.value is None
        assert result.mean.undefined_because == "No pair of raters has a defined τ."


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 40)), min_size=2, max_size=60))
def test_one_pair_equals_scipy(rows: list[tuple[int, int]]) -> None:
    first, second = zip(*rows, strict=True)
    tau = kendall_tau_b(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert tau.value is None
    else:
        assert tau.value == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)
    assert (tau.n_items, tau.n_ratings) == (len(rows), 2 * len(rows))


def test_one_pair_of_long_columns_with_all_values_distinct() -> None:
    rng = np.random.default_rng(4)
    first = rng.normal(size=3000)
    second = first + rng.normal(size=3000)
    assert kendall_tau_b(first, second).value == pytest.approx(kendalltau(first, second)[0], abs=1e-12)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(RatingsError, match="3 and 2 rows"):
        kendall_tau_b([1, 2, 3], [1, 2])


def test_incomplete_leaves_out_by_the_raw_labels_also_for_rescaled_scores() -> None:
    items, raters = np.repeat(np.arange(4), 2), np.tile([0, 1], 4)
    best = [True, True, True, False, False, True, False, False]
    scores = [99.0, 98.0, 90.0, 40.0, 30.0, 90.0, 10.0, 20.0]
    ratings = Ratings.from_arrays(items, raters, scores, best=best, repeated="error")
    (pair,) = pairwise_tau(ratings, Setting.INCOMPLETE).pairs
    assert pair.n_rows == 3
    assert pair.tau == pytest.approx(kendalltau([90, 30, 10], [40, 90, 20]).statistic)


def test_incomplete_needs_to_know_the_best_labels() -> None:
    ratings = Ratings.from_arrays([0, 0], [0, 1], [1, 2], repeated="error")
    with pytest.raises(RatingsError, match="which raw labels are the best"):
        pairwise_tau(ratings, Setting.INCOMPLETE)


@given(tables(max_items=5))
def test_without_ties_the_expectation_is_tau_a(ratings: Ratings) -> None:
    """τ-a by its definition: signs of all pairs of joined rows, ties counting 0."""
    result = pairwise_tau(ratings, Setting.NO_TIES, noise=None)
    for pair in result.pairs:
        rows = [
            (x, y)
            for i, a, x in zip(ratings.items, ratings.raters, ratings.values, strict=True)
            for j, b, y in zip(ratings.items, ratings.raters, ratings.values, strict=True)
            if i == j and (a, b) == (pair.rater_a, pair.rater_b)
        ]
        signs = [np.sign(x1 - x2) * np.sign(y1 - y2) for (x1, y1), (x2, y2) in combinations(rows, 2)]
        if signs:
            assert pair.tau == pytest.approx(np.mean(signs), abs=1e-12)
        else:
            assert pair.tau is None


def test_the_average_over_draws_of_noise_comes_near_its_expectation() -> None:
    rng = np.random.default_rng(3)
    values = rng.choice([0.0, 30.0, 70.0, 100.0], size=200)
    ratings = make(np.tile(np.arange(100), 2), np.repeat([0, 1], 100), values, 100, 2)
    exact = pairwise_tau(ratings, Setting.NO_TIES, noise=None)
    drawn = pairwise_tau(ratings, Setting.NO_TIES, noise=Noise(draws=400))
    single = [pairwise_tau(ratings, Setting.NO_TIES, noise=Noise(draws=1, seed=s)).pairs[0].tau for s in range(40)]
    error = float(np.std(np.array(single, dtype=float))) / np.sqrt(400)
    assert drawn.pairs[0].tau == pytest.approx(exact.pairs[0].tau, abs=4 * error)
    assert drawn.noise == Noise(draws=400)
    assert exact.noise is None


def test_noise_is_seeded_and_leaves_what_is_not_tied_alone() -> None:
    ratings = make(np.tile(np.arange(6), 2), np.repeat([0, 1], 6), np.r_[:6.0, 1.0, 0, 2, 3, 5, 4], 6, 2)
    noisy, again = (pairwise_tau(ratings, Setting.NO_TIES, noise=Noise(draws=3)) for _ in range(2))
    assert noisy.pairs == again.pairs
    assert noisy.mean == again.mean
    assert noisy.pairs[0].tau == pytest.approx(pairwise_tau(ratings).pairs[0].tau, abs=1e-12)
    tied = make(ratings.items, ratings.raters, ratings.values // 3, 6, 2)
    draws = {pairwise_tau(tied, Setting.NO_TIES, noise=Noise(draws=1, seed=seed)).mean.value for seed in range(9)}
    assert len(draws) > 1


def test_noise_on_a_pair_with_two_common_items_gives_a_value() -> None:
    ratings = make(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.array([0.0, 30, 30, 70]), 2, 2)
    result = pairwise_tau(ratings, Setting.NO_TIES, noise=Noise(draws=3))
    assert [pair.tau for pair in result.pairs] == [1.0]


def test_undefined_pairs_say_why() -> None:
    #            item 0          item 1          item 2
    items = [0, 0, 1, 1, 2, 2, 0]
    raters = [0, 1, 0, 1, 0, 1, 2]
    values = [70.0, 0, 70, 30, 70, 100, 0]
    ratings = Ratings.from_arrays(
        items,
        raters,
        values,
        best=np.array(values) == 100,
        repeated="error",
        rater_names=["Ann", "Bob", "Cleo", "Dan"],
    )
    reasons = {(p.rater_a, p.rater_b): p.undefined_because for p in pairwise_tau(ratings).pairs}
    assert reasons[0, 1] == "Rater Ann gave one and the same value to everything shared (3 joined rows)."
    assert reasons[0, 2] == "Raters Ann and Cleo share a single judgment of one item."
    assert list(reasons) == [(0, 1), (0, 2), (1, 2)], "Dan judged nothing"
    one = Ratings.from_arrays([0, 0], [0, 1], [1, 1], best=[1, 1], repeated="error")
    (pair,) = pairwise_tau(one, Setting.INCOMPLETE).pairs
    assert pair.undefined_because == (
        "Raters 0 and 1 share no item that is left after leaving out where both chose the best label."
    )
    both = Ratings.from_arrays([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 1, 2], best=[0] * 4, repeated="error")
    (pair,) = pairwise_tau(both, Setting.INCOMPLETE).pairs
    assert pair.undefined_because == (
        "Each of raters 0 and 1 gave one and the same value to everything shared that is left after "
        "leaving out where both chose the best label (2 joined rows)."
    )


def test_the_mean_counts_what_entered_it() -> None:
    #  Raters 0 and 1 share items 0 and 1; rater 2 meets rater 0 once, on item 2; item 3 has one judgment.
    items = np.array([0, 0, 1, 1, 2, 2, 3])
    raters = np.array([0, 1, 0, 1, 0, 2, 1])
    mean = pairwise_tau(make(items, raters, np.array([0.0, 30, 70, 70, 0, 0, 0]), 4, 3)).mean
    assert mean.value == 1
    assert (mean.n_items, mean.n_raters, mean.n_ratings) == (2, 2, 4)


def test_no_raters_no_items_no_pairs() -> None:
    result = pairwise_tau(Ratings.from_arrays([], [], [], best=[], repeated="cross"), Setting.INCOMPLETE)
    assert result.pairs == ()
    assert result.mean.value is None


def test_the_matrix_is_symmetric_with_gaps_where_undefined() -> None:
    ratings = make(
        np.array([0, 0, 1, 1, 2, 2, 0]),
        np.array([0, 1, 0, 1, 0, 1, 2]),
        np.array([0.0, 30, 70, 30, 100, 100, 0]),
        3,
        4,
    )
    result = pairwise_tau(ratings)
    matrix = result.matrix()
    assert matrix[0, 1] == matrix[1, 0] == result.pairs[0].tau
    assert np.isnan(matrix[0, 2]), "one item"
    assert np.isnan(matrix[:3, 3]).all(), "nobody's items"
    assert matrix.diagonal().tolist() == [1, 1, 1, 1]


def test_only_pairs_that_meet_are_kept_in_a_large_crowd() -> None:
    rng = np.random.default_rng(5)
    values = rng.choice([0.0, 30, 70, 100], (300, 20))  # 300 raters, by threes about the same 20 items
    raters = np.repeat(np.arange(300), 20)
    items = (np.arange(300)[:, None] // 3 * 20 + np.arange(20)).ravel()
    ratings = make(items, raters, values.ravel(), 2_000, 300)
    for result in pairwise_taus(ratings, noise=None, bootstrap=Bootstrap(3)).values():
        assert result.members.tolist() == [
            [3 * i + a, 3 * i + b] for i in range(100) for a, b in ((0, 1), (0, 2), (1, 2))
        ]
        assert result.sample is not None
        assert result.sample.shape == (300, 3)


def test_more_pairs_have_fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Bootstrap(1000, seed=4)
    assert asked.of_pairs(20_000) is asked
    assert asked.of_pairs(40_000) == Bootstrap(500, seed=4)
    assert asked.of_pairs(400_000) == Bootstrap(100, seed=4)
    assert Bootstrap(50).of_pairs(400_000) == Bootstrap(50)
    monkeypatch.setattr(resampling, "_MOST_OF_PAIRS", 450)
    ratings = make(np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30), np.arange(90.0) % 7, 30, 3)
    result = pairwise_tau(ratings, bootstrap=asked)
    assert result.mean.interval is not None
    assert result.bootstrap is not None
    assert result.mean.interval.resamples == result.bootstrap.resamples == 150
    assert result.pairs == pairwise_tau(ratings, bootstrap=Bootstrap(150, seed=4)).pairs


@pytest.mark.long(*rests_on.CORE)
@given(ratings=tables(), seed=st.integers(0, 99))
@pytest.mark.parametrize("setting", list(Setting))
def test_codes_and_lone_ratings_do_not_matter(setting: Setting, ratings: Ratings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    plain = pairwise_tau(ratings, setting, noise=None)
    for variant in (other, with_a_lone_rating(ratings)):
        result = pairwise_tau(variant, setting, noise=None)
        assert sorted(filter(None, (p.tau for p in result.pairs))) == pytest.approx(
            sorted(filter(None, (p.tau for p in plain.pairs))), abs=1e-12
        )
        assert result.mean.value == pytest.approx(plain.mean.value, abs=1e-12)
        assert result.mean.n_ratings == plain.mean.n_ratings


@given(tables())
def test_any_increasing_rescaling_of_the_values_changes_nothing(ratings: Ratings) -> None:
    stretched = Ratings.from_arrays(
        ratings.items,
        ratings.raters,
        np.exp(ratings.values / 20),
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        repeated="cross",
    )
    assert pairwise_tau(stretched).values == pytest.approx(pairwise_tau(ratings).values, nan_ok=True)


def test_changes_per_pair_are_counted_and_averaged() -> None:
    #  Raters 0, 1, 2 on four items; rescaling turns pair (0, 1) up and pair (1, 2) down.
    items, raters = np.tile(np.arange(4), 3), np.repeat([0, 1, 2], 4)
    before = pairwise_tau(make(items, raters, np.r_[0.0, 1, 2, 3, 3, 2, 1, 0, 3, 2, 1, 0], 4, 3))
    after = pairwise_tau(make(items, raters, np.r_[0.0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0], 4, 3))
    change = tau_change(before, after)
    assert [pair.change for pair in change.pairs] == [2, 0, -2]
    assert (change.n_rises, change.n_falls, change.n_unchanged) == (1, 1, 1)
    assert (change.mean_rise, change.mean_fall) == (2, -2)
    assert (change.n_above, change.n_below) == (1, 1)
    assert change.mean.value == 0
    assert change.mean.no_interval_because == "No interval was asked for."


def test_a_pair_that_is_undefined_on_one_side_has_no_change() -> None:
    items, raters = np.tile(np.arange(3), 2), np.repeat([0, 1], 3)
    before = pairwise_tau(make(items, raters, np.r_[70.0, 70, 70, 0, 30, 70], 3, 2))
    after = pairwise_tau(make(items, raters, np.r_[60.0, 65, 70, 0, 30, 70], 3, 2))
    change = tau_change(before, after)
    assert change.pairs[0].change is None
    assert change.pairs[0].after == 1
    assert change.pairs[0].undefined_because == before.pairs[0].undefined_because
    assert change.mean.undefined_because == "No pair of raters has a τ both before and after."
    assert (change.mean_rise, change.mean_fall) == (None, None)


def test_only_what_was_computed_alike_is_compared() -> None:
    ratings = make(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0.0, 30, 70, 100]), 2, 2)
    with pytest.raises(ValueError, match="setting differs between before"):
        tau_change(pairwise_tau(ratings), pairwise_tau(ratings, Setting.INCOMPLETE))
    with pytest.raises(ValueError, match="bootstrap differs between before"):
        tau_change(pairwise_tau(ratings), pairwise_tau(ratings, bootstrap=Bootstrap(10)))
    others = make(np.repeat(np.arange(4), 2), np.tile([0, 2], 4), np.arange(8.0), 4, 3)
    mine = make(np.repeat(np.arange(4), 2), np.tile([0, 1], 4), np.arange(8.0), 4, 3)
    with pytest.raises(ValueError, match="other pairs of raters"):
        tau_change(pairwise_tau(mine), pairwise_tau(others))


@pytest.mark.parametrize("wrong", [{"sigma": 0.0}, {"draws": 0}])
def test_noise_without_size_or_draws_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="sigma > 0 and draws >= 1"):
        Noise(**wrong)

"""Single raters against the others, robust distances, p-values from resamples, and the stability of a ranking."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from annotation_platform.core.statistics import Bootstrap, Ratings, group_means, pairwise_tau
from annotation_platform.core.statistics.ranks import rank_shares
from annotation_platform.core.statistics.with_others import agreement_with_others, modified_z, tau_with_others
from tests.core.statistics_tables import tables
from tests.some import some

TABLES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30)


def brute_force(rows: list[tuple[int, int, int]], rater: int) -> float | None:
    shares = []
    for item, own, value in rows:
        others = [v for i, r, v in rows if i == item and r != rater]
        if own == rater and others:
            shares.append(sum(v == value for v in others) / len(others))
    return float(np.mean(shares)) if shares else None


@given(TABLES)
@settings(max_examples=80, deadline=None)
def test_agreement_with_others_is_the_share_of_equal_labels_also_with_repeated_judgments(
    rows: list[tuple[int, int, int]],
) -> None:
    items, raters, values = zip(*rows, strict=True)
    table = Ratings.from_arrays(items, raters, values, n_items=5, n_raters=4, repeated="cross")
    for rater, found in enumerate(some(agreement_with_others(table))):
        expected = brute_force(rows, rater)
        assert found.value == (None if expected is None else pytest.approx(expected))
        assert (found.undefined_because is None) == (expected is not None)


@given(tables(values=st.sampled_from([-0.5, 0.0, 1e9])))
def test_agreement_with_others_is_to_the_last_bit_what_counting_equal_rows_gives(ratings: Ratings) -> None:
    columns = ratings.items, ratings.raters, ratings.values
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    shares: dict[int, list[float]] = {}
    for item, own, value in rows:
        others = [v for i, r, v in rows if i == item and r != own]
        if others:
            shares.setdefault(own, []).append(others.count(value) / len(others))
    for rater, found in enumerate(agreement_with_others(ratings)):
        mine = shares.get(rater)
        assert found.value == (None if mine is None else sum(mine) / len(mine))


def test_agreement_with_others_has_an_interval_from_items() -> None:
    rng = np.random.default_rng(1)
    items, raters = np.repeat(np.arange(80), 3), np.tile(np.arange(3), 80)
    table = Ratings.from_arrays(items, raters, rng.integers(0, 2, 240), repeated="error")
    for found in some(agreement_with_others(table)):
        assert found.interval is not None
        assert found.value is not None
        assert found.interval.low < found.value < found.interval.high
        assert found.n_items == 80


def test_tau_with_others_is_the_mean_over_the_raters_pairs_by_scipy() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 4, (40, 4))
    table = Ratings.from_arrays(
        np.repeat(np.arange(40), 4), np.tile(np.arange(4), 40), values.ravel(), repeated="error"
    )
    found = tau_with_others(pairwise_tau(table, bootstrap=Bootstrap(resamples=50)))
    taus = {(a, b): float(kendalltau(values[:, a], values[:, b]).statistic) for a, b in combinations(range(4), 2)}
    for rater, each in enumerate(some(found)):
        assert each.value == pytest.approx(np.mean([tau for pair, tau in taus.items() if rater in pair]))
        assert each.n_raters == 3
        assert each.interval is not None


def test_modified_z_is_that_of_iglewicz_and_hoaglin() -> None:
    # Median 3.4; distances 0.2 0.1 0 0.1 0.4 5.6: MAD 0.15.
    values = [3.2, 3.3, 3.4, 3.5, 3.8, 9.0, None]
    median, mad = 3.45, 0.2
    expected = [0.6745 * (value - median) / mad for value in values if value is not None]
    found = modified_z(values)
    assert found[-1] is None
    assert list(found[:-1]) == pytest.approx(expected)


def test_nobody_is_far_among_few_or_equal_raters() -> None:
    assert modified_z([1.0, 2.0, 3.0, 99.0]) == (None,) * 4
    assert modified_z([1.0] * 6) == (None,) * 6


def test_the_one_who_differs_from_equal_raters_is_far() -> None:
    # MAD is 0; the mean distance from the median is 98 / 6, so that z = 98 / (1.2533 * 98 / 6) = 6 / 1.2533.
    found = modified_z([1.0, 1.0, 1.0, 1.0, 1.0, 99.0])
    assert found[:5] == (0.0,) * 5
    assert found[5] == pytest.approx(6 / 1.253314, rel=1e-6)


def test_ranks_of_systems_far_apart_are_certain_and_of_equal_ones_are_shared() -> None:
    rng = np.random.default_rng(4)
    groups = np.repeat([0, 1, 2], 200)
    values = np.concatenate([rng.normal(10, 1, 200), rng.normal(50, 1, 200), rng.normal(50, 1, 200)])
    table = Ratings.from_arrays(np.arange(600), np.zeros(600, dtype=int), values, repeated="error")
    means = group_means(table, groups, 3, bootstrap=Bootstrap(resamples=400))
    high = rank_shares(means)
    assert high[0].rank == 3
    assert high[0].shares == (0.0, 0.0, 1.0)
    assert {high[1].rank, high[2].rank} == {1, 2}
    assert 0 < high[1].shares[0] < 1
    assert sum(high[1].shares) == pytest.approx(1)
    assert rank_shares(means, better="low")[0].rank == 1
    assert rank_shares(group_means(table, groups, 3))[0].shares == ()

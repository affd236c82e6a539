"""Another rater in the place of one: the draws by hand, the exact expectation, and what is planted in a study."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.statistics import Bootstrap, Ratings, RatingsError, krippendorff_alpha, replacement
from annotation_platform.core.statistics.alpha import LEVELS
from tests import rests_on
from tests.core.statistics_tables import make


def study(n: int = 300, *, candidate_noise: float = 1.0, seed: int = 0) -> tuple[Ratings, Ratings]:
    """Five raters on 1 … 5, and a candidate that sees the same quality with noise of its own."""
    rng = np.random.default_rng(seed)
    quality = rng.integers(1, 6, n)
    values = np.clip(np.repeat(quality, 5) + np.rint(rng.normal(0, 0.7, 5 * n)), 1, 5)
    candidate = np.clip(quality + np.rint(rng.normal(0, candidate_noise, n)), 1, 5)
    return (
        make(np.repeat(np.arange(n), 5), np.tile(np.arange(5), n), values, n, 5),
        make(np.arange(n), np.zeros(n, int), candidate, n, 1),
    )


def replaced_alpha(ratings: Ratings, candidate: Ratings, rows: tuple[int, ...], level: str) -> float | None:
    values = ratings.values.copy()
    for row in rows:
        values[row] = candidate.values[candidate.items == ratings.items[row]][0]
    table = make(ratings.items, ratings.raters, values, ratings.n_items, ratings.n_raters)
    return krippendorff_alpha(table, level).value


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=25, deadline=None)
@given(
    units=st.lists(
        st.tuples(st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=2, max_size=4), st.sampled_from([0.0, 1.0, 2.0])),
        min_size=1,
        max_size=4,
    )
)
def test_the_exact_expectation_is_the_mean_over_all_ways_to_choose(
    level: str, units: list[tuple[list[float], float]]
) -> None:
    items = np.repeat(np.arange(len(units)), [len(labels) for labels, _ in units])
    raters = np.concatenate([np.arange(len(labels)) for labels, _ in units])
    ratings = make(items, raters, np.concatenate([labels for labels, _ in units]), len(units), 4)
    candidate = make(
        np.arange(len(units)), items[:1] * 0 + np.zeros(len(units), int), np.array([c for _, c in units]), len(units), 1
    )
    ways = product(*(np.flatnonzero(items == item) for item in range(len(units))))
    found = [replaced_alpha(ratings, candidate, way, level) for way in ways]
    result = replacement(ratings, candidate, level, draws=5)
    if None in found:
        assert result.exact is None
    else:
        assert result.exact == pytest.approx(np.mean(found), abs=1e-10)
    for alpha in result.draws:
        assert min(abs(alpha - each) for each in found if each is not None) < 1e-10


@settings(max_examples=30, deadline=None)
@given(
    units=st.lists(
        st.tuples(st.lists(st.integers(0, 3), min_size=2, max_size=5), st.integers(0, 3)), min_size=1, max_size=5
    )
)
def test_the_expected_alpha_is_that_of_expected_disagreements(units: list[tuple[list[int], int]]) -> None:
    observed, totals = 0.0, np.zeros(4)
    for labels, given_label in units:
        for row in range(len(labels)):
            replaced = np.array([*labels[:row], *labels[row + 1 :], given_label])
            apart = ((replaced[:, None] - replaced) ** 2).sum() / (len(labels) - 1)
            observed += apart / len(labels)
            totals += np.bincount(replaced, minlength=4) / len(labels)
    expected = (totals[:, None] * totals * (np.arange(4)[:, None] - np.arange(4)) ** 2).sum()
    sizes = [len(labels) for labels, _ in units]
    ratings = make(
        np.repeat(np.arange(len(units)), sizes),
        np.concatenate([np.arange(size) for size in sizes]),
        np.concatenate([labels for labels, _ in units]).astype(float),
        len(units),
        5,
    )
    candidate = make(
        np.arange(len(units)), np.zeros(len(units), int), np.array([c for _, c in units], float), len(units), 1
    )
    found = replacement(ratings, candidate, "interval").expected
    if expected == 0:
        assert found.value is None
    else:
        assert found.value == pytest.approx(1 - (sum(sizes) - 1) * observed / expected, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_the_mean_over_draws_tends_to_the_expected_alpha(level: str) -> None:
    ratings, candidate = study(400)
    result = replacement(ratings, candidate, level, draws=300)
    spread = float(np.std(result.draws)) / np.sqrt(300)
    assert result.expected.value == pytest.approx(result.mean_of_draws, abs=4 * spread + 2e-4)
    assert result.exact is None
    assert len(result.draws) == 300


def test_a_worse_candidate_lowers_alpha_and_a_better_one_raises_it() -> None:
    changes = {}
    for noise in (0.0, 0.7, 2.0):
        ratings, candidate = study(candidate_noise=noise)
        result = replacement(ratings, candidate, "ordinal", bootstrap=Bootstrap(200))
        assert result.raters.value == krippendorff_alpha(ratings, "ordinal").value
        assert result.change.value == pytest.approx(result.expected.value - result.raters.value)
        assert result.change.interval is not None
        changes[noise] = (result.change.interval.low, result.change.interval.high)
    assert changes[0.0][0] > 0
    assert changes[0.7][0] < 0 < changes[0.7][1]
    assert changes[2.0][1] < 0


def test_a_resample_of_the_expected_alpha_is_that_of_the_resampled_study() -> None:
    ratings, candidate = study(12)
    bootstrap = Bootstrap(resamples=6, seed=3)
    result = replacement(ratings, candidate, "ordinal", bootstrap=bootstrap)
    assert result.expected.resampled is not None
    weights = np.concatenate(list(bootstrap.weights(12)), axis=1)
    for column, alpha in zip(weights.T, result.expected.resampled.values, strict=True):
        drawn = np.repeat(np.arange(12), column.astype(int))
        again = make(
            np.repeat(np.arange(12), 5),
            np.tile(np.arange(5), 12),
            ratings.values.reshape(12, 5)[drawn].ravel(),
            12,
            5,
        )
        other = make(np.arange(12), np.zeros(12, int), candidate.values[drawn], 12, 1)
        assert replacement(again, other, "ordinal").expected.value == pytest.approx(alpha, abs=1e-12)


def test_items_without_a_candidate_are_left_out_on_both_sides() -> None:
    ratings, candidate = study(30)
    some = candidate.where(candidate.items < 20)
    result = replacement(ratings, some, "nominal")
    assert result.n_without_candidate == 10
    assert result.raters.n_items == result.expected.n_items == 20
    assert result.raters.value == krippendorff_alpha(ratings.where(ratings.items < 20), "nominal").value


def test_the_seed_draws_again_the_same() -> None:
    ratings, candidate = study(40)
    first, again, other = (replacement(ratings, candidate, "nominal", seed=seed).draws for seed in (1, 1, 2))
    assert first == again != other


def test_refuses_candidates_that_do_not_fit() -> None:
    ratings, candidate = study(10)
    with pytest.raises(RatingsError, match="several ratings of one item"):
        replacement(ratings, ratings, "nominal")
    with pytest.raises(RatingsError, match="has 9 items, that of the raters 10"):
        replacement(ratings, study(9)[1], "nominal")
    with pytest.raises(RatingsError, match="No item has both"):
        replacement(ratings.where(ratings.raters == 0), candidate, "nominal")

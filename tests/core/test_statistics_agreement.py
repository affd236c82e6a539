"""Krippendorff's α and Fleiss' κ: against other programs, by brute force, on published examples."""

import warnings
from collections.abc import Callable
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from annotation_platform.core.statistics import Ratings, RatingsError, fleiss_kappa, krippendorff_alpha
from annotation_platform.core.statistics.alpha import LEVELS
from tests import rests_on
from tests.core.statistics_tables import make, relabelled, tables, with_a_lone_rating

POSITIVE = st.sampled_from([0.0, 0.5, 1.0, 3.0, 30.0, 100.0])

# Four observers, twelve units, missing data: the worked example of Krippendorff (2011), Computing
# Krippendorff's Alpha-Reliability, section E.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# Ten subjects, fourteen raters, five categories; κ = 0.210 (the worked example of the Wikipedia article on
# Fleiss' kappa).
SUBJECTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def value_counts(ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    values, codes = np.unique(ratings.values, return_inverse=True)
    counts = np.zeros((ratings.n_items, len(values)), dtype=int)
    np.add.at(counts, (ratings.items, codes), 1)
    return counts, values


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_of_krippendorffs_worked_example(level: str, published: float) -> None:
    rows = [
        (unit, observer, value)
        for observer, values in enumerate(OBSERVERS)
        for unit, value in enumerate(values)
        if value is not None
    ]
    alpha = krippendorff_alpha(Ratings.from_arrays(*zip(*rows, strict=True), repeated="error"), level)
    assert alpha.value == pytest.approx(published, abs=5e-4)
    # The last unit has one value, which pairs with nothing.
    assert (alpha.n_items, alpha.n_raters, alpha.n_ratings) == (11, 4, 40)


@pytest.mark.parametrize("level", LEVELS)
@given(ratings=tables(values=POSITIVE))
def test_alpha_equals_the_krippendorff_package(level: str, ratings: Ratings) -> None:
    alpha = krippendorff_alpha(ratings, level)
    counts, values = value_counts(ratings)
    pairable = counts[counts.sum(axis=1) > 1]
    if (pairable.sum(axis=0) > 0).sum() < 2:
        assert alpha.value is None
        return
    with warnings.catch_warnings():
        # It divides 0 by 0 on the way for the distance of 0 from 0.
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = krippendorff.alpha(value_counts=counts, value_domain=values, level_of_measurement=level)
    assert alpha.value == pytest.approx(expected, abs=1e-10)


def ordinal_distance(values: np.ndarray, c: float, k: float) -> float:
    low, high = min(c, k), max(c, k)
    between = ((values > low) & (values < high)).sum()
    return float(between + ((values == low).sum() + (values == high).sum()) / 2) ** 2 if c != k else 0.0


DISTANCES: dict[str, Callable[[np.ndarray, float, float], float]] = {
    "nominal": lambda values, c, k: float(c != k),
    "ordinal": ordinal_distance,
    "interval": lambda values, c, k: (c - k) ** 2,
    "ratio": lambda values, c, k: ((c - k) / (c + k)) ** 2 if c + k else 0.0,
}


@pytest.mark.parametrize("level", LEVELS)
@given(ratings=tables(values=POSITIVE, max_items=4, max_raters=3))
def test_alpha_equals_its_definition_over_all_pairs_of_ratings(level: str, ratings: Ratings) -> None:
    units = [ratings.values[ratings.items == item] for item in range(ratings.n_items)]
    units = [unit for unit in units if len(unit) > 1]
    alpha = krippendorff_alpha(ratings, level)
    if not units or len(np.unique(np.concatenate(units))) < 2:
        assert alpha.value is None
        return
    values = np.concatenate(units)
    distance = DISTANCES[level]
    observed = sum(
        sum(distance(values, c, k) for c, k in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / len(values)
    expected = sum(distance(values, c, k) for c, k in permutations(values, 2)) / (len(values) * (len(values) - 1))
    assert alpha.value == pytest.approx(1 - observed / expected, abs=1e-10)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("level", LEVELS)
@given(ratings=tables(values=POSITIVE), seed=st.integers(0, 99))
def test_alpha_does_not_care_for_codes_and_lone_ratings(level: str, ratings: Ratings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = krippendorff_alpha(ratings, level)
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    assert krippendorff_alpha(other, level).value == pytest.approx(plain.value, abs=1e-12)
    lone = krippendorff_alpha(with_a_lone_rating(ratings), level)
    if 0 not in np.bincount(ratings.items, minlength=1):
        assert lone.value == pytest.approx(plain.value, abs=1e-12)
        assert lone.n_ratings == plain.n_ratings


def test_alpha_of_many_distinct_values_at_the_ratio_level() -> None:
    """More values than the blocks in which distances are made."""
    values = np.random.default_rng(6).gamma(2, 10, size=(400, 3))
    ratings = make(np.repeat(np.arange(400), 3), np.tile([0, 1, 2], 400), values.ravel(), 400, 3)
    within = ((values[:, :, None] - values[:, None]) / (values[:, :, None] + values[:, None])) ** 2
    flat = values.ravel()
    overall = ((flat[:, None] - flat) / (flat[:, None] + flat)) ** 2
    expected = 1 - (within.sum() / 2 / 1200) / (overall.sum() / (1200 * 1199))
    assert krippendorff_alpha(ratings, "ratio").value == pytest.approx(expected, abs=1e-10)


def test_alpha_says_why_it_is_undefined() -> None:
    lone = krippendorff_alpha(Ratings.from_arrays([0, 1], [0, 1], [1, 2], repeated="error"), "nominal")
    assert (lone.value, lone.undefined_because) == (None, "No item has two ratings.")
    same = krippendorff_alpha(Ratings.from_arrays([0, 0, 1], [0, 1, 0], [70, 70, 0], repeated="error"), "interval")
    assert same.value is None
    assert same.undefined_because == ("All ratings of items with at least two have the same value.")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [1, 4, 16])  # 3n · 0.1 / 3n is not 0.1 in floating point.
def test_alpha_of_a_constant_is_undefined_whatever_rounding_leaves(level: str, n: int) -> None:
    ratings = make(np.arange(n).repeat(3), np.tile(np.arange(3), n), np.full(3 * n, 0.1), n, 3)
    assert krippendorff_alpha(ratings, level).value is None


def test_alpha_refuses_unknown_levels_and_negative_ratios() -> None:
    ratings = Ratings.from_arrays([0, 0], [0, 1], [-1, 2], repeated="error")
    with pytest.raises(ValueError, match="'metric' is none of nominal, ordinal, interval, ratio"):
        krippendorff_alpha(ratings, "metric")
    with pytest.raises(RatingsError, match="no negative values, but there is a -1"):
        krippendorff_alpha(ratings, "ratio")


def test_kappa_of_a_worked_example() -> None:
    rows = [
        (subject, rater, category)
        for subject, counts in enumerate(SUBJECTS)
        for rater, category in enumerate(np.repeat(np.arange(5), counts))
    ]
    kappa = fleiss_kappa(Ratings.from_arrays(*zip(*rows, strict=True), repeated="error"), 14)
    assert kappa.value == pytest.approx(0.210, abs=5e-4)
    assert (kappa.n_items, kappa.n_raters, kappa.n_ratings) == (10, 14, 140)


@given(ratings=tables(), k=st.integers(2, 4))
def test_kappa_equals_statsmodels_over_the_items_with_k_ratings(ratings: Ratings, k: int) -> None:
    counts, _ = value_counts(ratings)
    table = counts[counts.sum(axis=1) == k]
    kappa = fleiss_kappa(ratings, k)
    assert kappa.n_items == len(table)
    if not len(table):
        assert kappa.undefined_because == f"No item has exactly {k} ratings."
    elif (table.sum(axis=0) > 0).sum() < 2:
        assert kappa.value is None
        assert kappa.undefined_because is not None
        assert "have the same value" in kappa.undefined_because
    else:
        assert kappa.value == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)


@given(ratings=tables(), seed=st.integers(0, 99))
def test_kappa_does_not_care_for_codes_and_items_with_another_number(ratings: Ratings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    plain = fleiss_kappa(ratings, 3)
    assert fleiss_kappa(other, 3).value == pytest.approx(plain.value, abs=1e-12)
    assert fleiss_kappa(with_a_lone_rating(ratings), 3).value == plain.value


def test_kappa_compares_at_least_two_ratings() -> None:
    with pytest.raises(ValueError, match="n_per_item is 1"):
        fleiss_kappa(Ratings.from_arrays([0], [0], [1], repeated="error"), 1)

"""Single raters: planted severity, shift, drift and carelessness come out; the definitions by brute force."""

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import linregress

from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    RatingsError,
    drift,
    leniency,
    self_consistency,
    severity_shift,
)
from tests.core.statistics_tables import make, tables, with_a_lone_rating
from tests.some import some

SEVERITY = np.array([6.0, 0.0, 0.0, -6.0])


def study(severity: np.ndarray = SEVERITY, *, n: int = 300, seed: int = 1) -> Ratings:
    """Four raters, three of whom judge each item on 0 … 100; rater 0 mostly gets the worse items."""
    quality = np.random.default_rng(2).normal(60, 15, n)
    raters = np.array([[0, 1, 3] if q < 60 else [1, 2, 3] for q in quality]).ravel()
    items = np.repeat(np.arange(n), 3)
    values = quality[items] + severity[raters] + np.random.default_rng(seed).normal(0, 4, 3 * n)
    return make(items, raters, values, n, 4)


def from_others(ratings: Ratings, rater: int) -> list[tuple[int, float]]:
    found = []
    for row in np.flatnonzero(ratings.raters == rater):
        others = ratings.values[(ratings.items == ratings.items[row]) & (ratings.raters != rater)]
        if len(others):
            found.append((int(row), float(ratings.values[row] - others.mean())))
    return found


@given(ratings=tables())
def test_leniency_is_the_mean_distance_from_the_others(ratings: Ratings) -> None:
    for table in (ratings, with_a_lone_rating(ratings)):
        for rater, figure in enumerate(some(leniency(table))):
            expected = [apart for _, apart in from_others(ratings, rater)]
            assert figure.n_ratings == len(expected)
            if expected:
                assert figure.value == pytest.approx(np.mean(expected), abs=1e-9)
            else:
                assert figure.undefined_because == "Nobody else rated the rater's items."


def test_leniency_is_not_taken_in_by_who_was_given_what() -> None:
    ratings = study()
    means = [ratings.values[ratings.raters == rater].mean() for rater in range(4)]
    assert means[0] < means[2]  # the lenient one had the worse items
    figures = leniency(ratings, bootstrap=Bootstrap(300))
    assert [figure.value for figure in figures] == pytest.approx([9, 0, 3, -9 + 1], abs=3)
    assert figures[0].interval.low > 3
    assert figures[3].interval.high < -3
    assert figures[0].signature == "leniency|repeated:cross|resamples:300|seed:0"


def test_a_shift_of_severity_is_found_where_it_was_planted() -> None:
    later = SEVERITY + np.array([0, 8.0, 0, 0])
    shifts = severity_shift(study(), study(later, seed=3), bootstrap=Bootstrap(300))
    assert shifts[1].value == pytest.approx(8, abs=1)
    assert shifts[1].interval.low > 5
    assert shifts[1].p_value < 0.01
    with pytest.raises(RatingsError, match="300 and 200 items"):
        severity_shift(study(), study(n=200))


@given(ratings=tables(max_items=9))
def test_drift_is_the_slope_of_a_straight_line(ratings: Ratings) -> None:
    times = 1.7e9 + (np.arange(len(ratings)) * 7 % 11) * 3600.0
    for rater, figure in enumerate(some(drift(ratings, times))):
        rows = from_others(ratings, rater)
        t = np.array([times[row] for row, _ in rows])
        if len(set(t)) < 2:
            assert figure.value is None
        else:
            expected = linregress(t - t[0], [apart for _, apart in rows]).slope
            assert figure.value == pytest.approx(expected, abs=1e-9)


def test_a_planted_drift_is_found() -> None:
    ratings = study()
    times = ratings.items / 100.0
    drifting = make(
        ratings.items, ratings.raters, ratings.values + np.where(ratings.raters == 3, 4.0 * times, 0), 300, 4
    )
    figures = drift(drifting, times, bootstrap=Bootstrap(200))
    assert figures[3].value == pytest.approx(4, abs=0.8)
    assert figures[3].interval.low > 2.5
    with pytest.raises(RatingsError, match="one finite time for each of 900"):
        drift(ratings, [1.0])


@given(ratings=tables(max_repeated=3))
def test_self_consistency_compares_all_pairs_of_repeated_judgments(ratings: Ratings) -> None:
    for rater, figure in enumerate(some(self_consistency(ratings))):
        apart = []
        for item in range(ratings.n_items):
            own = ratings.values[(ratings.items == item) & (ratings.raters == rater)]
            apart += [abs(own[i] - own[j]) for i in range(len(own)) for j in range(i)]
        assert figure.same.n_ratings == len(apart)
        if apart:
            assert figure.same.value == pytest.approx(np.mean(np.array(apart) == 0))
            assert figure.distance.value == pytest.approx(np.mean(apart))
        else:
            assert figure.same.undefined_because == "The rater judged no item twice."

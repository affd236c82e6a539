"""The vote of k raters against the vote of all: every subset by hand, draws, and the number that is needed."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from annotation_platform.core.statistics import Bootstrap, RatingsError, number_of_raters, vote_curve
from tests.core.statistics_tables import make
from tests.core.test_statistics_replacement import study
from tests.some import some


def vote(labels: list[float], goodness: object) -> float:
    counts = Counter(labels)
    return max(counts, key=lambda label: (counts[label], goodness(label), label))


@pytest.mark.parametrize(
    ("scale", "goodness"),
    [({"better": "high"}, lambda v: v), ({"better": "low"}, lambda v: -v), ({"best": 1}, lambda v: -abs(v - 1))],
)
@settings(max_examples=25, deadline=None)
@given(
    units=st.lists(
        st.tuples(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=4, max_size=4), st.sampled_from([0.0, 2.0, 3.0])),
        min_size=2,
        max_size=5,
    )
)
def test_rho_is_that_of_all_subsets_of_all_items(
    scale: dict, goodness: object, units: list[tuple[list[float], float]]
) -> None:
    n = len(units)
    ratings = make(np.repeat(np.arange(n), 4), np.tile(np.arange(4), n), np.array([u for u, _ in units]).ravel(), n, 4)
    candidate = make(np.arange(n), np.zeros(n, int), np.array([c for _, c in units]), n, 1)
    curve = vote_curve(ratings, candidate, draws=3, **scale)
    for point in curve.points:
        for figure, extra in ((point.alone, False), (point.with_candidate, True)):
            pairs = [
                (vote(labels, goodness), vote([*subset, given] if extra else list(subset), goodness))
                for labels, given in units
                for subset in combinations(labels, point.n_raters)
            ]
            full, some = np.array(pairs).T
            assert figure is not None
            if len(set(full)) < 2 or len(set(some)) < 2:
                assert figure.value is None
            else:
                assert figure.value == pytest.approx(spearmanr(full, some).statistic, abs=1e-10)
    assert curve.points[-1].alone.value in (None, pytest.approx(1.0))


def test_every_draw_is_a_possible_one() -> None:
    units = [[0, 0, 1], [1, 2, 2], [0, 2, 1]]
    ratings = make(np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3), np.array(units, float).ravel(), 3, 3)
    point = vote_curve(ratings, better="high", draws=50).points[1]
    full = [vote(unit, lambda v: v) for unit in units]
    possible = [
        spearmanr(full, [vote(list(subset), lambda v: v) for subset in subsets]).statistic
        for subsets in product(*(combinations(unit, 2) for unit in units))
    ]
    assert len(set(point.alone_in_draws)) > 1
    for rho in point.alone_in_draws:
        assert min(abs(rho - each) for each in possible if each == each) < 1e-10


def test_draws_lie_around_the_expectation() -> None:
    ratings, candidate = study(500)
    for point in some(vote_curve(ratings, candidate, better="high", draws=200).points[:-1]):
        for figure, draws in (
            (point.alone, point.alone_in_draws),
            (point.with_candidate, point.with_candidate_in_draws),
        ):
            assert figure is not None
            assert figure.value == pytest.approx(np.mean(draws), abs=4 * np.std(draws) / np.sqrt(200) + 5e-4)


def test_a_good_candidate_helps_most_where_raters_are_few() -> None:
    ratings, candidate = study(400, candidate_noise=0.5)
    points = vote_curve(ratings, candidate, better="high", bootstrap=Bootstrap(200)).points
    assert [point.alone.value for point in points] == sorted(point.alone.value for point in points)
    gains = [point.change for point in points]
    assert gains[0].interval.low > 0
    assert gains[0].value > gains[1].value > gains[-1].value
    assert gains[-1].interval.high <= 0  # the vote of all cannot be bettered as a copy of itself


def test_how_many_raters_are_needed() -> None:
    ratings, candidate = study(400)
    curve = vote_curve(ratings, candidate, better="high", bootstrap=Bootstrap(300))
    values = [point.alone.value for point in curve.points]
    needed = number_of_raters(curve, 0.95)
    assert needed.n_raters == 1 + next(index for index, rho in enumerate(values) if rho >= 0.95)
    assert needed.low <= needed.n_raters <= needed.high
    sample = np.stack([point.alone.resampled.values for point in curve.points])
    least = [1 + int(np.flatnonzero(column >= 0.95)[0]) for column in sample.T]
    assert (needed.low, needed.high) == (np.sort(least)[7], np.sort(least)[292])
    assert number_of_raters(curve, 1.0).n_raters == 5
    unreachable = number_of_raters(curve, 1.0, with_candidate=True)
    assert (unreachable.n_raters, unreachable.high) == (None, 6)
    assert number_of_raters(vote_curve(ratings, better="high"), 0.9).low is None


def test_the_most_usual_number_of_ratings_counts() -> None:
    ratings, _ = study(50)
    fewer = ratings.where((ratings.items < 40) | (ratings.raters < 3))
    curve = vote_curve(fewer, better="high")
    assert (curve.n_full, curve.n_items) == (5, 40)
    assert curve.points[0].with_candidate is None
    assert vote_curve(fewer, better="high", n_full=3).n_items == 10


def test_says_what_it_needs() -> None:
    ratings, _ = study(20)
    with pytest.raises(RatingsError, match="which label wins a tie"):
        vote_curve(ratings)
    with pytest.raises(RatingsError, match="exactly 7 ratings"):
        vote_curve(ratings, better="high", n_full=7)
    many = make(np.zeros(60, int), np.arange(60), np.arange(60) % 20 * 1.0, 1, 60)
    with pytest.raises(RatingsError, match="too many different subsets"):
        vote_curve(many, better="high")
    same = make(np.repeat([0, 1], 3), np.tile([0, 1, 2], 2), np.ones(6), 2, 3)
    assert vote_curve(same, better="high").points[0].alone.undefined_because == "The votes are the same for every item."

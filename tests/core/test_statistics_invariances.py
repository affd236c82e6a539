"""What no statistic may depend on: the codes of raters and items, their order, and items that tell nothing.

And by brute force, on small random tables, those that no other program has: means, stepped-up reliability, Pearson's r
of clustered rows, disagreement of single items, majority votes.
"""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.statistics import (
    Measure,
    Ratings,
    RatingsError,
    Statistic,
    group_means,
    gwet_ac,
    icc2,
    krippendorff_alpha,
    krippendorff_alpha_of_sets,
    majority_vote,
    pairwise_agreement,
    percent_agreement,
    replacement,
    vote_curve,
)
from annotation_platform.core.statistics.clustered import clustered_pearson
from annotation_platform.core.statistics.disagreement import item_disagreement
from annotation_platform.core.statistics.stepped_up import spearman_brown
from tests.core.statistics_tables import LABELS, relabelled, tables, with_a_lone_rating
from tests.some import some

SETS = [frozenset("ab"), frozenset("b"), frozenset(), frozenset("abc")]  # what the four labels stand for
Figure = Callable[[Ratings], float | None]


def value_of(found: Statistic) -> float | None:
    return found.value


def set_alpha(ratings: Ratings) -> float | None:
    codes = np.searchsorted(LABELS, ratings.values)
    return krippendorff_alpha_of_sets(
        Ratings.from_arrays(
            ratings.items,
            ratings.raters,
            codes,
            n_items=ratings.n_items,
            n_raters=ratings.n_raters,
            repeated="cross",
        ),
        SETS,
        "jaccard",
    ).value


def icc(ratings: Ratings) -> float | None:
    once = Ratings.from_arrays(
        ratings.items,
        ratings.raters,
        ratings.values,
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        repeated="error",
    )
    return icc2(once).single.value


def replaced(ratings: Ratings) -> float | None:
    """By a candidate that gives every item 70."""
    candidate = Ratings.from_arrays(
        np.arange(ratings.n_items), np.zeros(ratings.n_items, int), np.full(ratings.n_items, 70.0), repeated="error"
    )
    try:
        return replacement(ratings, candidate, "interval", draws=1).expected.value
    except RatingsError:
        return None


def curve(ratings: Ratings) -> float | None:
    try:
        return vote_curve(ratings, better="high", draws=1).points[0].alone.value
    except RatingsError:
        return None


FIGURES: dict[str, Figure] = {
    "percent": lambda ratings: percent_agreement(ratings).value,
    "AC1": lambda ratings: gwet_ac(ratings, scale=LABELS).value,
    "AC2": lambda ratings: gwet_ac(ratings, scale=LABELS, weights="quadratic").value,
    "α of sets": set_alpha,
    "Cohen κ": lambda ratings: pairwise_agreement(ratings, Measure.COHEN).mean.value,
    "Spearman ρ": lambda ratings: pairwise_agreement(ratings, Measure.SPEARMAN).mean.value,
    "replacement": replaced,
    "vote of one": curve,
}


COUNT_LONE_RATINGS = {"AC1", "AC2"}  # chance is measured on all that was said, as Gwet has it


@pytest.mark.parametrize("name", FIGURES)
@given(ratings=tables(), seed=st.integers(0, 1_000))
@settings(max_examples=30, deadline=None)
def test_codes_and_lone_ratings_do_not_matter(name: str, ratings: Ratings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    plain = FIGURES[name](ratings)
    for changed in [other, *([] if name in COUNT_LONE_RATINGS else [with_a_lone_rating(ratings)])]:
        found = FIGURES[name](changed)
        assert found == (plain if plain is None else pytest.approx(plain, abs=1e-9))


@given(ratings=tables(max_repeated=1), seed=st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_an_icc_does_not_care_for_codes(ratings: Ratings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    plain, found = icc(ratings), icc(other)
    assert found == (plain if plain is None else pytest.approx(plain, abs=1e-9))


@given(ratings=tables())
@settings(max_examples=60, deadline=None)
def test_majority_votes_by_counting(ratings: Ratings) -> None:
    votes = majority_vote(ratings, better="high").by_item(ratings.n_items)
    for item in range(ratings.n_items):
        counts = Counter(ratings.values[ratings.items == item].tolist())
        if not counts:
            assert np.isnan(votes[item])
        else:
            assert votes[item] == max(counts, key=lambda value: (counts[value], value))


@given(ratings=tables())
@settings(max_examples=60, deadline=None)
def test_means_by_adding_up(ratings: Ratings) -> None:
    for rater, found in enumerate(some(group_means(ratings, ratings.raters, ratings.n_raters))):
        own = ratings.values[ratings.raters == rater]
        assert found.value == (pytest.approx(sum(own) / len(own)) if len(own) else None)


@given(ratings=tables(), span=st.sampled_from([None, 100.0]))
@settings(max_examples=60, deadline=None)
def test_disagreement_of_an_item_by_all_its_pairs(ratings: Ratings, span: float | None) -> None:
    found = item_disagreement(ratings.items, ratings.values, ratings.n_items, span=span)
    for item in range(ratings.n_items):
        pairs = list(combinations(ratings.values[ratings.items == item].tolist(), 2))
        apart = [abs(a - b) / span if span else float(a != b) for a, b in pairs]
        assert found[item] == pytest.approx(sum(apart) / len(apart)) if pairs else np.isnan(found[item])


@given(ratings=tables(max_repeated=1), k=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_reliability_of_a_mean_is_what_it_is_of_a_mean_of_means(ratings: Ratings, k: int) -> None:
    """Spearman–Brown stepped up twice is stepped up once by the product, and one rater is α itself."""
    alpha = krippendorff_alpha(ratings, "interval")
    once, twice = spearman_brown(alpha, k), spearman_brown(spearman_brown(alpha, k), 2)
    assert spearman_brown(alpha, 1).value == (None if once.value is None else pytest.approx(alpha.value))
    assert twice.value == (None if once.value is None else pytest.approx(spearman_brown(alpha, 2 * k).value))


@given(
    rows=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=12),
    seed=st.integers(0, 1_000),
)
@settings(max_examples=60, deadline=None)
def test_clustered_r_is_that_of_the_rows_whatever_their_groups_and_order(
    rows: list[tuple[int, int, int]], seed: int
) -> None:
    first, second, groups = (np.array(column) for column in zip(*rows, strict=True))
    order = np.random.default_rng(seed).permutation(len(rows))
    plain = clustered_pearson(first, second, groups).value
    assert clustered_pearson(first[order], second[order], 3 - groups[order]).value == (
        plain if plain is None else pytest.approx(plain, abs=1e-12)
    )
    if len(set(first)) > 1 and len(set(second)) > 1:
        assert plain == pytest.approx(np.corrcoef(first, second)[0, 1], abs=1e-9)
    else:
        assert plain is None

"""The ratings table: what it accepts, refuses, and does with repeated judgments."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Ratings, RatingsError
from annotation_platform.core.statistics.ratings import distinct, pairs_within

ITEMS, RATERS, VALUES = [0, 0, 1, 0], [0, 1, 1, 0], [10.0, 20.0, 30.0, 40.0]


def test_takes_arrays_without_copying_and_protects_its_view() -> None:
    values = np.array(VALUES)
    ratings = Ratings.from_arrays(ITEMS, RATERS, values, repeated="cross")
    assert np.shares_memory(ratings.values, values)
    with pytest.raises(ValueError, match="read-only"):
        ratings.values[0] = 1
    values[0] = 1  # The caller's own array stays writeable.


def test_cross_keeps_every_judgment() -> None:
    assert len(Ratings.from_arrays(ITEMS, RATERS, VALUES, repeated="cross")) == 4


def test_mean_averages_repeated_judgments_and_is_best_only_where_all_were() -> None:
    ratings = Ratings.from_arrays(ITEMS, RATERS, VALUES, best=[True, True, True, False], repeated="mean")
    table = {(i, r): (v, b) for i, r, v, b in rows(ratings)}
    assert table == {(0, 0): (25.0, False), (0, 1): (20.0, True), (1, 1): (30.0, True)}


def test_last_keeps_the_judgment_that_comes_last() -> None:
    ratings = Ratings.from_arrays(ITEMS, RATERS, VALUES, best=[True, True, True, False], repeated="last")
    table = {(i, r): (v, b) for i, r, v, b in rows(ratings)}
    assert table == {(0, 0): (40.0, False), (0, 1): (20.0, True), (1, 1): (30.0, True)}


def test_error_names_the_rater_and_the_item() -> None:
    with pytest.raises(RatingsError, match="Rater Ann judged item q1 2 times, and 0 more"):
        Ratings.from_arrays(
            ITEMS,
            RATERS,
            VALUES,
            repeated="error",
            item_names=["q1", "q2"],
            rater_names=["Ann", "Bob"],
        )


def test_error_accepts_a_table_without_repetitions() -> None:
    assert len(Ratings.from_arrays([0, 1], [0, 0], [1, 2], repeated="error")) == 2


def test_names_get_codes_in_sorted_order() -> None:
    ratings = Ratings.from_names(["b", "a"], ["y", "x"], [1, 2], repeated="error")
    assert ratings.item_names == ("a", "b")
    assert ratings.items.tolist() == [1, 0]
    assert ratings.rater_name(0) == "x"


def test_an_empty_table_is_a_table() -> None:
    ratings = Ratings.from_arrays([], [], [], repeated="cross")
    assert (len(ratings), ratings.n_items, ratings.n_raters) == (0, 0, 0)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 1], [0], [1, 2]), "items has 2 entries but raters has 1"),
        (([0], [0], [np.nan]), "value of rating 0 is nan"),
        (([0], [0], [np.inf]), "value of rating 0 is inf"),
        (([-1], [0], [1]), "smallest item code is -1"),
        (([0.5], [0], [1]), "item codes are float64"),
        (([0], ["Ann"], [1]), "rater codes are <U3"),
        (([0], [0], ["good"]), "value column cannot be read as numbers"),
        (([0], [0], [None]), "value of rating 0 is nan"),
        (([[0]], [0], [1]), "2 dimensions"),
    ],
)
def test_refuses_what_is_no_ratings_table(columns: tuple[list, list, list], message: str) -> None:
    with pytest.raises(RatingsError, match=message):
        Ratings.from_arrays(*columns, repeated="cross")


def test_refuses_codes_beyond_the_range_and_names_that_do_not_fit() -> None:
    with pytest.raises(RatingsError, match="greatest item code is 4, but there are only 3 items"):
        Ratings.from_arrays([4], [0], [1], n_items=3, repeated="cross")
    with pytest.raises(RatingsError, match="2 rater names for 1 raters"):
        Ratings.from_arrays([0], [0], [1], n_raters=1, rater_names=["a", "b"], repeated="cross")


@pytest.mark.parametrize("space", [5, 10**9])
def test_distinct_is_numpys_unique_by_counting_or_by_sorting(space: int) -> None:
    keys = np.array([4, 0, 4, 2, 0])
    values, position = distinct(keys, space)
    assert values.tolist() == [0, 2, 4]
    assert position.tolist() == [2, 0, 2, 1, 0]


def test_pairs_within_groups() -> None:
    first, second = pairs_within(np.array([3, 3, 3, 5, 7, 7]))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2), (4, 5)]


def rows(ratings: Ratings) -> list[tuple[int, int, float, bool]]:
    assert ratings.best is not None
    return list(
        zip(
            ratings.items.tolist(),
            ratings.raters.tolist(),
            ratings.values.tolist(),
            ratings.best.tolist(),
            strict=True,
        )
    )

"""The ratings table: what it accepts, refuses, and does with repeated judgments."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics import Ratings, RatingsError, counts, krippendorff_alpha
from annotation_platform.core.statistics import codes as codes_module
from annotation_platform.core.statistics.codes import distinct, levels, pairs_within, sum_by_item
from annotation_platform.core.statistics.counts import ValueCounts
from tests.core.statistics_tables import tables

ITEMS, RATERS, VALUES = [0, 0, 1, 0], [0, 1, 1, 0], [10.0, 20.0, 30.0, 40.0]


def test_takes_arrays_without_copying_and_protects_its_view() -> None:
    values = np.array(VALUES)
    ratings = Ratings.from_arrays(ITEMS, RATERS, values, repeated="cross")
    assert np.shares_memory(ratings.values, values)
    with pytest.raises(ValueError, match="read-only"):
        ratings.values[0] = 1
    values[0] = 1  # The caller's own array stays writeable.


def test_keeps_compact_columns_as_they_are_and_calculates_with_wide_ones() -> None:
    frame = pd.DataFrame(
        {
            "item": np.array([0, 1], np.int32),
            "rater": np.array([200, 100], np.uint8),
            "value": np.array([100, 100], np.int8),
        }
    )
    ratings = Ratings.from_arrays(frame["item"], frame["rater"], frame["value"], repeated="cross")
    for column, name in ((ratings.item_codes, "item"), (ratings.rater_codes, "rater"), (ratings.numbers, "value")):
        assert np.shares_memory(column, frame[name].to_numpy())
    assert (ratings.values**2).tolist() == [10_000, 10_000]
    assert (ratings.items * ratings.n_raters + ratings.raters).tolist() == [200, 301]


@given(numbers=st.lists(st.sampled_from([-7.0, 0.0, 3.0, 3.5, 1e300, 2.0**60, 100.0]) | st.integers(-300, 300)))
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.uint8])
def test_levels_are_numpys_unique(dtype: type, numbers: list[float]) -> None:
    with np.errstate(all="ignore"):
        column = np.array(numbers, np.float64).astype(dtype)
    values, codes = levels(column[np.isfinite(column)])
    expected, positions = np.unique(column[np.isfinite(column)], return_inverse=True)
    assert values.tolist() == expected.tolist()
    assert codes.tolist() == positions.tolist()


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes_module, "_ROWS_AT_ONCE", 3)
    rng = np.random.default_rng(1)
    items, codes = rng.integers(0, 6, 20), rng.integers(0, 3, 20)
    weights = np.array([1.0, 10.0, 100.0])
    assert sum_by_item(items, 6, codes, weights).tolist() == np.bincount(items, weights[codes], minlength=6).tolist()
    assert levels(codes)[1].tolist() == codes.tolist()
    ratings = Ratings.from_arrays(items, codes, codes, repeated="cross")
    assert ratings.n_raters_of(np.arange(6) == items[0]) == len(set(codes[items == items[0]]))


@given(ratings=tables(max_repeated=6), fewest=st.integers(1, 3), most=st.none() | st.integers(3, 9))
def test_value_counts_by_pattern_are_those_by_item(ratings: Ratings, fewest: int, most: int | None) -> None:
    """Also where a count reaches the base that was tried first."""
    by_pattern = ValueCounts.of(ratings, fewest=fewest, most=most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_EXACT_BITS", -1)
        by_item = ValueCounts.of(ratings, fewest=fewest, most=most)
        assert by_item.n_classes == ratings.n_items
        alpha = krippendorff_alpha(ratings, "ordinal").value
    assert krippendorff_alpha(ratings, "ordinal").value == pytest.approx(alpha, abs=1e-12)
    for found in (by_pattern, by_item):
        table = np.zeros((found.n_classes, len(found.values)))
        table[found.entry_class, found.entry_value] = found.entry_count
        per_item = np.bincount(ratings.items, minlength=ratings.n_items)
        counted = (per_item >= fewest) & (per_item <= (most or 99))
        expected = np.zeros((ratings.n_items, len(found.values)))
        for item, value in zip(ratings.items, ratings.values, strict=True):
            if counted[item]:
                expected[item, found.values.tolist().index(value)] += 1
        assert table[found.class_of_item].tolist() == expected.tolist()
        assert (found.n_items, found.n_ratings) == (counted.sum(), per_item[counted].sum())
        assert found.n_raters == len(set(ratings.raters[counted[ratings.items]].tolist()))


def test_value_counts_of_an_item_with_far_more_ratings_than_the_others() -> None:
    """Its count of the highest value does not fit the digits that are tried first."""
    items = np.r_[np.arange(8), np.full(9, 8)]
    ratings = Ratings.from_arrays(items, np.arange(17), np.r_[np.zeros(8), np.ones(9)], repeated="cross")
    found = ValueCounts.of(ratings, fewest=1)
    assert found.n[found.class_of_item].tolist() == [1.0] * 8 + [9.0]
    assert found.n_classes == 2


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


def test_policies_differ_in_the_figure_and_say_so() -> None:
    columns = [0, 0, 0, 1, 1], [0, 1, 0, 0, 1], [10.0, 20.0, 40.0, 40.0, 30.0]
    figures = {
        policy: krippendorff_alpha(Ratings.from_arrays(*columns, repeated=policy), "interval")
        for policy in ("cross", "mean", "last")
    }
    assert len({alpha.value for alpha in figures.values()}) == 3
    assert figures["mean"].signature == "krippendorff-alpha|level:interval|repeated:mean"


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


@pytest.mark.parametrize("space", [2**17 + 5, 2**31, 2**33, 2**47])
def test_distinct_of_many_keys_is_numpys_unique_digit_by_digit(space: int) -> None:
    keys = np.random.default_rng(0).integers(0, space, 30_000)
    keys = np.concatenate([keys, keys[:9_000], [0, space - 1]])
    for found, expected in zip(distinct(keys, space), np.unique(keys, return_inverse=True), strict=True):
        np.testing.assert_array_equal(found, expected)


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

"""Joined rows beside the loops that say what they are."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation_platform.core.statistics import Ratings, joins
from annotation_platform.core.statistics.concordance import PairTables
from annotation_platform.core.statistics.joins import join_raters
from annotation_platform.core.statistics.ratings import RatingsError

JUDGMENTS = some.lists(some.tuples(some.integers(0, 6), some.integers(0, 4)), max_size=40)


def table(judgments: list[tuple[int, int]]) -> Ratings:
    items, raters = ([each[n] for each in judgments] for n in (0, 1))
    return Ratings.from_arrays(items, raters, np.arange(len(items)), repeated="cross", n_items=8, n_raters=6)


def by_loops(judgments: list[tuple[int, int]]) -> list[tuple[int, int, int, int, int]]:
    """Both raters, the item, and the positions of their judgments of it."""
    found = []
    for one, other in combinations(range(len(judgments)), 2):
        (item, a), (same, b) = judgments[one], judgments[other]
        if item == same and a != b:
            found.append((a, b, item, one, other) if a < b else (b, a, item, other, one))
    return sorted(found)


@given(JUDGMENTS)
def test_rows_are_those_of_two_raters_and_one_item_in_the_order_of_pairs_and_items(judgments):
    rows = join_raters(table(judgments))
    of_pair = np.array([rows.rater_a, rows.rater_b], dtype=np.int64)[:, rows.pair]
    found = list(zip(*(each.tolist() for each in (*of_pair, rows.item, rows.first, rows.second)), strict=True))
    expected = by_loops(judgments)
    assert sorted(found) == expected
    assert [each[:3] for each in found] == [each[:3] for each in expected]
    assert list(zip(rows.rater_a, rows.rater_b, strict=True)) == sorted({each[:2] for each in expected})


@given(JUDGMENTS)
def test_what_is_used_is_what_is_in_a_row(judgments):
    rows, expected = join_raters(table(judgments)), by_loops(judgments)
    assert rows.has_repetitions == (len(set(judgments)) < len(judgments))
    items, n_judgments = rows.used(np.ones(len(rows.rater_a), dtype=np.bool_))
    assert set(np.flatnonzero(items)) == {each[2] for each in expected}
    assert n_judgments == len({position for each in expected for position in each[3:]})
    kept = rows.item % 2 == 0
    items, n_judgments = rows.part(kept).used(np.ones(len(rows.rater_a), dtype=np.bool_))
    assert set(np.flatnonzero(items)) == {each[2] for each in expected if each[2] % 2 == 0}
    assert n_judgments == len({position for each in expected if each[2] % 2 == 0 for position in each[3:]})


def test_blocks_of_few_ratings_give_the_same_rows(monkeypatch):
    rng = np.random.default_rng(5)
    judgments = list(zip(rng.integers(0, 7, 60).tolist(), rng.integers(0, 6, 60).tolist(), strict=True))
    whole = join_raters(table(judgments))
    monkeypatch.setattr(joins, "_AT_ONCE", 3)
    for name in ("rater_a", "rater_b", "pair", "first", "second", "item"):
        assert np.array_equal(getattr(join_raters(table(judgments)), name), getattr(whole, name)), name


def test_a_hundred_thousand_raters_are_joined_and_what_no_number_holds_is_refused():
    items, raters = np.repeat(np.arange(1_000), 2), np.arange(2_000)
    many = Ratings.from_arrays(items, raters, raters, n_raters=100_000, repeated="error")
    assert join_raters(many).rater_b.tolist() == raters[1::2].tolist()
    too_many = Ratings.from_arrays(items, raters, raters, n_raters=1 << 28, repeated="error")
    with pytest.raises(RatingsError, match="too many to join"):
        join_raters(too_many)


def test_tables_of_more_pairs_and_levels_than_one_number_holds_are_counted_all_the_same():
    n_pairs, level = 1 << 22, (1 << 21) - 1
    pairs, levels = np.array([0, n_pairs - 1, n_pairs - 1]), np.array([level, level, level])
    tables = PairTables.from_rows(pairs, levels, levels, n_pairs=n_pairs)
    assert tables.pair.tolist() == [0, n_pairs - 1]
    assert tables.counts.tolist() == [1, 2]
    assert (tables.first_level.tolist(), tables.second_level.tolist()) == ([level] * 2, [level] * 2)

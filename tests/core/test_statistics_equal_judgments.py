"""Judgments of one rater that are equal all along a path are one cell, whose ranks are those of its rater's values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics import Ratings
from annotation_platform.core.statistics.equal_judgments import EqualJudgments
from tests.core.statistics_tables import make, tables

NUMBERS = [0.0, 0.5, 10.0, 10.5]


@given(tables(), st.data())
def test_cells_and_ranks_are_those_of_the_values(before: Ratings, data: st.DataObject) -> None:
    numbers = st.lists(st.sampled_from(NUMBERS), min_size=len(before), max_size=len(before))
    path = [
        make(before.items, before.raters, np.array(data.draw(numbers), float), before.n_items, before.n_raters)
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    found = EqualJudgments.of(before, path)
    steps = [before, *path]
    keys = list(zip(before.raters.tolist(), *(each.values.tolist() for each in steps), strict=True))
    assert [keys[found.example[cell]] for cell in found.cell.tolist()] == keys
    assert len(found.example) == len(set(keys))
    assert found.rater.tolist() == sorted(found.rater.tolist())
    assert found.rater.tolist() == before.raters[found.example].tolist()
    for table in steps:
        values_of = {rater: sorted({v for r, v in ratings_of(table) if r == rater}) for rater, _ in ratings_of(table)}
        ranks = found.ranks(table.numbers)[found.cell].tolist()
        assert ranks == [values_of[rater].index(value) for rater, value in ratings_of(table)]


def test_cells_are_in_the_order_of_the_values_before_and_at_both_ends() -> None:
    before, first, last = np.array([1.0, 0, 1, 1]), np.array([3.0, 9, 2, 2]), np.array([0.0, 0, 5, 4])
    items, raters = np.arange(4), np.zeros(4, int)
    tables_of = [make(items, raters, each, 4, 1) for each in (before, first, last)]
    assert EqualJudgments.of(tables_of[0], tables_of[1:]).cell.tolist() == [3, 0, 2, 1]


def ratings_of(table: Ratings) -> list[tuple[int, float]]:
    return list(zip(table.raters.tolist(), table.values.tolist(), strict=True))

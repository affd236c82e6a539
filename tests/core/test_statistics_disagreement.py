"""Disagreement within items, against counting pairs one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics.disagreement import item_disagreement, item_set_distance
from annotation_platform.core.statistics.ratings import RatingsError

tables = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 30.0, 70.0, 100.0])), max_size=25)


@given(tables, st.booleans())
def test_it_is_the_mean_over_the_pairs_of_an_item(rows: list[tuple[int, float]], has_order: bool) -> None:
    items, values = [row[0] for row in rows], [row[1] for row in rows]
    found = item_disagreement(items, values, 5, span=100 if has_order else None)
    for item in range(5):
        pairs = list(combinations([value for code, value in rows if code == item], 2))
        if not pairs:
            assert np.isnan(found[item])
            continue
        expected = [abs(a - b) / 100 if has_order else float(a != b) for a, b in pairs]
        assert found[item] == pytest.approx(sum(expected) / len(pairs))


def test_by_hand() -> None:
    # |0-30| + |0-100| + |30-100| = 200 over three pairs and a span of 100; two of three pairs differ for a, a, b.
    assert item_disagreement([0, 0, 0], [0, 30, 100], 1, span=100)[0] == pytest.approx(2 / 3)
    assert item_disagreement([0, 0, 0], [1, 1, 2], 1)[0] == pytest.approx(2 / 3)


def test_sets_are_compared_by_jaccard() -> None:
    sets = [frozenset({1, 2}), frozenset({2, 3}), frozenset({2}), frozenset[int](), frozenset[int]()]
    found = item_set_distance([0, 0, 0, 1, 1], sets, 3)
    assert found[0] == pytest.approx((2 / 3 + 1 / 2 + 1 / 2) / 3)
    assert found[1] == 0
    assert np.isnan(found[2])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RatingsError, match="span"):
        item_disagreement([0], [1.0], 1, span=0)
    with pytest.raises(RatingsError, match="one code for each"):
        item_disagreement([0], [1.0, 2.0], 1)


@given(st.lists(st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 4))), max_size=12))
def test_the_distance_of_sets_is_jaccards_over_the_pairs_of_an_item(rows: list[tuple[int, frozenset[int]]]) -> None:
    found = item_set_distance([item for item, _ in rows], [each for _, each in rows], 4)
    for item in range(4):
        sets = [each for of, each in rows if of == item]
        distances = [1 - len(a & b) / len(a | b) if a | b else 0.0 for a, b in combinations(sets, 2)]
        assert found[item] == pytest.approx(np.mean(distances) if distances else np.nan, nan_ok=True)

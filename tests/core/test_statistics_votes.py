"""Majority vote: the most frequent label, and whose side a tie takes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics import Ratings, RatingsError, majority_vote
from tests.core.statistics_tables import tables


@pytest.mark.parametrize(
    ("labels", "scale", "expected"),
    [
        ([1, 2, 2], {}, 2),
        ([1, 1, 3, 3, 2], {"better": "high"}, 3),
        ([1, 1, 3, 3, 2], {"better": "low"}, 1),
        ([-1, -1, 0, 0, 1], {"best": 0}, 0),
        ([-1, 1], {"best": 0}, 1),  # equally near: the higher
        ([-2, 1], {"best": 0}, 1),
        ([1, -2, -2, 1], {"best": -1}, -2),
    ],
)
def test_ties_go_to_the_better_label(labels: list[int], scale: dict, expected: int) -> None:
    ratings = Ratings.from_arrays([4] * len(labels), range(len(labels)), labels, repeated="error")
    votes = majority_vote(ratings, **scale)
    assert (votes.items.tolist(), votes.values.tolist(), votes.n_undecided) == ([4], [expected], 0)


def test_a_tie_that_the_scale_does_not_decide_is_no_vote() -> None:
    ratings = Ratings.from_arrays([0, 0, 1], [0, 1, 0], [1, 2, 2], repeated="error")
    votes = majority_vote(ratings)
    assert (votes.items.tolist(), votes.values.tolist(), votes.n_undecided) == ([1], [2], 1)
    assert np.isnan(votes.by_item(2)[0])


@given(ratings=tables(max_repeated=3), better=st.sampled_from(["high", "low"]))
def test_equals_counting_by_hand(ratings: Ratings, better: str) -> None:
    votes = majority_vote(ratings, better=better)
    found = {
        item: (value, n_for, n, tied)
        for item, value, n_for, n, tied in zip(
            votes.items.tolist(),
            votes.values.tolist(),
            votes.n_for.tolist(),
            votes.n_ratings.tolist(),
            votes.tied.tolist(),
            strict=True,
        )
    }
    expected = {}
    for item in set(ratings.items.tolist()):
        counts = Counter(ratings.values[ratings.items == item].tolist())
        most = max(counts.values())
        winners = [value for value, count in counts.items() if count == most]
        winner = max(winners) if better == "high" else min(winners)
        expected[item] = (winner, most, sum(counts.values()), len(winners) > 1)
    assert found == expected


def test_refuses_two_answers_to_what_is_better() -> None:
    ratings = Ratings.from_arrays([0], [0], [1], repeated="error")
    with pytest.raises(RatingsError, match="not both"):
        majority_vote(ratings, better="high", best=1)
    with pytest.raises(RatingsError, match="not 'top'"):
        majority_vote(ratings, better="top")

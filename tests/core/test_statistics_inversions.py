"""Pairs of rows that stand the other way round than their labels: by looking at every pair."""

import numpy as np
import pytest

from annotation_platform.core.statistics.inversions import Inversions


@pytest.mark.parametrize("n_labels", [1, 2, 5, 32, 33, 101, 3000])
@pytest.mark.parametrize("heaviest", [2, 200])
def test_weighted_inversions_are_those_of_every_pair(n_labels: int, heaviest: int) -> None:
    """Of sequences shorter and longer than a block, the second of which is empty; heavy rows are not exact in single
    precision."""
    rng = np.random.default_rng(n_labels)
    sequence = np.repeat([0, 2, 3, 4], [31, 150, 1, 40])
    labels, rows = rng.integers(0, n_labels, len(sequence)), rng.permutation(len(sequence))
    counts = rng.integers(0, heaviest, (len(sequence), 3)).astype(np.float64)
    found = Inversions.of(rows, sequence, labels, 5).counted(counts)
    expected = np.zeros((5, 3))
    for place, one in enumerate(rows.tolist()):
        for later in range(place + 1, len(rows)):
            if sequence[place] == sequence[later] and labels[place] > labels[later]:
                expected[sequence[place]] += counts[one] * counts[rows[later]]
    np.testing.assert_array_equal(found, expected)


def test_no_rows_have_no_inversions() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert Inversions.of(nothing, nothing, nothing, 2).counted(np.empty((0, 4))).tolist() == [[0] * 4] * 2

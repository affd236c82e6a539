"""How far verdicts agree with people's, by hand and beside scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from annotation_platform.core.methods.equivalence.agreement import verdict_agreement
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.shares import grouped_share


def test_by_hand() -> None:
    # tp 2, fp 1, fn 1, tn 1: accuracy 3/5, F1 = 4 / (4 + 2).
    right, said = [True, True, True, False, False], [True, True, False, True, False]
    found = verdict_agreement(right, said, [0, 0, 1, 1, 2], bootstrap=Bootstrap(resamples=200))

    assert found.accuracy.value == pytest.approx(3 / 5)
    assert found.f1.value == pytest.approx(4 / 6)
    assert (found.accuracy.n_items, found.accuracy.n_ratings) == (3, 5)
    # Questions are the units, and three of them say little.
    expected = grouped_share([1, 1, 0, 0, 1], [0, 0, 1, 1, 2]).interval
    assert found.accuracy.interval is not None
    assert (found.accuracy.interval.low, found.accuracy.interval.high) == pytest.approx(expected)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_it_is_scikit_learns(rows: list[tuple[bool, bool]]) -> None:
    right, said = map(list, zip(*rows, strict=True))
    found = verdict_agreement(right, said, np.arange(len(rows)))

    assert found.accuracy.value == pytest.approx(accuracy_score(right, said))
    if any(right) or any(said):
        assert found.f1.value == pytest.approx(f1_score(right, said))
    else:
        assert found.f1.undefined_because == "Neither people nor the verdicts take any answer as right."


def test_without_answers_it_says_so() -> None:
    found = verdict_agreement([], [], [], bootstrap=Bootstrap(resamples=10))
    assert (found.accuracy.value, found.accuracy.undefined_because) == (None, "There are no answers.")


def test_unequal_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="verdicts"):
        verdict_agreement([True], [True, False], [0])

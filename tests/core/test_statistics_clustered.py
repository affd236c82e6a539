"""Pearson's r whose rows come in groups."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Bootstrap, RatingsError, pearson
from annotation_platform.core.statistics.clustered import clustered_pearson

BOOTSTRAP = Bootstrap(resamples=400, seed=3)


def test_it_is_numpys_r_whatever_the_groups() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(1e6, 1, 60), rng.normal(0, 1, 60)
    y += 0.5 * (x - 1e6)
    for groups in (np.arange(60), np.arange(60) // 4, np.zeros(60, dtype=int)):
        assert clustered_pearson(x, y, groups).value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)


def test_rows_that_are_groups_of_their_own_give_the_plain_interval() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 4, 50)
    y = x + rng.integers(0, 3, 50)
    plain, grouped = pearson(x, y, bootstrap=BOOTSTRAP), clustered_pearson(x, y, np.arange(50), bootstrap=BOOTSTRAP)
    assert plain.interval is not None
    assert grouped.interval is not None
    assert grouped.value == pytest.approx(plain.value)
    assert (grouped.interval.low, grouped.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))


def test_rows_said_four_times_are_no_more_evidence() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=40), rng.normal(size=40)
    once = clustered_pearson(x, y, np.arange(40), bootstrap=BOOTSTRAP)
    often = clustered_pearson(np.repeat(x, 4), np.repeat(y, 4), np.repeat(np.arange(40), 4), bootstrap=BOOTSTRAP)
    assert once.interval is not None
    assert often.interval is not None
    assert (often.interval.low, often.interval.high) == pytest.approx((once.interval.low, once.interval.high))
    assert (often.n_items, often.n_ratings) == (40, 160)


def test_what_is_undefined_says_why() -> None:
    assert clustered_pearson([1, 1, 1], [1, 2, 3], [0, 1, 2]).undefined_because is not None
    alone = clustered_pearson([1], [2], [0], bootstrap=BOOTSTRAP)
    assert (alone.value, alone.undefined_because) == (None, "There are fewer than two rows.")
    assert clustered_pearson([], [], []).value is None


@pytest.mark.parametrize("groups", [[0, 1], [0, 1, -1], [0, 1, 5]])
def test_rows_without_a_proper_group_are_refused(groups: list[int]) -> None:
    with pytest.raises(RatingsError):
        clustered_pearson([1, 2, 3], [1, 2, 4], groups, n_groups=3)

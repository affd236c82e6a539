"""Group means: plain averages, undefined for empty groups, with intervals that resample items."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Bootstrap, Ratings, RatingsError
from annotation_platform.core.statistics.means import group_means

ITEMS = [0, 0, 1, 1, 2, 2]
RATERS = [0, 1, 0, 1, 0, 1]
VALUES = [10.0, 20.0, 30.0, 50.0, 90.0, 100.0]


def ratings() -> Ratings:
    return Ratings.from_arrays(ITEMS, RATERS, VALUES, repeated="error")


def test_the_mean_of_each_group_with_what_it_rests_on() -> None:
    first, second = group_means(ratings(), RATERS, 2)
    assert (first.value, second.value) == (pytest.approx(130 / 3), pytest.approx(170 / 3))
    assert (first.n_items, first.n_raters, first.n_ratings) == (3, 1, 3)
    assert first.interval is None


def test_a_group_without_ratings_has_no_mean_but_a_reason() -> None:
    *_, empty = group_means(ratings(), RATERS, 3, bootstrap=Bootstrap(resamples=20))
    assert empty.value is None
    assert empty.interval is None
    assert empty.undefined_because == "The group has no ratings."


def test_the_interval_is_that_of_resampled_items_and_seeded() -> None:
    bootstrap = Bootstrap(resamples=300, seed=5)
    (mean,) = group_means(ratings(), np.zeros(6, dtype=int), 1, bootstrap=bootstrap)
    assert mean.interval is not None
    drawn = []
    for weights in bootstrap.weights(3):
        for column in weights.T:
            drawn.append(sum(w * (VALUES[2 * i] + VALUES[2 * i + 1]) for i, w in enumerate(column)) / 6)
    assert (mean.interval.low, mean.interval.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert mean == group_means(ratings(), np.zeros(6, dtype=int), 1, bootstrap=bootstrap)[0]


@pytest.mark.parametrize("groups", [[0, 1], [0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, -1]])
def test_groups_that_do_not_fit_are_refused(groups: list[int]) -> None:
    with pytest.raises(RatingsError):
        group_means(ratings(), groups, 2)

"""Group means: plain averages, undefined for empty groups, with intervals that resample items."""

import numpy as np
import pytest
from scipy.stats import t

from annotation_platform.core.statistics import Bootstrap, Ratings, RatingsError, Statistic
from annotation_platform.core.statistics.means import group_means, mean_of_figures, scale_means

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


def test_of_no_groups_there_are_no_means() -> None:
    nothing = Ratings.from_arrays([], [], [], repeated="error")
    none = np.array([], dtype=np.int64)
    assert group_means(nothing, none, 0) == ()
    (only,) = group_means(nothing, none, 1)
    assert only.value is None


def test_the_interval_is_that_of_resampled_items_and_seeded() -> None:
    bootstrap, zeros = Bootstrap(resamples=300, seed=5), np.zeros(12, dtype=int)
    (mean,) = group_means(six_items(), zeros, 1, bootstrap=bootstrap)
    assert mean.interval is not None
    values = VALUES * 2
    drawn = []
    for weights in bootstrap.weights(6):
        for column in weights.T:
            drawn.append(sum(w * (values[2 * i] + values[2 * i + 1]) for i, w in enumerate(column)) / 12)
    ends = t.interval(0.95, 5, mean.value, np.std(drawn, ddof=1) * np.sqrt(6 / 5))
    assert (mean.interval.low, mean.interval.high) == pytest.approx(ends)
    assert mean == group_means(six_items(), zeros, 1, bootstrap=bootstrap)[0]


def six_items() -> Ratings:
    return Ratings.from_arrays(np.repeat(np.arange(6), 2), RATERS * 2, VALUES * 2, repeated="error")


@pytest.mark.parametrize("groups", [[0, 1], [0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, -1]])
def test_groups_that_do_not_fit_are_refused(groups: list[int]) -> None:
    with pytest.raises(RatingsError):
        group_means(ratings(), groups, 2)


def of_raters(bootstrap: Bootstrap | None) -> list[Statistic]:
    return list(group_means(six_items(), RATERS * 2, 3, bootstrap=bootstrap))  # the third group is empty


def test_the_mean_of_figures_is_that_of_the_defined_ones_and_so_is_each_resample() -> None:
    bootstrap = Bootstrap(resamples=300, seed=5)
    mean = mean_of_figures(of_raters(bootstrap))
    assert mean.value == pytest.approx((130 / 3 + 170 / 3) / 2)
    assert (mean.n_items, mean.n_units, mean.n_raters, mean.n_ratings) == (6, 6, 1, 12)
    (together,) = group_means(six_items(), np.zeros(12, dtype=int), 1, bootstrap=bootstrap)  # as many of each rater
    assert mean.interval is not None
    assert together.interval is not None
    assert (mean.interval.low, mean.interval.high) == pytest.approx((together.interval.low, together.interval.high))


def test_figures_about_other_items_have_a_mean_without_an_interval() -> None:
    figures = of_raters(Bootstrap(resamples=20))[:2]
    fewer = group_means(
        Ratings.from_arrays([0, 1], [0, 0], [1.0, 2.0], repeated="error"), [0, 0], 1, bootstrap=Bootstrap(resamples=20)
    )
    for mean in (
        mean_of_figures(figures, same_items=False),
        mean_of_figures([*figures, *fewer]),
        mean_of_figures([*figures, *of_raters(None)]),
    ):
        assert mean.value is not None
        assert mean.interval is None
        assert mean.no_interval_because


def test_a_figure_that_is_undefined_in_a_resample_is_left_out_of_it() -> None:
    """The third item alone is in the second group: resamples without it have only the first group's mean."""
    bootstrap = Bootstrap(resamples=200, seed=5)
    figures = group_means(ratings(), [0, 0, 0, 0, 0, 1], 2, bootstrap=bootstrap)
    mean = mean_of_figures(figures)
    first, second = (each.resampled for each in figures)
    assert first is not None
    assert second is not None
    assert mean.resampled is not None
    missing = np.isnan(second.values)
    assert 0 < missing.sum() < 200
    assert mean.resampled.values[missing] == pytest.approx(first.values[missing])
    assert mean.resampled.values[~missing] == pytest.approx((first.values + second.values)[~missing] / 2)


def test_of_no_defined_figure_there_is_no_mean() -> None:
    mean = mean_of_figures(of_raters(None)[2:])
    assert (mean.value, mean.undefined_because) == (None, "None of the figures is defined.")


@pytest.mark.parametrize("n_at_high_end", range(7))
@pytest.mark.parametrize("ends", [(0.0, 1.0), (1.0, 5.0), (0.0, 100.0)])
def test_no_interval_reaches_beyond_the_ends_of_a_scale(n_at_high_end: int, ends: tuple[float, float]) -> None:
    """Nobody has to be told to read an interval up to the end; and it has a width where all are at one."""
    items, one = np.arange(6), np.zeros(6, dtype=np.int64)
    ratings = Ratings.from_arrays(
        items, one, np.where(items < n_at_high_end, ends[1], ends[0]), ends=ends, repeated="error"
    )
    (mean,) = scale_means(ratings, one, 1, bootstrap=Bootstrap(resamples=50))
    assert mean.value is not None
    assert mean.interval is not None
    assert ends[0] <= mean.interval.low <= mean.value <= mean.interval.high <= ends[1]
    assert mean.interval.low < mean.interval.high

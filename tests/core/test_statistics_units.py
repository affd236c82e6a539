"""Intervals whose units are groups of items: what is drawn is whole groups, for every kind of figure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotation_platform.core.methods.rev.scores import las, rq
from annotation_platform.core.statistics import (
    Bootstrap,
    Measure,
    Ratings,
    RatingsError,
    Setting,
    Statistic,
    fleiss_kappa,
    group_means,
    icc2,
    krippendorff_alpha,
    pairwise_agreement,
    pairwise_tau,
    percent_agreement,
    spearman,
)
from annotation_platform.core.statistics.clustered import clustered_pearson

BOOTSTRAP = Bootstrap(resamples=60, seed=5)
ARTICLES = np.repeat(np.arange(6), [1, 5, 2, 8, 3, 5])  # of 24 items
N = len(ARTICLES)


def table(repeat: np.ndarray | None = None, *, units: bool = True) -> Ratings:
    """Five judgments of each item by raters who see the same qualities; ``repeat`` draws items, some several times."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=6)[ARTICLES] + rng.normal(size=N)
    labels = np.clip(np.rint(quality[:, None] + rng.normal(size=(N, 5))), -1, 1)
    drawn = np.arange(N) if repeat is None else repeat
    return Ratings.from_arrays(
        np.repeat(np.arange(len(drawn)), 5),
        np.tile(np.arange(5), len(drawn)),
        labels[drawn].ravel(),
        units=ARTICLES[drawn] if units else None,
        repeated="error",
    )


def mean(ratings: Ratings, bootstrap: Bootstrap | None) -> Statistic:
    return group_means(ratings, np.zeros(len(ratings), dtype=int), 1, bootstrap=bootstrap)[0]


FIGURES: dict[str, Callable[[Ratings, Bootstrap | None], Statistic]] = {
    "mean": mean,
    "alpha": lambda ratings, bootstrap: krippendorff_alpha(ratings, "ordinal", bootstrap=bootstrap),
    "kappa": lambda ratings, bootstrap: fleiss_kappa(ratings, 5, bootstrap=bootstrap),
    "icc": lambda ratings, bootstrap: icc2(ratings, bootstrap=bootstrap).single,
    "tau": lambda ratings, bootstrap: pairwise_tau(ratings, Setting.ALL, bootstrap=bootstrap).mean,
    "cohen": lambda ratings, bootstrap: pairwise_agreement(ratings, Measure.COHEN, bootstrap=bootstrap).mean,
}


@pytest.mark.parametrize("name", FIGURES)
def test_each_resample_is_the_figure_of_whole_groups_drawn(name: str) -> None:
    found = FIGURES[name](table(), BOOTSTRAP)
    assert found.resampled is not None
    (draws,) = list(BOOTSTRAP.weights(6))
    for place in range(0, 60, 7):
        times = draws[:, place].astype(int)
        items = np.concatenate([np.tile(np.flatnonzero(article == ARTICLES), n) for article, n in enumerate(times)])
        again = FIGURES[name](table(items, units=False), None).value
        assert found.resampled.values[place] == pytest.approx(np.nan if again is None else again, nan_ok=True)


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_itself_does_not_depend_on_units(name: str) -> None:
    with_units, without = (FIGURES[name](table(units=units), BOOTSTRAP) for units in (True, False))
    assert with_units.value == pytest.approx(without.value)
    assert (with_units.n_items, with_units.n_ratings) == (without.n_items, without.n_ratings)
    assert with_units.interval != without.interval


def test_units_of_one_item_each_are_no_units() -> None:
    plain = table(units=False)
    each = Ratings.from_arrays(plain.items, plain.raters, plain.values, units=np.arange(N), repeated="error")
    for figure in FIGURES.values():
        assert figure(each, BOOTSTRAP).interval == figure(plain, BOOTSTRAP).interval
    assert percent_agreement(each).interval == percent_agreement(plain).interval


def column_figures(units: Any) -> list[Statistic]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=8)[np.arange(40) // 5] + rng.normal(size=40)
    y = x + rng.normal(size=8)[np.arange(40) // 5]
    helped, alone, leaks = x > 0, y > 0.5, np.arange(40) % 2 == 0
    return [
        spearman(x, y, units=units, bootstrap=BOOTSTRAP),
        clustered_pearson(x, y, np.arange(40), units=units, bootstrap=BOOTSTRAP),
        las(helped, alone, leaks, units=units, bootstrap=BOOTSTRAP),
        rq(helped, alone, units=units, bootstrap=BOOTSTRAP),
    ]


def test_columns_have_units_too() -> None:
    for alone, own, shared in zip(
        column_figures(None), column_figures(np.arange(40)), column_figures(np.arange(40) // 5), strict=True
    ):
        assert alone.interval == own.interval != shared.interval
        assert alone.value == shared.value


def test_many_items_of_few_articles_make_no_narrow_interval() -> None:
    """Articles differ, their items do not: ten items an article say what one says."""
    values = np.random.default_rng(2).normal(size=12)
    one = Ratings.from_arrays(range(12), [0] * 12, values, repeated="error")
    ten = Ratings.from_arrays(
        range(120), [0] * 120, np.repeat(values, 10), units=np.repeat(np.arange(12), 10), repeated="error"
    )
    few, many = mean(one, BOOTSTRAP), mean(ten, BOOTSTRAP)
    assert few.interval is not None
    assert many.interval is not None
    assert (many.interval.low, many.interval.high) == pytest.approx((few.interval.low, few.interval.high))


def test_units_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RatingsError, match="There are 2 units for 3 items"):
        Ratings.from_arrays([0, 1, 2], [0, 0, 0], [1, 2, 3], units=[0, 1], repeated="error")

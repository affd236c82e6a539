"""Intervals for other raters, too: against the pigeonhole bootstrap drawn out, and what they must never be."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

from annotation_platform.core.few_units import too_few_raters, too_few_units
from annotation_platform.core.statistics import (
    Bootstrap,
    Interval,
    Ratings,
    RatingsError,
    Statistic,
    group_means,
    label_distributions,
)
from annotation_platform.core.statistics.clustered_means import ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.crossed import Crossed, ForOtherRaters
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.pigeonhole import (
    difference_for_other_raters,
    means_for_other_raters,
    preference_for_other_raters,
    shares_for_other_raters,
)
from annotation_platform.core.statistics.shares import Share, grouped_share

RNG = np.random.default_rng(0)


def table(n: int, m: int, *, leniency: float, missing: float = 0.0, seed: int = 0) -> Ratings:
    """n units of two items that m raters judge."""
    rng = np.random.default_rng(seed)
    item, rater = (each.ravel() for each in np.meshgrid(np.arange(2 * n), np.arange(m), indexing="ij"))
    kept = rng.random(len(item)) >= missing
    item, rater = item[kept], rater[kept]
    values = rng.normal(0, 10, 2 * n)[item] + rng.normal(0, leniency, m)[rater] + rng.normal(0, 5, len(item))
    units = np.arange(2 * n) // 2
    return Ratings.from_arrays(item, rater, values, n_items=2 * n, n_raters=m, units=units, repeated="error")


def width(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


def mean(ratings: Ratings) -> tuple[Statistic, ForOtherRaters]:
    one = np.zeros(len(ratings), dtype=int)
    found = group_means(ratings, one, 1, bootstrap=Bootstrap(400))
    return found[0], means_for_other_raters(ratings, one, found)[0]


def test_the_variance_is_that_of_units_and_raters_drawn_with_replacement() -> None:
    ratings = table(12, 7, leniency=4, missing=0.3)
    units, raters, y = ratings.unit_of_item[ratings.items], ratings.raters, ratings.values
    n, m = 12, 7
    e = (y - y.mean()) / len(y)
    found = Crossed.of(units, raters).spread(e)
    a, b, c = (float((np.bincount(code, e) ** 2).sum()) for code in (units, raters, units * m + raters))
    assert found.variance == pytest.approx(a * n / (n - 1) + b * m / (m - 1) + c)
    of_units, of_raters = (RNG.multinomial(each, np.full(each, 1 / each), 40_000) for each in (n, m))
    drawn = (of_units[:, units] * of_raters[:, raters]) @ e
    assert drawn.var() == pytest.approx(a * (1 - 1 / m) + b * (1 - 1 / n) + c, rel=0.03)


def test_a_ratio_of_the_draws_varies_as_much() -> None:
    """The mean of drawn ratings is a ratio; of many units and raters it is all but linear."""
    ratings = table(60, 40, leniency=4, missing=0.3, seed=2)
    units, raters, y = ratings.unit_of_item[ratings.items], ratings.raters, ratings.values
    weights = (
        RNG.multinomial(60, np.full(60, 1 / 60))[units] * RNG.multinomial(40, np.full(40, 1 / 40))[raters]
        for _ in range(4_000)
    )
    drawn = np.array([w @ y / w.sum() for w in weights])
    found = Crossed.of(units, raters).spread((y - y.mean()) / len(y))
    assert drawn.std() == pytest.approx(np.sqrt(found.variance), rel=0.07)


def test_raters_who_differ_make_an_interval_wider_and_those_who_do_not_leave_it() -> None:
    alike, apart = mean(table(60, 5, leniency=0)), mean(table(60, 5, leniency=20))
    assert width(alike[1].interval) < 1.25 * width(alike[0].interval)
    assert width(apart[1].interval) > 3 * width(apart[0].interval)
    assert (apart[1].n_units, apart[1].n_raters, apart[1].no_interval_because) == (60, 5, None)


def test_it_is_never_narrower_than_for_other_units_alone() -> None:
    for seed in range(30):
        of_units, of_raters = mean(table(6, 4, leniency=3, missing=0.4, seed=seed))
        assert of_units.interval is not None
        assert of_raters.interval is not None
        assert of_raters.interval.low <= of_units.interval.low < of_units.interval.high <= of_raters.interval.high


def test_two_raters_say_nothing_of_others() -> None:
    found = mean(table(20, 2, leniency=3))[1]
    assert (found.interval, found.no_interval_because) == (None, too_few_raters(2))
    few = mean(table(4, 5, leniency=3))[1]
    assert (few.interval, few.no_interval_because) == (None, too_few_units(4, "plain"))


def compared(a: Ratings, b: Ratings) -> tuple[ClusteredDifference, ForOtherRaters]:
    """Two systems' answers to the same questions."""

    def means(ratings: Ratings) -> np.ndarray:
        n = ratings.per_item()
        return np.where(n, np.bincount(ratings.items, ratings.values, ratings.n_items) / np.maximum(n, 1), np.nan)

    found = clustered_difference(means(a), means(b), a.unit_of_item)
    items = np.concatenate([a.items, b.items])
    return found, difference_for_other_raters(
        np.concatenate([a.values, b.values]),
        items,
        np.repeat([False, True], [len(a), len(b)]),
        np.concatenate([a.raters, b.raters]),
        a.unit_of_item[items],
        found,
    )


def test_leniency_cancels_where_the_same_raters_judged_both_answers_and_only_there() -> None:
    first = table(40, 6, leniency=20)
    same = replace(first, numbers=first.numbers + np.random.default_rng(1).normal(1, 5, len(first)))
    found, wider = compared(first, same)
    assert width(wider.interval) < 4 * width(found.interval)  # noise alone counts up to three times
    others = replace(first, rater_codes=first.rater_codes + 6, n_raters=12, numbers=same.numbers)
    found, wider = compared(first, others)
    assert width(wider.interval) > 20 * width(found.interval)
    assert found.p_value is not None
    assert wider.p_value is not None
    assert wider.p_value > found.p_value


def test_one_rater_a_question_whose_taste_decides_is_seen() -> None:
    """Within a question nothing varies between raters; over the questions of each it does."""
    rng = np.random.default_rng(3)
    question = np.arange(90)
    rater, taste = question % 5, np.array([-12.0, -6, 0, 6, 12])
    first, second = (
        Ratings.from_arrays(question, rater, values, n_items=90, n_raters=5, units=question // 2, repeated="error")
        for values in (rng.normal(0, 2, 90), rng.normal(0, 2, 90) + taste[rater])
    )
    found, wider = compared(first, second)
    assert width(wider.interval) > 2.5 * width(found.interval)


def test_p_and_interval_say_the_same() -> None:
    for seed in range(40):
        a = table(10, 5, leniency=3, seed=seed)
        b = replace(a, numbers=a.numbers + np.random.default_rng(seed).normal(2, 4, len(a)))
        _, wider = compared(a, b)
        assert wider.interval is not None
        assert wider.p_value is not None
        assert (wider.p_value < 0.05) == (not wider.interval.low <= 0 <= wider.interval.high)


def shares(values: np.ndarray, raters: int = 5) -> tuple[Statistic, ForOtherRaters]:
    n = len(values) // raters
    item, rater = np.repeat(np.arange(n), raters), np.tile(np.arange(raters), n)
    ratings = Ratings.from_arrays(item, rater, values, repeated="error")
    found = [each.share for each in label_distributions(ratings, [0, 1])[0].shares]
    return found[1], shares_for_other_raters(ratings, [0, 1], [found])[0][1]


def test_a_share_near_its_end_stays_within_and_keeps_a_width() -> None:
    of_items, of_raters = shares(np.ones(200))
    assert of_raters.interval is not None
    assert of_raters.interval.high == 1
    assert width(of_raters.interval) > width(of_items.interval) > 0
    mixed = shares((np.random.default_rng(5).random(200) < 0.05).astype(float))
    assert mixed[1].interval is not None
    assert 0 <= mixed[1].interval.low < 0.05 < mixed[1].interval.high < 0.4


def preferred(values: np.ndarray, raters: int) -> tuple[Share, ForOtherRaters]:
    n = len(values) // raters
    group, rater = np.repeat(np.arange(n) // 2, raters), np.tile(np.arange(raters), n)
    found = grouped_share(values, group)
    return found, preference_for_other_raters(values, group, rater, found)


def test_a_preference_has_the_interval_of_a_mean_from_0_to_1() -> None:
    values = np.random.default_rng(4).choice([0, 0.5, 1], 200, p=[0.2, 0.2, 0.6])
    found, wider = preferred(values, 5)
    item, rater = np.repeat(np.arange(40), 5), np.tile(np.arange(5), 40)
    ratings = Ratings.from_arrays(item, rater, values, units=np.arange(40) // 2, ends=(0, 1), repeated="error")
    assert found.interval is not None
    assert found.value is not None
    same = replace(mean(ratings)[0], value=found.value, interval=Interval(*found.interval, 0.95))
    expected = means_for_other_raters(ratings, np.zeros(200), [same])[0]
    assert wider.interval == expected.interval
    assert (wider.n_units, wider.n_raters) == (20, 5)


def test_a_preference_of_the_raters_at_hand_need_not_be_that_of_others() -> None:
    """Three of five always like the one, the others always the other, but for chance."""
    rng = np.random.default_rng(5)
    likes = np.tile([0.9, 0.9, 0.9, 0.2, 0.9], 100)
    found, wider = preferred((rng.random(500) < likes).astype(float), 5)
    assert found.p_value is not None
    assert wider.p_value is not None
    assert found.p_value < 0.001 < 0.05 < wider.p_value
    assert wider.interval is not None
    assert wider.interval.low < 0.5 < wider.interval.high


def test_the_p_of_a_preference_and_its_interval_say_the_same() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        likes = np.tile(rng.uniform(0.4, 1, 4), 40)
        _, wider = preferred((rng.random(160) < likes).astype(float), 4)
        assert wider.interval is not None
        assert wider.p_value is not None
        assert (wider.p_value < 0.05) == (not wider.interval.low <= 0.5 <= wider.interval.high)


def test_two_raters_say_nothing_of_what_others_prefer() -> None:
    wider = preferred(np.tile([1.0, 0.0, 1.0, 1.0], 10), 2)[1]
    assert (wider.interval, wider.p_value, wider.no_interval_because) == (None, None, too_few_raters(2))


def counted(ends: tuple[float, float], times: float = 1) -> tuple[Statistic, ForOtherRaters]:
    """Counts of one group on a scale: the interval for other units, and that for other raters, too."""
    rng = np.random.default_rng(3)
    item, rater = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    values = times * rng.poisson(np.array([0.2, 0.5, 1, 2])[rater])
    ratings = Ratings.from_arrays(item, rater, values, units=np.arange(30) // 2, ends=ends, repeated="error")
    one = np.zeros(len(ratings), dtype=int)
    found = scale_means(ratings, one, 1, bootstrap=Bootstrap(100))
    return found[0], means_for_other_raters(ratings, one, found)[0]


def test_what_has_no_highest_value_is_as_on_a_very_long_scale() -> None:
    of_items, of_raters = counted((0, np.inf))
    assert of_items.interval is not None
    assert of_raters.interval is not None
    assert 0 < of_raters.interval.low < of_items.interval.low < of_items.interval.high < of_raters.interval.high < 10
    for unlike in (counted((0, 1e9))[1], counted((0, np.inf), times=10)[1]):
        assert unlike.interval is not None
        times = unlike.interval.high / of_raters.interval.high
        assert times == pytest.approx(round(times), rel=1e-6)
        assert unlike.interval.low == pytest.approx(times * of_raters.interval.low, rel=1e-6)


@pytest.mark.parametrize("raters", [3, 4, 5, 7])
@pytest.mark.parametrize("highest", [3.0, np.inf])
def test_where_articles_and_raters_are_all_alike_each_rater_is_an_observation(highest: float, raters: int) -> None:
    """Whatever rounding leaves of a variance: the ends e of a score interval are where (1 − e)² is q² / n times what an
    observation varies at a mean of e."""
    item, rater = np.repeat(np.arange(24), raters), np.tile(np.arange(raters), 24)
    values = np.where(item % 2, 1.7, 0.3)
    ratings = Ratings.from_arrays(item, rater, values, units=np.arange(24) // 2, ends=(0, highest), repeated="error")
    one = np.zeros(len(ratings), dtype=int)
    (told,) = means_for_other_raters(ratings, one, scale_means(ratings, one, 1, bootstrap=Bootstrap(100)))
    assert told.interval is not None
    for end in (told.interval.low, told.interval.high):
        varies = end if np.isinf(highest) else end * (highest - end)
        assert (1 - end) ** 2 == pytest.approx(stdtrit(raters - 1, 0.975) ** 2 / raters * varies)


def test_values_beyond_the_ends_have_an_interval_that_knows_none() -> None:
    """As `scale_means` has it."""
    of_items, of_raters = counted((0, 1))
    assert of_items.interval is not None
    assert of_raters.interval is not None
    assert of_items.value is not None
    middle = (of_raters.interval.low + of_raters.interval.high) / 2
    assert middle == pytest.approx(of_items.value)


def test_a_label_that_half_of_the_raters_always_give_may_be_anything_with_others() -> None:
    values = np.tile([1.0, 1, 0, 0, 1], 100)
    of_items, of_raters = shares(values)
    assert width(of_items.interval) < 0.15
    assert width(of_raters.interval) > 0.6


def test_columns_must_fit() -> None:
    ratings = table(6, 4, leniency=1)
    with pytest.raises(RatingsError, match="one code for each"):
        means_for_other_raters(ratings, [0], [])
    with pytest.raises(RatingsError, match="one question, rater and group"):
        difference_for_other_raters([1.0], [0, 1], [True], [0], [0], clustered_difference([1], [2], [0]))

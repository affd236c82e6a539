"""A share of grouped observations: by hand, and its coverage with planted truth."""

from math import sqrt

import numpy as np
import pytest
from scipy.special import expit, logit, stdtrit
from scipy.stats import t
from statsmodels.stats.proportion import proportion_confint

from annotation_platform.core.statistics import Ratings, RatingsError, label_distributions, percent_agreement
from annotation_platform.core.statistics.shares import group_shares, grouped_share, label_shares
from annotation_platform.core.statistics.wilson import wilson
from tests import rests_on


@pytest.mark.parametrize(("successes", "n"), [(0, 6), (5, 5), (1, 20), (500, 800)])
def test_independent_observations_get_wilsons_interval_of_another_program(successes: int, n: int) -> None:
    values = [1] * successes + [0] * (n - successes)
    expected = pytest.approx(proportion_confint(successes, n, method="wilson"))
    assert grouped_share(values, range(n)).interval == expected
    ratings = Ratings.from_arrays(range(n), [0] * n, np.array(values, dtype=float), repeated="error")
    (share,) = group_shares(ratings, [0] * n, 1)
    (labels,) = label_distributions(ratings, [1, 0])
    for found in (share.interval, labels.shares[0].share.interval):
        assert found is not None
        assert (found.low, found.high) == expected


def test_the_design_effect_by_hand() -> None:
    found = grouped_share([1, 1, 1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 2, 2, 3, 3])
    p = 5 / 8
    residues = [2 - 2 * p, 2 - 2 * p, 0 - 2 * p, 1 - 2 * p]
    variance = 4 / 3 * sum(each**2 for each in residues) / 64
    assert found.n_effective == pytest.approx(8 / (variance / (p * (1 - p) / 8)))
    assert found.p_value == pytest.approx(2 * t.sf(0.125 / (0.5 / sqrt(found.n_effective)), 3))


def test_nothing_but_wins_is_as_sure_as_its_groups_are_many() -> None:
    two_a_group = grouped_share([1] * 10, np.arange(10) % 5)
    many_a_group = grouped_share([1] * 500, np.arange(500) % 5)
    assert two_a_group.interval == pytest.approx(many_a_group.interval)
    assert two_a_group.interval is not None
    assert two_a_group.interval[0] < 0.5
    assert two_a_group.interval[1] == 1.0


def test_every_share_of_one_kind_of_data_has_one_interval() -> None:
    """Labels by group, a mean of zeros and ones, and wins: the same numbers in, the same interval out."""
    rng = np.random.default_rng(3)
    items, group = np.repeat(np.arange(12), 4), rng.integers(0, 2, 48)
    values = (rng.random(48) < 0.7).astype(float)
    ratings = Ratings.from_arrays(items, np.tile(np.arange(4), 12), values, repeated="error")
    labels = label_distributions(ratings, [1, 0], groups=group)
    shares = group_shares(ratings, group, 2)
    for code in (0, 1):
        expected = grouped_share(values[group == code], items[group == code])
        for found in (labels[code].shares[0].share, shares[code]):
            assert found.value == pytest.approx(expected.value)
            assert found.interval is not None
            assert (found.interval.low, found.interval.high) == pytest.approx(expected.interval)
            assert (found.n_items, found.n_ratings) == (expected.n_groups, expected.n)
            assert found.n_raters == len(np.unique(ratings.raters[group == code]))


def test_the_share_of_agreeing_pairs_counts_items_and_not_pairs() -> None:
    all_agree = Ratings.from_arrays(np.repeat(np.arange(6), 5), np.tile(np.arange(5), 6), [1.0] * 30, repeated="error")
    found = percent_agreement(all_agree)
    assert (found.value, found.n_items) == (1, 6)
    assert found.interval is not None
    assert found.interval.low < 0.6
    assert found.interval.high == 1


def test_ties_count_half() -> None:
    assert grouped_share([1, 0.5, 0.5, 0], [0, 1, 2, 3]).value == 0.5


def test_what_is_undefined_has_a_reason() -> None:
    nothing, single = grouped_share([], []), grouped_share([1, 0], [7, 7])
    assert (nothing.value, nothing.no_interval_because) == (None, "There is nothing to count.")
    assert single.value == 0.5
    assert single.interval is None
    assert "single group" in str(single.no_interval_because)
    with pytest.raises(RatingsError):
        grouped_share([2.0], [0])
    with pytest.raises(RatingsError):
        grouped_share([1.0], [0, 1])


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("groups", [6, 20, 80])
@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize(("share", "spread"), [(0.5, 0.0), (0.5, 1.2), (0.7, 1.2), (0.95, 0.6)])
def test_intervals_cover_the_planted_share(groups: int, unequal: bool, share: float, spread: float) -> None:
    """Groups of twelve judgments, or of 1 to 12; a tenth of them ties, a seventh missing."""
    rng = np.random.default_rng(groups)
    truth = 0.9 * float(expit(logit(share) + rng.normal(0, spread, 200_000)).mean()) + 0.05
    covered, refused = 0, 0
    worlds = 300
    for _ in range(worlds):
        chance = expit(logit(share) + rng.normal(0, spread, groups))[:, None] * np.ones((groups, 12))
        values = (rng.random(chance.shape) < chance).astype(float)
        values[rng.random(chance.shape) < 0.1] = 0.5
        kept = rng.random(chance.shape) < 0.85
        if unequal:
            kept &= np.arange(12) < rng.geometric(0.25, groups)[:, None]
            kept[:, 0] = True
        found = grouped_share(values[kept], np.broadcast_to(np.arange(groups)[:, None], chance.shape)[kept])
        assert found.interval is not None
        covered += found.interval[0] <= truth <= found.interval[1]
        refused += found.p_value is not None and found.p_value < 0.05
    assert covered / worlds >= 0.92  # 0.95 less two and a half standard errors of the simulation
    if share == 0.5:
        assert refused / worlds <= 0.08


def test_near_an_end_the_group_that_decides_is_heeded() -> None:
    """All that went wrong did so in one of twenty groups: nobody knows how often such a group comes."""
    values, groups = np.r_[np.zeros(3), np.ones(97)], np.arange(100) // 5
    found = grouped_share(values, groups)
    u = np.r_[2 - 5 * 0.97, np.full(19, 5 - 5 * 0.97)]
    kappa = 20 * (u**4).sum() / (u**2).sum() ** 2
    n_effective = 0.97 * 0.03 / (20 / 19 * (u**2).sum() / 100**2)
    freedom = 2 * 20 / (kappa - 1)
    assert freedom < 3
    ends = wilson(*(np.array([each]) for each in (0.97, n_effective, float(stdtrit(freedom, 0.975)))))
    assert found.interval == pytest.approx([float(end[0]) for end in ends])
    labels = label_shares(groups, np.zeros(100, dtype=np.int64), (1 - values).astype(np.int64), 1, 2, name="label")
    (right, wrong), (low, high) = (each.interval for each in labels[0]), found.interval
    assert right is not None
    assert wrong is not None
    assert (right.low, right.high, 1 - wrong.high, 1 - wrong.low) == pytest.approx((low, high, low, high))


def test_groups_that_are_all_alike_do_not_decide_by_rounding() -> None:
    found = grouped_share(np.tile([1.0, 0.0, 0.0], 20), np.arange(60) // 3)
    ends = wilson(*(np.array([each]) for each in (1 / 3, 60.0, float(stdtrit(19, 0.975)))))
    assert found.interval == pytest.approx([float(end[0]) for end in ends])

"""A share of grouped observations: by hand, and its coverage with planted truth."""

from math import sqrt

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t
from statsmodels.stats.proportion import proportion_confint

from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.shares import grouped_share


def test_independent_observations_get_wilsons_interval_of_another_program() -> None:
    values = [1, 0] * 300 + [1] * 200  # each a group of its own; so many that t and normal quantile meet
    found = grouped_share(values, range(len(values)))
    assert found.interval == pytest.approx(proportion_confint(500, 800, method="wilson"), abs=2e-4)


def test_the_design_effect_by_hand() -> None:
    found = grouped_share([1, 1, 1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 2, 2, 3, 3])
    p = 5 / 8
    residues = [2 - 2 * p, 2 - 2 * p, 0 - 2 * p, 1 - 2 * p]
    variance = 4 / 3 * sum(each**2 for each in residues) / 64
    assert found.n_effective == pytest.approx(8 / (variance / (p * (1 - p) / 8)))
    assert found.p_value == pytest.approx(2 * t.sf(0.125 / (0.5 / sqrt(found.n_effective)), 3))


def test_nothing_but_wins_is_as_sure_as_its_groups_are_many() -> None:
    one_a_group = grouped_share([1] * 5, range(5))
    many_a_group = grouped_share([1] * 500, np.arange(500) % 5)
    assert one_a_group.interval == pytest.approx(many_a_group.interval)
    assert one_a_group.interval is not None
    assert one_a_group.interval[0] < 0.5
    assert one_a_group.interval[1] == 1.0


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

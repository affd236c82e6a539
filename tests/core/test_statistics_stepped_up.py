"""Spearman–Brown: worked values, its interval resample by resample, and where it is undefined."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Bootstrap, Ratings, Statistic, icc2, krippendorff_alpha
from annotation_platform.core.statistics.stepped_up import spearman_brown


def single(value: float | None, reason: str | None = None) -> Statistic:
    return Statistic(value, reason, 10, 3, 30, 10, None, "No interval was asked for.", "alpha")


@pytest.mark.parametrize(("alpha", "k", "expected"), [(0.5, 1, 0.5), (0.5, 2, 2 / 3), (0.2, 4, 0.5), (0.8, 5, 20 / 21)])
def test_worked_values(alpha: float, k: int, expected: float) -> None:
    found = spearman_brown(single(alpha), k)
    assert found.value == pytest.approx(expected)
    assert found.signature == f"spearman-brown|raters:{k}|of:[alpha]"


def test_steps_icc_of_one_rater_up_to_icc_of_the_mean() -> None:
    """ICC(2,1) stepped up by k is ICC(2,k): Shrout and Fleiss (1979), table 2: .29 and .62 for four judges."""
    scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    ratings = Ratings.from_arrays(
        np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6), np.ravel(scores).astype(float), repeated="error"
    )
    found = icc2(ratings)
    assert round(spearman_brown(found.single, 4).value or 0, 2) == 0.62
    assert spearman_brown(found.single, 4).value == pytest.approx(found.average.value)


def test_the_interval_is_that_of_the_stepped_resamples() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=60)
    values = (truth[:, None] + rng.normal(size=(60, 3))).ravel()
    ratings = Ratings.from_arrays(np.repeat(np.arange(60), 3), np.tile([0, 1, 2], 60), values, repeated="error")
    alpha = krippendorff_alpha(ratings, "interval", bootstrap=Bootstrap(resamples=300))
    stepped = spearman_brown(alpha, 3)
    assert alpha.interval
    assert stepped.interval
    low, high = (3 * end / (1 + 2 * end) for end in (alpha.interval.low, alpha.interval.high))
    # A rising function of α takes the ends to about the ends: both intervals are even on a scale of their own.
    assert (stepped.interval.low, stepped.interval.high) == pytest.approx((low, high), abs=0.02)
    assert stepped.resampled
    assert alpha.resampled
    assert stepped.resampled.values == pytest.approx(3 * alpha.resampled.values / (1 + 2 * alpha.resampled.values))


@pytest.mark.parametrize("alpha", [0.0, -0.2])
def test_without_agreement_more_raters_are_no_remedy(alpha: float) -> None:
    found = spearman_brown(single(alpha), 5)
    assert found.value is None
    assert "no more than by chance" in str(found.undefined_because)


def test_an_undefined_agreement_keeps_its_reason() -> None:
    assert spearman_brown(single(None, "All said the same."), 2).undefined_because == "All said the same."


def test_there_is_at_least_one_rater() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        spearman_brown(single(0.5), 0)

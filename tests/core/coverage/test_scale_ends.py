"""Means hold near the ends of their scale, stay on it, and differences agree with their p."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Bootstrap, Ratings
from annotation_platform.core.statistics.means import scale_means
from tests.core.coverage.scale_ends import QUALITIES, SCALES, SIZES, Design, draw, mean, simulate
from tests.core.coverage.test_coverage import lies_within
from tests.some import some


@pytest.mark.parametrize("articles", [6, 20])
@pytest.mark.parametrize("scale", SCALES)
def test_means_close_to_an_end_hold(scale: str, articles: int) -> None:
    found = simulate(Design(scale, "close to the end", articles), studies=100)
    assert lies_within(found["mean"].coverage, 0.92, 1, 100), found
    assert found["difference"].contradictions == 0


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
@pytest.mark.parametrize("scale", SCALES)
def test_means_differences_and_estimates_hold_everywhere(scale: str) -> None:
    for quality in QUALITIES:
        for articles in SIZES:
            for name, found in simulate(Design(scale, quality, articles), studies=150, seed=1).items():
                if name != "mean by t":
                    assert lies_within(found.coverage, 0.92, 1, 150), (quality, articles, name, found)
                    assert found.contradictions == 0


def test_an_interval_that_does_not_know_the_ends_is_found_out() -> None:
    """What Wilson's is for: Student's t misses every fifth time."""
    found = simulate(Design("0 to 100", "close to the end", 10), studies=150)
    assert found["mean by t"].coverage < 0.88 < found["mean"].coverage


@pytest.mark.parametrize("scale", SCALES)
def test_no_interval_leaves_the_scale(scale: str) -> None:
    rng = np.random.default_rng(0)
    low, high = SCALES[scale].ends
    for quality in some(QUALITIES):
        for _ in range(30):
            interval = mean(draw(Design(scale, quality, 3), rng))
            assert interval is None or low <= interval.low <= interval.high <= high


def of(values: list[float], units: list[int] | None = None, ends: tuple[float, float] = (1, 5)) -> tuple[float, float]:
    items = np.arange(len(values))
    table = Ratings.from_arrays(items, np.zeros_like(items), values, units=units, ends=ends, repeated="error")
    (found,) = scale_means(table, np.zeros_like(items), 1, bootstrap=Bootstrap(50))
    assert found.interval is not None, found.no_interval_because
    return found.interval.low, found.interval.high


def test_a_scale_turned_round_has_the_same_interval_turned_round() -> None:
    low, high = of([1, 2, 2, 4, 5, 5], units=[0, 0, 1, 1, 2, 2])
    assert of([5, 4, 4, 2, 1, 1], units=[0, 0, 1, 1, 2, 2]) == pytest.approx((6 - high, 6 - low))


def test_units_of_the_scale_do_not_matter() -> None:
    low, high = of([1, 2, 2, 4, 5, 5])
    assert of([10, 20, 20, 40, 50, 50], ends=(10, 50)) == pytest.approx((10 * low, 10 * high))


def test_what_has_no_highest_value_is_as_on_a_very_long_scale() -> None:
    counts = [0.0, 1, 0, 3, 1, 0, 2, 1]
    assert of(counts, ends=(0, np.inf)) == pytest.approx(of(counts, ends=(0, 1e9)), rel=1e-6)


def test_all_at_an_end_is_told_and_all_alike_in_the_middle_is_not() -> None:
    low, high = of([5.0] * 5)
    assert (low, high) == (pytest.approx(3.262, abs=0.001), 5.0)
    with pytest.raises(AssertionError, match="same in every resample"):
        of([3.0] * 5)
    with pytest.raises(AssertionError, match="single"):
        of([3.0, 4.0], units=[0, 0])

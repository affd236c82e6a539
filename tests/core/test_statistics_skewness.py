"""Skewed judgments, of which κ and ICC need more units for an interval: scipy's figures, and where there is none."""

from math import ceil

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import skew

from annotation_platform.core.few_units import FEWEST_OF_PAIRS, pairs_share_too_few, too_skewed
from annotation_platform.core.statistics import (
    Bootstrap,
    Measure,
    Ratings,
    cohen_kappa,
    fleiss_kappa,
    icc2,
    pairwise_agreement,
)
from annotation_platform.core.statistics.skewness import skewness_of_labels, skewness_of_values
from tests.core.statistics_tables import make

FEW = Bootstrap(100, unit="question")


def judged(n: int, share: float, raters: int = 3) -> tuple[Ratings, np.ndarray]:
    """Items by raters who call most of them right, the others wrong, and now and then differ."""
    rng = np.random.default_rng(n)
    right = np.arange(n) < share * n
    values = np.where(rng.random((n, raters)) < 0.1, ~right[:, None], right[:, None]) * 1.0
    items, who = (each.ravel() for each in np.indices(values.shape))
    return make(items, who, values.ravel(), n, raters), values


def test_skewness_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    values, groups = (rng.integers(0, 5, 60) * 10).astype(np.float64), rng.integers(0, 2, 60)
    found = skewness_of_values(values, np.ones(60), groups, 3)
    assert found.tolist() == pytest.approx([skew(values[groups == 0]), skew(values[groups == 1]), 0])
    labels = np.array([0, 1, 0, 2, 0, 0])
    assert skewness_of_labels(labels, np.ones(6), np.zeros(6, int), 1)[0] == pytest.approx(abs(skew(labels == 0)))
    assert skewness_of_labels(np.array([0, 1]), np.array([8, 4]), np.array([1, 1]), 2).tolist() == pytest.approx(
        [0, abs(skew([0] * 8 + [1] * 4))]
    )


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [0, 1, 2, 0], [4, 4, 4]])
def test_labels_none_of_which_is_usual_and_a_single_one_are_not_skewed(labels: list[int]) -> None:
    assert skewness_of_labels(np.array(labels), np.ones(len(labels)), np.zeros(len(labels), int), 1)[0] == 0


@pytest.mark.parametrize("share", [0.5, 0.85])
def test_kappa_and_icc_of_skewed_judgments_take_more_units(share: float) -> None:
    ratings, values = judged(60, share)
    quadratic, plain = (
        pairwise_agreement(ratings, each, bootstrap=FEW) for each in (Measure.COHEN_QUADRATIC, Measure.COHEN)
    )
    found = [
        fleiss_kappa(ratings, 3, bootstrap=FEW),
        quadratic.mean,
        plain.mean,
        icc2(ratings, bootstrap=FEW).single,
        icc2(ratings, bootstrap=FEW).average,
    ]
    for each in found:
        if share == 0.5:
            assert each.interval is not None
        else:
            assert ceil(50 * skew(values.ravel()) ** 2) > 60
            assert each.no_interval_because == too_skewed(60, skew(values.ravel()), "question")
    for measured in (quadratic, plain):
        of_pair = values[:, [measured.pairs[0].rater_a, measured.pairs[0].rater_b]]
        why = too_skewed(60, skew(of_pair.ravel()), "question")
        assert measured.pairs[0].no_interval_because == why
        two = cohen_kappa(*of_pair.T, weights=None if measured is plain else "quadratic", bootstrap=FEW)
        assert (two.interval is None, two.no_interval_because) == (share == 0.85, why)
    assert pairwise_agreement(ratings, Measure.PERCENT, bootstrap=FEW).mean.interval is not None


def test_a_mean_over_pairs_rests_on_what_pairs_share() -> None:
    """Six raters of 60 items, two an item in turns: fifteen pairs of four items each; and three, of twenty each."""
    for raters, shared in ((6, 4.0), (3, 20.0)):
        pairs = [(a, b) for a in range(raters) for b in range(a + 1, raters)]
        items, which = np.repeat(np.arange(60), 2), np.array([pairs[n % len(pairs)] for n in range(60)]).ravel()
        values = ((items // len(pairs)) % 2) * 1.0
        values[::17] = 1 - values[::17]
        found = pairwise_agreement(make(items, which, values, 60, raters), Measure.COHEN, bootstrap=FEW).mean
        assert found.n_units == 60
        if shared < FEWEST_OF_PAIRS:
            assert found.no_interval_because == pairs_share_too_few(shared, "question")
            continue
        assert found.interval is not None
        assert found.resampled is not None
        assert found.value is not None
        error = found.resampled.values.std(ddof=1) * np.sqrt(shared / (shared - 1)) / (1 - found.value**2)
        reach = stdtrit(shared - 1, 0.975) * error
        ends = np.tanh(np.arctanh(found.value) + reach * np.array([-1, 1]))
        assert [found.interval.low, found.interval.high] == pytest.approx(ends)

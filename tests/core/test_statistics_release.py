"""The agreement figures that the released EBR annotations give, to the digits published."""

from functools import cache

import numpy as np
import pytest

from annotation_platform.core.statistics import (
    Bootstrap,
    Noise,
    PairwiseTau,
    Ratings,
    Setting,
    TauChange,
    fleiss_kappa,
    label_distributions,
    pairwise_tau,
    tau_change,
)
from benchmarks.studies import NUMBERS, RELEASE, StudyTable, released_study

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(not RELEASE.is_dir(), reason="needs the released EBR data in ../shared/data/ebr"),
]


@cache
def study() -> StudyTable:
    return released_study()


def ratings(values: np.ndarray) -> Ratings:
    return Ratings.from_arrays(
        study().items, study().raters, values, best=study().best, n_items=2532, n_raters=8, repeated="cross"
    )


@cache
def tau(which: str, setting: Setting) -> PairwiseTau:
    values = study().numbers if which == "raw" else study().scores
    return pairwise_tau(ratings(values), setting, bootstrap=Bootstrap())


@cache
def change(setting: Setting) -> TauChange:
    return tau_change(tau("raw", setting), tau("rescaled", setting))


def test_sizes_and_label_shares() -> None:
    (overall,) = label_distributions(ratings(study().numbers), NUMBERS[::-1])
    assert (overall.n_ratings, overall.n_items) == (12_650, 2532)
    assert int((np.bincount(study().items) == 5).sum()) == 2484
    shares = [label.share.value for label in overall.shares]
    assert shares == pytest.approx([0.6701, 0.1029, 0.0441, 0.1828], abs=5e-5)


@pytest.mark.parametrize(
    ("setting", "raw", "rescaled"),
    [(Setting.ALL, 0.33046, 0.35351), (Setting.INCOMPLETE, -0.03421, 0.15221)],
)
def test_mean_tau_over_28_pairs(setting: Setting, raw: float, rescaled: float) -> None:
    assert tau("raw", setting).n_defined == tau("rescaled", setting).n_defined == 28
    assert tau("raw", setting).mean.value == pytest.approx(raw, abs=5e-6)
    assert tau("rescaled", setting).mean.value == pytest.approx(rescaled, abs=5e-6)
    assert change(setting).mean.value == pytest.approx(rescaled - raw, abs=1e-5)


@pytest.mark.parametrize(
    ("setting", "rise", "rises", "fall", "falls", "above", "below"),
    [
        (Setting.ALL, 0.0950, 16, -0.0729, 12, 5, 3),
        (Setting.INCOMPLETE, 0.2060, 26, -0.0684, 2, 18, 1),
    ],
)
def test_changes_per_pair(
    setting: Setting, rise: float, rises: int, fall: float, falls: int, above: int, below: int
) -> None:
    result = change(setting)
    assert (result.n_rises, result.n_falls, result.n_above, result.n_below) == (rises, falls, above, below)
    assert result.mean_rise == pytest.approx(rise, abs=5e-5)
    assert result.mean_fall == pytest.approx(fall, abs=5e-5)


def test_the_pair_0_and_4_in_the_incomplete_setting() -> None:
    raw, rescaled = (
        next(p for p in tau(which, Setting.INCOMPLETE).pairs if (p.rater_a, p.rater_b) == (0, 4))
        for which in ("raw", "rescaled")
    )
    assert raw.n_rows == rescaled.n_rows == 13
    assert raw.tau == pytest.approx(-0.7917, abs=5e-5)
    assert rescaled.tau == pytest.approx(-0.0150, abs=5e-5)


def test_fleiss_kappa_of_complete_or_not_over_items_with_five_judgments() -> None:
    kappa = fleiss_kappa(ratings(study().best.astype(float)), 5)
    assert kappa.n_items == 2484
    assert kappa.value == pytest.approx(0.3257, abs=5e-5)


@pytest.mark.parametrize(("mixture", "all_rows", "incomplete"), [(0.1, 0.3715, 0.1704), (1, 0.3655, 0.0274)])
def test_mixture_with_the_annotators_means_on_the_first_part(
    mixture: float, all_rows: float, incomplete: float
) -> None:
    part = study().in_first_file
    raters, labels, f = study().raters[part], study().labels[part], study().scores[part]
    cell = raters * 4 + labels
    means = np.bincount(cell, f) / np.maximum(np.bincount(cell), 1)
    mixed = Ratings.from_arrays(
        study().items[part],
        raters,
        mixture * means[cell] + (1 - mixture) * f,
        best=study().best[part],
        repeated="cross",
    )
    assert pairwise_tau(mixed).mean.value == pytest.approx(all_rows, abs=5e-5)
    assert pairwise_tau(mixed, Setting.INCOMPLETE).mean.value == pytest.approx(incomplete, abs=5e-5)


def test_without_ties_draws_lie_around_the_expectation_and_the_published_figures() -> None:
    # The paper prints 0.1627 and 0.2194 and does not say how much noise, nor how many draws.
    for which, exact, published in (("raw", 0.16057, 0.1627), ("rescaled", 0.22371, 0.2194)):
        values = study().numbers if which == "raw" else study().scores
        assert pairwise_tau(ratings(values), Setting.NO_TIES, noise=None).mean.value == pytest.approx(exact, abs=5e-6)
        draws = [
            pairwise_tau(ratings(values), Setting.NO_TIES, noise=Noise(draws=1, seed=seed)).mean.value
            for seed in range(20)
        ]
        spread = float(np.std(draws))
        assert np.mean(draws) == pytest.approx(exact, abs=4 * spread / np.sqrt(20))
        assert published == pytest.approx(exact, abs=2 * spread)


@pytest.mark.parametrize("which", ["raw", "rescaled"])
@pytest.mark.parametrize("setting", list(Setting))
def test_the_mean_lies_in_its_interval(which: str, setting: Setting) -> None:
    mean = tau(which, setting).mean
    assert mean.value is not None
    assert mean.interval is not None
    assert mean.interval.low < mean.value < mean.interval.high

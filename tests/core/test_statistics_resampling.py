"""The bootstrap: whole items move together, seeds repeat it, batches do not change it, gaps are told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from annotation_platform.core.few_units import FEWEST_UNITS, Scale, too_few_units
from annotation_platform.core.statistics import (
    Bootstrap,
    Measure,
    Ratings,
    Setting,
    Statistic,
    fleiss_kappa,
    group_means,
    gwet_ac,
    icc2,
    krippendorff_alpha,
    pairwise_agreement,
    pairwise_tau,
    resampling,
    tau_change,
)
from annotation_platform.core.statistics.joins import join_raters
from tests.core.statistics_tables import LABELS, make, resampled, tables

Function = Callable[[float], float]
FEW = Bootstrap(resamples=12, seed=5)

FIGURES: dict[str, Callable[[Ratings], Statistic]] = {
    **{
        f"alpha {level}": lambda ratings, level=level: krippendorff_alpha(ratings, level, bootstrap=FEW)
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
    "ac1": lambda ratings: gwet_ac(ratings, scale=LABELS, bootstrap=FEW),
    "ac2": lambda ratings: gwet_ac(ratings, weights="quadratic", scale=LABELS, bootstrap=FEW),
    "icc": lambda ratings: icc2(complete(ratings), bootstrap=FEW).single,
    **{
        str(measure): lambda ratings, measure=measure: pairwise_agreement(ratings, measure, bootstrap=FEW).mean
        for measure in Measure
    },
    "mean": lambda ratings: group_means(ratings, ratings.raters, ratings.n_raters, bootstrap=FEW)[0],
    "kappa": lambda ratings: fleiss_kappa(ratings, 3, bootstrap=FEW),
}


def complete(ratings: Ratings) -> Ratings:
    """The first three ratings of each item as those of three raters; other items keep what they have."""
    place = np.array([int((ratings.items[:row] == item).sum()) for row, item in enumerate(ratings.items)])
    return make(*(column[place < 3] for column in (ratings.items, place, ratings.values)), ratings.n_items, 3)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """The samples from which intervals are taken."""
    samples: list[np.ndarray] = []
    original = Bootstrap.interval

    def interval(self: Bootstrap, sample: np.ndarray, value: float, **of: Any) -> object:
        samples.append(sample)
        return original(self, sample, value, **of)

    monkeypatch.setattr(Bootstrap, "interval", interval)
    return samples


def weights_of(ratings: Ratings) -> np.ndarray:
    return np.concatenate(list(FEW.weights(ratings.n_items)), axis=1)


def study(seed: int = 1, n_items: int = 14) -> Ratings:
    rng = np.random.default_rng(seed)
    items = np.repeat(np.arange(n_items), rng.integers(2, 5, n_items))
    n = len(items)
    return make(items, rng.integers(0, 4, n), rng.choice(LABELS, n), n_items, 4)


@pytest.mark.parametrize("figure", FIGURES)
def test_each_resample_is_the_figure_of_the_resampled_table(figure: str, seen: list[np.ndarray]) -> None:
    ratings = study()
    FIGURES[figure](ratings)
    sample = seen[-1 if figure in list(Measure) else 0]
    expected = [FIGURES[figure](resampled(ratings, column)).value for column in weights_of(ratings).T]
    assert sample == pytest.approx(np.array(expected, dtype=float), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("setting", [Setting.ALL, Setting.INCOMPLETE])
@settings(max_examples=25)
@given(ratings=st.one_of(tables(), tables(values=st.floats(0, 100), max_items=12)))
def test_each_resample_of_tau_is_that_of_the_resampled_table(setting: Setting, ratings: Ratings) -> None:
    result = pairwise_tau(ratings, setting, noise=None, bootstrap=FEW)
    assert result.sample is not None
    for column, taus in zip(weights_of(ratings).T, result.sample.T, strict=True):
        expected = pairwise_tau(resampled(ratings, column), setting, noise=None).matrix()
        assert taus == pytest.approx(expected[*result.members.T], abs=1e-12, nan_ok=True)


@settings(max_examples=25)
@given(ratings=st.one_of(tables(), tables(values=st.floats(0, 100), max_items=12)))
def test_without_ties_no_row_of_a_resample_is_compared_with_its_copies(ratings: Ratings) -> None:
    result = pairwise_tau(ratings, Setting.NO_TIES, noise=None, bootstrap=FEW)
    assert result.sample is not None
    rows = join_raters(ratings)
    for column, taus in zip(weights_of(ratings).T, result.sample.T, strict=True):
        for pair, tau in enumerate(taus):
            mine = rows.pair == pair
            x, y = (ratings.values[position[mine]] for position in (rows.first, rows.second))
            times = np.outer(column[rows.item[mine]], column[rows.item[mine]])
            np.fill_diagonal(times, 0)
            agree = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
            expected = (agree * times).sum() / times.sum() if times.any() else np.nan
            assert tau == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_each_resample_of_the_mean_change_pairs_before_and_after(seen: list[np.ndarray]) -> None:
    raw = study()
    rng = np.random.default_rng(2)
    scored = make(raw.items, raw.raters, rng.uniform(0, 100, len(raw)), raw.n_items, raw.n_raters)
    tau_change(pairwise_tau(raw, bootstrap=FEW), pairwise_tau(scored, bootstrap=FEW))
    expected = [
        tau_change(pairwise_tau(resampled(raw, column)), pairwise_tau(resampled(scored, column))).mean.value
        for column in weights_of(raw).T
    ]
    assert seen[-1] == pytest.approx(np.array(expected, dtype=float), abs=1e-12)


@pytest.mark.parametrize(
    ("scale", "there", "back", "slope"),
    [
        ("plain", lambda x: x, lambda y: y, 1.0),
        ("coefficient", np.arctanh, np.tanh, 1 / (1 - 0.6**2)),
        ("ratio", np.log, np.exp, 1 / 0.6),
    ],
)
def test_the_interval_is_students_with_the_spread_of_the_sample(
    scale: Scale, there: Function, back: Function, slope: float
) -> None:
    """Of 12 units, on the figure's own scale by the slope of it."""
    sample = np.random.default_rng(0).normal(0.5, 0.1, size=1000)
    interval, reason = Bootstrap(1000, seed=3, level=0.9).interval(sample, 0.6, n_units=12, scale=scale)
    assert reason is None
    assert interval is not None
    half = t.ppf(0.95, 11) * sample.std(ddof=1) * np.sqrt(12 / 11) * slope
    assert (interval.low, interval.high) == pytest.approx((back(there(0.6) - half), back(there(0.6) + half)))
    assert (interval.level, interval.resamples, interval.seed) == (0.9, 1000, 3)


def test_p_is_the_level_at_which_the_interval_ends_at_zero() -> None:
    sample = np.random.default_rng(0).normal(0.5, 0.3, size=1000)
    p = resampling.p_value_of(0.6, sample, 7)
    interval, _ = Bootstrap(1000, level=1 - p).interval(sample, 0.6, n_units=7)
    assert interval is not None
    assert interval.low == pytest.approx(0, abs=1e-9)


def test_a_weighted_agreement_below_minus_one_has_an_interval() -> None:
    sample = np.random.default_rng(0).normal(-1.2, 0.1, size=100)
    interval, _ = Bootstrap(100).interval(sample, -1.2, n_units=30, scale="coefficient")
    assert interval is not None
    assert interval.low < -1.2 < interval.high


@pytest.mark.parametrize("scale", FEWEST_UNITS)
def test_too_few_units_give_no_interval_but_a_reason(scale: Scale) -> None:
    sample = np.random.default_rng(0).normal(0.5, 0.1, size=100)
    fewest = FEWEST_UNITS[scale]
    assert Bootstrap(100).interval(sample, 0.5, n_units=fewest, scale=scale)[0]
    interval, reason = Bootstrap(100).interval(sample, 0.5, n_units=fewest - 1, scale=scale)
    assert interval is None
    assert reason == too_few_units(fewest - 1, scale)
    assert f": {fewest - 1}; from {fewest} on there is one." in reason


def test_units_are_counted_not_items() -> None:
    """Forty items of seven articles are too few for a coefficient, forty of eight are not."""
    by_article = {n: krippendorff_alpha(in_units(study(n_items=40), n), "ordinal", bootstrap=FEW) for n in (7, 8)}
    assert by_article[7].interval is None
    assert by_article[7].no_interval_because == too_few_units(7, "coefficient")
    assert by_article[8].interval
    assert [(each.n_items, each.n_units) for each in by_article.values()] == [(40, 7), (40, 8)]


def in_units(ratings: Ratings, n: int) -> Ratings:
    return replace(ratings, units=np.arange(ratings.n_items) % n)


def test_only_units_that_a_figure_rests_on_count() -> None:
    """Of fourteen items some have not the four ratings that Fleiss' κ compares."""
    kappa = fleiss_kappa(study(), 4, bootstrap=FEW)
    assert kappa.n_units == kappa.n_items < 8
    assert kappa.no_interval_because == too_few_units(kappa.n_units, "kappa")


def test_what_no_resample_changes_has_no_interval() -> None:
    ratings = make(np.repeat(np.arange(30), 2), np.tile([0, 1], 30), np.repeat(np.arange(30.0) % 3, 2), 30, 2)
    alpha = krippendorff_alpha(ratings, "nominal", bootstrap=FEW)
    assert (alpha.value, alpha.interval, alpha.no_interval_because) == (1, None, resampling.ALL_ALIKE)


def test_weights_do_not_depend_on_the_size_of_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = Bootstrap(resamples=11, seed=9)
    whole = np.concatenate(list(bootstrap.weights(7)), axis=1)
    monkeypatch.setattr(resampling, "_WIDEST_BATCH", 3)
    batches = list(bootstrap.weights(7))
    assert [batch.shape[1] for batch in batches] == [3, 3, 3, 2]
    assert (np.concatenate(batches, axis=1) == whole).all()
    assert (whole.sum(axis=0) == 7).all()


def test_batches_shrink_for_wide_statistics() -> None:
    (first, *_) = Bootstrap(resamples=100).weights(3, width=2_000_000)
    assert first.shape == (3, 2)


def test_equal_seeds_give_equal_intervals_and_other_seeds_others() -> None:
    ratings = study()
    ends = []
    for seed in (1, 1, 2):
        interval = krippendorff_alpha(ratings, "ordinal", bootstrap=Bootstrap(200, seed=seed)).interval
        assert interval is not None
        ends.append((interval.low, interval.high))
    assert ends[0] == ends[1]
    assert ends[0] != ends[2]


def test_a_statistic_undefined_in_many_resamples_has_no_interval() -> None:
    #  Only item 0 holds another value: a third of the resamples lack it.
    ratings = make(np.repeat(np.arange(12), 2), np.tile([0, 1], 12), np.r_[0.0, 0, np.full(22, 70)], 12, 2)
    alpha = krippendorff_alpha(ratings, "nominal", bootstrap=Bootstrap(500, seed=1))
    assert alpha.value == 1
    assert alpha.interval is None
    assert alpha.no_interval_because is not None
    assert "undefined in" in alpha.no_interval_because
    assert "of 500 resamples" in alpha.no_interval_because


def test_a_few_undefined_resamples_are_left_out_and_counted() -> None:
    values = np.r_[0.0, 0, 30, 30, 0, 30, np.full(14, 70)]
    ratings = make(np.repeat(np.arange(10), 2), np.tile([0, 1], 10), values, 10, 2)
    alpha = krippendorff_alpha(ratings, "nominal", bootstrap=Bootstrap(500, seed=1))
    assert alpha.interval is not None
    assert 0 < alpha.interval.undefined_resamples < 25


def test_no_interval_for_a_single_item_an_undefined_value_or_unasked() -> None:
    single = make(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([0.0, 0, 70]), 1, 3)
    assert krippendorff_alpha(single, "nominal").no_interval_because == "No interval was asked for."
    alpha = krippendorff_alpha(single, "nominal", bootstrap=FEW)
    assert alpha.no_interval_because is not None
    assert alpha.no_interval_because.startswith("It rests on too few items")
    undefined = fleiss_kappa(single, 2, bootstrap=FEW)
    assert undefined.no_interval_because == "The statistic itself is undefined."


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"level": 1.0}, {"level": 0.0}])
def test_senseless_bootstraps_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="is"):
        Bootstrap(**wrong)

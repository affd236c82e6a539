"""Cohen's κ, Pearson, Spearman and percent agreement: against scikit-learn, statsmodels, scipy, and by hand."""

import warnings
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from annotation_platform.core.statistics import (
    Bootstrap,
    Measure,
    Ratings,
    cohen_kappa,
    pairwise_agreement,
    pearson,
    spearman,
)
from tests import rests_on
from tests.core.statistics_tables import LABELS, make, relabelled, tables, with_a_lone_rating

# Two readers' votes on 50 grant proposals: the worked example of the Wikipedia article on Cohen's kappa
# (20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no); κ = 0.4.
GRANTS = np.repeat([1, 1, 0, 0], [20, 5, 10, 15]), np.repeat([1, 0, 1, 0], [20, 5, 10, 15])


def cohen_by_statsmodels(weighting: str | None) -> Callable[[np.ndarray, np.ndarray], float]:
    """Weighted by the values, which need not be equally spaced."""

    def kappa(x: np.ndarray, y: np.ndarray) -> float:
        values = np.unique(np.r_[x, y])
        table = np.zeros((len(values), len(values)))
        np.add.at(table, (np.searchsorted(values, x), np.searchsorted(values, y)), 1)
        if weighting is None:
            return float(inter_rater.cohens_kappa(table, return_results=False))
        apart = np.abs(values[:, None] - values) ** (1 if weighting == "linear" else 2)
        return float(inter_rater.cohens_kappa(table, weights=apart, return_results=False))

    return kappa


PEERS: dict[Measure, Callable[[np.ndarray, np.ndarray], float]] = {
    Measure.PERCENT: lambda x, y: float((x == y).mean()),
    Measure.COHEN: cohen_by_statsmodels(None),
    Measure.COHEN_LINEAR: cohen_by_statsmodels("linear"),
    Measure.COHEN_QUADRATIC: cohen_by_statsmodels("quadratic"),
    Measure.PEARSON: lambda x, y: float(stats.pearsonr(x, y).statistic),
    Measure.SPEARMAN: lambda x, y: float(stats.spearmanr(x, y).statistic),
}


def joined(ratings: Ratings, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    rows = [
        (x, y)
        for item in range(ratings.n_items)
        for x in ratings.values[(ratings.items == item) & (ratings.raters == a)]
        for y in ratings.values[(ratings.items == item) & (ratings.raters == b)]
    ]
    return np.array([x for x, _ in rows]), np.array([y for _, y in rows])


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("measure", list(Measure))
@given(ratings=tables(max_items=9) | tables(values=st.sampled_from([0.1, 0.2, 0.7, 1.0])))
def test_every_pair_equals_another_program_on_the_joined_rows(measure: Measure, ratings: Ratings) -> None:
    result = pairwise_agreement(ratings, measure)
    for pair in result.pairs:
        x, y = joined(ratings, pair.rater_a, pair.rater_b)
        assert pair.n_rows == len(x)
        if measure in (Measure.PEARSON, Measure.SPEARMAN):
            undefined = len(x) < 2 or len(set(x)) < 2 or len(set(y)) < 2
        else:
            undefined = not len(x) or (measure is not Measure.PERCENT and len({*x, *y}) < 2)
        assert (pair.value is None) == undefined == (pair.undefined_because is not None)
        if not undefined:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # two rows are an "input of length 2" to scipy
                assert pair.value == pytest.approx(PEERS[measure](x, y), abs=1e-10)
    defined = [pair.value for pair in result.pairs if pair.value is not None]
    assert result.n_defined == len(defined)
    assert result.mean.value == (pytest.approx(np.mean(defined)) if defined else None)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("measure", list(Measure))
@given(ratings=tables(), seed=st.integers(0, 99))
def test_the_mean_does_not_care_for_codes_and_lone_ratings(measure: Measure, ratings: Ratings, seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = pairwise_agreement(ratings, measure).mean.value
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    for table in (other, with_a_lone_rating(ratings)):
        assert pairwise_agreement(table, measure).mean.value == pytest.approx(plain, abs=1e-12)


def test_kappa_of_a_worked_example() -> None:
    kappa = cohen_kappa(*GRANTS)
    assert kappa.value == pytest.approx(0.4, abs=1e-12)
    assert (kappa.n_items, kappa.n_raters, kappa.n_ratings) == (50, 2, 100)
    assert kappa.signature == "cohen-kappa"


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_of_equally_spaced_labels_is_that_of_scikit_learn(weights: str | None) -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(1, 6, 60)
    y = np.clip(x + rng.integers(-1, 2, 60), 1, 5)
    assert cohen_kappa(x, y, weights=weights).value == pytest.approx(
        cohen_kappa_score(x, y, weights=weights), abs=1e-12
    )


@pytest.mark.parametrize(("ours", "theirs"), [(pearson, stats.pearsonr), (spearman, stats.spearmanr)])
def test_correlations_of_columns_far_from_zero(ours: Callable, theirs: Callable) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(1e6, 1, 300)
    y = x + rng.normal(0, 2, 300)
    result = ours(x, y, bootstrap=Bootstrap(200))
    assert result.value == pytest.approx(theirs(x, y).statistic, abs=1e-9)
    assert result.interval is not None
    assert result.interval.low < result.value < result.interval.high


def test_reasons_name_who_gave_a_single_value() -> None:
    ratings = Ratings.from_names(
        ["q1", "q1", "q2", "q2", "q3"], ["Ann", "Bob", "Ann", "Bob", "Cid"], [1, 2, 1, 1, 1], repeated="error"
    )
    pairs = pairwise_agreement(ratings, Measure.SPEARMAN).pairs
    assert [pair.undefined_because for pair in pairs] == [
        "Rater Ann gave one and the same value to everything shared (2 joined rows).",
    ]  # and Cid shares no item with anybody
    same = cohen_kappa([3, 3], [3, 3])
    assert same.value is None
    assert same.undefined_because is not None
    assert same.undefined_because.startswith("Each of raters 0 and 1 gave one and the same value")
    assert cohen_kappa([3, 3], [4, 4]).value == 0


def test_columns_without_rows_have_no_kappa() -> None:
    nothing = cohen_kappa([], [], bootstrap=Bootstrap(3))
    assert (nothing.value, nothing.interval, nothing.n_items) == (None, None, 0)
    assert nothing.undefined_because == "There is no row in which both have a value."


@pytest.mark.parametrize("measure", list(Measure))
def test_only_pairs_that_meet_are_kept_in_a_large_crowd(measure: Measure) -> None:
    rng = np.random.default_rng(6)
    items, raters = np.repeat(np.arange(400), 4), rng.integers(0, 2_000, 1600)
    ratings = make(items, raters, rng.choice(LABELS, 1600), 400, 2_000)
    met = {tuple(sorted(pair)) for one in raters.reshape(-1, 4).tolist() for pair in combinations(one, 2)}
    result = pairwise_agreement(ratings, measure, bootstrap=Bootstrap(3))
    assert [(pair.rater_a, pair.rater_b) for pair in result.pairs] == sorted((a, b) for a, b in met if a != b)
    assert result.sample is not None
    assert result.sample.shape == (len(result.pairs), 3)

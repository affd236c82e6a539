"""True labels from raters of unequal worth: crowd-kit's printed numbers, the definitions, planted skills."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import digamma

from annotation_platform.core.statistics import Consensus, Ratings, RatingsError, dawid_skene, mace, majority_vote
from annotation_platform.core.statistics.consensus import LabelTable
from annotation_platform.core.statistics.mace import _Model
from tests.core.coverage.posteriors import right_where_sure
from tests.core.statistics_tables import make, tables

# Forty items, four of six raters each; then what crowd-kit 1.4.2 makes of them. Raters and labels appear in
# ascending order, for in other orders its MACE takes one rater's guesses for another's.
RATERS = (
    "0123452304530153014505234523452304534523145201530152045345230423152315230152042304534523045201230523142301230452"
    "042314521423142301231452045315230143045201451523"
)
LABELS = (
    "0001011111112222220220212211221022020200112120221211111100200000211102211001101022200221000022201121000111112201"
    "000001000010220222121001222111121220222211111111"
)
DAWID_SKENE = "0112222220121100120022021012000220212211"  # DawidSkene(n_iter=10, tol=-1e9)
DAWID_SKENE_PRIORS = [0.2862954318141816, 0.28446951523395725, 0.4292350529518612]
DAWID_SKENE_PROBABILITIES = {
    18: [0.947275335, 1.114e-06, 0.052723551],
    19: [0.911197769, 0.033877991, 0.054924239],
    36: [0.0, 2.1e-08, 0.999999979],
}
MACE = "0112222220121100121122021012000220211211"  # MACE(n_restarts=1, n_iter=400)
MACE_PROBABILITIES = {
    0: [0.999046104, 0.000671037, 0.000282859],
    18: [0.042275728, 0.956056553, 0.00166772],
    19: [0.02213166, 0.976165543, 0.001702797],
    36: [0.015159946, 0.827897844, 0.15694221],
}
MACE_COMPETENCE = [0.978869975, 0.541153089, 0.55020139, 0.351586789, 0.608834529, 0.63109488]


def labelled() -> Ratings:
    return Ratings.from_arrays(
        np.repeat(np.arange(40), 4), [int(r) for r in RATERS], [int(v) for v in LABELS], repeated="error"
    )


def test_dawid_skene_is_crowd_kits() -> None:
    result = dawid_skene(labelled(), max_iterations=10, tolerance=-np.inf)
    assert "".join(f"{label:g}" for label in result.labels) == DAWID_SKENE
    assert result.prior == pytest.approx(DAWID_SKENE_PRIORS, abs=1e-8)
    for item, probabilities in DAWID_SKENE_PROBABILITIES.items():
        assert result.probabilities[item] == pytest.approx(probabilities, abs=1e-8)
    # Rater 0: what is given when 0 is true, when 2 is.
    assert result.behaviour[0, 0] == pytest.approx([6.822413e-01, 3.177587e-01, 0], abs=1e-7)
    assert result.behaviour[0, 2] == pytest.approx([0, 9.148332e-02, 9.085167e-01], abs=1e-7)
    assert (result.n_iterations, result.has_converged) == (10, False)


def test_mace_is_crowd_kits() -> None:
    result = mace(labelled(), max_iterations=400, tolerance=0)
    assert "".join(f"{label:g}" for label in result.labels) == MACE
    for item, probabilities in MACE_PROBABILITIES.items():
        assert result.probabilities[item] == pytest.approx(probabilities, abs=1e-6)
    assert result.competence == pytest.approx(MACE_COMPETENCE, abs=1e-6)


def planted(n: int = 800) -> tuple[Ratings, np.ndarray, np.ndarray]:
    """Eight raters, four of whom mostly guess 2."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, n)
    knows = np.array([0.95, 0.9, 0.85, 0.8, 0.3, 0.2, 0.1, 0.05])
    raters = np.array([rng.choice(8, 5, replace=False) for _ in range(n)]).ravel()
    items = np.repeat(np.arange(n), 5)
    guess = np.where(rng.random(5 * n) < 0.8, 2, rng.integers(0, 3, 5 * n))
    values = np.where(rng.random(5 * n) < knows[raters], truth[items], guess)
    return make(items, raters, values.astype(float), n, 8), truth, knows


@pytest.mark.parametrize("model", [dawid_skene, mace])
def test_finds_what_was_planted_better_than_the_majority(model: object) -> None:
    ratings, truth, knows = planted()
    result = model(ratings)
    votes = majority_vote(ratings, better="high").by_item(800)
    assert (result.labels == truth).mean() > (votes == truth).mean() + 0.1
    assert result.has_converged
    if model is mace:
        assert result.competence == pytest.approx(knows, abs=0.07)
        assert result.behaviour[6] == pytest.approx([0.067, 0.067, 0.867], abs=0.05)
    else:
        right = knows + (1 - knows) * (0.8 + 0.6 / 3) / 3
        assert result.competence == pytest.approx(right, abs=0.07)


@settings(max_examples=40, deadline=None)
@given(ratings=tables())
def test_dawid_skene_steps_are_those_of_the_definition(ratings: Ratings) -> None:
    if not len(ratings):
        with pytest.raises(RatingsError, match="no ratings"):
            dawid_skene(ratings)
        return
    result = dawid_skene(ratings, max_iterations=3, tolerance=-np.inf)
    values, codes = np.unique(ratings.values, return_inverse=True)
    truth = np.array([np.bincount(codes[ratings.items == item], minlength=len(values)) for item in result.items])
    truth = truth / truth.sum(axis=1, keepdims=True)
    likelihoods = []
    for _ in range(3):
        prior = truth.mean(axis=0)
        chance = np.zeros((ratings.n_raters, len(values), len(values)))
        for item, rater, given_label in zip(ratings.items, ratings.raters, codes, strict=True):
            chance[rater, :, given_label] += truth[np.searchsorted(result.items, item)]
        for rater in range(ratings.n_raters):
            ever = np.isin(np.arange(len(values)), codes[ratings.raters == rater])
            if ever.any():
                chance[rater][:, ever] = np.maximum(chance[rater][:, ever], 1e-10)
                chance[rater] /= chance[rater].sum(axis=1, keepdims=True)
        like = np.tile(np.maximum(prior, 1e-10), (len(result.items), 1))
        for item, rater, given_label in zip(ratings.items, ratings.raters, codes, strict=True):
            like[np.searchsorted(result.items, item)] *= chance[rater, :, given_label]
        likelihoods.append(np.log(like.sum(axis=1)).sum())
        truth = like / like.sum(axis=1, keepdims=True)
    assert result.probabilities == pytest.approx(truth, abs=1e-6)
    assert result.log_likelihood == pytest.approx(likelihoods[-1], abs=1e-6)
    assert likelihoods == sorted(likelihoods) or np.diff(likelihoods).min() > -1e-6


@settings(max_examples=40, deadline=None)
@given(ratings=tables())
def test_one_step_of_mace_is_that_of_the_definition(ratings: Ratings) -> None:
    if not len(ratings):
        return
    table = LabelTable.of(ratings)
    model = _Model.of(table)
    rng = np.random.default_rng(1)
    n_values = len(table.values)
    knowing, guessing = rng.uniform(0.2, 1, (len(table.raters), 2)), rng.uniform(0.1, 1, (len(table.raters), n_values))
    weights = table.items_of_class
    of_classes, (likelihood,) = model.expect(knowing[:, :, None], guessing[:, :, None], weights)
    truth = of_classes[table.class_of_item, :, 0]
    rows = [
        (
            int(np.searchsorted(table.items, item)),
            int(np.searchsorted(table.raters, rater)),
            int(np.searchsorted(table.values, value)),
        )
        for item, rater, value in zip(ratings.items, ratings.raters, ratings.values, strict=True)
    ]
    like = np.full((len(table.items), n_values), 1 / n_values)
    for item, rater, label in rows:
        like[item] *= knowing[rater, 0] * guessing[rater, label] + knowing[rater, 1] * (np.arange(n_values) == label)
    assert truth == pytest.approx(like / like.sum(axis=1, keepdims=True), abs=1e-10)
    assert likelihood == pytest.approx(np.log(like.sum(axis=1)).sum(), abs=1e-9)
    known, guessed = np.zeros(len(table.raters)), np.zeros((len(table.raters), n_values))
    for item, rater, label in rows:
        chance = knowing[rater, 1] / (knowing[rater, 0] * guessing[rater, label] + knowing[rater, 1])
        known[rater] += truth[item, label] * chance
        guessed[rater, label] += 1 - truth[item, label] * chance
    stepped = model.maximise(knowing[:, :, None], guessing[:, :, None], of_classes, weights)
    new_knowing, new_guessing = (each[:, :, 0] for each in stepped)
    counts = np.column_stack([guessed.sum(axis=1), known]) + 0.5
    assert new_knowing == pytest.approx(np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))))
    counts = guessed + 10
    assert new_guessing == pytest.approx(np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))))


def test_items_and_raters_without_ratings_are_not_in_it() -> None:
    ratings = make(np.array([1, 1, 3]), np.array([0, 2, 2]), np.array([0.0, 30, 30]), 5, 4)
    for result in (dawid_skene(ratings), mace(ratings)):
        assert result.items.tolist() == [1, 3]
        assert result.raters.tolist() == [0, 2]
        assert result.probabilities.sum(axis=1) == pytest.approx([1, 1])


def test_more_restarts_are_never_worse_and_seeds_repeat() -> None:
    ratings, _, _ = planted(60)
    few, again, many = (mace(ratings, restarts=restarts, seed=3) for restarts in (1, 1, 8))
    assert few.log_likelihood == again.log_likelihood <= many.log_likelihood
    with pytest.raises(ValueError, match="at least 1"):
        mace(ratings, restarts=0)


@pytest.mark.parametrize("model", [dawid_skene, mace])
def test_both_models_are_too_sure_of_items_that_mislead(model: Callable[[Ratings], Consensus]) -> None:
    sure, right = right_where_sure(model, judgments=5, misleading=0, studies=4)
    assert (sure > 0.6, right > 0.97) == (True, True)
    sure, right = right_where_sure(model, judgments=5, misleading=0.3, studies=4)
    assert (sure > 0.5, right < 0.9) == (True, True)

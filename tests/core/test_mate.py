"""MATE: penalties, published scores, weights that were planted, and what cannot be fitted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.stats import pearsonr

from annotation_platform.core.methods.mate import MateError, fit_weights, mate_scores, penalties, unanimity
from annotation_platform.core.schemes import RatedAspect, build_scheme, preset
from annotation_platform.core.statistics import Bootstrap

PUBLISHED = (2.048, 0.739, 0.335)  # factuality, amount of information, formality: section 3.1 of the paper
ASPECTS = ("factuality", "amount", "formality")


def scales() -> list:
    scheme = build_scheme(preset("lfqa"))
    (composite,) = scheme.composites
    found = [scheme.aspect(key) for key in composite.parts]
    assert all(isinstance(aspect, RatedAspect) for aspect in found)
    return [aspect.scale for aspect in found]


def penalty_rows(ratings: list[tuple[float, ...]]) -> np.ndarray:
    columns = zip(scales(), np.array(ratings, dtype=float).T, strict=True)
    return np.stack([penalties(scale, column) for scale, column in columns], axis=1)


@pytest.mark.parametrize(
    ("means", "score"), [((2.0, 0.3, -0.3), 1.995), ((1.7, -1.0, -0.7), 1.139), ((2.7, 0.0, 0.3), 2.695)]
)
def test_published_weights_give_the_scores_worked_out_by_hand(means: tuple[float, ...], score: float) -> None:
    assert mate_scores(PUBLISHED, penalty_rows([means]), best=3)[0] == pytest.approx(score, abs=5e-4)


def test_a_faultless_answer_scores_the_best_and_the_worst_one_about_nothing() -> None:
    best, worst = mate_scores(PUBLISHED, penalty_rows([(3, 0, 0), (0, -1, 1)]), best=3)
    assert best == 3
    assert worst == pytest.approx(-0.122)


def test_penalties_of_a_scale_on_which_less_is_better() -> None:
    scale = scales()[0].model_copy(update={"better": "low"})
    assert penalties(scale, [0, 1.5, 3]).tolist() == [0, -0.5, -1]


def planted(n: int = 240, noise: float = 0.0, seed: int = 3) -> tuple[np.ndarray, np.ndarray, list[int]]:
    rng = np.random.default_rng(seed)
    f = -rng.integers(0, 4, size=(n, 3)) / 3
    return f, f @ np.array(PUBLISHED) + noise * rng.normal(size=n), [row // 4 for row in range(n)]


def test_planted_weights_come_out_again() -> None:
    f, y, questions = planted()
    fitted = fit_weights(ASPECTS, f, y, questions)
    assert fitted.values.tolist() == pytest.approx(PUBLISHED)
    assert fitted.held_out.value == pytest.approx(1)
    assert (fitted.n_answers, fitted.n_questions, fitted.held_out.n_ratings) == (240, 60, 48)


def test_weights_are_those_of_scipy_and_their_intervals_hold_the_planted_ones() -> None:
    f, y, questions = planted(noise=0.4)
    fitted = fit_weights(ASPECTS, f, y, questions, bootstrap=Bootstrap(resamples=300, seed=1))
    assert fitted.values.tolist() == pytest.approx(lsq_linear(f, y).x.tolist())
    for weight, truth in zip(fitted.weights, PUBLISHED, strict=True):
        assert weight.interval is not None
        assert weight.interval.low < truth < weight.interval.high
        assert weight.interval.high - weight.interval.low < 0.5


def test_the_held_out_correlation_is_of_questions_that_the_fit_has_not_seen() -> None:
    f, y, questions = planted(noise=0.4)
    fitted = fit_weights(ASPECTS, f, y, questions, seed=5, bootstrap=Bootstrap(200))
    assert fitted.held_out.interval is not None
    assert fitted.held_out.interval.low < (fitted.held_out.value or 0) < fitted.held_out.interval.high
    assert fitted.held_out.n_items == 12
    out = np.isin(questions, np.random.default_rng(5).permutation(60)[:12])
    weights = lsq_linear(f[~out], y[~out]).x
    assert fitted.held_out.value == pytest.approx(pearsonr(f[out] @ weights, y[out]).statistic)


def test_all_rows_of_a_unit_are_held_out_together_and_drawn_together() -> None:
    """Questions of one article, and the answers to one question, are on one side of the fit."""
    f, y, questions = planted(noise=0.4)
    articles = [question // 3 for question in questions]
    by_article = fit_weights(ASPECTS, f, y, questions, units=articles, seed=5, bootstrap=Bootstrap(100, seed=1))
    assert (by_article.n_questions, by_article.n_units, by_article.held_out.n_items) == (60, 20, 4)
    assert by_article.held_out.n_ratings == 4 * 12
    out = np.isin(articles, np.random.default_rng(5).permutation(20)[:4])
    assert not set(np.array(questions)[out]) & set(np.array(questions)[~out])
    weights = lsq_linear(f[~out], y[~out]).x
    assert by_article.held_out.value == pytest.approx(pearsonr(f[out] @ weights, y[out]).statistic)
    by_question = fit_weights(ASPECTS, f, y, questions, seed=5)
    assert by_question.values.tolist() == pytest.approx(
        by_article.values.tolist()
    )  # what is resampled does not move them
    assert by_question == fit_weights(ASPECTS, f, y, questions, units=questions, seed=5)


@given(st.permutations(range(60)))
def test_the_order_of_answers_does_not_matter(order: list[int]) -> None:
    f, y, questions = planted(n=60, noise=0.3)
    one = fit_weights(ASPECTS, f, y, questions)
    other = fit_weights(ASPECTS, f[order], y[order], [questions[row] for row in order])
    assert other.values.tolist() == pytest.approx(one.values.tolist())


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (np.zeros((2, 3)), "cannot settle"),
        (np.array([[-1.0, 0, 0], [-0.5, 0, -1], [0, 0, -0.5]]), "'amount' was never rated below its best"),
        (-np.array([[1.0, 1, 0], [0.5, 0.5, 1], [0.2, 0.2, 0.5], [1, 1, 1]]), "move together"),
    ],
)
def test_what_cannot_be_fitted_says_why(f: np.ndarray, reason: str) -> None:
    with pytest.raises(MateError, match=reason):
        fit_weights(ASPECTS, f, np.zeros(len(f)), list(range(len(f))))


def test_too_little_to_hold_out_is_said() -> None:
    f, y, _ = planted(n=8)
    fitted = fit_weights(ASPECTS, f, y, [1] * 8, bootstrap=Bootstrap(resamples=10))
    assert fitted.held_out.value is None
    assert "Too few" in (fitted.held_out.undefined_because or "")
    assert "too few" in (fitted.weights[0].no_interval_because or "")


def test_preferences_are_counted_by_how_many_agree() -> None:
    assert unanimity([["a", "a", "a"], ["a", "b", "a"], ["a", "b", "c"], ["c", "c", "c"], []]) == {3: 2, 2: 1, 1: 1}

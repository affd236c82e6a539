"""Macro-F1 and the area under the ROC curve: by hand, beside scikit-learn, from pairs, and when nothing is said."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit, logit, stdtrit
from sklearn.metrics import f1_score, roc_auc_score

from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.verdicts import (
    ALL_RIGHT,
    ALL_WRONG,
    NO_ANSWERS,
    NONE_RIGHT,
    NONE_WRONG,
    NOTHING_VARIES,
    area_under_curve,
    macro_f1,
)

ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 4)), min_size=1, max_size=40)


def drawn(articles: int, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Six answers about each article: whether they are right, their scores, and their articles."""
    rng = np.random.default_rng(seed)
    article = np.repeat(np.arange(articles), 6)
    right = rng.random(len(article)) < 0.6
    return right, np.round(right + rng.normal(0, 0.7, articles)[article] + rng.normal(0, 1, len(article)), 1), article


def test_macro_f1_by_hand() -> None:
    # tp 2, tn 1, two differ: F1 of right 4 / (4 + 2), of wrong 2 / (2 + 2).
    right, said = [True, True, True, False, False], [True, True, False, True, False]
    found = macro_f1(right, said, [0, 0, 1, 1, 2])
    assert found.value == pytest.approx((4 / 6 + 2 / 4) / 2)
    assert (found.n_items, found.n_ratings, found.n_units) == (3, 5, 2)


@given(ROWS)
def test_both_are_scikit_learns(rows: list[tuple[bool, bool, int]]) -> None:
    right, said, scores = (list(column) for column in zip(*rows, strict=True))
    questions = np.arange(len(rows))
    found = macro_f1(right, said, questions)
    if found.value is None:
        assert found.undefined_because == (NONE_WRONG if all(right) and all(said) else NONE_RIGHT)
        assert len({*right, *said}) == 1
    else:
        assert found.value == pytest.approx(f1_score(right, said, average="macro"))
    assume(len(set(right)) == 2)
    assert area_under_curve(right, scores, questions).value == pytest.approx(roc_auc_score(right, scores))


def test_the_interval_of_the_area_is_obuchowskis_from_all_pairs() -> None:
    right, scores, article = drawn(12)
    x, y = scores[right], scores[~right]
    pairs = (x[:, None] > y) + (x[:, None] == y) / 2
    area, m, n = pairs.mean(), *pairs.shape
    a = np.array([(pairs.mean(axis=1) - area)[article[right] == g].sum() for g in range(12)])
    b = np.array([(pairs.mean(axis=0) - area)[article[~right] == g].sum() for g in range(12)])
    k, l_ = len(set(article[right])), len(set(article[~right]))
    own = k / (k - 1) * (a**2).sum() / m**2 + l_ / (l_ - 1) * (b**2).sum() / n**2
    error = np.sqrt(own + 2 * 12 / 11 * (a * b).sum() / (m * n)) / (area * (1 - area))
    half = stdtrit(min(k, l_) - 1, 0.975) * error

    found = area_under_curve(right, scores, np.arange(len(right)), units=article)
    assert found.value == pytest.approx(area)
    assert found.n_units == min(k, l_)
    assert found.interval is not None
    low, high = expit(logit(area) - half), expit(logit(area) + half)
    # A few articles may decide what the variance is: then there are fewer degrees of freedom.
    assert found.interval.low <= low + 1e-12
    assert found.interval.high >= high - 1e-12
    assert found.interval.high - found.interval.low < 1.2 * (high - low)


def test_answers_that_are_alike_widen_the_intervals() -> None:
    """Each answer stands there four times: as one article, it is no more evidence than once."""
    right, scores, _ = drawn(10, seed=1)
    article = np.repeat(np.arange(len(right)), 4)
    right, scores, lone, bootstrap = np.repeat(right, 4), np.repeat(scores, 4), np.arange(240), Bootstrap(resamples=200)
    for by_article, by_answer in (
        [area_under_curve(right, scores, lone, units=units).interval for units in (article, lone)],
        [macro_f1(right, scores > 0.5, lone, units=units, bootstrap=bootstrap).interval for units in (article, lone)],
    ):
        assert by_article is not None
        assert by_answer is not None
        assert by_article.high - by_article.low > 1.7 * (by_answer.high - by_answer.low)


def test_who_says_the_reverse_has_the_areas_complement() -> None:
    right, scores, article = drawn(12)
    one, other = (area_under_curve(right, each, article) for each in (scores, -scores))
    assert one.value is not None
    assert one.interval is not None
    assert other.interval is not None
    assert other.value == pytest.approx(1 - one.value)
    assert (other.interval.low, other.interval.high) == pytest.approx((1 - one.interval.high, 1 - one.interval.low))


@pytest.mark.parametrize(("right", "why"), [([], NO_ANSWERS), ([True] * 9, ALL_RIGHT), ([False] * 9, ALL_WRONG)])
def test_there_is_no_area_without_right_and_wrong_answers(right: list[bool], why: str) -> None:
    found = area_under_curve(right, np.arange(len(right)), np.arange(len(right)))
    assert (found.value, found.undefined_because, found.interval) == (None, why, None)


@pytest.mark.parametrize(
    ("right", "said", "why"),
    [
        ([], [], NO_ANSWERS),
        ([True] * 9, [True] * 9, NONE_WRONG),
        ([False] * 9, [False] * 9, NONE_RIGHT),
    ],
)
def test_there_is_no_macro_f1_of_a_verdict_that_nobody_gives(right: list[bool], said: list[bool], why: str) -> None:
    found = macro_f1(right, said, np.arange(len(right)), bootstrap=Bootstrap(resamples=10))
    assert (found.value, found.undefined_because, found.interval) == (None, why, None)


def test_of_few_articles_with_a_wrong_answer_there_is_no_interval() -> None:
    right, scores, article = drawn(40)
    right = right | (article >= 7)
    for found in (
        area_under_curve(right, scores, article, unit="article"),
        macro_f1(right, scores > 0.5, article, bootstrap=Bootstrap(resamples=10, unit="article")),
    ):
        assert found.value is not None
        assert found.interval is None
        assert found.no_interval_because == (
            "An interval takes right answers in 8 articles and wrong ones in as many; they are in 40 and 7."
        )


def test_where_all_right_answers_stand_above_all_wrong_ones_nothing_tells_of_others() -> None:
    right, _, article = drawn(12)
    found = area_under_curve(right, right.astype(float), article)
    assert (found.value, found.interval, found.no_interval_because) == (1.0, None, NOTHING_VARIES)

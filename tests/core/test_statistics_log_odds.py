"""Log-odds with an informative prior: against Monroe et al.'s formula by hand, its symmetries, and planted habits."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import norm

from annotation_platform.core.methods.words_apart import explanation_texts, words_apart
from annotation_platform.core.statistics.log_odds import CountedTexts, log_odds, monroe_log_odds, overlap_weights
from tests.core.coverage.words_apart import measured


def one_word_each(documents: list[tuple[list[int], int]]) -> tuple[CountedTexts, np.ndarray]:
    """Documents given as counts of each word and the side they are on; each is a unit."""
    counts = np.array([each for each, _ in documents], dtype=float)
    n = len(documents)
    texts = CountedTexts(csr_array(counts), counts.sum(axis=1), np.arange(n), np.arange(n))
    return texts, np.array([side == 0 for _, side in documents])


def by_hand(y1: float, y2: float, n1: float, n2: float, a: float, a0: float) -> tuple[float, float]:
    """Monroe et al.'s log-odds ratio and its variance, word by word in plain Python."""
    odds1 = (y1 + a) / (n1 + a0 - (y1 + a))
    odds2 = (y2 + a) / (n2 + a0 - (y2 + a))
    return log(odds1) - log(odds2), 1 / (y1 + a) + 1 / (y2 + a)


def test_values_are_those_of_the_formula() -> None:
    first, second, prior = np.array([5.0, 0, 20]), np.array([1.0, 9, 15]), np.array([0.6, 0.9, 3.5])
    value, variance = monroe_log_odds(first, second, prior, n_first=25, n_second=25)
    for word in range(3):
        expected = by_hand(first[word], second[word], 25, 25, prior[word], 5.0)
        assert (value[word], variance[word]) == pytest.approx(expected)


def test_of_one_author_whose_texts_share_nothing_it_is_monroes() -> None:
    """Each document a word of its own: no weights, no design effect."""
    documents = [([1, 0, 0], 0)] * 12 + [([0, 1, 0], 0)] * 8 + [([1, 0, 0], 1)] * 3 + [([0, 0, 1], 1)] * 27
    texts, first = one_word_each(documents)
    found = log_odds(texts, first, np.ones(50, bool), np.zeros(50, int), prior_words=10)
    assert found is not None
    assert (found.n_first, found.n_second) == pytest.approx((20, 30))
    assert found.first.tolist() == pytest.approx([12, 8, 0])
    shares = np.array([15, 8, 27]) / 51  # with one that nobody wrote
    for word, (y1, y2) in enumerate([(12, 3), (8, 0), (0, 27)]):
        value, variance = by_hand(y1, y2, 20, 30, 10 * shares[word], 10)
        assert found.value[word] == pytest.approx(value)
        assert found.variance[word] == pytest.approx(variance * found.design_effect[word])
        assert found.design_effect[word] == pytest.approx(1, abs=0.05)
        assert found.p_value[word] == pytest.approx(2 * norm.sf(abs(found.z[word])))


def test_refuses_a_prior_of_nothing_and_impossible_counts() -> None:
    one = np.array([1.0])
    with pytest.raises(ValueError, match="prior"):
        monroe_log_odds(one, one, np.array([0.0]), n_first=2, n_second=2)
    with pytest.raises(ValueError, match="has no odds"):
        monroe_log_odds(one, one, one, n_first=2, n_second=2)
    with pytest.raises(ValueError, match="more often"):
        monroe_log_odds(one * 3, one, one, n_first=2, n_second=2)


@st.composite
def judged(draw: st.DrawFn) -> tuple[CountedTexts, np.ndarray, np.ndarray]:
    n = draw(st.integers(4, 14))
    counts = np.array(draw(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=n, max_size=n)))
    wording = np.array(draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    units = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    first = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    strata = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    texts = CountedTexts(csr_array(counts.astype(float)), counts.sum(axis=1).astype(float), wording, units)
    return texts, first, strata


@given(judged())
def test_sides_turned_round_turn_the_sign(given_: tuple[CountedTexts, np.ndarray, np.ndarray]) -> None:
    texts, first, strata = given_
    among = np.ones(len(first), bool)
    one, other = log_odds(texts, first, among, strata), log_odds(texts, ~first, among, strata)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.value == pytest.approx(-other.value)
        assert one.variance == pytest.approx(other.variance)
        assert (one.design_effect >= 1).all()
        assert np.isfinite(one.z).all()


@given(judged())
def test_both_sides_have_as_many_words_of_every_stratum(given_: tuple[CountedTexts, np.ndarray, np.ndarray]) -> None:
    texts, first, strata = given_
    weights = overlap_weights(texts, first, np.ones(len(first), bool), strata)
    words = weights * texts.lengths[texts.wording]
    assert np.bincount(strata, words * first) == pytest.approx(np.bincount(strata, words * ~first))
    assert ((weights >= 0) & (weights <= 1)).all()


def test_a_design_effect_is_the_variance_over_units() -> None:
    """A word that comes five times or not at all in a document counts as its documents do, not its words."""
    rng = np.random.default_rng(2)
    bursts = [([5 * int(rng.random() < 0.2), 10], int(rng.random() < 0.5)) for _ in range(400)]
    texts, first = one_word_each(bursts)
    found = log_odds(texts, first, np.ones(400, bool), np.zeros(400, int))
    assert found is not None
    assert found.design_effect[0] == pytest.approx(5, rel=0.35)


def written(author: int, label: int, article: int, word: str) -> tuple[str, int, int, int]:
    return f"{word} seen in part {'abcdefghij'[article % 10]} {'klmnop'[(article + label) % 6]}", label, author, article


def apart(rows: list[tuple[str, int, int, int]], *, authors: bool = True) -> list[set[str]]:
    texts, labels, of_author, articles = zip(*rows, strict=True)
    who = np.array(of_author)
    given_ = explanation_texts(texts, np.array(articles))
    found = words_apart(given_, np.array(labels), 2, who, who if authors else None)
    return [{term.term for term in each.terms} for each in found]


def test_what_all_authors_write_with_a_label_sets_it_apart() -> None:
    rows = [
        written(author, label, article, "missing" if label else "fine")
        for author in range(4) for label in range(2) for article in range(30)
    ]  # fmt: skip
    fine, missing = apart(rows)
    assert "missing" in missing
    assert "missing seen" in missing
    assert "fine" in fine
    assert "seen" not in fine | missing


def test_a_pet_phrase_of_one_author_speaks_for_no_label() -> None:
    """One of four authors says *alas* with every second label; without leaving authors out it would be named."""
    rows = [
        written(author, label, article, "alas" if label and not author else "well")
        for author in range(4) for label in range(2) for article in range(30)
    ]  # fmt: skip
    assert "alas" not in apart(rows)[1]
    assert "alas" in apart(rows, authors=False)[1]


def test_a_word_of_those_who_give_a_label_most_is_not_the_labels() -> None:
    """Two authors always say *sadly* and mostly give label 1, two never do and mostly give label 0."""
    rows = [
        written(author, int((article % 5 == 0) != (author < 2)), article, "sadly" if author < 2 else "well")
        for author in range(4) for article in range(60)
    ]  # fmt: skip
    assert not any("sadly" in each for each in apart(rows))


def test_nothing_to_compare_with_is_said() -> None:
    given_ = explanation_texts(["a b"] * 6, np.arange(6))
    labels, who = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    found = words_apart(given_, labels, 3, who, who)
    assert [each.undefined_because for each in found] == [
        "Nothing was written that it could be compared with.",
        "Nothing was written that it could be compared with.",
        "Nothing was written.",
    ]


def test_words_that_set_nothing_apart_are_hardly_ever_named() -> None:
    """`tests.core.coverage.words_apart` has the whole table."""
    assert measured(studies=20, articles=20, authors=5).any_false <= 0.05
    assert measured(studies=8, articles=20, authors=5, plainly=True).any_false >= 0.2
    assert measured(studies=4, articles=60, authors=5, odds=5.0).planted >= 0.75

"""Themes: as many as were planted, none where words come together by chance, the same on every run."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer

from annotation_platform.core.methods.explanation_words import count_terms
from annotation_platform.core.methods.themes import FEWEST_TEXTS, Themes, tf_idf, themes, themes_apart
from tests import rests_on
from tests.core.coverage.themes import found_in, texts_about


@pytest.mark.parametrize("planted", [3, 6])
def test_finds_the_themes_that_are_there(planted: int) -> None:
    texts, about = texts_about(np.random.default_rng(3), n=400, planted=planted)
    found = found_in(texts)
    assert found.number == planted
    for words in found.words:
        of = {word.partition("x")[0] for word in words if word.startswith("t")}
        assert len(of) == 1
        assert sum(word.startswith("t") for word in words) >= 8
    named = [words[0].partition("x")[0] for words in found.words]
    right = [named[theme] == f"t{truth}" for theme, truth in zip(found.theme_of, about, strict=True) if theme >= 0]
    assert np.mean(right) > 0.9
    assert found.stability[planted] > found.of_shuffled[planted] + 0.2


def test_finds_none_where_words_come_together_by_chance() -> None:
    texts, _ = texts_about(np.random.default_rng(4), n=600, planted=0)
    found = found_in(texts)
    assert found.number == 0
    assert "by chance" in str(found.undefined_because)
    assert set(found.theme_of.tolist()) == {-1}


def test_the_same_seed_gives_the_same() -> None:
    texts, _ = texts_about(np.random.default_rng(5), n=200, planted=3)
    one, other = found_in(texts, seed=1), found_in(texts, seed=1)
    assert one.words == other.words
    assert one.stability == other.stability
    assert np.array_equal(one.weights, other.weights)


def test_too_few_texts_have_no_themes_and_say_so() -> None:
    texts, _ = texts_about(np.random.default_rng(6), n=FEWEST_TEXTS - 1, planted=2)
    found = found_in(texts)
    assert found.number == 0
    assert str(FEWEST_TEXTS) in str(found.undefined_because)
    empty: Themes = themes(csr_array((0, 0)), ())
    assert empty.undefined_because


def test_the_nearest_texts_are_about_the_theme() -> None:
    texts, about = texts_about(np.random.default_rng(7), n=300, planted=3)
    found = found_in(texts)
    for theme, words in enumerate(found.words):
        nearest = np.argsort(-found.similarity[:, theme])[:3]
        assert {f"t{about[row]}" for row in nearest} == {words[0].partition("x")[0]}
    assert (found.similarity <= 1 + 1e-9).all()


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=8))
def test_weights_are_scikit_learns(rows: list[list[int]]) -> None:
    counts = csr_array(np.array(rows, dtype=float))
    counts.eliminate_zeros()
    expected = TfidfTransformer(sublinear_tf=True).fit_transform(counts).toarray()
    assert tf_idf(counts).toarray() == pytest.approx(expected)


@pytest.mark.long(*rests_on.CORE)
def test_a_process_of_its_own_finds_the_same_and_leaves_no_library_behind() -> None:
    texts, _ = texts_about(np.random.default_rng(8), n=120, planted=3)
    counted = count_terms(texts, fewest=5)
    given = (counted.counts[:, ~counted.is_phrase], counted.terms[: int((~counted.is_phrase).sum())])
    found = themes_apart(*given)
    assert found.number > 0
    assert found.words == themes(*given).words
    code = (
        "import sys\n"
        "from annotation_platform.analysis.sections.explanations import measure\n"
        "assert 'sklearn' not in sys.modules and 'scipy.stats' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.long(*rests_on.CORE)
def test_what_goes_wrong_there_is_told() -> None:
    texts, _ = texts_about(np.random.default_rng(9), n=120, planted=3)
    counted = count_terms(texts, fewest=5)
    with pytest.raises(RuntimeError, match=r"(?s)Themes could not be found: .*NaN"):
        themes_apart(counted.counts * np.nan, counted.terms)

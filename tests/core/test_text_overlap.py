"""ROUGE beside the rouge-score package, by hand, and its properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from annotation_platform.core.methods.text_overlap import (
    Overlap,
    length,
    rouge,
    tokenise,
    tokenise_any_script,
)

PACKAGE = RougeScorer(["rouge1", "rouge2", "rougeL"])
# Few words, so that texts meet; the last ones test where a tokeniser may differ.
WORDS = st.sampled_from(["the", "The", "cat", "sat", "on", "mat", "a", "3.5", "isn't", "naïve", "—", "東京", "K", "İ"])
TEXTS = st.lists(WORDS, max_size=40).map(" ".join)


def package_scores(candidate: str, references: list[str]) -> list[Overlap]:
    found = PACKAGE.score_multi(references, candidate)
    return [Overlap(*map(float, found[name])) for name in ("rouge1", "rouge2", "rougeL")]


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4))
def test_scores_are_those_of_the_rouge_score_package(candidate: str, references: list[str]) -> None:
    ours = rouge(candidate, references)

    assert [ours.rouge1, ours.rouge2, ours.rouge_l] == package_scores(candidate, references)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_at_all_scores_as_in_the_package(candidate: str, reference: str) -> None:
    ours = rouge(candidate, [reference])

    assert [ours.rouge1, ours.rouge2, ours.rouge_l] == package_scores(candidate, [reference])


def test_by_hand() -> None:
    # candidate a b c d, reference a c b d e: 4 shared words; no shared pair; the longest common subsequence is a b d.
    found = rouge("a b c d", ["a c b d e"])

    assert (found.rouge1.precision, found.rouge1.recall) == (4 / 4, 4 / 5)
    assert found.rouge1.f1 == pytest.approx(8 / 9)
    assert found.rouge2 == Overlap(0, 0, 0)
    assert (found.rouge_l.precision, found.rouge_l.recall) == (3 / 4, 3 / 5)
    assert found.rouge_l.f1 == pytest.approx(2 / 3)


def test_a_repeated_word_counts_as_often_as_both_have_it() -> None:
    found = rouge("the the the the", ["the cat and the dog"]).rouge1

    assert (found.precision, found.recall, found.f1) == (2 / 4, 2 / 5, pytest.approx(4 / 9))


def test_each_score_takes_the_reference_that_suits_it_best() -> None:
    found = rouge("a b c d", ["d c b a", "a b x y z"])

    assert found.rouge1.f1 == 1  # the first has all words
    assert found.rouge2.precision == 1 / 3  # only the second has a pair


def test_without_a_reference_there_is_no_score() -> None:
    with pytest.raises(ValueError, match="at least one reference"):
        rouge("a b c", [])


@pytest.mark.parametrize(("candidate", "reference"), [("", "a b"), ("a b", ""), ("", ""), ("東京", "東京")])
def test_texts_without_tokens_score_zero(candidate: str, reference: str) -> None:
    assert rouge(candidate, [reference]).rouge_l == Overlap(0, 0, 0)


def test_a_script_without_spaces_needs_the_other_tokeniser() -> None:
    found = rouge("東京に行く", ["東京へ行く"], tokeniser=tokenise_any_script)

    assert found.rouge1.f1 == pytest.approx(4 / 5)
    assert found.rouge_l.f1 == pytest.approx(4 / 5)


@given(TEXTS)
def test_a_text_with_tokens_matches_itself(text: str) -> None:
    found = rouge(text, [text])

    assert found.rouge1.f1 == found.rouge_l.f1 == (1.0 if tokenise(text) else 0.0)


@given(TEXTS, TEXTS)
def test_swapping_the_texts_swaps_precision_and_recall(one: str, other: str) -> None:
    there, back = rouge(one, [other]).rouge_l, rouge(other, [one]).rouge_l

    assert (there.precision, there.recall) == (back.recall, back.precision)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("Two words.", 2), ("東京に行く", 5)])
def test_length_counts_words_or_characters(text: str, tokens: int) -> None:
    assert length(text) == tokens

"""Words and phrases of explanations: how they are cut, in scripts with spaces and without, and how often they stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.methods.explanation_words import count_terms, terms_of, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Doesn’t SAY it", "doesn't say it"),
        ("sentences 3-5, 1,200 km", "sentences # # | # km"),
        ("the 3rd B2B", "the 3rd b2b"),
        ("well-known (really)", "well known | really |"),
        ("情報が足りない。", "情報 が 足り ない |"),
        ("カタカナとしては文書に書かれていない", "カタカナ として は 文書 に 書かれ ていない"),
        ("日本経済新聞社", "日本 本経 経済 済新 新聞 聞社"),
        ("ＡＢＣ　１２", "abc #"),
        ("ไม่มี", "ไม่ ม่ม ่มี"),
        ("", ""),
        ("?!", "| |"),
    ],
)
def test_words(text: str, words: str) -> None:
    found = " ".join(words_of(text)).replace("\n", "|")
    assert found == words


def test_a_phrase_does_not_cross_a_stop_and_is_written_as_it_stands() -> None:
    assert terms_of("No. Not enough detail") == {"no", "not", "enough", "detail", "not enough", "enough detail"}
    assert "足りない" in terms_of("情報が足りない")
    assert "gpt の" in terms_of("GPTの回答")


def test_terms_count_from_so_many_texts_on_and_lengths_count_all() -> None:
    found = count_terms(["a b a b", "b a", "c. d"], fewest=2)
    assert found.terms == ("a", "b", "b a")
    assert found.counts.toarray().tolist() == [[2, 2, 1], [1, 1, 1], [0, 0, 0]]
    assert found.words.tolist() == [4, 2, 2]
    assert found.phrases.tolist() == [3, 1, 0]
    assert found.is_phrase.tolist() == [False, False, True]
    assert count_terms([], fewest=1).terms == ()


@given(st.lists(st.text(alphabet="abé .,12がの足情ไม่'’-\n", max_size=30), max_size=8))
def test_counts_are_those_of_each_text_by_itself(texts: list[str]) -> None:
    found = count_terms(texts, fewest=1)
    assert len(set(found.terms)) == len(found.terms)
    for row, text in enumerate(texts):
        has = {found.terms[column] for column in np.flatnonzero(found.counts[[row]].toarray()[0])}
        assert has == terms_of(text)
        assert found.words[row] == sum(word != "\n" for word in words_of(text))
        assert found.counts[[row]].sum() == found.words[row] + found.phrases[row]

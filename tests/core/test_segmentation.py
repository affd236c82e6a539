import pysbd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.segmentation import split_sentences


def test_running_text_is_cut_into_sentences() -> None:
    text = "Dr. Ames left at 5.30 p.m. yesterday. Nobody saw her.\n\nA heading\n  “Why?” asked one.  "
    assert split_sentences(text) == [
        "Dr. Ames left at 5.30 p.m. yesterday.",
        "Nobody saw her.",
        "A heading",
        "“Why?” asked one.",
    ]
    assert split_sentences("駅は新しい。だれもが喜んだ。", "ja") == ["駅は新しい。", "だれもが喜んだ。"]
    assert split_sentences(" \n ") == []


SCRAPS = (
    "Dr. Who",
    "e.g. this",
    "U.S.",
    " p. 3 and pp. 4",
    " art. ",
    " ſt. b",
    " most. ",
    " co. and ",
    " CO.\t",
    "3.5",
    "1. one",
    "2) two",
    "?",
    "!",
    "...",
    "“Hi.”",
    "。",
    "「そう。」",
    " ",
    "\n",
    "a",
)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@given(scraps=st.lists(st.sampled_from(SCRAPS), max_size=12), language=st.sampled_from(["en", "ja"]))
def test_sentences_are_those_of_pysbd(scraps: list[str], language: str) -> None:
    text = "".join(scraps)
    segmenter = pysbd.Segmenter(language=language, clean=False)
    expected = [part.strip() for line in text.splitlines() for part in segmenter.segment(line)]
    assert split_sentences(text, language) == [part for part in expected if part]


def test_no_pattern_is_made_of_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """pysbd's own way to find where its sentences stand took half of the time of an import."""
    monkeypatch.delattr("pysbd.segmenter.re")
    assert split_sentences("It lies by a river. It has two bridges.") == ["It lies by a river.", "It has two bridges."]


def test_a_language_without_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="language"):
        split_sentences("One. Two.", "xx")

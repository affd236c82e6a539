"""What is left of an explanation when label, question and answer are taken away."""

import subprocess
import sys
from itertools import permutations
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.methods.stock_words import LISTS, stock_words
from annotation_platform.core.methods.vacuousness import (
    ExplanationAssessment,
    Reason,
    assess_explanation,
    is_vacuous,
)
from tests.published import EBR

ROOT = Path(__file__).resolve().parents[2]
LABELS = ("How complete is it?", "Complete", "nothing that matters is left out", "Misses some", "a detail is left out")
CONTEXT = ("Who commands the mission?", "The shuttle was launched in July. It carried five people.")
JAPANESE_LABELS = ("どのくらい完全ですか。", "完全", "大事なことは抜けていない", "少し不足", "文書の役立つ情報がない")
JAPANESE_CONTEXT = ("指揮官は誰ですか。", "宇宙船は7月に打ち上げられました。")

VACUOUS = [
    "The answer is correct and complete.",
    "THE ANSWER IS CORRECT AND COMPLETE!!!",
    "Good answer, covers everything",
    "It is missing a lot of information",
    "I think the answer doesn’t address the question fully",
    "Misses some: a detail is left out",
    "100% correct",
    "This is a lazy response that leaves out key facts from the article.",
    "All necessary information in the document is included in the response",
    "The article supports the answer",
    "The document does not support the answer",
    "Who commands the mission? The shuttle was launched in July.",
    "The shuttle launched in July, so the answer is right",
    "good good good good",
    "It's fine.",
]
INFORMATIVE = [
    "It misses that the commander is James Wetherbee",
    "Wetherbee is missing",
    "The commander's name is left out",
    "The answer matches sentence 4",
    "Correct, see sentences 3, 5-7",
    "Found in #7.",
    "The first part is wrong",
    "It was launched in February",
    "The document does not say who commands the mission",
    "There is no mention of a commander in the article.",
    "“five people” is not supported by the document",
]
JAPANESE_VACUOUS = [
    "回答は正しくて完全です。",
    "回答は正確で、必要な情報がすべて含まれています。",
    "良い回答だと思います。",
    "情報がかなり不足しています。",
    "質問に十分に答えていないと感じた。",
    "文書に書かれている内容と一致している。",
    "特に問題ありません",
    "指揮官は誰ですか。",
    "宇宙船は7月に打ち上げられました。",
]
JAPANESE_INFORMATIVE = [
    "指揮官がジェームズ・ウェザビーであることが抜けている。",
    "ウェザビーがない",
    "りんごが抜けています",
    "文3に書かれている。",
    "第５文と一致する。",
    "打ち上げは２月です",
    "文書には指揮官について書かれていない。",
    "「7月」は誤り",
]

words = st.lists(st.text("abcdefghijklmnopqrstuvwxyz船長機械宇宙りんごカタ.,3", min_size=1, max_size=9), max_size=8)
sentences = st.one_of(st.sampled_from(VACUOUS + INFORMATIVE), words.map(" ".join)).map("{}. ".format)


def assess(text: str, **given: object) -> ExplanationAssessment:
    return assess_explanation(text, **{"labels": LABELS, "context": CONTEXT, **given})  # type: ignore[arg-type]


def assess_japanese(text: str) -> ExplanationAssessment:
    return assess_explanation(text, labels=JAPANESE_LABELS, context=JAPANESE_CONTEXT, language="ja")


@pytest.mark.parametrize("text", VACUOUS)
def test_what_could_be_said_of_any_answer_or_stands_there_already_is_vacuous(text: str) -> None:
    found = assess(text)

    assert (found.is_vacuous, found.score, found.new_words) == (True, 0, ())


@pytest.mark.parametrize("text", INFORMATIVE)
def test_a_name_a_place_or_a_silence_of_the_document_is_informative(text: str) -> None:
    found = assess(text)

    assert not found.is_vacuous
    assert found.reasons == ()


@pytest.mark.parametrize("text", JAPANESE_VACUOUS)
def test_japanese_that_adds_nothing_is_vacuous(text: str) -> None:
    assert assess_japanese(text).is_vacuous


@pytest.mark.parametrize("text", JAPANESE_INFORMATIVE)
def test_japanese_that_adds_something_is_informative(text: str) -> None:
    assert not assess_japanese(text).is_vacuous


def test_the_score_counts_new_words_once_in_all_their_forms() -> None:
    found = assess("The seismometer and other seismometers measure waves, in sentence 12: SEISMOMETERS!")

    assert found.new_words == ("seismometer", "measure", "waves", "12")
    assert (found.points, found.says_silent, found.score) == (True, False, 5)


def test_the_same_words_are_new_or_not_by_what_was_said_before() -> None:
    text = "The commander is James Wetherbee"

    assert not assess(text).is_vacuous
    assert assess(text, context=("Who is it?", "James Wetherbee commands it.")).is_vacuous


def test_a_silence_that_the_answer_states_itself_is_not_new() -> None:
    text = "The document does not say who commands the mission"

    assert assess(text).says_silent
    assert assess(text, context=(CONTEXT[0], "The article does not mention the commander.")).is_vacuous


def test_a_quotation_points_only_to_a_part_that_is_there() -> None:
    assert assess("“launched in July” is wrong").points
    assert not assess(f"“{CONTEXT[1]}” is wrong").points
    assert not assess('It does not say "who"').points


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("", [Reason.EMPTY]),
        (" …! ", [Reason.EMPTY]),
        ("👍", [Reason.EMPTY]),
        ("asdf asdf qwertyuiop", [Reason.NOISE]),
        ("aaaaaaa sdfghj hahahaha", [Reason.NOISE]),
        ("The answer is complete.", [Reason.REPEATS_LABEL]),
        ("The shuttle was launched.", [Reason.REPEATS_CONTEXT]),
        ("The shuttle was launched: complete", [Reason.REPEATS_LABEL, Reason.REPEATS_CONTEXT]),
        ("A good answer", [Reason.GENERAL]),
    ],
)
def test_the_reasons_say_what_it_is_and_what_is_missing(text: str, reasons: list[Reason]) -> None:
    assert assess(text).reasons == (*reasons, Reason.CITES_NOTHING)
    assert assess(text, has_cited=True).reasons == tuple(reasons)
    assert assess_explanation(text, labels=LABELS, context=CONTEXT, language="en-GB").reasons[: len(reasons)] == (
        *reasons,
    )


def test_japanese_reasons() -> None:
    assert assess_japanese("回答は完全です。").reasons == (Reason.REPEATS_LABEL, Reason.CITES_NOTHING)
    assert assess_japanese("宇宙船の打ち上げ").reasons == (Reason.REPEATS_CONTEXT, Reason.CITES_NOTHING)
    assert assess_japanese("良い").reasons == (Reason.GENERAL, Reason.CITES_NOTHING)
    assert assess_japanese("ああああああ").reasons == (Reason.NOISE, Reason.CITES_NOTHING)


@pytest.mark.parametrize(
    ("language", "label", "text"),
    [
        ("de", "vollständig", "Vollständig!"),
        ("zh", "完整", "完整。"),
        ("ko", "완전", "완전"),
        ("th", "ครบถ้วน", "ครบถ้วน"),
    ],
)
def test_a_language_without_a_list_takes_labels_and_context_away(language: str, label: str, text: str) -> None:
    def judge(explanation: str) -> ExplanationAssessment:
        return assess_explanation(explanation, labels=[label], context=["Wer?"], language=language)

    assert judge(text).is_vacuous
    assert not judge("Wetherbee").is_vacuous
    assert not judge("韦瑟比").is_vacuous


def test_the_language_is_no_path() -> None:
    assert stock_words("../stock_words/en") == stock_words("xx")
    assert stock_words("EN-us") == stock_words("en")


@given(sentences, st.lists(st.sampled_from(LABELS), max_size=4))
def test_words_of_the_labels_never_make_it_informative(text: str, more: list[str]) -> None:
    assert assess(text + ". ".join(more)).score == assess(text).score


@given(sentences)
def test_upper_and_lower_case_make_no_difference(text: str) -> None:
    assert assess(text.upper()).score == assess(text.lower()).score == assess(text).score


@given(st.lists(sentences, max_size=3))
def test_the_order_of_sentences_makes_no_difference(parts: list[str]) -> None:
    assert len({assess("".join(order)).score for order in permutations(parts)}) == 1


@given(sentences, sentences)
def test_a_further_clause_never_lowers_the_score(text: str, clause: str) -> None:
    assert assess(text + clause).score >= assess(text).score


@given(st.text(max_size=300), st.sampled_from(["en", "ja", "th"]))
def test_any_text_has_a_verdict_and_either_a_score_or_a_reason(text: str, language: str) -> None:
    found = assess(text, language=language)

    assert found.is_vacuous == (found.score == 0) == bool(found.reasons)


@pytest.mark.parametrize("text", ["It is very good. " * 300, "a" * 5000, "'a " * 1700, "1" * 5000, "回答船長" * 1200])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_explanation_takes_out_of_proportion_to_its_length(text: str, language: str) -> None:
    def seconds(some: str) -> float:
        start = process_time()
        assess(some, language=language)
        return process_time() - start

    half = text[: len(text) // 2]
    shorter, longer = (min(seconds(some) for _ in range(3)) for some in (half, text))
    assert longer < 3 * max(shorter, 0.005)  # twice where it grows with the length, four times where with its square


@pytest.mark.parametrize("path", sorted(LISTS.glob("*.toml")), ids=lambda path: path.stem)
def test_each_list_is_small_and_can_be_read(path: Path) -> None:
    stock = stock_words(path.stem)

    assert stock.plain
    assert stock.judging
    assert not stock.plain & stock.judging
    assert path.stat().st_size < 20_000


@pytest.mark.release
def test_the_published_figures_come_out_of_the_release() -> None:
    if not EBR.is_dir():
        pytest.skip(f"the released EBR data is not at {EBR}")
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.vacuousness"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    page = (ROOT / "docs" / "reference" / "vacuous-explanations.md").read_text(encoding="utf-8")

    for figure in ("6,436 of 12,650", "1,767 of 7,119", "73 of 74", "27 of 30", "24 of 24", "24 of 29"):
        assert figure in run.stdout
        assert figure in page or figure.replace(" of ", " | ") in page


@pytest.mark.parametrize("text", [*VACUOUS, *INFORMATIVE, "", "  ", "?!", "asdf asdf"])
def test_asked_for_nothing_more_it_says_the_same(text: str) -> None:
    judged = {"labels": LABELS, "context": CONTEXT}
    assert is_vacuous(text, **judged) == assess_explanation(text, **judged).is_vacuous


@pytest.mark.parametrize("text", [*JAPANESE_VACUOUS, *JAPANESE_INFORMATIVE])
def test_asked_for_nothing_more_it_says_the_same_in_japanese(text: str) -> None:
    judged = {"labels": JAPANESE_LABELS, "context": JAPANESE_CONTEXT, "language": "ja"}
    assert is_vacuous(text, **judged) == assess_explanation(text, **judged).is_vacuous

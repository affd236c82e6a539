"""The preset for long answers asks what the LLM-MATE paper asks, in its order and on its scales.

Source: Kamoda, Asai, Brassard and Sakaguchi, "長文生成の多面的評価" (NLP 2024), section 2, figures 2 and 5.
"""

from typing import Any

import pytest

from annotation_platform.core.schemes import (
    BestOfAspect,
    InvalidJudgmentError,
    ItemShape,
    RangeAspect,
    Scheme,
    TextAspect,
    build_scheme,
    check_judgment,
    labels_given,
    preset,
)
from annotation_platform.core.schemes.scales import Level

FOUR = ItemShape(documents=(4, 5), candidates=4)


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    return build_scheme(preset("lfqa"))


def judgment(**changes: Any) -> dict[str, Any]:
    rated = {"factuality": "2", "amount": "0", "formality": "-1", "acceptability": "3"}
    each = {f"{key}.{candidate}": value for candidate in range(1, 5) for key, value in rated.items()}
    return each | {"preferred": "3", "why": "It explains the cause."} | changes


def test_it_shows_the_question_the_references_and_the_candidates(scheme: Scheme) -> None:
    assert list(scheme.parts) == ["question", "documents", "candidates"]


def test_it_asks_what_the_paper_asks_in_the_papers_order(scheme: Scheme) -> None:
    assert [(aspect.key, aspect.per) for aspect in scheme.aspects] == [
        ("factuality", "candidate"),
        ("amount", "candidate"),
        ("formality", "candidate"),
        ("acceptability", "candidate"),
        ("preferred", "item"),
        ("why", "item"),
    ]
    assert all(aspect.required and aspect.shown_when is None for aspect in scheme.aspects)


@pytest.mark.parametrize(
    ("key", "numbers", "better", "best"),
    [
        ("factuality", [0, 1, 2, 3], "high", None),
        ("amount", [-1, 0, 1], None, 0),
        ("formality", [-1, 0, 1], None, 0),
        ("acceptability", [0, 1, 2, 3], "high", None),
    ],
)
def test_the_scales_are_the_papers(
    scheme: Scheme, key: str, numbers: list[int], better: str | None, best: int | None
) -> None:
    aspect = scheme.aspect(key)
    assert isinstance(aspect, RangeAspect)
    assert [choice.number for choice in aspect.scale.choices] == numbers
    assert (aspect.scale.better, aspect.scale.best) == (better, best)
    assert aspect.scale.level is Level.INTERVAL  # the paper averages the ratings and regresses on them


@pytest.mark.parametrize(
    ("language", "key", "words"),
    [
        ("en", "factuality", {0: "Inaccurate", 3: "Accurate"}),
        ("en", "amount", {-1: "Too little", 0: "Right", 1: "Too much"}),
        ("en", "formality", {-1: "Too casual", 0: "Fits", 1: "Too stiff"}),
        ("en", "acceptability", {0: "Unacceptable", 3: "Acceptable"}),
        ("ja", "factuality", {0: "不正確", 3: "正確"}),
        ("ja", "amount", {-1: "少ない", 0: "適量", 1: "多い"}),
        ("ja", "formality", {-1: "くだけすぎ", 0: "ちょうどよい", 1: "堅苦しい"}),
        ("ja", "acceptability", {0: "許容不可", 3: "許容"}),
    ],
)
def test_the_ends_of_each_scale_are_named_the_right_way_round(language: str, key: str, words: dict[int, str]) -> None:
    aspect = build_scheme(preset("lfqa"), language).aspect(key)
    assert isinstance(aspect, RangeAspect)
    assert {choice.number: choice.label for choice in aspect.scale.choices if choice.number in words} == words


def test_the_preference_can_be_forced_and_its_reason_is_required(scheme: Scheme) -> None:
    preferred, why = scheme.aspect("preferred"), scheme.aspect("why")
    assert isinstance(preferred, BestOfAspect)
    assert isinstance(why, TextAspect)
    assert preferred.forced_label
    assert scheme.explained_by("why") == (preferred,)
    values = check_judgment(scheme, judgment(**{"preferred.forced": True}), FOUR)
    assert (values["preferred"], values["preferred.forced"]) == ("3", True)
    with pytest.raises(InvalidJudgmentError) as caught:
        check_judgment(scheme, judgment(why=" ", preferred=""), FOUR)
    assert set(caught.value.errors) == {"preferred", "why"}


def test_each_of_four_candidates_gets_four_numbers(scheme: Scheme) -> None:
    labels = labels_given(scheme, check_judgment(scheme, judgment(), FOUR), FOUR)
    numbers = {(label.candidate, label.aspect): label.number for label in labels if label.candidate}
    assert len(numbers) == 16
    assert [numbers[4, key] for key in ("factuality", "amount", "formality", "acceptability")] == [2, 0, -1, 3]


def test_one_candidate_left_open_is_told_by_its_number(scheme: Scheme) -> None:
    with pytest.raises(InvalidJudgmentError) as caught:
        check_judgment(scheme, judgment(**{"amount.2": ""}), FOUR)
    assert set(caught.value.errors) == {"amount.2"}


def test_three_aspects_predict_acceptability_and_three_people_judge(scheme: Scheme) -> None:
    (composite,) = scheme.composites
    assert (composite.key, composite.predicts) == ("mate", "acceptability")
    assert composite.parts == ("factuality", "amount", "formality")
    assert scheme.judgments_per_item == 3


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_aspect_has_a_word_of_help(language: str) -> None:
    scheme = build_scheme(preset("lfqa"), language)
    assert all(aspect.help for aspect in scheme.aspects)
    assert [aspect.key for aspect in scheme.aspects if not aspect.guidelines] == ["why"]
    assert len(scheme.examples) >= 3


def test_the_examples_show_a_forced_choice_and_both_ends_of_the_balances(scheme: Scheme) -> None:
    shown = {(key.partition(".")[0], value) for example in scheme.examples for key, value in example.values.items()}
    assert {("amount", "-1"), ("amount", "1"), ("formality", "-1"), ("formality", "1")} <= shown
    assert any(example.values.get("preferred.forced") for example in scheme.examples)

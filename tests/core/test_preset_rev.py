"""The preset for rationales asks what the people in the REV paper were asked.

Source: Chen, Brahman, Ren, Ji, Choi and Swayamdipta, "REV: Information-Theoretic Evaluation of Free-Text
Rationales" (ACL 2023), section 4.2, appendix D.3 and figure 6.
"""

from typing import Any

import pytest

from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    Level,
    Scheme,
    build_scheme,
    check_judgment,
    labels_given,
    preset,
)

ONE_ANSWER = ItemShape()


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    return build_scheme(preset("rev"))


def test_it_shows_the_question_the_answer_and_the_explanation(scheme: Scheme) -> None:
    assert list(scheme.parts) == ["question", "answer", "rationale"]
    assert scheme.parts["rationale"] == "Explanation"


def test_it_asks_whether_how_much_and_for_a_remark(scheme: Scheme) -> None:
    assert [(aspect.key, aspect.required) for aspect in scheme.aspects] == [
        ("justifies", True),
        ("additional_information", True),
        ("remark", False),
    ]


def test_its_scales_are_the_papers_and_know_which_end_is_better(scheme: Scheme) -> None:
    justifies, amount = (aspect.scale for aspect in scheme.rated_aspects)
    assert (justifies.level, amount.level) == (Level.NOMINAL, Level.ORDINAL)
    assert [choice.key for choice in justifies.choices] == ["yes", "no"]
    assert [(choice.key, choice.number) for choice in amount.choices] == [
        ("none", 0),
        ("little", 1),
        ("some", 2),
        ("enough", 3),
    ]
    assert [scale.best_choice and scale.best_choice.key for scale in (justifies, amount)] == ["yes", "enough"]


@pytest.mark.parametrize(
    ("values", "slots"),
    [
        ({}, ["justifies", "remark"]),
        ({"justifies": "no"}, ["justifies", "remark"]),
        ({"justifies": "yes"}, ["justifies", "additional_information", "remark"]),
    ],
)
def test_the_amount_is_asked_only_after_a_yes(scheme: Scheme, values: dict[str, Any], slots: list[str]) -> None:
    assert [slot.key for slot in scheme.shown_slots(ONE_ANSWER, values)] == slots


def test_after_a_yes_the_amount_must_be_given(scheme: Scheme) -> None:
    with pytest.raises(InvalidJudgmentError) as caught:
        check_judgment(scheme, {"justifies": "yes"}, ONE_ANSWER)
    assert set(caught.value.errors) == {"additional_information"}
    full = {"justifies": "yes", "additional_information": "none"}
    assert check_judgment(scheme, full, ONE_ANSWER) == full


def test_an_amount_sent_beside_a_no_is_not_kept(scheme: Scheme) -> None:
    sent = {"justifies": "no", "additional_information": "enough", "remark": " Odd question. "}
    kept = check_judgment(scheme, sent, ONE_ANSWER)
    assert kept == {"justifies": "no", "remark": "Odd question."}
    assert [(label.aspect, label.choice) for label in labels_given(scheme, kept, ONE_ANSWER)] == [("justifies", "no")]


def test_three_people_judge_each_explanation(scheme: Scheme) -> None:
    assert scheme.judgments_per_item == 3

"""The preset for explanations asks what the ACORN paper asks, in its order and on its scales.

Source: Brassard, Heinzerling, Kudo, Sakaguchi and Inui, "ACORN: Aspect-wise Commonsense Reasoning Explanation
Evaluation" (COLM 2024), table 1; which label is better follows from the tie rule of section 2.3.
"""

import pytest

from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemChoiceAspect,
    ItemShape,
    Level,
    Scheme,
    build_scheme,
    check_judgment,
    labels_given,
    preset,
)

BEST = {
    "supports": "e",
    "overall": "5",
    "well_written": "yes",
    "related": "yes",
    "factual": "yes",
    "new_information": "ample",
    "unnecessary_information": "no",
    "contrastive": "yes",
}
NOMINAL, ORDINAL = Level.NOMINAL, Level.ORDINAL


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    return build_scheme(preset("acorn"))


def test_it_shows_the_question_its_choices_and_the_explanation(scheme: Scheme) -> None:
    assert list(scheme.parts) == ["question", "choices", "rationale"]
    assert scheme.parts["rationale"] == "Explanation"
    assert not scheme.judges_candidates


def test_it_asks_for_the_eight_aspects_in_the_order_of_table_1_always_and_all(scheme: Scheme) -> None:
    assert [aspect.key for aspect in scheme.aspects] == list(BEST)
    assert all(aspect.required and aspect.shown_when is None for aspect in scheme.aspects)
    assert all(aspect.guidelines for aspect in scheme.aspects)


@pytest.mark.parametrize(
    ("key", "level", "numbers"),
    [
        ("overall", ORDINAL, {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}),
        ("well_written", NOMINAL, {"yes": 1, "no": 0}),
        ("related", NOMINAL, {"yes": 1, "no": 0}),
        ("factual", NOMINAL, {"yes": 1, "no": 0, "na": None}),
        ("new_information", ORDINAL, {"none": 0, "some": 1, "sufficient": 2, "ample": 3}),
        ("unnecessary_information", NOMINAL, {"yes": 1, "no": 0}),
        ("contrastive", NOMINAL, {"yes": 1, "no": 0}),
    ],
)
def test_its_scales_are_the_papers_and_know_which_end_is_better(
    scheme: Scheme, key: str, level: Level, numbers: dict[str, float | None]
) -> None:
    scale = next(aspect for aspect in scheme.rated_aspects if aspect.key == key).scale
    assert scale.level is level
    assert {choice.key: choice.number for choice in scale.choices} == numbers
    assert scale.best_choice is not None
    assert scale.best_choice.key == BEST[key]


@pytest.mark.parametrize(("choices", "keys"), [(2, ["a", "b", "none"]), (5, ["a", "b", "c", "d", "e", "none"])])
def test_it_can_support_any_of_the_questions_answers_or_none(scheme: Scheme, choices: int, keys: list[str]) -> None:
    supports = scheme.aspect("supports")
    assert isinstance(supports, ItemChoiceAspect)
    assert supports.keys(choices) == keys
    for key in keys:
        assert check_judgment(scheme, BEST | {"supports": key}, ItemShape(choices=choices))["supports"] == key
    with pytest.raises(InvalidJudgmentError, match="supports: “f” is not one of the choices"):
        check_judgment(scheme, BEST | {"supports": "f"}, ItemShape(choices=choices))


def test_a_judgment_with_an_aspect_left_out_is_refused_for_that_aspect(scheme: Scheme) -> None:
    for left_out in BEST:
        judgment = {key: value for key, value in BEST.items() if key != left_out}
        with pytest.raises(InvalidJudgmentError) as caught:
            check_judgment(scheme, judgment, ItemShape(choices=5))
        assert set(caught.value.errors) == {left_out}


def test_each_aspect_gives_one_label_and_not_applicable_has_no_number(scheme: Scheme) -> None:
    labels = labels_given(scheme, BEST | {"factual": "na"}, ItemShape(choices=5))
    assert {label.aspect: label.number for label in labels} == {
        "supports": None,
        "overall": 5,
        "well_written": 1,
        "related": 1,
        "factual": None,
        "new_information": 3,
        "unnecessary_information": 0,
        "contrastive": 1,
    }


def test_five_people_judge_each_explanation(scheme: Scheme) -> None:
    assert scheme.judgments_per_item == 5

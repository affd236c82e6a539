"""The preset for answer equivalence asks for the verdict, the rule and the reason, with the seven rules of the paper.

Source: Li, Mondal, Liang, Nghiem and Boyd-Graber, "CFMatch" (2024), section 3.1 and table 1.
"""

import pytest

from annotation_platform.core.schemes import (
    ChoiceAspect,
    InvalidJudgmentError,
    ItemShape,
    Scheme,
    YesNoAspect,
    build_scheme,
    check_judgment,
    preset,
)
from annotation_platform.core.schemes.scales import Level

RULES = ["aliases", "numbers", "fewer_details", "more_details", "meaning", "irrelevant", "other_possible"]


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    return build_scheme(preset("equivalence"))


@pytest.mark.parametrize(("language", "heading"), [("en", "Candidate answer"), ("ja", "判定する回答")])
def test_it_shows_the_question_the_references_and_the_candidate(language: str, heading: str) -> None:
    scheme = build_scheme(preset("equivalence"), language)
    assert scheme.parts == {"question": "", "reference_answers": "", "answer": heading}


def test_it_asks_for_the_verdict_then_the_rule_then_the_reason(scheme: Scheme) -> None:
    assert [aspect.key for aspect in scheme.aspects] == ["equivalent", "rule", "why"]
    assert all(aspect.required and aspect.shown_when is None for aspect in scheme.aspects)
    assert scheme.judgments_per_item == 5


def test_the_verdict_is_yes_or_no_and_yes_is_better(scheme: Scheme) -> None:
    equivalent = scheme.aspect("equivalent")
    assert isinstance(equivalent, YesNoAspect)
    assert [choice.key for choice in equivalent.scale.choices] == ["yes", "no"]
    best = equivalent.scale.best_choice
    assert best is not None
    assert best.key == "yes"


def test_the_rules_are_the_papers_seven_in_its_order_and_none_is_better(scheme: Scheme) -> None:
    rule = scheme.aspect("rule")
    assert isinstance(rule, ChoiceAspect)
    assert [choice.key for choice in rule.scale.choices] == RULES
    assert rule.scale.level is Level.NOMINAL
    assert not rule.scale.is_ordered_by_worth
    assert all(choice.description for choice in rule.scale.choices)


def test_the_reason_explains_both_and_cannot_be_left_out(scheme: Scheme) -> None:
    assert [aspect.key for aspect in scheme.explained_by("why")] == ["equivalent", "rule"]
    given = {"equivalent": "no", "rule": "numbers", "why": "1970 is not 1969."}
    assert check_judgment(scheme, given, ItemShape()) == given
    for key in given:
        with pytest.raises(InvalidJudgmentError) as caught:
            check_judgment(scheme, given | {key: ""}, ItemShape())
        assert set(caught.value.errors) == {key}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_guidelines_say_when_each_rule_speaks_for_and_against(language: str) -> None:
    rule = build_scheme(preset("equivalence"), language).aspect("rule")
    assert isinstance(rule, ChoiceAspect)
    for number, choice in enumerate(rule.scale.choices, start=1):
        assert f"{number}. **{choice.label}**" in rule.guidelines


def test_the_examples_hold_both_verdicts_and_several_rules(scheme: Scheme) -> None:
    assert {example.values["equivalent"] for example in scheme.examples} == {"yes", "no"}
    assert len({example.values["rule"] for example in scheme.examples}) >= 4
    assert all(example.question and example.reference_answers and example.answer for example in scheme.examples)

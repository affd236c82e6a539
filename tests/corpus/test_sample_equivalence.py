"""The sample for answer equivalence uses all seven rules, for and against, and people who do not always agree."""

from pathlib import Path

import pytest

import annotation_platform.corpus
from annotation_platform.core.schemes import ChoiceAspect, build_scheme
from tests.corpus.reading import ReadStudy, read_files

pytestmark = pytest.mark.pages

SAMPLE = Path(annotation_platform.corpus.__file__).parent / "sample" / "equivalence.yaml"


@pytest.fixture(scope="module")
def study() -> ReadStudy:
    return read_files("native", SAMPLE)


def test_every_question_has_references_and_three_systems_answer_it(study: ReadStudy) -> None:
    questions = [question for article in study.articles for question in article.questions]
    assert sum(len(question.answers) for question in questions) >= 12
    assert all(1 <= len(question.reference_answers) <= 3 for question in questions)
    assert {frozenset(question.answers) for question in questions} == {frozenset({"basalt", "flint", "quartz"})}


def test_every_rule_decides_somewhere(study: ReadStudy) -> None:
    rule = build_scheme(dict(study.definition)).aspect("rule")
    assert isinstance(rule, ChoiceAspect)
    assert {judgment.values["rule"] for judgment in study.judgments} == {choice.key for choice in rule.scale.choices}


def test_people_differ_in_verdicts_and_in_rules(study: ReadStudy) -> None:
    given: dict[object, set[tuple[str, str]]] = {}
    for judgment in study.judgments:
        given.setdefault(judgment.answer, set()).add((judgment.values["equivalent"], judgment.values["rule"]))
    verdicts = [{verdict for verdict, _ in pairs} for pairs in given.values()]
    assert {"yes"} in verdicts
    assert {"no"} in verdicts
    assert {"yes", "no"} in verdicts
    assert any(
        len({rule for _, rule in pairs}) > 1 and len({verdict for verdict, _ in pairs}) == 1 for pairs in given.values()
    )


def test_some_answers_are_left_open(study: ReadStudy) -> None:
    answered = sum(len(question.answers) for article in study.articles for question in article.questions)
    assert len({judgment.answer for judgment in study.judgments}) < answered

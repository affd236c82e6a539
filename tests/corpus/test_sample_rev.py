"""The sample of rationales shows what its form is for: reasons, repetitions, and words about something else."""

from pathlib import Path

import pytest

import annotation_platform.corpus
from tests.corpus.reading import ReadStudy, read_files
from tests.some import some

pytestmark = pytest.mark.pages

SAMPLE = Path(annotation_platform.corpus.__file__).parent / "sample" / "rev.yaml"


@pytest.fixture(scope="module")
def study() -> ReadStudy:
    return read_files("native", SAMPLE)


def said_of(study: ReadStudy, system: str, aspect: str) -> list[str]:
    return [
        judgment.values[aspect]
        for judgment in study.judgments
        if judgment.answer.system == system and aspect in judgment.values
    ]


def share(said: list[str], *labels: str) -> float:
    return sum(label in labels for label in said) / len(said)


def test_every_answer_has_its_rationale(study: ReadStudy) -> None:
    questions = [question for article in study.articles for question in article.questions]
    assert all(answer.rationale and answer.text for q in some(questions) for answer in q.answers.values())
    answers = [{name: answer.text for name, answer in q.answers.items()} for q in questions]
    assert all(each["written"] == each["restated"] == each["shuffled"] for each in answers)
    assert any(each["model"] != each["written"] for each in answers)  # a model may be wrong


def test_the_kinds_of_rationales_differ_as_they_should(study: ReadStudy) -> None:
    assert share(said_of(study, "written", "justifies"), "yes") == 1
    assert share(said_of(study, "restated", "justifies"), "yes") > 0.8
    assert share(said_of(study, "shuffled", "justifies"), "yes") < 0.25
    assert share(said_of(study, "written", "additional_information"), "some", "enough") == 1
    assert share(said_of(study, "restated", "additional_information"), "none", "little") == 1


def test_people_do_not_always_agree_whether_it_justifies_the_answer(study: ReadStudy) -> None:
    said: dict[object, set[str]] = {}
    for judgment in study.judgments:
        said.setdefault(judgment.answer, set()).add(judgment.values["justifies"])
    assert 3 <= sum(len(labels) == 2 for labels in said.values()) <= len(said) // 3


def test_a_few_leave_a_remark(study: ReadStudy) -> None:
    remarks = [judgment.values["remark"] for judgment in study.judgments if "remark" in judgment.values]
    assert 3 <= len(remarks) <= len(study.judgments) // 5

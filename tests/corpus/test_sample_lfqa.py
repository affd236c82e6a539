"""The sample for long answers shows what its form is for: answers that differ, people who differ, a part left open."""

from collections import Counter
from pathlib import Path

import pytest

import annotation_platform.corpus
from tests.corpus.reading import ReadStudy, read_files
from tests.some import some

pytestmark = pytest.mark.pages

SAMPLE = Path(annotation_platform.corpus.__file__).parent / "sample" / "lfqa.yaml"


@pytest.fixture(scope="module")
def study() -> ReadStudy:
    return read_files("native", SAMPLE)


def test_each_question_has_four_candidates_and_references_to_check_them_with(study: ReadStudy) -> None:
    articles = {article.external_id: article for article in study.articles}
    questions = [question for article in study.articles for question in article.questions]
    assert len(questions) >= 6
    for question in questions:
        assert len(question.answers) == 4
        assert 3 <= len(question.documents) <= 5
        for name in some(question.documents):
            document = articles[name]
            assert document.title
            assert document.url.startswith("https://example.org/")
            assert 4 <= len(document.sentences) <= 10


def test_people_agree_now_and_then_and_once_accept_none(study: ReadStudy) -> None:
    preferred: dict[str, list[str]] = {}
    for judgment in study.judgments:
        preferred.setdefault(judgment.answer.question, []).append(judgment.values["preferred"])
    most = Counter(max(Counter(votes).values()) for votes in preferred.values())
    assert all(len(votes) == 3 for votes in some(preferred.values()))
    assert set(most) == {1, 2, 3}  # none, two and all three chose the same candidate
    assert any(judgment.values.get("preferred.forced") for judgment in study.judgments)


def test_some_questions_are_left_open(study: ReadStudy) -> None:
    asked = [question.external_id for article in study.articles for question in article.questions]
    judged = {judgment.answer.question for judgment in study.judgments}
    assert asked[-1] not in judged

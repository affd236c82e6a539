"""The sample of explanations shows what its form is for: explanations good and bad, of several questions, by kind."""

from pathlib import Path
from statistics import mean

import pytest

import annotation_platform.corpus
from tests.corpus.reading import ReadStudy, read_files

pytestmark = pytest.mark.pages

SAMPLE = Path(annotation_platform.corpus.__file__).parent / "sample" / "acorn.yaml"


@pytest.fixture(scope="module")
def study() -> ReadStudy:
    return read_files("native", SAMPLE)


def test_questions_have_two_choices_or_five_and_explanations_only(study: ReadStudy) -> None:
    questions = [question for article in study.articles for question in article.questions]
    assert {len(question.choices) for question in questions} == {2, 5}
    assert all(answer.rationale and not answer.text for q in questions for answer in q.answers.values())


def test_where_an_explanation_comes_from_shows_in_its_stars(study: ReadStudy) -> None:
    stars: dict[str, list[int]] = {}
    for judgment in study.judgments:
        stars.setdefault(judgment.answer.system, []).append(int(judgment.values["overall"]))
    means = {system: mean(given) for system, given in stars.items()}
    assert means["careful"] > 4
    assert means["hasty"] < min(means["fluent"], means["wordy"]) < max(means["fluent"], means["wordy"]) < 3.5


def test_every_label_of_every_aspect_is_used(study: ReadStudy) -> None:
    used: dict[str, set[str]] = {}
    for judgment in study.judgments:
        for aspect, value in judgment.values.items():
            used.setdefault(aspect, set()).add(value)
    assert used["supports"] == {"a", "b", "c", "d", "e", "none"}
    assert used["overall"] == {"1", "2", "3", "4", "5"}
    assert used["factual"] == {"yes", "no", "na"}
    assert used["new_information"] == {"none", "some", "sufficient", "ample"}
    for aspect in ("well_written", "related", "unnecessary_information", "contrastive"):
        assert used[aspect] == {"yes", "no"}


def test_a_stricter_rater_gives_fewer_stars_than_a_lenient_one(study: ReadStudy) -> None:
    stars = {
        rater: mean(int(judgment.values["overall"]) for judgment in study.judgments if judgment.annotator == rater)
        for rater in ("Rook", "Finch", "Linnet")
    }
    assert stars["Rook"] < stars["Finch"] < stars["Linnet"]

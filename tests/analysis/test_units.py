"""What figures speak for: articles where items share them, else questions; systems compared question by question."""

from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from annotation_platform.analysis.measuring.units import read_units
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.statistics.clustered_means import clustered_difference
from annotation_platform.core.statistics.units import unit_of
from annotation_platform.corpus.models import NO_DOCUMENT, Answer, Article, Question
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import client_of, score
from tests.factories import make_corpus, study_with_judgments

NAN = float("nan")


@pytest.mark.parametrize(
    ("articles", "questions", "unit", "n"),
    [
        ([0, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5], "article", 5),
        ([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 4, 5, 6, 6], "question", 7),  # four articles say nothing of others
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], "item", 5),
        ([0, 0, 0], [0, 1, 2], "item", 3),
        ([0, 0, 0], [0, 0, 0], "item", 3),
        ([], [], "item", 0),
    ],
)
def test_the_highest_group_that_items_share(articles: list[int], questions: list[int], unit: str, n: int) -> None:
    found = unit_of(np.array(articles), np.array(questions))
    assert (found.name, found.n, len(found.of_item)) == (unit, n, len(articles))


@pytest.mark.django_db
def test_questions_about_no_document_share_none() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=6, questions=2))
    units = read_units(study, per="item")
    assert len(np.unique(units.article_of_item)) == 6
    assert len(np.unique(units.question_of_item)) == 12
    Article.objects.filter(corpus=study.corpus, position=1).update(external_id=NO_DOCUMENT, title="", sentence_count=0)
    units = read_units(study, per="item")
    assert len(np.unique(units.article_of_item)) == 5 + 2
    assert len(np.unique(units.question_of_item)) == 12
    assert units.unit_of(np.arange(len(units.keys))).name == "article"  # most of them


@pytest.mark.django_db
def test_where_all_questions_are_about_no_document_they_are_the_unit_by_name() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=1, questions=6))
    Article.objects.update(external_id=NO_DOCUMENT, title="", sentence_count=0)
    units = read_units(study, per="item")
    found = units.unit_of(np.arange(len(units.keys)))
    assert (found.name, found.n) == ("question", 6)
    taken = take_snapshot(study=study, resamples=20)
    assert (taken.head.intervals.resampled, taken.head.intervals.units) == ("questions", 6)


@pytest.mark.django_db
@pytest.mark.parametrize("per", ["item", "candidate"])
def test_codes_of_many_units_are_those_of_each(per: str) -> None:
    units = read_units(study_with_judgments(corpus=make_corpus(articles=3, questions=2)), per=per)
    assert len(units.code_of) == len(units.keys) > 5
    shuffled = np.random.default_rng(0).permutation(units.keys)
    found = units.codes(shuffled[:, 0], shuffled[:, 1])
    assert found.tolist() == [units.code_of[item, candidate] for item, candidate in shuffled.tolist()]


def compared(study: Study) -> Any:
    return take_snapshot(study=study, resamples=20).figures["aspects"][0]["system_differences"]


def hard(annotation: Annotation) -> float:
    """Birch is better at every question; those of the first three articles are hard."""
    question = annotation.item.question
    easy = 60.0 if question.article.position > 3 else 20.0
    return easy + (better(question) if annotation.item.answer.system.name == "birch" else 0)


def better(question: Question) -> float:
    return 10.0 + question.article.position + question.pk % 3


@pytest.mark.django_db
def test_systems_are_compared_on_the_questions_that_both_answered() -> None:
    """Birch answered hard questions only, so that its mean is the lower one though it is better at each."""
    corpus = make_corpus(articles=8, questions=3, systems=("alder", "birch"))
    Answer.objects.filter(
        question__article__corpus=corpus, system__name="birch", question__article__position__gt=3
    ).exclude(question__external_id="q1", question__article__position__lt=6).delete()
    study = study_with_judgments(corpus=corpus)
    score(study, hard)
    differences = compared(study)
    (found,) = differences["rescaled"]
    assert differences["unit"] == "article"
    assert (found["items"], found["units"], found["answered"], found["judgments"]) == (11, 5, [24, 11], 66)
    assert found["is_paired"]
    shared = Question.objects.filter(article__corpus=corpus, answers__system__name="birch").select_related("article")
    again = clustered_difference([0.0] * 11, list(map(better, shared)), [each.article_id for each in shared])
    assert found["value"] == pytest.approx(again.value)
    assert again.interval is not None
    assert found["interval"] == pytest.approx([again.interval.low, again.interval.high])
    assert found["p_value"] == pytest.approx(again.p_value)

    page = client_of(study).get(reverse("agreement_ranking", args=[study.slug])).content.decode()
    assert "They are compared on the questions that both answered (11)." in page
    assert "Intervals and p are by article (n = 5), because answers about one article are alike." in page


@pytest.mark.django_db
def test_systems_that_share_no_question_are_compared_unpaired_and_it_is_said() -> None:
    corpus = make_corpus(articles=2, questions=4, systems=("alder", "birch"))
    for system, article in (("alder", 1), ("birch", 2)):
        Answer.objects.filter(system__name=system, question__article__position=article).delete()
    study = study_with_judgments(corpus=corpus)
    score(study, hard)
    differences = compared(study)
    (found,) = differences["rescaled"]
    assert (differences["unit"], found["is_paired"], found["units"], found["answered"]) == ("item", False, 8, [4, 4])
    assert found["p_value"] is not None
    page = client_of(study).get(reverse("agreement_ranking", args=[study.slug])).content.decode()
    assert "No question was answered by both of alder → birch: there the means of all questions are compared" in page
    assert "Unpaired: no question was answered by both." in page
    chart = reverse("chart", args=[study.slug, "completeness", "differences", "json"])
    for said in (page, client_of(study).get(chart).content.decode()):
        assert "on the questions that both answered" not in said
    assert "each on all questions that it answered, since no question was answered by both" in page

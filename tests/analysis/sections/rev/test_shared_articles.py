"""Rationales about one article are no evidence of their own: intervals of REV, LAS, RQ and ρ draw articles."""

from typing import Any

import pytest

from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods.rev.run import LAS, REV, RQ
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Study
from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db

ARTICLES = 12
AMOUNTS = ("none", "little", "some", "enough")


def of_article(number: int) -> tuple[float, bool, bool, bool, str]:
    """REV, whether the evaluator gives the answer with the rationale, without it and from it alone, and people's word:
    all rationales about an article are the same."""
    return number * 7 % 13 - 5.0, number % 4 != 1, number % 3 == 0, number % 5 < 2, AMOUNTS[number * 5 % 7 % 4]


def study_of(*, questions: int) -> Study:
    corpus = make_corpus(articles=ARTICLES, questions=questions, systems=("written",), sentences=0)
    Answer.objects.filter(question__article__corpus=corpus).update(rationale="Because.")
    study = study_with_judgments(
        annotators=1,
        overlap=1,
        corpus=corpus,
        definition=preset("rev"),
        values=lambda member, item: {
            "justifies": "yes",
            "additional_information": of_article(item.question.article.position)[-1],
        },
    )
    run = ScoringRun.objects.create(
        study=study, method=Method.REV, scorer=Scorer.EVALUATOR, status=JobStatus.DONE, parameters={"per": "token"}
    )
    for item in study.items.select_related("question__article"):
        rev, given, alone, leaks, _ = of_article(item.question.article.position)
        ItemScore.objects.create(run=run, item=item, aspect=REV, value=rev)
        details = {"with_rationale": given, "without": alone, "leaks": leaks}
        for measure in (LAS, RQ):
            ItemScore.objects.create(run=run, item=item, aspect=measure, value=given - alone, details=details)
    return study


def figures_of(study: Study) -> dict[str, dict[str, Any]]:
    section = sections_of(take_snapshot(study=study, resamples=200), {"rev"})["rev"]
    overall = section["overall"]
    return {"rev": overall, "las": overall["las"], "rq": overall["rq"], "with people": section["with_people"]}


def test_three_rationales_an_article_that_are_the_same_say_what_one_says() -> None:
    one, three = (figures_of(study_of(questions=n)) for n in (1, 3))
    for name, alone in one.items():
        shared = three[name]
        assert (shared["units"], alone["units"]) == (ARTICLES, ARTICLES), name
        assert alone["interval"], name
        assert shared["interval"] == pytest.approx(alone["interval"]), name
        assert shared["value"] == pytest.approx(alone["value"]), name

"""People's judgments of a part and a model's of all: from the rows of a study to figures, tables and page."""

from html import unescape
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from annotation_platform.analysis.sections.powered.measure import NO_PAIR
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.statistics import holm
from annotation_platform.core.statistics.prediction_powered import (
    ALL_JUDGED,
    NOT_AT_RANDOM,
    TOO_FEW,
    PredictionPowered,
    prediction_powered_mean,
)
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import assert_hovering_tells_the_interval, client_of, run_of
from tests.factories import make_corpus
from tests.scoring.judged_studies import GOOD, explanation_study

pytestmark = pytest.mark.django_db

QUESTIONS, JUDGED = 80, 40
SYSTEMS = ("alder", "birch")
STARS, FACTUAL = "overall", "factual"
NAN = float("nan")


def star(system: str, question: int) -> int:
    """What people say: 2 to 4, and birch one more on every fifth question."""
    return 2 + question % 3 + (system == "birch" and question % 5 == 0)


def is_factual(system: str, question: int) -> str:
    """Every seventh cannot be checked."""
    return "na" if question % 7 == 0 else "yes" if (question + (system == "birch")) % 4 else "no"


def opinion(member: Member, item: Item) -> dict[str, Any]:
    system, question = item.answer.system.name, item.question.position
    return GOOD | {STARS: str(star(system, question)), FACTUAL: is_factual(system, question)}


def partly_judged(*, judged: int = JUDGED, questions: int = QUESTIONS) -> Study:
    """One person; of so many questions the first were judged."""
    corpus = make_corpus(questions=questions, systems=SYSTEMS, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=["north", "south", "nowhere"])
    Answer.objects.filter(question__article__corpus=corpus).update(rationale="Because.")
    study = explanation_study(corpus=corpus, annotators=1, values=opinion)
    Annotation.objects.filter(item__study=study, item__question__position__gt=judged).delete()
    return study


def said_by_judge(system: str, question: int) -> str:
    """One less than people, but on every fourth question as they say; and no label once."""
    return "" if (system, question) == ("alder", 3) else str(star(system, question) - (question % 4 > 0))


def judge(study: Study, said: Any = said_by_judge, *, model: str = "tiny", method: Method = Method.JUDGE) -> ScoringRun:
    run = run_of(study, method)
    run.parameters |= {"model": model}
    run.save()
    for item in study.items.select_related("question"):
        label = said(item.answer.system.name, item.question.position)
        ItemScore.objects.create(run=run, item=item, aspect=STARS, label=label, reason="" if label else "missing")
    return run


def figures_of(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = sections_of(take_snapshot(study=study, resamples=20), {"powered"})["powered"]
    return found


def expected(system: str, judged: int = JUDGED) -> PredictionPowered:
    """By hand from what was planted."""
    people = [float(star(system, n)) if n <= judged else NAN for n in range(1, QUESTIONS + 1)]
    return prediction_powered_mean(people, model_numbers(system, people), range(QUESTIONS))


def model_numbers(system: str, people: list[float]) -> list[float]:
    labels = [said_by_judge(system, n) for n in range(1, QUESTIONS + 1)]
    return [float(label) if label else float(np.nanmean(people)) for label in labels]


def test_means_of_systems_are_the_estimator_s() -> None:
    study = partly_judged()
    judge(study)
    (run,) = figures_of(study)["judges"][STARS]
    assert (run["unit"], run["unread"], run["run"]["model"]) == ("question", 1, "tiny")
    for system, found in zip(SYSTEMS, run["means"], strict=True):
        wanted = expected(system)
        assert wanted.interval is not None
        assert wanted.people.interval is not None
        assert (found["system"], found["answers"], found["people"]["items"]) == (system, QUESTIONS, JUDGED)
        assert found["both"]["value"] == pytest.approx(wanted.value)
        assert found["both"]["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
        assert found["people"]["interval"] == pytest.approx([wanted.people.interval.low, wanted.people.interval.high])
        assert found["effective"] == pytest.approx(wanted.n_effective)
        assert found["effective"] > 1.2 * JUDGED
        assert found["no_model_because"] is None


def test_differences_are_by_question_and_corrected_for_all_pairs() -> None:
    study = partly_judged()
    judge(study)
    (found,) = figures_of(study)["judges"][STARS][0]["differences"]
    numbers = range(1, QUESTIONS + 1)
    people = [float(star("birch", n) - star("alder", n)) if n <= JUDGED else NAN for n in numbers]
    model = [
        float(np.nanmean(people)) if n == 3 else float(said_by_judge("birch", n)) - float(said_by_judge("alder", n))
        for n in numbers
    ]
    wanted = prediction_powered_mean(people, model, numbers)
    assert wanted.interval is not None
    assert (found["systems"], found["questions"], found["people"]["items"]) == ([*SYSTEMS], QUESTIONS, JUDGED)
    assert found["value"] == pytest.approx(wanted.value)
    assert found["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
    assert found["p_value"] == pytest.approx(wanted.p_value)
    assert [found["p_holm"]] == pytest.approx(holm([wanted.p_value]))
    assert found["people"]["p_value"] == pytest.approx(wanted.people.p_value)

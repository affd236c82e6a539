"""People's judgments of a part and a model's of all: from the rows of a study to figures, tables and page."""

from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from annotation_platform.analysis.measuring.judged_part import BATCHES_PICKED, NOT_KNOWN
from annotation_platform.analysis.sections.powered.measure import NO_PAIR
from annotation_platform.analysis.sections.powered.scores import CHOSEN, LEARNED
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
from annotation_platform.scoring.methods.mate.weights import PREFIX
from annotation_platform.scoring.models import ItemScore, Method, Score, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Member, Study
from annotation_platform.studies.services import declare_random_parts
from tests.analysis.study_rows import assert_hovering_tells_the_interval, client_of, run_of, score
from tests.factories import OPERATOR, judgment, make_corpus, study_with_judgments
from tests.scoring.judged_studies import GOOD, answer_study, explanation_study, people

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


def partly_judged(*, judged: int = JUDGED, questions: int = QUESTIONS, declared: bool = True) -> Study:
    """One person; of so many questions the first were judged, which are as good as a random part."""
    corpus = make_corpus(questions=questions, systems=SYSTEMS, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=["north", "south", "nowhere"])
    Answer.objects.filter(question__article__corpus=corpus).update(rationale="Because.")
    study = explanation_study(corpus=corpus, annotators=1, values=opinion)
    Annotation.objects.filter(item__study=study, item__question__position__gt=judged).delete()
    if declared:
        declare(study)
    return study


def declare(study: Study) -> None:
    declare_random_parts(study=study, judged=True, scored=True, actor=OPERATOR)


def said_by_judge(system: str, question: int) -> str:
    """One less than people, but on every fourth question as they say; and no label once."""
    return "" if (system, question) == ("alder", 3) else str(star(system, question) - (question % 4 > 0))


def judge(
    study: Study, said: Callable[[str, int], str] = said_by_judge, *, model: str = "tiny", method: Method = Method.JUDGE
) -> ScoringRun:
    run = run_of(study, method)
    run.parameters |= {"model": model}
    run.save()
    give_labels(run, STARS, said)
    return run


def give_labels(run: ScoringRun, aspect: str, said: Callable[[str, int], str]) -> None:
    rows = []
    for item in run.study.items.select_related("question").prefetch_related("candidates__answer__system"):
        label = said(item.answer.system.name, item.question.position)
        rows.append(ItemScore(run=run, item=item, aspect=aspect, label=label, reason="" if label else "missing"))
    ItemScore.objects.bulk_create(rows)


def figures_of(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = sections_of(take_snapshot(study=study, resamples=20), {"powered"})["powered"]
    return found


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = partly_judged()
    judge(study)
    return study


@pytest.fixture(scope="module")
def figures(stored: Study) -> dict[str, Any]:
    """Of what is stored, measured once."""
    return figures_of(stored)


def page_of(study: Study, aspect: str = STARS) -> str:
    take_snapshot(study=study, resamples=20)
    address = reverse("agreement_human_llm", args=[study.slug])
    page = client_of(study).get(f"{address}?aspect={aspect}").content.decode()
    return " ".join(unescape(page).replace("\u00a0", " ").split())


def expected(system: str, judged: int = JUDGED) -> PredictionPowered:
    """By hand from what was planted."""
    people = [float(star(system, n)) if n <= judged else NAN for n in range(1, QUESTIONS + 1)]
    return prediction_powered_mean(people, model_numbers(system, people), range(QUESTIONS), ends=(1.0, 5.0))


def model_numbers(system: str, people: list[float]) -> list[float]:
    labels = [said_by_judge(system, n) for n in range(1, QUESTIONS + 1)]
    return [float(label) if label else float(np.nanmean(people)) for label in labels]


def test_means_of_systems_are_the_estimator_s(figures: dict[str, Any]) -> None:
    (run,) = figures["judges"][STARS]
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


def test_differences_are_by_question_and_corrected_for_all_pairs(figures: dict[str, Any]) -> None:
    (found,) = figures["judges"][STARS][0]["differences"]
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


def test_the_page_says_how_much_the_judgments_are_worth(study: Study) -> None:
    page = page_of(study)
    assert "What the judge says of all answers on" in page
    assert "times as many: the 40 of" in page
    assert (
        "That the answers which people judged are a part drawn at random from all is what the study's settings" in page
    )
    assert "The judge gave no number for 1 answer; that moves nothing." in page
    client = client_of(study)
    for name in ("powered", "powered-differences"):
        address = reverse("chart", args=[study.slug, STARS, name, "svg"])
        assert client.get(address).content.startswith(b"<svg")
        assert_hovering_tells_the_interval(client.get(address.replace("svg", "json")).json())
    rows = client.get(reverse("chart", args=[study.slug, STARS, "powered", "csv"])).content.decode().splitlines()
    assert rows[0].startswith("system,judged,others,people,people_low,people_high,both,both_low,both_high,effective")
    assert rows[1].startswith("alder,40,40,")
    part = client.get(
        reverse("agreement_human_llm", args=[study.slug]) + f"?aspect={STARS}",
        HTTP_HX_REQUEST="true",
        HTTP_HX_TARGET="powered",
    ).content.decode()
    assert 'id="powered"' in part
    assert 'id="confusion"' not in part


# --- Why a judge is left out ------------------------------------------------------------------------------


def test_a_part_that_was_not_drawn_at_random_leaves_the_judge_out() -> None:
    study = partly_judged()
    judge(study, lambda system, question: str(4 if question <= JUDGED and question != 5 else 2))
    for found in figures_of(study)["judges"][STARS][0]["means"]:
        assert (found["no_model_because"], found["effective"]) == (NOT_AT_RANDOM, None)
        assert found["both"] == found["people"]
    page = page_of(study)
    assert (
        f"Here the judge adds nothing to people's judgments on “{study.scheme().aspect(STARS).title}”. {NOT_AT_RANDOM}"
        in page
    )
    assert (
        "That the answers which people judged are a part drawn at random from all is what the study's settings" in page
    )


def test_two_systems_of_which_people_judged_no_question_both_are_not_compared() -> None:
    study = partly_judged(judged=24, questions=48)
    judge(study)
    judgments = Annotation.objects.filter(item__study=study)
    for annotation in judgments.select_related("item__question"):
        name = annotation.item.answer.system.name
        if (annotation.item.question.position % 2 == 0) == (name == "alder"):
            annotation.delete()
    (found,) = figures_of(study)["judges"][STARS][0]["differences"]
    assert (found["value"], found["undefined_because"], found["questions"]) == (None, NO_PAIR, 48)
    assert f"No difference can be estimated. {NO_PAIR}" in page_of(study)


def test_too_few_questions_leave_the_judge_out() -> None:
    study = partly_judged(judged=12, questions=24)
    judge(study)
    assert {each["no_model_because"] for each in figures_of(study)["judges"][STARS][0]["means"]} == {TOO_FEW}


def test_where_people_judged_all_there_is_nothing_to_add() -> None:
    study = partly_judged(judged=6, questions=6)
    judge(study)
    (run,) = figures_of(study)["judges"][STARS]
    assert (run["why_nothing"], run["means"], run["differences"]) == (ALL_JUDGED, [], [])
    assert ALL_JUDGED in page_of(study)


def test_without_a_judge_there_is_no_such_card() -> None:
    study = partly_judged(judged=2, questions=4)
    assert figures_of(study) == {"judges": {}, "scores": {}}
    assert "What people would say of all answers" not in page_of(study)


def test_a_part_of_which_nobody_knows_how_it_was_chosen_leaves_the_judge_out_until_it_is_declared_random() -> None:
    study = partly_judged(declared=False)
    judge(study)
    (run,) = figures_of(study)["judges"][STARS]
    assert {each["no_model_because"] for each in (*run["means"], *run["differences"])} == {NOT_KNOWN}
    assert all(each["both"] == each["people"] for each in run["means"])
    assert run["drawn"] == ""
    page = page_of(study)
    assert f"adds nothing to people's judgments on “{study.scheme().aspect(STARS).title}”. {NOT_KNOWN}" in page
    said = "differ significantly by people alone (p below 0.05 after Holm's correction, and an interval without 0)."
    assert f"{said} {NOT_KNOWN}" in page
    assert "with the judge (p below" not in page
    assert "one drawn task" not in page
    declare(study)
    (run,) = figures_of(study)["judges"][STARS]
    assert (run["drawn"], [each["no_model_because"] for each in run["means"]]) == ("declared", [None, None])
    assert run["differences"][0]["no_model_because"] is None
    assert run["means"][0]["effective"] > JUDGED
    page = page_of(study)
    assert "with the judge (p below" in page
    assert "only where the answers that people judged" not in page
    assert "one drawn task" not in page


# --- Several judges, and what they do not say -------------------------------------------------------------


def test_each_judge_is_there_once_and_the_newest_run_of_each_way_of_asking_counts() -> None:
    study = partly_judged(judged=24, questions=48)
    judge(study, lambda system, question: "3")
    newest = judge(study)
    other = judge(study, lambda system, question: str(star(system, question)), model="large")
    runs = figures_of(study)["judges"][STARS]
    assert [run["run"]["run"] for run in runs] == [other.pk, newest.pk]
    page = page_of(study)
    assert "(with large) say as much as" in page


def test_what_each_of_several_judges_gave_no_number_for_is_counted_by_itself() -> None:
    study = partly_judged()
    judge(study)
    judge(study, lambda system, question: "" if question == 3 else str(star(system, question)), model="large")
    page = page_of(study)
    assert "large gave no number for 2 answers; that moves nothing." in page
    assert "tiny gave no number for 1 answer; that moves nothing." in page
    assert "gave no number for 3 answers" not in page


def test_of_not_applicable_the_mean_is_over_what_has_a_number() -> None:
    """Every seventh answer cannot be checked, by people and by the judge: the share is of the others."""
    study = partly_judged()
    run = run_of(study, Method.JUDGE)
    give_labels(run, FACTUAL, is_factual)
    alder, _ = figures_of(study)["judges"][FACTUAL][0]["means"]
    said = [is_factual("alder", n) for n in range(1, QUESTIONS + 1)]
    known = [each == "yes" for each in said[:JUDGED] if each != "na"]
    people = [NAN if n >= JUDGED or each == "na" else float(each == "yes") for n, each in enumerate(said)]
    model = [float(np.mean(known)) if each == "na" else float(each == "yes") for each in said]
    silent = [n < JUDGED and each == "na" for n, each in enumerate(said)]
    wanted = prediction_powered_mean(people, model, range(QUESTIONS), without_value=silent, ends=(0.0, 1.0))
    assert alder["people"]["value"] == pytest.approx(np.mean(known))
    assert (alder["people"]["items"], alder["answers"]) == (len(known), QUESTIONS)
    assert alder["both"]["value"] == pytest.approx(wanted.value)
    assert "%" in page_of(study, FACTUAL).split("Worth so many judged")[-1]


def test_the_score_of_several_aspects_stands_beside_the_labels() -> None:
    """LLM-MATE gives acceptability as a score: it is a judge of that aspect, by another name."""
    study = answer_study(questions=6, annotators=1, values=people)
    Annotation.objects.filter(item__study=study, item__question__position__gt=3).delete()
    run = run_of(study, Method.MATE)
    composite = study.scheme().composites[0]
    ItemScore.objects.bulk_create(
        ItemScore(run=run, item=item, candidate=number, aspect=aspect, value=number)
        for item in study.items.all()
        for number in (1, 2, 3)
        for aspect in (composite.parts[0], f"{PREFIX}{composite.key}")
    )
    judges = figures_of(study)["judges"]
    assert set(judges) == {composite.parts[0], composite.predicts}
    (found,) = judges[composite.predicts]
    assert found["score"] == f"{PREFIX}{composite.key}"
    assert [each["answers"] for each in found["means"]] == [6, 6, 6]
    assert "tiny (score of several aspects)" not in page_of(study, composite.predicts)  # it is the only one


# --- Scores of a language model, and the distilled rescaler's of all ---------------------------------------

COMPLETENESS = "completeness"


def rescaled(scorer: Scorer = Scorer.LANGUAGE_MODEL) -> tuple[Study, ScoringRun, ScoringRun]:
    """Two systems, forty-eight questions in two batches, of which a language model scored the first; two points too
    much by the rescaler."""
    corpus = make_corpus(questions=48, systems=SYSTEMS)
    labels = ("complete", "missing_minor", "missing_major")
    study = study_with_judgments(
        corpus=corpus,
        annotators=1,
        hits_per_batch=10,
        values=lambda member, item: judgment(completeness=labels[item.question.position % 3]),
    )
    first = study.batches.order_by("number").first()
    assert first is not None
    part = score(study, of_model, parameters={"model": "large"})
    Score.objects.filter(run=part).exclude(annotation__item__hit__batch=first).delete()
    part.batches.set([first])
    ScoringRun.objects.filter(pk=part.pk).update(scorer=scorer, signature="a part")
    whole = score(study, lambda annotation: of_model(annotation) + 2 + annotation.item.question.position % 2)
    return study, part, whole


def of_model(annotation: Annotation) -> float:
    position = annotation.item.question.position
    return {"complete": 90.0, "missing_minor": 70.0, "missing_major": 20.0}[annotation.values[COMPLETENESS]] - (
        position % 5
    )


def test_a_part_scored_by_a_language_model_and_all_by_the_rescaler() -> None:
    study, part, _ = rescaled()
    assert {each["no_model_because"] for each in figures_of(study)["scores"][COMPLETENESS]["means"]} == {BATCHES_PICKED}
    declare(study)
    found = figures_of(study)["scores"][COMPLETENESS]
    scored = dict(
        Score.objects.filter(run=part, annotation__item__candidates__answer__system__name="alder").values_list(
            "annotation__item__question__position", "value"
        )
    )
    assert 20 <= len(scored) < 48
    said = {
        each.item.question.position: of_model(each)
        for each in Annotation.objects.filter(item__study=study, item__candidates__answer__system__name="alder")
    }
    positions = sorted(said)
    wanted = prediction_powered_mean(
        [scored.get(n, NAN) for n in positions], [said[n] + 2 + n % 2 for n in positions], positions
    )
    alder, _ = found["means"]
    assert (alder["system"], alder["answers"], alder["people"]["items"]) == ("alder", 48, len(scored))
    assert alder["both"]["value"] == pytest.approx(wanted.value)
    assert alder["effective"] == pytest.approx(wanted.n_effective)
    assert len(found["differences"]) == 1
    page = page_of(study, COMPLETENESS)
    assert "What the language model would score all answers" in page
    assert "That the answers which the language model scored are a part drawn at random from all is what" in page


def test_a_rescaler_that_learned_from_these_scores_is_no_help() -> None:
    study, _, whole = rescaled()
    whole.parameters = {"own": {COMPLETENESS: "abc"}}
    whole.save()
    assert figures_of(study)["scores"][COMPLETENESS]["why_nothing"] == LEARNED
    assert LEARNED in page_of(study, COMPLETENESS)


def test_judgments_that_were_chosen_to_be_paid_for_are_no_random_part() -> None:
    study, _, _ = rescaled(Scorer.HYBRID)
    assert figures_of(study)["scores"][COMPLETENESS]["why_nothing"] == CHOSEN
    assert CHOSEN in page_of(study, COMPLETENESS)


def test_where_the_language_model_scored_all_nothing_is_estimated() -> None:
    study, part, whole = rescaled()
    part.batches.set(whole.batches.all())
    assert figures_of(study)["scores"] == {}

"""The figures of an answer-equivalence run: what was planted comes out, from the rows of a study to the page."""

from html import unescape
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.measuring.chosen import ChosenTasks
from annotation_platform.analysis.measuring.judged_part import NOT_KNOWN, JudgedPart
from annotation_platform.analysis.sections.equivalence.measure import (
    NO_ORDER,
    NO_RULE,
    OUTSIDE_OF_DRAWS,
    AllAnswers,
    shares_of_all,
)
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics.prediction_powered import ALL_JUDGED, NOT_AT_RANDOM, prediction_powered_mean
from annotation_platform.core.statistics.verdicts import ALL_RIGHT, ALL_WRONG, NONE_RIGHT
from annotation_platform.corpus.models import Question
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import equivalence
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.services import declare_random_parts
from tests.analysis.study_rows import assert_hovering_tells_the_interval
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.django_db


def page_of(client: Client, study: Study, name: str) -> str:
    """A page of the study's figures, as its researcher sees it."""
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    take_snapshot(study=study, resamples=100)
    return client.get(reverse(name, args=[study.slug])).content.decode().replace("\u00a0", " ").replace("−", "-")


SYSTEMS = ("alder", "birch")
QUESTIONS = 10


def planted(*, people: Any = None, verdict: Any = None, questions: int = QUESTIONS) -> Study:
    """Ten questions and two systems; three people who agree. ``people`` and ``verdict`` say of (system, number) whether
    the answer is right: by default alder always is, birch never, and the classifier misses alder's last two."""
    people = people or (lambda system, number: system == "alder")
    verdict = verdict or (lambda system, number: system == "alder" and number <= 8)
    corpus = make_corpus(questions=questions, systems=SYSTEMS, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(reference_answers=["it"])

    def said(member: Member, item: Item) -> dict[str, Any]:
        is_right = people(item.answer.system.name, item.question.position)
        return {"equivalent": "yes" if is_right else "no", "rule": "meaning", "why": "Because."}

    study = study_with_judgments(corpus=corpus, definition=preset("equivalence"), values=said)
    run = ScoringRun.objects.create(
        study=study, method=Method.EQUIVALENCE, scorer=Scorer.CLASSIFIER, status=JobStatus.DONE, signature="planted"
    )
    for item in study.items.select_related("question"):
        is_right = verdict(item.answer.system.name, item.question.position)
        values = dict.fromkeys(equivalence.MEASURES, 0.0) | {
            equivalence.VERDICT: float(is_right),
            equivalence.PROBABILITY: 0.95 if is_right else 0.05,
            equivalence.CONTAINMENT: 1.0,
        }
        for measure, value in values.items():
            rule = "meaning" if is_right else "irrelevant"
            label = {equivalence.RULE: rule, equivalence.VERDICT: "yes" if is_right else "no"}.get(measure, "")
            ItemScore.objects.create(
                run=run, item=item, aspect=measure, label=label, value=None if measure == equivalence.RULE else value
            )
    return study


def figures_of(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = sections_of(take_snapshot(study=study, resamples=100), {"equivalence"})["equivalence"]
    return found


def test_accuracy_and_f1_are_those_that_were_planted() -> None:
    found = figures_of(planted())

    assert (found["answers"], found["questions"], found["undecided"]) == (20, 10, 0)
    ways = {each["way"]: each for each in found["ways"]}
    # By hand: of 20 answers 10 are right, 8 of them taken: accuracy 18/20, F1 = 16 / (16 + 2).
    assert ways["classifier"]["accuracy"]["value"] == pytest.approx(18 / 20)
    assert ways["classifier"]["f1"]["value"] == pytest.approx(16 / 18)
    low, high = ways["classifier"]["accuracy"]["interval"]
    assert low < 18 / 20 < high
    # By hand: F1 of wrong = 20 / (20 + 2). Of 100 pairs of a right and a wrong answer, 20 have equal probabilities.
    assert ways["classifier"]["macro_f1"]["value"] == pytest.approx((16 / 18 + 20 / 22) / 2)
    assert ways["classifier"]["auc"]["value"] == pytest.approx(0.9)
    for name in ("macro_f1", "auc"):
        low, high = ways["classifier"][name]["interval"]
        assert low < ways["classifier"][name]["value"] < high
        assert ways["classifier"][name]["units"] == QUESTIONS
    assert (ways["exact match"]["auc"]["value"], ways["exact match"]["auc"]["undefined_because"]) == (None, NO_ORDER)
    assert ways["F1 ≥ 0.5"]["auc"]["value"] == 0.5  # of which all are 0
    # Exact match takes nothing, containment everything.
    assert ways["exact match"]["accuracy"]["value"] == pytest.approx(1 / 2)
    assert ways["containment"]["f1"]["value"] == pytest.approx(20 / 30)


def test_each_system_stands_by_itself() -> None:
    alder, birch = figures_of(planted())["systems"]
    assert (alder["system"], birch["system"]) == SYSTEMS
    assert (alder["right"]["value"], alder["taken"]["value"]) == (1, 0.8)
    assert (birch["right"]["value"], birch["taken"]["value"]) == (0, 0)
    assert birch["ways"][0]["f1"]["value"] is None
    assert "Neither people nor the verdicts" in birch["ways"][0]["f1"]["undefined_because"]
    assert alder["ways"][0]["macro_f1"]["value"] == pytest.approx(16 / 18 / 2)  # that no answer is wrong is never said
    assert birch["ways"][0]["macro_f1"]["undefined_because"] == NONE_RIGHT
    assert [each["ways"][0]["auc"]["undefined_because"] for each in (alder, birch)] == [ALL_RIGHT, ALL_WRONG]


def test_rules_and_probabilities_are_counted() -> None:
    found = figures_of(planted())
    rules = {each["rule"]: each for each in found["rules"]}
    meaning, irrelevant = rules["meaning"], rules["irrelevant"]
    assert (meaning["agreed"]["judgments"], meaning["agreed"]["value"], meaning["same_rule"]["value"]) == (8, 1, 1)
    assert (irrelevant["agreed"]["judgments"], irrelevant["same_rule"]["value"]) == (12, 0)
    assert irrelevant["agreed"]["value"] == pytest.approx(10 / 12)
    first, last = (found["calibration"][place]["right"] for place in (0, -1))
    assert (first["judgments"], first["value"]) == (12, pytest.approx(2 / 12))
    assert (last["judgments"], last["value"]) == (8, 1)
    assert first["interval"][0] < 2 / 12 < first["interval"][1]
    assert 0.4 < last["interval"][0] < 0.8  # eight of eight are not all that there could be
    assert last["interval"][1] == 1
    nobody = found["calibration"][2]
    assert (nobody["low"], nobody["high"], nobody["probability"], nobody["right"]["value"]) == (0.3, 0.5, None, None)
    assert nobody["right"]["undefined_because"] == "There are no answers."


def test_where_nobody_named_a_rule_it_says_so(client: Client) -> None:
    study = planted()
    Rating.objects.filter(annotation__item__study=study, aspect="rule").delete()
    for annotation in Annotation.objects.filter(item__study=study):
        annotation.values.pop("rule")
        annotation.save()
    for rule in some(figures_of(study)["rules"]):
        assert rule["same_rule"]["value"] is None
        assert rule["same_rule"]["undefined_because"] == NO_RULE
        assert rule["agreed"]["interval"]
    assert NO_RULE in unescape(page_of(client, study, "agreement_equivalence"))


def partly_judged(*, judged: int, verdict: Any, declared: bool = True) -> Study:
    """Sixty questions, of which people judged the first; two of three answers are right, of either system."""
    study = planted(questions=60, people=lambda system, number: number % 3 != 0, verdict=verdict)
    Annotation.objects.filter(item__study=study, item__question__position__gt=judged).delete()
    if declared:
        declare_random_parts(study=study, judged=True, scored=False, actor=OPERATOR)
    return study


def test_what_people_would_say_of_all_answers_is_estimated_with_the_classifier(client: Client) -> None:
    study = partly_judged(judged=30, verdict=lambda system, number: number % 3 != 0 and number % 7 != 0)
    alder, _ = figures_of(study)["all_answers"]
    model = [0.95 if n % 3 != 0 and n % 7 != 0 else 0.05 for n in range(1, 61)]
    people = [float(n % 3 != 0) if n <= 30 else np.nan for n in range(1, 61)]
    expected = prediction_powered_mean(people, model, range(60), ends=(0.0, 1.0))
    assert expected.interval is not None
    assert (alder["answers"], alder["people"]["judgments"], alder["people"]["value"]) == (
        60,
        30,
        pytest.approx(20 / 30),
    )
    assert alder["both"]["value"] == pytest.approx(expected.value)
    assert alder["both"]["interval"] == pytest.approx([expected.interval.low, expected.interval.high])
    assert alder["effective"] == pytest.approx(expected.n_effective)
    assert alder["effective"] > 1.2 * 30

    page = page_of(client, study, "agreement_equivalence")
    assert "For 2 of 2 systems, people's verdicts together with the classifier's tell as much as" in unescape(page)
    assert "were drawn at random is what the study's settings say" in unescape(page)
    address = reverse("chart", args=[study.slug, "equivalent", "equivalence-all", "svg"])
    assert client.get(address).content.startswith(b"<svg")


def test_of_a_part_that_nobody_declared_random_the_classifier_says_nothing(client: Client) -> None:
    study = partly_judged(judged=30, verdict=lambda system, number: number % 3 != 0, declared=False)
    found = figures_of(study)
    assert {each["no_model_because"] for each in (*found["all_answers"], *found["all_differences"])} == {NOT_KNOWN}
    assert all(each["both"] == each["people"] for each in found["all_answers"])
    assert f"Here the classifier adds nothing to what people said. {NOT_KNOWN}" in unescape(
        page_of(client, study, "agreement_equivalence")
    )


def test_systems_are_compared_over_all_answers(client: Client) -> None:
    study = partly_judged(
        judged=30, verdict=lambda system, number: number % 3 != 0 and (system == "alder" or number % 7 != 0)
    )
    for item in study.items.filter(question__position__lte=30, candidates__answer__system__name="birch"):
        if item.question.position % 5 == 0:
            Annotation.objects.filter(item=item).update(values={"equivalent": "no", "rule": "meaning"})
            Rating.objects.filter(annotation__item=item, aspect="equivalent").update(choice="no", number=0)
    (found,) = figures_of(study)["all_differences"]
    right = {
        system: [float(n % 3 != 0 and (system == "alder" or n % 5 != 0)) for n in range(1, 61)] for system in SYSTEMS
    }
    taken = {
        system: [0.95 if n % 3 != 0 and (system == "alder" or n % 7 != 0) else 0.05 for n in range(1, 61)]
        for system in SYSTEMS
    }
    people = [b - a if n < 30 else np.nan for n, (a, b) in enumerate(zip(*right.values(), strict=True))]
    model = [b - a for a, b in zip(*taken.values(), strict=True)]
    wanted = prediction_powered_mean(people, model, range(60))
    assert (found["systems"], found["questions"], found["people"]["items"]) == ([*SYSTEMS], 60, 30)
    assert found["value"] == pytest.approx(wanted.value)
    assert found["p_holm"] == pytest.approx(wanted.p_value)
    assert "Differences of systems over all answers" in unescape(page_of(client, study, "agreement_equivalence"))
    address = reverse("chart", args=[study.slug, "equivalent", "equivalence-differences", "svg"])
    assert client.get(address).content.startswith(b"<svg")


def test_it_is_not_where_people_did_not_judge_at_random(client: Client) -> None:
    # The classifier says right of all that people judged, and wrong of all the rest.
    study = partly_judged(judged=30, verdict=lambda system, number: (number <= 30 and number != 5) or number == 40)
    for each in some(figures_of(study)["all_answers"]):
        assert each["no_model_because"] == NOT_AT_RANDOM
        assert each["both"] == each["people"]
        assert each["effective"] is None
    page = unescape(page_of(client, study, "agreement_equivalence"))
    assert "Here the classifier adds nothing" in page
    assert NOT_AT_RANDOM in page


def test_there_is_nothing_to_estimate_where_people_judged_all(client: Client) -> None:
    study = planted()
    assert figures_of(study)["all_answers"] == []
    assert "What people would say of all answers" not in page_of(client, study, "agreement_equivalence")


def test_of_a_system_that_was_judged_whole_nothing_is_estimated_whatever_was_drawn() -> None:
    numbers = np.arange(60)
    right = (numbers % 3 != 0).astype(float)
    drawn = {item: 2.0 + item % 3 for item in range(120) if item < 40 or 60 <= item < 90}  # of the first 20 were not
    tasks = ChosenTasks(drawn, {item: item for item in range(120)}, by_uncertainty=True, signature="")
    answers = AllAnswers(
        right=np.concatenate([right, np.where(numbers < 36, right, np.nan)]),  # of the second 6 lie outside of draws
        probability=np.tile(0.9 * right + 0.05, 2),
        questions=np.tile(numbers, 2),
        units=np.tile(numbers, 2),
        systems=np.repeat([0, 1], 60),
        items=np.arange(120),
        system_names=SYSTEMS,
    )
    alder, birch = shares_of_all(answers, JudgedPart(tasks))
    assert (alder.both, alder.effective, alder.no_model_because) == (alder.people, None, ALL_JUDGED)
    assert (alder.people.value, alder.people.judgments) == (pytest.approx(2 / 3), 60)
    assert (birch.people.items, birch.people.judgments, birch.answers) == (30, 30, 60)
    assert birch.effective is not None
    outside = shares_of_all(answers, JudgedPart(ChosenTasks({0: 1.0}, tasks.task_of_item, False, "")))[1]
    assert (outside.people.value, outside.people.undefined_because) == (None, OUTSIDE_OF_DRAWS)


def test_without_a_run_the_section_says_why() -> None:
    study = planted()
    ScoringRun.objects.all().delete()
    assert figures_of(study) == {"undefined_because": "No run of answer equivalence has finished yet."}


def test_a_newer_run_makes_a_new_snapshot() -> None:
    study = planted()
    before = take_snapshot(study=study)
    assert take_snapshot(study=study) == before
    ScoringRun.objects.update(signature="another")
    assert take_snapshot(study=study) != before


def test_the_page_shows_it_and_its_charts_compile(client: Client) -> None:
    study = planted()
    page = page_of(client, study, "agreement_equivalence")
    assert "what most people say of 90.0" in page
    assert "alder" in page
    assert "right and wrong answers alike, is 0.899 [0." in page
    for words in ("Macro-F1", "AUC", "a wrong one, is 0.900 [0.", NO_ORDER, f"AUC: {ALL_RIGHT}"):
        assert words in unescape(page)
    for name in ("equivalence", "equivalence-systems", "equivalence-calibration"):
        address = reverse("chart", args=[study.slug, "equivalent", name, "svg"])
        assert client.get(address).content.startswith(b"<svg")
        spec = client.get(address.replace("svg", "json")).json()
        assert_hovering_tells_the_interval(spec)
        if name != "equivalence-calibration":  # whose two axes are the same, so that its diagonal can be compared with
            assert [
                layer["encoding"]["x"]["scale"]["zero"] for layer in spec["layer"] if "x2" in layer["encoding"]
            ] == [False]
    rows = client.get(reverse("chart", args=[study.slug, "equivalent", "equivalence", "csv"])).content.decode()
    assert rows.splitlines()[1].startswith("classifier,0.9,")


def test_before_a_run_the_page_says_how_to_start_one(client: Client) -> None:
    study = planted()
    ScoringRun.objects.all().delete()
    page = page_of(client, study, "agreement_equivalence")
    assert "No run of answer equivalence has finished yet." in page
    assert "--method equivalence" in page


def test_answers_in_another_language_are_warned_about(client: Client) -> None:
    study = planted()
    study.corpus.language = "ja"
    study.corpus.save()
    assert "was not measured" in page_of(client, study, "agreement_equivalence")

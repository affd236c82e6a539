"""The page Judges: planted biases come out and are claimed, others are not, and what is undefined says why."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation_platform.analysis.charts import chart_spec
from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.sections.judges import measure
from annotation_platform.analysis.sections.judges.section import MOST_JUDGES, NO_COUNTS, NO_REPLIES
from annotation_platform.analysis.snapshots.stored import finished_batches, why_stale
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Rating
from annotation_platform.core.reasons import from_data
from annotation_platform.corpus.models import Answer, Question, System
from annotation_platform.scoring.models import ItemLabel, ItemScore, Method, ScoringRun
from annotation_platform.studies.models import Item, Member, Role, Study
from tests.analysis.study_rows import assert_hovering_tells_the_interval, client_of, reply_to, run_of
from tests.factories import LABELS, judgment, make_corpus, study_with_judgments
from tests.scoring.judged_studies import GOOD, answer_study, by_candidate, explanation_study, rated

pytestmark = pytest.mark.django_db
OWN, OTHER = "davinci-003", "oak"


def opinion(member: Member, item: Item) -> dict[str, Any]:
    """The answers differ, people hardly."""
    place = (item.question.position + item.question.article.position) % 3
    return judgment(completeness=LABELS[place + (item.pk + ord(member.pseudonym)) % 2])


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Eight articles of three questions, two systems, answers from 40 to 1,280 characters."""
    corpus = make_corpus(articles=8, questions=3, systems=(OWN, OTHER))
    found = study_with_judgments(annotators=2, corpus=corpus, values=opinion)
    for number, answer in enumerate(Answer.objects.filter(question__article__corpus=corpus).order_by("pk")):
        answer.text = "a" * (40 * 2 ** (number % 6))
        answer.save()
    return found


def people_of(study: Study, aspect: str = "completeness") -> dict[int, float]:
    """Their mean of each item."""
    rows = Rating.objects.filter(aspect=aspect, annotation__item__study=study)
    given: dict[int, list[float]] = {}
    for item, number in rows.values_list("annotation__item_id", "number"):
        given.setdefault(item, []).append(float(number))
    return {item: sum(each) / len(each) for item, each in given.items()}


def noise(item: Item) -> float:
    return float(np.random.default_rng(item.question.pk * 7 + len(item.answer.text)).normal(0, 4))


def judged(study: Study, favour: Callable[[Item], float], model: str = "gpt-4.1-mini", **fields: Any) -> ScoringRun:
    """A run that says what people say of each answer, and so many points more; complete and correct otherwise."""
    run = run_of(study, Method.JUDGE)
    ScoringRun.objects.filter(pk=run.pk).update(parameters=run.parameters | {"model": model}, **fields)
    run.refresh_from_db()
    means = people_of(study)
    for item in study.items.select_related("question__article").prefetch_related("candidates__answer__system"):
        value = means[item.pk] + favour(item) + noise(item)
        ItemScore.objects.create(run=run, item=item, aspect="completeness", label="complete", value=value)
        ItemScore.objects.create(run=run, item=item, aspect="correct", label="yes" if item.pk % 7 else "no")
    return run


def figures(study: Study) -> dict[str, Any]:
    snapshot = take_snapshot(study=study, resamples=20)
    found: dict[str, Any] = SnapshotSection.objects.get(snapshot=snapshot, key="judges").figures
    return found


def page(study: Study) -> str:
    return unescape(client_of(study).get(reverse("agreement_judges", args=[study.slug])).content.decode())


def length_of(item: Item) -> float:
    return float(np.log2(len(item.answer.text)))


def is_own(item: Item) -> bool:
    return item.answer.system.name == OWN


def test_planted_biases_come_out_as_shares_of_the_scale(study: Study) -> None:
    judged(study, lambda item: 4 + 6 * (length_of(item) - 8) + 20 * is_own(item))
    (judge,) = figures(study)["judges"]
    found = judge["aspects"]["completeness"]
    rows = [
        (4 + 6 * (length_of(item) - 8) + 20 * is_own(item) + noise(item), is_own(item), length_of(item))
        for item in study.items.select_related("question")
    ]
    apart, own, length = (np.array(column) for column in zip(*rows, strict=True))
    assert judge["own_systems"] == [OWN]
    assert found["leniency"]["value"] == pytest.approx(apart.mean() / 100)
    assert found["length"]["value"] == pytest.approx(np.polyfit(length, apart, 1)[0] / 100)
    assert found["own_family"]["value"] == pytest.approx((apart[own].mean() - apart[~own].mean()) / 100)
    assert (found["own_family"]["items"], found["own_family"]["units"]) == (24, 8)  # questions that both answered
    for kind, planted in (("length", 0.06), ("own_family", 0.2)):
        low, high = found[kind]["interval"]
        assert 0 < low < found[kind]["value"] < high
        assert found[kind]["p_holm"] < 0.05
        assert found[kind]["value"] == pytest.approx(planted, abs=0.08)
    assert found["measured"] == "worth"
    assert found["span"] == 100


def test_the_page_claims_what_is_certain_and_nothing_else(study: Study) -> None:
    judged(study, lambda item: 20.0 * is_own(item) - 10)
    found = page_after(study)
    title = study.scheme().aspect("completeness").title
    value = figures(study)["judges"][0]["aspects"]["completeness"]["own_family"]["value"]
    shown = f"“{title}” (+{100 * value:.1f}\u00a0%)"
    assert f"gpt-4.1-mini is kinder to its own family, beside the others, than these people are on {shown}." in found
    assert "than these people to longer answers" not in found
    assert "That a bias is not significant does not show that there is none." in found
    assert "does not say who is right" in found


def page_after(study: Study) -> str:
    take_snapshot(study=study, resamples=20)
    return page(study)


def test_p_is_corrected_for_all_that_was_tested_of_one_judge_and_of_it_alone(study: Study) -> None:
    judged(study, lambda item: 6.0 * is_own(item))
    (alone,) = figures(study)["judges"]
    judged(study, lambda item: 30.0, model="other-1b")
    beside = next(each for each in figures(study)["judges"] if each["name"] == "gpt-4.1-mini")
    assert beside["aspects"] == alone["aspects"]
    every = [
        each
        for aspect in alone["aspects"].values()
        for kind in measure.KINDS
        if (each := aspect[kind])["p_value"] is not None
    ]
    smallest = min(every, key=lambda each: each["p_value"])
    assert smallest["p_holm"] == pytest.approx(min(1, len(every) * smallest["p_value"]))


def test_a_scale_on_which_less_is_better_is_turned_round() -> None:
    """People said yes to what is well written and no to what is unnecessary; the judge says the worse of each."""
    study = explanation_study(questions=8, annotators=2)
    run = run_of(study, Method.JUDGE)
    for item in study.items.all():
        for key, label in (GOOD | {"well_written": "no", "unnecessary_information": "yes"}).items():
            ItemScore.objects.create(run=run, item=item, aspect=key, label=label)
    (judge,) = figures(study)["judges"]
    leniency = {key: each["leniency"]["value"] for key, each in judge["aspects"].items()}
    assert leniency["well_written"] == leniency["unnecessary_information"] == -1
    assert leniency["overall"] == 0


def test_what_is_undefined_says_why(study: Study) -> None:
    judged(study, lambda item: 0.0, model="tiny")
    (judge,) = figures(study)["judges"]
    found = judge["aspects"]["completeness"]
    assert found["own_family"]["undefined_because"] == measure.NO_FAMILY
    assert found["japanese"]["undefined_because"] == measure.NO_JAPANESE
    assert "Nothing is chosen among answers" in found["first"]["undefined_because"]
    text = page_after(study)
    assert f"Own family is not defined: {measure.NO_FAMILY}" in text
    assert f"Japanese against English is not defined: {measure.NO_JAPANESE}" in text
    System.objects.filter(corpus=study.corpus).update(family="Tiny")
    (judge,) = figures(study)["judges"]
    assert judge["own_systems"] == sorted([OWN, OTHER])
    assert judge["aspects"]["completeness"]["own_family"]["undefined_because"] == measure.ALL_FAMILY


def test_japanese_is_told_by_its_letters(study: Study) -> None:
    Question.objects.filter(article__corpus=study.corpus, article__position__gt=4).update(
        text="潮はいつ満ちますか。" * 200
    )
    judged(study, lambda item: -15.0 * (item.question.article.position > 4))
    (judge,) = figures(study)["judges"]
    found = judge["aspects"]["completeness"]["japanese"]
    assert found["value"] == pytest.approx(-0.15, abs=0.05)
    assert (found["items"], found["units"]) == (48, 8)
    assert found["interval"][1] < 0
    assert "is stricter with Japanese, beside English, than these people are" in page_after(study)


def preferring(system: str) -> Callable[[Member, Item], dict[str, Any]]:
    def values(member: Member, item: Item) -> dict[str, Any]:
        numbers = {each.answer.system.name: each.number for each in item.candidates.select_related("answer__system")}
        return by_candidate([rated(2, 0, 0)] * 3) | {"preferred": str(numbers[system])}

    return values


def test_a_judge_that_takes_what_it_sees_first_is_found_out() -> None:
    study = answer_study(questions=40, annotators=2, values=preferring("alder"))
    run = run_of(study, Method.JUDGE)
    alder_first = 0
    for item in study.items.all():
        alder_first += item.candidates.get(number=1).answer.system.name == "alder"
        ItemScore.objects.create(run=run, item=item, aspect="preferred", label="1")
    (judge,) = figures(study)["judges"]
    found = judge["aspects"]["preferred"]
    assert found["measured"] == "choice"
    assert found["first"]["value"] == pytest.approx(1 - alder_first / 40)
    assert found["first"]["interval"][0] > 0
    assert found["last"]["value"] < 0
    assert found["leniency"]["undefined_because"] == measure.NO_LENIENCY
    text = page_after(study)
    title = study.scheme().aspect("preferred").title
    assert f"tiny chooses what it is shown first more often than these people do on “{title}”" in text
    assert "what it is shown last less often" in text


def test_a_judge_that_chooses_long_answers_and_its_own_family_is_found_out() -> None:
    corpus = make_corpus(questions=30, systems=("gpt-3", "birch", "cedar"), sentences=0)
    for number, answer in enumerate(Answer.objects.filter(question__article__corpus=corpus).order_by("pk")):
        answer.text = "word " * (5 + (7 * number) % 50)
        answer.save()
    study = answer_study(corpus=corpus, annotators=2, values=preferring("birch"))
    run = run_of(study, Method.JUDGE)
    ScoringRun.objects.filter(pk=run.pk).update(parameters=run.parameters | {"model": "gpt-4.1"})
    own = 0
    for item in study.items.prefetch_related("candidates__answer__system"):
        longest = max(item.candidates.all(), key=lambda each: len(each.answer.text))
        own += longest.answer.system.name == "gpt-3"
        ItemScore.objects.create(run=run, item=item, aspect="preferred", label=str(longest.number))
    (judge,) = figures(study)["judges"]
    found = judge["aspects"]["preferred"]
    assert found["length"]["interval"][0] > 0
    # People never chose the family; of the others' two answers each has half of what is left.
    assert found["own_family"]["value"] == pytest.approx(own / 30 + own / 30 / 2)


def test_the_letters_of_a_questions_choices_are_places() -> None:
    study = explanation_study(questions=20, annotators=2)
    run = run_of(study, Method.JUDGE)
    for item in study.items.select_related("question"):
        label = "b" if item.question.position % 4 else "none"
        ItemScore.objects.create(run=run, item=item, aspect="supports", label=label)
    (judge,) = figures(study)["judges"]
    found = judge["aspects"]["supports"]
    # People always say a, of three; who says none gives each of them a third.
    assert found["first"]["value"] == pytest.approx((5 / 3) / 20 - 1)
    assert found["last"]["value"] == pytest.approx((5 / 3) / 20)
    assert "own choices are not answers" in found["length"]["undefined_because"]


def test_what_a_judge_costs_and_leaves_out_stands_beside_what_it_is_worth(study: Study) -> None:
    counts = {
        "completeness": {"labels": 48, "read": 45, "failure_rate": 3 / 48},
        "correct": {"labels": 48, "read": 48, "failure_rate": 0.0},
    }
    run = judged(study, lambda item: 0.0, counts=counts)
    labels = [
        ItemLabel.objects.create(run=run, item=item, aspect="correct", variant="simple", label="yes", source="rules")
        for item in study.items.all()
    ]
    reply_to(*labels, cost=Decimal("0.002"), prompt_tokens=900, completion_tokens=100)
    judged(study, lambda item: 0.0, model="unpriced")
    priced, unpriced = sorted(figures(study)["judges"], key=lambda judge: judge["name"])
    assert priced["cost"] == pytest.approx(2)
    assert priced["tokens"] == pytest.approx(1_000_000)
    assert priced["failure_rate"] == pytest.approx(3 / 96)
    assert (unpriced["cost"], unpriced["failure_rate"]) == (None, None)
    assert unpriced["cost_unknown_because"] == "No replies are stored with this run."
    assert (unpriced["tokens_unknown_because"], unpriced["failure_rate_unknown_because"]) == (NO_REPLIES, NO_COUNTS)
    assert (priced["tokens_unknown_because"], priced["failure_rate_unknown_because"]) == (None, None)
    labels[0].completion.cost = None
    labels[0].completion.save()
    assert "1,000 items cost $2.00 (gpt-4.1-mini)" in page(study)


def test_a_bill_that_is_not_whole_is_no_bill(study: Study) -> None:
    run = judged(study, lambda item: 0.0)
    items = list(study.items.all())
    labels = [
        ItemLabel.objects.create(run=run, item=item, aspect="correct", variant="simple", label="yes", source="rules")
        for item in items
    ]
    reply_to(*labels[:-1], cost=Decimal("0.002"))
    reply_to(labels[-1])
    (judge,) = figures(study)["judges"]
    assert judge["cost"] is None
    assert from_data(judge["cost_unknown_because"]) == "The price of 1 of 48 replies is not known."


def test_judges_of_one_model_have_names_of_their_own_and_are_compared_on_the_same_labels(study: Study) -> None:
    first, second = judged(study, lambda item: 0.0), judged(study, lambda item: 0.0)
    found = figures(study)
    assert {judge["name"] for judge in found["judges"]} == {f"gpt-4.1-mini, run {run.pk}" for run in (first, second)}
    assert found["alike"]
    assert "Of the same 96 labels most are those of most people for" in page(study)
    ItemScore.objects.filter(run=second, aspect="correct").delete()
    ScoringRun.objects.filter(pk=second.pk).update(signature="other")
    assert not figures(study)["alike"]
    assert "They were not asked for the same labels" in page(study)


def test_of_very_many_judges_the_newest_are_shown(study: Study) -> None:
    runs = [run_of(study, Method.JUDGE) for _ in range(MOST_JUDGES + 2)]
    ItemScore.objects.bulk_create(
        ItemScore(run=run, item=item, aspect="correct", label="yes") for run in runs for item in study.items.all()
    )
    found = figures(study)
    assert [judge["run"]["run"] for judge in found["judges"]] == [run.pk for run in runs[:1:-1]]
    assert found["left_out"] == 2
    assert "2 older runs are left out." in page(study)


def test_another_judge_makes_the_figures_stale_even_if_it_is_not_the_chosen_one(study: Study) -> None:
    chosen = judged(study, lambda item: 0.0)
    ScoringRun.objects.filter(pk=chosen.pk).update(is_chosen=True)
    snapshot = take_snapshot(study=study, resamples=20)
    assert not why_stale(study, snapshot, finished_batches(study))
    judged(study, lambda item: 0.0, model="other")
    assert "has finished since" in why_stale(study, snapshot, finished_batches(study))


def test_a_family_that_is_written_down_later_makes_the_figures_anew(study: Study) -> None:
    judged(study, lambda item: 0.0, model="tern-7b")
    assert figures(study)["judges"][0]["own_systems"] == []
    System.objects.filter(corpus=study.corpus, name=OTHER).update(family="Tern")
    assert figures(study)["judges"][0]["own_systems"] == [OTHER]


@pytest.mark.parametrize("name", ["judges", "judge-leniency", "judge-length", "judge-family"])
def test_every_table_has_its_chart_and_file(study: Study, name: str) -> None:
    judged(study, lambda item: 20.0 * is_own(item))
    judged(study, lambda item: 0.0, model="gpt-4o")
    take_snapshot(study=study, resamples=20)
    client = client_of(study)

    def get(kind: str) -> bytes:
        response = client.get(reverse("chart", args=[study.slug, "completeness", name, kind]))
        assert response.status_code == 200
        return bytes(response.content)

    spec = json.loads(get("json"))
    assert spec["description"]
    assert_hovering_tells_the_interval(spec)
    assert b"<svg" in get("svg")
    rows = list(csv.DictReader(io.StringIO(get("csv").decode())))
    assert {row["judge"] for row in rows} == {"gpt-4.1-mini", "gpt-4o"}


def test_more_judges_than_colours_are_told_apart_by_name(study: Study) -> None:
    for number in range(6):
        judged(study, lambda item: 0.0, model=f"gpt-4.{number}")
    snapshot = take_snapshot(study=study, resamples=20)
    asked = tables.ask(snapshot, "completeness", ["judge-length"])
    table = tables.tables_of(asked, ["judge-length"])["judge-length"]
    names = chart_spec(table, "judge-length")["layer"][1]["encoding"]["y"]["sort"]
    assert len(names) == 12


def test_the_figures_are_in_the_report(study: Study) -> None:
    judged(study, lambda item: 0.0)
    out = io.StringIO()
    call_command("report_study", study.name, "--json", "--section", "judges", stdout=out, stderr=io.StringIO())
    (judge,) = json.loads(out.getvalue())["judges"]["judges"]
    assert judge["aspects"]["completeness"]["leniency"]["caution"].startswith("Rough intervals")
    text = io.StringIO()
    call_command("report_study", study.name, stdout=text, stderr=io.StringIO())
    assert "Judges side by side" in text.getvalue()


def test_without_a_run_the_page_says_how_to_start_one(study: Study) -> None:
    take_snapshot(study=study, resamples=20)
    assert reverse("new_run", kwargs={"slug": study.slug, "method": "judge"}) in page(study)
    assert "side by side" not in page(study)


def test_the_page_takes_the_same_queries_however_many_judges_there_are(study: Study) -> None:
    counts = []
    for model in ("gpt-4o", "gpt-4.1"):
        judged(study, lambda item: 0.0, model=model)
        take_snapshot(study=study, resamples=20)
        client = client_of(study)
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("agreement_judges", args=[study.slug]))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12


def test_only_those_who_lead_a_study_see_its_judges(study: Study) -> None:
    take_snapshot(study=study, resamples=20)
    address = reverse("agreement_judges", args=[study.slug])
    assert client_of(study, Role.ANNOTATOR).get(address).status_code == 404
    assert client_of(study).get(address).status_code == 200

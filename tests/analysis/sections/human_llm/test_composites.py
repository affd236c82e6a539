"""LLM-MATE on the page Human and LLM: planted weights, bias and correlations come out, and the report tells them."""

import json
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation_platform.analysis.charts import chart_spec
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.statistics import clustered_means
from annotation_platform.core.statistics.resampling import ALL_ALIKE
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.methods.mate.weights import fit_composite
from annotation_platform.scoring.models import ItemScore, Method
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.sections.human_llm.shown import check_chart, figures, page, person
from tests.analysis.study_rows import client_of, rows_drawn, run_of
from tests.factories import OPERATOR
from tests.scoring.judged_studies import answer_study
from tests.some import some

pytestmark = pytest.mark.django_db


def ratings(item: Item, number: int, shift: int) -> dict[str, int]:
    """What a person says of a candidate: acceptability = factuality − |amount|, so weights 3, 1 and 0."""
    place = item.question.position
    factuality, amount = 1 + (place + number) % 3, (place + 2 * number + shift) % 3 - 1
    formality = (number + shift) % 3 - 1
    acceptability = factuality - abs(amount)
    return {"factuality": factuality, "amount": amount, "formality": formality, "acceptability": acceptability}


def rating(member: Member, item: Item) -> dict[str, Any]:
    values = {f"{key}.{n}": str(v) for n in (1, 2, 3) for key, v in ratings(item, n, person(member)).items()}
    preferred = 1 if item.question.position == 1 else 1 + person(member)  # all agree on the first item, else nobody
    return values | {"preferred": str(preferred), "why": "So."}


@pytest.fixture
def answers() -> Study:
    """A run whose ratings are people's means with planted bias, and whose scores are planted functions of them."""
    study = answer_study(questions=8, annotators=3, values=rating)
    (composite,) = study.scheme().composites
    fit = fit_composite(study, study, composite, seed=0)
    counts = {"mate.mate": fit.as_counts(), "baselines": {"compared_with": "x", "left_out_because": "No model."}}
    run = run_of(study, Method.MATE, counts)
    rows = []
    for item in study.items.select_related("question"):
        for number in (1, 2, 3):
            said = [ratings(item, number, each) for each in range(3)]
            mean = {key: sum(each[key] for each in said) / 3 for key in said[0]}
            overall = mean["acceptability"]
            values = mean | {"factuality": mean["factuality"] + 0.5, "amount": mean["amount"] - 0.25}
            values |= {"mate.mate": 2 * overall - 1, "baseline.length": 50 - 10 * overall}
            values["acceptability"] = 1.0 + item.question.position % 2
            rows += [
                ItemScore(run=run, item=item, candidate=number, aspect=name, value=value)
                for name, value in values.items()
            ]
    ItemScore.objects.bulk_create(rows)
    return study


def test_planted_weights_bias_and_correlations_come_out(answers: Study) -> None:
    found = figures(answers)["composites"]["mate"]
    weights = {aspect: weight["value"] for aspect, weight in found["fit"]["weights"].items()}
    assert weights == pytest.approx({"factuality": 3, "amount": 1, "formality": 0}, abs=1e-9)
    bias = {each["aspect"]: each["bias"] for each in found["bias"]}
    assert bias["factuality"]["value"] == pytest.approx(0.5)
    assert bias["factuality"]["no_interval_because"] == clustered_means.ALL_ALIKE
    assert bias["amount"]["value"] == pytest.approx(-0.25)
    assert bias["formality"]["value"] == pytest.approx(0)
    r = {each["measure"]: each["r"] for each in found["measures"]}
    assert r["mate.mate"]["value"] == pytest.approx(1)
    assert r["baseline.length"]["value"] == pytest.approx(-1)
    assert abs(r["acceptability"]["value"]) < 0.5
    assert found["change"]["value"] == pytest.approx(1 - r["acceptability"]["value"])
    assert found["change"]["no_interval_because"] == ALL_ALIKE  # planted without any scatter
    assert (r["mate.mate"]["judgments"], r["mate.mate"]["items"]) == (24, 8)
    assert set(r) == {"mate.mate", "acceptability", "baseline.length"}


def test_biases_are_drawn_as_shares_of_scales_that_differ_in_length(answers: Study) -> None:
    asked = tables.ask(take_snapshot(study=answers, resamples=20), "factuality", ["mate-bias"], {})
    table = tables.tables_of(asked, ["mate-bias"])["mate-bias"]
    shares = {row["aspect"]: row["share"] for row in table.cells}
    titles = {each.aspect: each.title for each in asked.snapshot.head.aspects}
    assert shares[titles["factuality"]] == pytest.approx(0.5 / 3)
    assert shares[titles["amount"]] == pytest.approx(-0.25 / 2)
    rows = [row for rows in rows_drawn(chart_spec(table, "mate-bias")) for row in rows if "name" in row]
    assert {row["name"]: row["value"] for row in rows} == shares


def test_means_by_system_are_those_of_the_rows(answers: Study) -> None:
    found = figures(answers)["composites"]["mate"]
    for place, system in enumerate(some(found["systems"])):
        expected = [
            sum(ratings(item, candidate.number, each)["acceptability"] for each in range(3)) / 3
            for item in answers.items.select_related("question")
            for candidate in item.candidates.select_related("answer__system")
            if candidate.answer.system.name == system
        ]
        human = found["human"][place]
        assert human["value"] == pytest.approx(sum(expected) / len(expected))
        assert human["judgments"] == 8
        score = next(each for each in found["measures"] if each["measure"] == "mate.mate")["by_system"][place]
        assert score["value"] == pytest.approx(2 * human["value"] - 1)


def test_agreement_on_the_preference_is_counted(answers: Study) -> None:
    assert figures(answers)["unanimity"] == {"preferred": {"3": 1, "1": 7}}


def test_the_mate_report_is_on_the_page_and_in_the_report(answers: Study) -> None:
    take_snapshot(study=answers, resamples=100)
    found = page(answers)
    assert "and people's overall rating have r 1.000" in found
    assert f"without an interval ({ALL_ALIKE.rstrip('.')})" in found
    assert "of the baselines Length has the r farthest from 0, −1.000" in found
    assert "The largest weight is that of" in found
    assert "On 1 of 8 items 3 people prefer the same candidate." in found
    assert "No model." in found
    for name in ("mate-correlations", "mate-weights", "mate-bias"):
        check_chart(answers, name, aspect="factuality")
    csv = client_of(answers).get(
        reverse("chart", kwargs={"slug": answers.slug, "aspect": "factuality", "name": "mate-systems", "kind": "csv"})
    )
    assert "Pearson's r with people" in csv.content.decode()


def test_a_composite_whose_part_has_another_key_by_now_waits_for_a_new_run(answers: Study) -> None:
    definition = json.loads(json.dumps(answers.scheme_version.definition).replace('"amount"', '"length"'))
    definition |= {"shown": ["question", "candidates"], "examples": []}
    migrate_scheme(study=answers, definition=definition, renamings=["amount = length"], actor=OPERATOR)
    study = Study.objects.get(pk=answers.pk)
    assert figures(study)["composites"] == {}
    assert client_of(study).get(reverse("agreement_human_llm", args=[study.slug])).status_code == 200
    run, items = study.scoring_runs.get(), list(study.items.values_list("pk", flat=True))
    scores = sorted(run.item_scores.filter(aspect="mate.mate").values_list("pk", "value"))
    run_method(Method.MATE).vote_again(run, items)
    assert sorted(run.item_scores.filter(aspect="mate.mate").values_list("pk", "value")) == scores


def test_the_text_report_says_what_is_about_the_whole_study_once(answers: Study) -> None:
    out = StringIO()
    call_command("report_study", answers.name, stdout=out, stderr=StringIO())
    text = out.getvalue()
    assert len(answers.scheme().rated_aspects) > 1
    assert text.count("What agrees with people's overall rating?") == 1
    assert text.index("The study as a whole") < text.index("What agrees with people's overall rating?")
    lines = text.split("The study as a whole")[1].splitlines()
    titles = [line for before, line in pairwise(lines) if line and not before]
    assert len(titles) > 5
    assert len(titles) == len(set(titles))

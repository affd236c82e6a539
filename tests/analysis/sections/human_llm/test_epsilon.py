"""Another ε of the alternative annotator test: typed on the page, in addresses, on the command line and in the API."""

import csv
import io
import json
from dataclasses import astuple
from html import unescape
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.urls import reverse

from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.sections.history.stored_figures import figures_in
from annotation_platform.analysis.sections.human_llm.epsilon import read_epsilon
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM
from annotation_platform.analysis.sections.judges.figures import JUDGES
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Rating
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.statistics import AlternativeAnnotator, Ratings, alternative_annotator
from annotation_platform.scoring.models import ItemScore, ScoringRun
from annotation_platform.studies.models import Role, Study
from tests.analysis.sections.human_llm.test_human_llm import STARS, judged, opinion
from tests.analysis.study_rows import client_of
from tests.api.clients import program, send
from tests.factories import MemberFactory
from tests.scoring.judged_studies import explanation_study

pytestmark = pytest.mark.django_db
WRONG = (1, 7, 13, 19)  # of forty, where the model is far from what four of five people say


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = explanation_study(questions=40, annotators=5, values=opinion)
    judged(study, dict.fromkeys(WRONG, "1"))
    take_snapshot(study=study, resamples=50)
    return study


def get(study: Study, name: str = "agreement_human_llm", *, headers: dict[str, str] | None = None, **asked: str) -> Any:
    return client_of(study).get(reverse(name, args=[study.slug]), {"aspect": STARS} | asked, headers=headers)


def text_of(response: HttpResponse) -> str:
    return unescape(response.content.decode())


def rows_of(study: Study, table: str, **asked: str) -> list[dict[str, str]]:
    response = client_of(study).get(reverse("chart", args=[study.slug, STARS, table, "csv"]), asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def directly(study: Study, run: ScoringRun) -> AlternativeAnnotator:
    """The test of the judgments as they are in the database, annotators in the order of their names."""
    rows = Rating.objects.filter(aspect=STARS, annotation__item__study=study).order_by("annotation__item_id")
    items, people, numbers = zip(
        *rows.values_list("annotation__item_id", "annotation__annotator__pseudonym", "number"), strict=True
    )
    place = {item: code for code, item in enumerate(sorted(set(items)))}
    labels = dict(ItemScore.objects.filter(run=run, aspect=STARS).values_list("item_id", "label"))
    ratings = Ratings.from_arrays(
        [place[item] for item in items],
        [ord(name) - ord("A") for name in people],
        [float(number) for number in numbers],
        repeated="error",
    )
    level = take_snapshot(study=study, resamples=50).head.aspect(STARS)
    assert level is not None
    return alternative_annotator(ratings, [float(labels[item]) for item in place], level.level)


@pytest.mark.parametrize("epsilon", ["0.05", "0", "0.3", "0.0001"])
def test_another_epsilon_gives_what_the_judgments_give(study: Study, epsilon: str) -> None:
    found = directly(study, study.scoring_runs.get())
    rate = found.winning_rate(float(epsilon))
    key = float(epsilon)
    row = next(row for row in rows_of(study, "llm-alternative", epsilon=epsilon) if row["people"] == "5"
               and row["aspect"] == "How good is it as a whole?")  # fmt: skip
    assert float(row[f"winning_rate_{key}"]) == rate.value
    people = rows_of(study, "llm-alternative-people", epsilon=epsilon)
    assert [each["annotator"] for each in people] == list("ABCDE")
    assert [float(each[f"p_value_{key}"]) for each in people] == pytest.approx(rate.p_values)
    for usual in (0.2, 0.15, 0.1):
        assert float(row[f"winning_rate_{usual}"]) == found.winning_rate(usual).value


def test_the_chosen_epsilon_decides(study: Study) -> None:
    """Four of forty wrong, where each person strays on eight: not ahead by .2 for sure, but perhaps by 0."""
    strict, lenient = (
        next(row for row in rows_of(study, "llm-alternative", epsilon=epsilon) if "whole" in row["aspect"])
        for epsilon in ("0", "0.4")
    )
    assert (strict["winning_rate_0.0"], lenient["winning_rate_0.4"]) == ("0.0", "1.0")


def test_the_page_shows_it_as_column_sentence_and_in_every_address(study: Study) -> None:
    shown = text_of(get(study, epsilon="0,05"))
    assert "ω, ε 0.05" in shown
    assert "At the chosen ε of 0.05 it passes on" in shown
    assert "0 at ε 0.05" in shown
    assert "p, ε 0.05" in shown
    assert 'id="epsilon"' in shown
    assert 'value="0,05"' in shown
    for name, kind in (("llm-alternative", "json"), ("llm-alternative", "csv"), ("llm-alternative-people", "csv")):
        address = reverse("chart", args=[study.slug, STARS, name, kind])
        assert f'"{address}?epsilon=0.05"' in shown
    assert shown.count("--epsilon 0.05") == 2
    # The other choices keep it, and it keeps the aspect.
    kept = '<input type="hidden" name="epsilon" value="0.05">'
    assert shown.count(kept) == shown.count('<select id="aspect"') + shown.count('<select id="powered-aspect"')
    assert f'<input type="hidden" name="aspect" value="{STARS}" form="epsilon-form">' in shown


def test_nothing_typed_or_one_of_the_three_adds_nothing(study: Study) -> None:
    for asked in ({}, {"epsilon": ""}, {"epsilon": " 0.20 "}):
        response = get(study, **asked)
        shown = text_of(response)
        assert response.status_code == 200
        assert "At the chosen ε" not in shown
        assert "ω, ε" not in shown
        assert "ω for experts, ε 0.2" in shown
    assert rows_of(study, "llm-alternative") == rows_of(study, "llm-alternative", epsilon="0.1")


@pytest.mark.parametrize("typed", ["1", "-0.1", "5 %", "a fifth", "nan", "0.00001", "1e-3", "٫٢", "0.1.2", "."])
def test_what_is_no_epsilon_is_told_beside_the_field_and_nothing_is_lost(study: Study, typed: str) -> None:
    response = get(study, epsilon=typed)
    shown = text_of(response)
    assert response.status_code == 422
    assert f"“{typed}” is no ε. Write a number from 0 to below 1" in shown
    assert f'value="{typed}"' in shown
    assert 'aria-invalid="true"' in shown
    assert "ω for a crowd, ε 0.1" in shown  # with the three
    assert "Person by person" in shown
    address = reverse("chart", args=[study.slug, STARS, "llm-alternative", "csv"])
    refused = client_of(study).get(address, {"epsilon": typed})
    assert refused.status_code == 422


def test_it_is_read_as_people_type_it() -> None:
    typed = {"0.05": 0.05, ".05": 0.05, " 0,05": 0.05, "０．０５": 0.05, "0": 0.0, "0.": 0.0, "00.1": 0.1, "": None}
    assert {text: read_epsilon(text) for text in typed} == typed
    assert read_epsilon(None) is None
    with pytest.raises(InvalidInputError, match=r"0\.9999"):
        read_epsilon("0.99999")


def test_htmx_gets_the_part_that_depends_on_it(study: Study) -> None:
    headers = {"HX-Request": "true", "HX-Target": "instead"}
    for name in ("agreement_human_llm", "agreement_judges"):
        response = get(study, name, epsilon="0.05", headers=headers)
        shown = text_of(response).strip()
        assert response.status_code == 200
        assert shown.startswith("<div")
        assert 'id="instead"' in shown[:60]
        assert "ω, ε 0.05" in shown
        wrong = get(study, name, epsilon="most", headers=headers)
        assert wrong.status_code == 422
        assert "“most” is no ε" in text_of(wrong)
    aspect = get(study, epsilon="0.05", headers={"HX-Request": "true", "HX-Target": "confusion"})
    assert 'name="epsilon" value="0.05"' in text_of(aspect)
    assert "p, ε 0.05" in text_of(aspect)


def test_judges_are_tested_side_by_side(study: Study) -> None:
    judged(study, dict.fromkeys(range(1, 31), "1"))
    ScoringRun.objects.filter(pk=study.scoring_runs.latest("pk").pk).update(parameters={"model": "worse"})
    take_snapshot(study=study, resamples=50)
    shown = text_of(get(study, "agreement_judges", epsilon="0.3"))
    assert "In the alternative annotator test: worse passes on 7 of 8 aspects where people are experts" in shown
    assert "tiny passes on 8 of 8 aspects where people are experts" in shown
    assert "At the chosen ε of 0.3 it passes on 7 of 8 aspects." in shown
    rows = [row for row in rows_of(study, "judge-alternative", epsilon="0.3") if "whole" in row["aspect"]]
    assert {row["judge"]: row["winning_rate_0.3"] for row in rows} == {"tiny": "1.0", "worse": "0.0"}
    for run in study.scoring_runs.all():
        direct = directly(study, run)
        row = next(each for each in rows if each["judge"] == run.parameters["model"])
        assert float(row["advantage"]) == pytest.approx(direct.advantage.value)
        assert float(row["advantage_low"]) <= float(row["advantage"]) <= float(row["advantage_high"])
        assert float(row["winning_rate_0.15"]) == direct.winning_rate(0.15).value
    spec = client_of(study).get(reverse("chart", args=[study.slug, STARS, "judge-alternative", "json"])).json()
    assert {row["who"] for rows in spec["datasets"].values() for row in rows if "who" in row} == {"tiny", "worse"}
    assert "In the alternative annotator test the model" in text_of(get(study))


def test_what_cannot_be_tested_says_why(study: Study) -> None:
    small = explanation_study(questions=5, annotators=5, values=opinion, name="Small")
    judged(small, {})
    take_snapshot(study=small, resamples=20)
    shown = text_of(get(small, epsilon="0.05"))
    assert "The model cannot be tested against single people." in shown
    assert shown.count("Not tested: it takes 30 items, and there are 5.") == 5
    judges = text_of(get(small, "agreement_judges", epsilon="0.05"))
    assert "tiny cannot be tested against single people. The test needs 3 people with 30 items each" in judges


def report(study: Study, *options: str) -> str:
    out = io.StringIO()
    call_command("report_study", study.name, *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_report_has_it_as_text_and_as_json(study: Study) -> None:
    text = report(study, "--epsilon", "0.05")
    assert text.count("ω, ε 0.05") == 2  # by aspect, and by judge and aspect
    assert "p, ε 0.05" in text
    assert "ε 0.05" not in report(study)
    told, usual = (
        json.loads(report(study, "--json", "--section", "human_llm", "--section", "judges", *more))
        for more in (["--epsilon", "0,05"], [])
    )
    one = told["human_llm"]["aspects"][STARS]["alternative"]
    assert [rate["epsilon"] for rate in one["winning_rates"]] == [0.2, 0.15, 0.1, 0.05]
    assert [rate["people_are"] for rate in one["winning_rates"]] == ["experts", "skilled", "crowd", None]
    direct = directly(study, study.scoring_runs.get()).winning_rate(0.05)
    assert one["winning_rates"][-1]["value"] == direct.value
    assert [each["p_values"]["0.05"] for each in one["people"]] == pytest.approx(direct.p_values)
    beside = told["judges"]["judges"][0]["aspects"][STARS]["alternative"]
    assert {**beside, "leads": 5} == {name: one[name] for name in ("advantage", "winning_rates")} | {"leads": 5}
    assert len(beside["leads"]) == 5
    before = usual["human_llm"]["aspects"][STARS]["alternative"]
    assert [rate["epsilon"] for rate in before["winning_rates"]] == [0.2, 0.15, 0.1]
    assert before["advantage"] == one["advantage"]


def test_the_report_refuses_what_is_none_before_it_computes(study: Study) -> None:
    with pytest.raises(CommandError, match=r"--epsilon: “1” is no ε\. Write a number from 0 to below 1"):
        report(study, "--epsilon", "1")


def test_the_api_has_it_in_its_tables(study: Study) -> None:
    client = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    for section, name in (("human_llm", "llm-alternative"), ("judges", "judge-alternative")):
        path = f"/studies/{study.slug}/figures/{section}"
        reply = send(client, "GET", f"{path}?aspect={STARS}&epsilon=0.05")
        assert reply.status_code == 200, reply.content
        (found,) = reply.json()["results"]
        (table,) = [each for each in found["tables"] if each["table"] == name]
        assert any(each["key"] == "winning_rate_0.05" for each in table["columns"])
        assert all(0 <= row["winning_rate_0.05"] <= 1 for row in table["rows"])
        refused = send(client, "GET", f"{path}?epsilon=2")
        assert refused.status_code == 422
        assert refused.json()["code"] == "analysis.no_epsilon"
    drawn = send(client, "GET", f"/studies/{study.slug}/charts/{STARS}/llm-alternative?kind=csv&epsilon=0.05")
    assert "winning_rate_0.05" in drawn.content.decode()


def test_it_is_told_in_japanese(study: Study) -> None:
    japanese = {"Accept-Language": "ja"}
    shown = text_of(get(study, epsilon="0.05", headers=japanese))
    assert "ω（ε 0.05）" in shown
    assert "選んだε 0.05では" in shown
    wrong = text_of(get(study, epsilon="most", headers=japanese))
    assert "「most」はεとして使えません" in wrong


def test_two_snapshots_compare_the_winning_rates_by_their_epsilon(study: Study) -> None:
    snapshot = study.snapshots.get()
    figures = SnapshotSection.objects.get(snapshot=snapshot, key=HUMAN_LLM.key).figures
    names = [" · ".join(path) for path, _ in figures_in({HUMAN_LLM.key: figures}, STARS)]
    assert any(name.endswith("winning rates · epsilon 0.15") for name in names)


def test_two_snapshots_compare_each_person_by_name(study: Study) -> None:
    """The share of the model beside them is a figure of theirs, which moves."""
    figures = SnapshotSection.objects.get(snapshot=study.snapshots.get(), key=HUMAN_LLM.key).figures
    found = dict(figures_in({HUMAN_LLM.key: figures}, STARS))
    people = {path[path.index("people") + 1 :]: figure.value for path, figure in found.items() if "people" in path}
    stored = {each["annotator"]: each for each in figures["aspects"][STARS]["alternative"]["people"]}
    assert {path[0] for path in people} == {*"ABCDE"} == stored.keys()
    for name, each in stored.items():
        assert (people[name, "model"], people[name, "lead"]) == (each["model"], each["lead"]["value"])
    assert not {path[-1] for path in found} & {"standard error", "degrees of freedom"}


def test_the_leads_of_judges_are_what_their_winning_rates_are_made_of_and_no_figures(study: Study) -> None:
    snapshot = study.snapshots.get()
    stored = SnapshotSection.objects.get(snapshot=snapshot, key=JUDGES.key).figures
    (judge,) = JUDGES.from_stored(stored).at(0.05).judges
    direct = directly(study, study.scoring_runs.get())
    tests = zip(judge.aspects[STARS].alternative.tests, direct.raters, strict=True)
    assert all(astuple(own) == pytest.approx(astuple(rater.test)) for own, rater in tests if rater.test)
    assert judge.aspects[STARS].alternative.winning_rates[-1].value == direct.winning_rate(0.05).value
    paths = [path for path, _ in figures_in({JUDGES.key: stored}, STARS)]
    assert any("winning rates" in path for path in paths)
    assert not any("leads" in path for path in paths)


@pytest.mark.parametrize("page", ["agreement_human_llm", "agreement_judges"])
def test_the_epsilon_of_the_studys_own_annotators_is_told_first_and_the_others_beside_it(
    stored: Study, page: str
) -> None:
    before = text_of(get(stored, page))
    assert "By the study's settings its annotators are" not in before
    Study.objects.filter(pk=stored.pk).update(annotators_are="skilled")
    found = text_of(get(stored, page))
    assert "By the study's settings its annotators are skilled annotators (ε 0.15). In the alternative" in found
    assert found.index("skilled annotators (ε 0.15)") < found.index("With the ε of other annotators it")
    assert found.index("ω for skilled annotators, ε 0.15") < found.index("ω for experts, ε 0.2")
    out = io.StringIO()
    call_command("report_study", stored.name, "--json", "--section", "human_llm", stdout=out, stderr=io.StringIO())
    assert json.loads(out.getvalue())["annotators_are"] == "skilled"

"""Charts as files, plans before there is a study, and prompts to be read before a run."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.scoring.models import ModelConnection, ScoringSettings
from annotation_platform.studies.models import Member, Role, Study
from tests.analysis.study_rows import client_of
from tests.api.clients import ROOT, program, send
from tests.factories import MemberFactory, study_with_judgments

pytestmark = pytest.mark.xdist_group("api-drawn")


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    study = study_with_judgments(name="Owls", annotators=4)
    take_snapshot(study=study, resamples=20)
    return study


@pytest.fixture(scope="module")
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


@pytest.fixture
def client(db: None, researcher: Member) -> Client:
    return program(researcher.user)


def test_every_chart_that_a_table_names_is_drawn(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}"
    drawn = 0
    for section in ("krippendorff_alpha", "consensus", "mean_by_system"):
        (result, *_) = send(client, "GET", f"{path}/figures/{section}?aspect=completeness").json()["results"]
        for name in {name for table in result["tables"] for name in table["charts"]}:
            spec = send(client, "GET", f"{path}/charts/completeness/{name}")
            assert (spec.status_code, "vega-lite" in spec.json()["$schema"]) == (200, True), name
            drawn += 1
    assert drawn


def test_a_chart_as_a_picture_and_its_table(client: Client, study: Study) -> None:
    path = f"{ROOT}/studies/{study.slug}/charts/completeness/aspects"
    svg = client.get(f"{path}?kind=svg&scheme=dark&width=500")
    assert (svg["Content-Type"], svg.content[:4]) == ("image/svg+xml", b"<svg")
    assert client.get(f"{path}?kind=png").content[:4] == b"\x89PNG"
    table = client.get(f"{path}?kind=csv")
    assert table["Content-Type"].startswith("text/csv")
    assert b"How complete is it?" in table.content
    wrong = client.get(f"{path}?kind=gif")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "api.choice_wrong")
    assert (
        send(client, "GET", f"/studies/{study.slug}/charts/completeness/nothing").json()["code"] == "analysis.no_chart"
    )
    assert send(client, "GET", f"/studies/{study.slug}/charts/beauty/aspects").status_code == 404


def test_a_plan_by_stated_variances_finds_less_with_more_articles(client: Client) -> None:
    def smallest(**design: int) -> float:
        query = "&".join(f"{name}={value}" for name, value in design.items())
        plan = send(client, "GET", f"/plan?{query}").json()
        (table,) = [each for each in plan["tables"] if each["table"] == "plan"]
        assert plan["design"]["articles"] == design["articles"]
        (row,) = [row for row in table["rows"] if row["articles"] == design["articles"] and row["annotators"] == 3]
        return float(row["smallest"])

    assert 0 < smallest(articles=80, annotators=3) < smallest(articles=20, annotators=3)
    wrong = send(client, "GET", "/plan?articles=0&way=backwards")
    assert (wrong.status_code, {each["field"] for each in wrong.json()["errors"]}) == (422, {"articles", "way"})
    assert client.get(f"{ROOT}/plan/charts/plan-curve?kind=svg").content[:4] == b"<svg"
    assert client.get(f"{ROOT}/plan/charts/nothing").json()["code"] == "analysis.no_chart"


def test_a_studys_own_variances_plan_another_one(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}/figures/pilot?aspect=completeness"
    usual, wider = (send(client, "GET", each).json()["results"][0]["tables"] for each in (path, f"{path}&articles=99"))
    (plan,) = [each for each in wider if each["table"] == "plan"]
    assert 99 in {row["articles"] for row in plan["rows"]}
    assert usual != wider


def test_a_plan_starts_with_the_studys_own_pay_as_on_its_page(client: Client, study: Study) -> None:
    study.pay = "€2.50 a task"
    study.save()
    (result,) = send(client, "GET", f"/studies/{study.slug}/figures/pilot?aspect=completeness").json()["results"]
    readings = {table["table"]: table["reading"] for table in result["tables"]}
    shown = client_of(study).get(reverse("agreement_planning", args=[study.slug]), {"aspect": "completeness"})
    assert "€ and" in readings["plan"]
    assert readings["plan"] == shown.context["tables"]["plan"].reading


def test_of_what_is_stored_for_the_whole_study_tables_are_of_the_aspect_that_is_asked_for(
    client: Client, study: Study
) -> None:
    for aspect in ("completeness", "correct"):
        (result,) = send(client, "GET", f"/studies/{study.slug}/figures/consensus?aspect={aspect}").json()["results"]
        (table,) = [table for table in result["tables"] if table["table"] == "consensus"]
        shown = client_of(study).get(reverse("agreement_consensus", args=[study.slug]), {"aspect": aspect})
        assert table["reading"] == shown.context["tables"]["consensus"].reading, aspect
        assert (result["aspect"], result["tables_about"]) == (None, aspect)
    (result,) = send(client, "GET", f"/studies/{study.slug}/figures/consensus").json()["results"]
    assert result["tables_about"] == "completeness", "the first, which the answer says"
    by_aspect = send(client, "GET", f"/studies/{study.slug}/figures/krippendorff_alpha").json()["results"]
    assert [each["tables_about"] for each in by_aspect] == [each["aspect"] for each in by_aspect]


def test_prompts_are_read_before_a_run(client: Client, study: Study, researcher: Member) -> None:
    path = f"/studies/{study.slug}/methods"

    none = send(client, "POST", f"{path}/ebr/prompts", {"scorer": "openai"})
    assert (none.status_code, none.json()["code"]) == (422, "scoring.no_model_chosen")
    ModelConnection.objects.create(
        study=study, created_by=researcher.user, name="Ours", base_url="https://m.example.org/v1", model="m"
    )
    asked = {"scorer": "openai", "parameters": {"connection": "Ours"}, "item": 2}
    reply = send(client, "POST", f"{path}/ebr/prompts", asked)
    assert reply.status_code == 200, reply.content
    told = reply.json()
    assert told["count"] >= len(told["prompts"]) > 0
    assert told["item"] == study.items.order_by("pk")[1].pk
    assert told["prompts"][0]["messages"][-1]["content"]
    assert not study.scoring_runs.exists()
    ScoringSettings.objects.create(study=study, scorer="openai", connection="Ours")
    own = send(client, "POST", f"{path}/ebr/prompts", {"item": 2})  # as a run would where nobody is named
    assert own.json() == told
    none = send(client, "POST", f"{path}/ebr/prompts", {"scorer": "distilled"})
    assert (none.status_code, none.json()["code"]) == (422, "scoring.no_prompt")
    wrong = send(client, "POST", f"{path}/ebr/prompts", {"item": 10_000})
    assert wrong.json()["code"] == "scoring.no_item"
    assert send(client, "POST", f"{path}/ebr/prompts", {"parameters": {"colour": 1}}).json()["errors"]

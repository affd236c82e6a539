"""What runs found and one item as a whole, by the API: as the explorer's page has it, page by page and as lines."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs.contract import run_job
from annotation_platform.scoring.models import Completion, ItemLabel, ItemScore, RecordedReply, Score, ScoringRun
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Item, Role, Study
from tests.api.clients import program, send
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.servers.model_server import KEY, ModelServer, says
from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("api-results")]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(
        name="Owls",
        annotators=2,
        corpus=make_corpus(questions=2, systems=("alder", "birch")),
        values=lambda member, item: {"reasons": f"{member} says this of {item.pk}.", "sentences": [1]},
    )


@pytest.fixture
def server(settings: Any) -> Iterator[ModelServer]:
    with ModelServer() as server:
        settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = KEY, server.url
        server.behaviour = lambda asked: says("Score: 60\ncompleteness: complete\ncorrect: yes")
        yield server


@pytest.fixture
def client(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.RESEARCHER).user)


def finished(study: Study, method: str, scorer: str, **parameters: Any) -> ScoringRun:
    run = run_job(RUNS, start_run(study=study, method=method, scorer=scorer, parameters=parameters, actor=OPERATOR).pk)
    assert isinstance(run, ScoringRun)
    return run


def asking(server: ModelServer) -> dict[str, Any]:
    return {"model": "tiny", "base_url": server.url, "retries": 0}


def every(client: Client, path: str) -> list[dict[str, Any]]:
    """A list read page by page, and the same as lines."""
    found, following = [], f"{path}{'&' if '?' in path else '?'}limit=3"
    while following:
        told = send(client, "GET", following.partition("/api/v1")[2] or following).json()
        found += told["results"]
        following = told["next"]
    lines = send(client, "GET", path, accept="application/x-ndjson")
    assert [json.loads(line) for line in b"".join(lines.streaming_content).splitlines()] == found
    return found


def test_scores_come_with_the_reply_that_each_was_read_from(study: Study, client: Client, server: ModelServer) -> None:
    first = finished(study, "ebr", "distilled")
    run = finished(study, "ebr", "openai", **asking(server))
    path = f"/studies/owls/runs/{run.pk}/scores"
    found = every(client, path)
    rows = Score.objects.filter(run=run).select_related("annotation__annotator", "completion")
    stored = {row.pk: row for row in some(rows)}
    assert {each["id"] for each in found} == stored.keys()
    assert [each["judgment"] for each in found] == sorted(each["judgment"] for each in found)
    for each in found:
        row = stored[each["id"]]
        assert row.completion is not None
        assert (each["value"], each["source"], each["annotator"]) == (
            row.value,
            row.source,
            row.annotation.annotator.pseudonym,
        )
        assert (each["item"], each["explanation_score"]) == (row.annotation.item_id, 60.0)
        assert each["reply"]["text"].startswith("Score: 60")
        assert (each["reply"]["model"], each["reply"]["signature"]) == (row.completion.model, row.completion.signature)
    assert {each["reply"] for each in every(client, f"/studies/owls/runs/{first.pk}/scores")} == {None}
    short = every(client, f"{path}?fields=value,judgment")
    assert short == [{name: each[name] for name in ("judgment", "value")} for each in found]


def test_replies_that_came_with_the_data_are_told_as_such(study: Study, client: Client) -> None:
    RecordedReply.objects.bulk_create(
        RecordedReply(annotation=each, aspect="completeness", reply=f"Score: {each.pk}", model="m")
        for each in Annotation.objects.filter(item__study=study)
    )
    run = finished(study, "ebr", "recorded")
    for each in some(every(client, f"/studies/owls/runs/{run.pk}/scores")):
        nothing = dict.fromkeys(("prompt_tokens", "completion_tokens", "cost", "signature"))
        told = {"text": f"Score: {each['judgment']}", "model": "m", "finish_reason": ""} | nothing
        assert each["reply"] == told


def test_labels_and_what_a_run_holds_of_items(study: Study, client: Client, server: ModelServer) -> None:
    run = finished(study, "judge", "openai", **asking(server), repetitions=2)
    labels = every(client, f"/studies/owls/runs/{run.pk}/labels")
    assert {each["id"] for each in labels} == set(some(ItemLabel.objects.filter(run=run).values_list("pk", flat=True)))
    order = ("item", "candidate", "aspect", "variant", "repetition")
    places = [tuple(each[name] for name in order) for each in labels]
    assert places == sorted(places)
    assert {each["reply"]["text"] for each in labels} == set(Completion.objects.values_list("reply", flat=True))
    assert "reply" not in every(client, f"/studies/owls/runs/{run.pk}/labels?fields=item,label")[0]
    scores = every(client, f"/studies/owls/runs/{run.pk}/item-scores")
    held = ItemScore.objects.filter(run=run).order_by("item", "candidate", "aspect")
    assert [(each["id"], each["label"], each["details"]) for each in scores] == [
        (row.pk, row.label, row.details) for row in some(held)
    ]


@pytest.mark.parametrize("cursor", ["NQ==", "WzUsIDVd", "WzUsICJhXHUwMDAwIl0=", "WzUsICJhIiwgMV0=", "W10=", "e30="])
def test_a_cursor_of_another_list_is_refused(cursor: str, study: Study, client: Client) -> None:
    """5, [5, 5], [5, "a\\0"], [5, "a", 1], [] and {}."""
    run = finished(study, "ebr", "distilled")
    reply = send(client, "GET", f"/studies/owls/runs/{run.pk}/scores?cursor={cursor}")
    assert (reply.status_code, reply.json()["code"]) == (422, "api.cursor_wrong")


def test_an_item_has_what_its_page_has(study: Study, client: Client, server: ModelServer) -> None:
    run = finished(study, "ebr", "openai", **asking(server))
    judge = finished(study, "judge", "openai", **asking(server))
    first, item, after = Item.objects.filter(study=study).order_by("pk")[:3]
    told = send(client, "GET", f"/studies/owls/items/{item.pk}").json()
    listed = {each["id"]: each for each in send(client, "GET", "/studies/owls/items").json()["results"]}
    assert {name: told[name] for name in listed[item.pk]} == listed[item.pk]
    assert (told["previous"], told["next"]) == (first.pk, after.pk)
    assert [each["annotator"] for each in told["judgments"]] == ["A", "B"]
    judgments = send(client, "GET", "/studies/owls/judgments").json()["results"]
    mine = [each for each in judgments if each["item"] == item.pk]
    extra = {"remarks", "earlier"}
    bare = [{name: value for name, value in each.items() if name not in extra} for each in told["judgments"]]
    assert sorted(bare, key=lambda each: each["id"]) == mine
    (document,) = told["documents"]
    assert document["sentences"][0]["cited_by"] == ["A", "B"]
    assert [each["run"] for each in told["runs"]] == [judge.pk, run.pk]
    by_judge, by_ebr = told["runs"]
    scores = send(client, "GET", f"/studies/owls/runs/{run.pk}/scores?limit=500").json()["results"]
    assert by_ebr["scores"] == [each for each in scores if each["item"] == item.pk]
    labels = send(client, "GET", f"/studies/owls/runs/{judge.pk}/labels?limit=500").json()["results"]
    assert by_judge["labels"] == [each for each in labels if each["item"] == item.pk]
    assert by_judge["item_scores"]
    assert not by_judge["scores"]
    ScoringRun.objects.filter(pk=judge.pk).update(is_outdated=True)
    told = send(client, "GET", f"/studies/owls/items/{item.pk}").json()
    assert [each["is_outdated"] for each in told["runs"]] == [True, False]


def test_an_item_of_another_study_is_not_there(study: Study, client: Client) -> None:
    other = study_with_judgments(name="Finches", annotators=1)
    item = Item.objects.filter(study=other)[0]
    assert send(client, "GET", f"/studies/owls/items/{item.pk}").json()["code"] == "analysis.no_item"
    assert send(client, "GET", f"/studies/finches/items/{item.pk}").status_code == 404
    run = finished(other, "ebr", "distilled")
    for part in ("scores", "labels", "item-scores"):
        assert send(client, "GET", f"/studies/owls/runs/{run.pk}/{part}").status_code == 404


def test_an_item_is_asked_for_with_few_queries(
    study: Study, client: Client, server: ModelServer, django_assert_max_num_queries: Any
) -> None:
    """Token, study, item, answers, judgments, sentences, runs; with runs, what each kind of them found."""
    address = f"/studies/owls/items/{Item.objects.filter(study=study)[0].pk}"
    send(client, "GET", address)  # which notes that the token was used
    with django_assert_max_num_queries(7):
        assert send(client, "GET", address).json()["runs"] == []
    finished(study, "ebr", "openai", **asking(server))
    finished(study, "judge", "openai", **asking(server))
    with django_assert_max_num_queries(10):
        assert len(send(client, "GET", address).json()["runs"]) == 2

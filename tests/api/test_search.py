"""The explorer's search by programs finds what the explorer's page finds, and says what cannot be."""

import json
from typing import Any

import pytest
from django.test import Client

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.explorer.search import ItemSearch, choices_of, find_items
from annotation_platform.analysis.models import ItemFigures
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.api.items import search
from annotation_platform.studies.models import Role, Study
from tests.api.clients import program, send
from tests.factories import MemberFactory, study_with_judgments

pytestmark = pytest.mark.xdist_group("api-search")


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    study = study_with_judgments(name="Owls", annotators=3)
    take_snapshot(study=study, resamples=1)
    index_items(study=study)
    return study


@pytest.fixture(scope="module")
def researcher(study: Study) -> Any:
    return MemberFactory(study=study, role=Role.RESEARCHER)


@pytest.fixture
def client(db: None, researcher: Any) -> Client:
    return program(researcher.user)


@pytest.mark.parametrize(
    "asked", [{}, {"sort": "raw"}, {"system": "alder"}, {"label": "missing_all", "aspect": "completeness"}, {"q": "q1"}]
)
def test_what_is_found_page_by_page_is_what_the_explorer_finds(
    client: Client, study: Study, asked: dict[str, str]
) -> None:
    page = find_items(study, ItemSearch(**asked), choices_of(study), size=500)
    keys, following = [], f"/api/v1/studies/{study.slug}/items/search?limit=5&{'&'.join(map('='.join, asked.items()))}"
    while following:
        told = client.get(following).json()
        keys += [each["id"] for each in told["results"]]
        following = told["next"]
    assert keys == page.page.keys
    assert told["count"] == page.count == len(keys) > 0


@pytest.mark.parametrize("asked", ["", "sort=raw&", "system=alder&"])
def test_all_that_is_found_comes_as_lines_with_the_fields_that_are_asked_for(
    client: Client, study: Study, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/studies/{study.slug}/items/search?{asked}"
    whole = send(client, "GET", f"{path}limit=500").json()["results"]
    monkeypatch.setattr(search, "MOST", 3)
    reply = send(client, "GET", path, accept="application/x-ndjson")
    assert reply["Content-Type"] == "application/x-ndjson"
    assert [json.loads(line) for line in b"".join(reply.streaming_content).splitlines()] == whole
    some = send(client, "GET", f"{path}limit=500&fields=id,flags").json()["results"]
    assert some == [{"id": each["id"], "flags": each["flags"]} for each in whole]
    assert send(client, "GET", f"{path}fields=secret").status_code == 422


def test_an_item_has_its_labels_and_figures(client: Client, study: Study) -> None:
    (first,) = send(client, "GET", f"/studies/{study.slug}/items/search?sort=raw&limit=1").json()["results"]
    figures = ItemFigures.objects.filter(study=study, aspect="completeness").order_by("-raw_disagreement").first()
    assert figures is not None
    assert first["raw_disagreement"] == figures.raw_disagreement
    assert sum(each["times"] for each in first["labels"]) == 3


@pytest.mark.parametrize(
    "query",
    ["sort=none", "flag=none", "seen=none", "system=none", "aspect=none", "cursor=x", "sort=raw&cursor=3", "limit=0"],
)
def test_what_cannot_be_is_refused(client: Client, study: Study, query: str) -> None:
    assert send(client, "GET", f"/studies/{study.slug}/items/search?{query}").status_code == 422


def test_a_filter_that_is_too_long_is_named(client: Client, study: Study) -> None:
    reply = send(client, "GET", f"/studies/{study.slug}/items/search?q={'x' * 300}")
    assert (reply.status_code, reply.json()["parameters"]) == (422, {"field": "q"})

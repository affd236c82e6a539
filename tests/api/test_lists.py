"""Every list that can grow past a page gives lines, and those that do not are the ones that the guide names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import resolve

from tests.api.access.line import World
from tests.api.access.world import address_of, built
from tests.api.clients import with_token
from tests.api.test_access import LINES

NDJSON = "application/x-ndjson"
GUIDE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"
GETS = [line for line in LINES if line.method == "GET"]
pytestmark = pytest.mark.xdist_group("api-lists")


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return built()


@pytest.fixture
def lists(db: None) -> dict[str, bool]:
    """The address of every list → whether it is described to give lines."""
    described: dict[str, Any] = Client().get("/api/openapi.json").json()
    schemas = described["components"]["schemas"]
    found = {}
    for path, operations in described["paths"].items():
        content = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        name = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
        if schemas.get(name, {}).get("properties", {}).get("results", {}).get("type") == "array":
            found[path.removeprefix("/api/v1")] = NDJSON in content
    return found


def described_path(address: str) -> str:
    """As the description writes it, without what converters say."""
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", "{}", resolve(address).route.removeprefix("api/v1/").rstrip("/"))


def test_the_guide_names_the_lists_that_are_short_by_nature(lists: dict[str, bool]) -> None:
    named = GUIDE.read_text(encoding="utf-8").partition("short by nature")[2].partition("\n- ")[0]
    assert {*re.findall(r"`(/\S+)`", named)} == {path for path, gives_lines in lists.items() if not gives_lines}


@pytest.mark.django_db
def test_every_list_that_is_said_to_gives_lines_and_no_other(world: World, lists: dict[str, bool]) -> None:
    expected = {re.sub(r"\{\w+\}", "{}", path): gives_lines for path, gives_lines in lists.items()}
    seen = set()
    for line in GETS:
        address = address_of(line, world)
        path = described_path(address)
        if path not in expected:
            continue
        cache.clear()
        insider = next(name for name, _ in world.tokens if line.lets_in(name))
        client = with_token(world.tokens[insider, line.scope])
        whole = client.get(address)
        if whole.status_code != 200:
            assert line.missing, address
            continue
        reply: Any = client.get(address, headers={"accept": NDJSON})
        if not expected[path]:
            assert reply["Content-Type"].startswith("application/json"), address
        else:
            assert reply["Content-Type"] == NDJSON, address
            rows = [json.loads(row) for row in b"".join(reply.streaming_content).splitlines()]
            assert rows == whole.json()["results"], address
            problem = client.get(f"{address}?fields=nothing_like_it", headers={"accept": NDJSON})
            assert (problem.status_code, problem.json()["code"]) == (422, "api.field_unknown"), address
        seen.add(path)
    assert len(seen) > 60

"""The description of the API: what is committed, what breaks, and that it works without any other server."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client

from scripts.openapi_changes import breaking_changes

COMMITTED = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
HOW_TO = "If that is meant: .venv/bin/python -m scripts.openapi_changes --write"


@pytest.fixture
def described(db: None) -> dict[str, object]:
    found: dict[str, object] = Client().get("/api/openapi.json").json()
    return found


@pytest.mark.pages
def test_the_description_is_the_committed_one_and_breaks_nothing(described: dict[str, object]) -> None:
    committed = json.loads(COMMITTED.read_text())
    assert breaking_changes(committed, described) == [], HOW_TO
    assert described == committed, HOW_TO


@pytest.mark.pages
def test_the_page_needs_no_other_server_and_no_script_within_it(db: None) -> None:
    page = Client().get("/api/docs/").content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert addresses
    assert all(address.startswith("/") for address in addresses)
    assert not re.search(r"<script>|<script(?![^>]* src=)", page)


OPERATION = {
    "parameters": [{"in": "query", "name": "q", "schema": {"type": "string"}}],
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "kind": {"enum": ["a", "b"]}},
                    "required": ["name"],
                }
            }
        }
    },
    "responses": {
        "200": {
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "integer"},
                            "list": {"type": "array", "items": {"$ref": "#/components/schemas/Row"}},
                        },
                    }
                }
            }
        }
    },
}
BEFORE = {
    "paths": {"/studies": {"get": OPERATION}},
    "components": {"schemas": {"Row": {"type": "object", "properties": {"key": {"type": "string"}}}}},
}


def changed(path: str, value: object) -> dict[str, object]:
    """The description with another value at a path; None takes it away."""
    after = json.loads(json.dumps(BEFORE))
    *parents, last = path.split("/")
    place = after
    for part in parents:
        key = part.replace("~", "/")
        place = place[int(key)] if isinstance(place, list) else place[key]
    last = last.replace("~", "/")
    if value is None:
        del place[last]
    else:
        place[last] = value
    return after


GET = "paths/~studies/get"
BODY = f"{GET}/requestBody/content/application~json/schema"
REPLY = f"{GET}/responses/200/content/application~json/schema"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("paths/~studies", None, "GET /studies: is gone"),
        (GET, None, "GET /studies: is gone"),
        (f"{REPLY}/properties/id", None, "GET /studies: reply 200: “id” is gone"),
        (f"{REPLY}/properties/id/type", "string", "GET /studies: reply 200: “id” was integer and is string"),
        ("components/schemas/Row/properties/key", None, "GET /studies: reply 200: “list[].key” is gone"),
        (f"{BODY}/required", ["name", "kind"], "GET /studies: body: “kind” has become required"),
        (f"{BODY}/properties/name", None, "GET /studies: body: “name” is gone"),
        (f"{BODY}/properties/kind/enum", ["a"], "GET /studies: body: “kind” no longer takes b"),
        (f"{BODY}/properties/name/type", "integer", "GET /studies: body: “name” was string and is integer"),
        (
            f"{GET}/parameters",
            [{"in": "query", "name": "new", "required": True, "schema": {}}],
            "GET /studies: parameter “new” has become required",
        ),
        (f"{GET}/parameters", [], "GET /studies: parameter “q” is gone"),
    ],
)
def test_what_breaks_programs_is_named(path: str, value: object, told: str) -> None:
    assert told in breaking_changes(BEFORE, changed(path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("paths/~new", {"get": OPERATION}),
        (f"{REPLY}/properties/more", {"type": "string"}),
        (f"{BODY}/properties/more", {"type": "string"}),
        (f"{BODY}/properties/kind/enum", ["a", "b", "c"]),
        (f"{BODY}/required", []),
    ],
)
def test_what_only_adds_breaks_nothing(path: str, value: object) -> None:
    assert breaking_changes(BEFORE, changed(path, value)) == []

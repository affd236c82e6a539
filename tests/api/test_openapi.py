"""The description of the API: what is committed, what breaks, and that it works without any other server."""

import json
import re
from pathlib import Path
from typing import Any

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


def test_a_chart_takes_what_its_table_takes(described: dict[str, Any]) -> None:
    named = {
        operation["operationId"]: {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
        for path in described["paths"].values()
        for operation in path.values()
    }
    assert named["figures_read"] - {"aspect"} <= named["chart_read"]
    assert {"snapshot", "setting", "others", "epsilon", "pair", "annotator"} <= named["chart_read"]


@pytest.mark.pages
def test_the_page_needs_no_other_server_and_no_script_within_it(db: None) -> None:
    page = Client().get("/api/docs/").content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert addresses
    assert all(address.startswith("/") for address in addresses)
    assert not re.search(r"<script>|<script(?![^>]* src=)", page)


NULL = {"enum": [None]}
OPERATION = {
    "parameters": [{"in": "query", "name": "q", "schema": {"type": "string"}}],
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "nullable": True},
                        "kind": {"enum": ["a", "b"]},
                        "either": {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/Row"}, NULL]},
                        "free": {"type": "object", "additionalProperties": {}},
                        "numbers": {"type": "object", "additionalProperties": {"type": "number", "nullable": True}},
                        "row": {"allOf": [{"$ref": "#/components/schemas/Row"}], "nullable": True},
                    },
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
                            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                            "free": {"type": "object", "additionalProperties": {}},
                            "numbers": {"type": "object", "additionalProperties": {"type": "number"}},
                            "row": {"$ref": "#/components/schemas/Row"},
                            "list": {"type": "array", "items": {"$ref": "#/components/schemas/Row"}},
                        },
                        "required": ["id"],
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
        del place[int(last) if isinstance(place, list) else last]
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
        (f"{BODY}/properties/name/nullable", False, "GET /studies: body: “name” no longer takes null"),
        (f"{BODY}/properties/row/nullable", None, "GET /studies: body: “row” no longer takes null"),
        (f"{BODY}/properties/either/oneOf/2", None, "GET /studies: body: “either” no longer takes null"),
        (f"{BODY}/properties/either/oneOf/0", None, "GET /studies: body: “either” no longer takes string"),
        (f"{BODY}/properties/either/oneOf/1", None, "GET /studies: body: “either” no longer takes object (key)"),
        (
            f"{BODY}/properties/either",
            {"type": "string", "nullable": True},
            "GET /studies: body: “either” no longer takes object (key)",
        ),
        (f"{BODY}/properties/free/additionalProperties", None, "GET /studies: body: “free” takes no other fields"),
        (f"{BODY}/properties/free/additionalProperties", False, "GET /studies: body: “free” takes no other fields"),
        (
            f"{BODY}/properties/free/additionalProperties",
            {"type": "string"},
            "GET /studies: body: “free.*” took anything and takes string",
        ),
        (
            f"{BODY}/properties/numbers/additionalProperties/nullable",
            None,
            "GET /studies: body: “numbers.*” no longer takes null",
        ),
        (f"{REPLY}/properties/id/nullable", True, "GET /studies: reply 200: “id” may be null"),
        (
            f"{REPLY}/properties/row",
            {"allOf": [{"$ref": "#/components/schemas/Row"}], "nullable": True},
            "GET /studies: reply 200: “row” may be null",
        ),
        (f"{REPLY}/properties/id/type", ["integer", "null"], "GET /studies: reply 200: “id” may be null"),
        (f"{REPLY}/properties/either/anyOf/0/type", "boolean", "GET /studies: reply 200: “either” may be boolean"),
        (
            f"{REPLY}/properties/row",
            {"oneOf": [{"$ref": "#/components/schemas/Row"}, NULL]},
            "GET /studies: reply 200: “row” may be null",
        ),
        (
            f"{REPLY}/properties/row",
            {"oneOf": [{"$ref": "#/components/schemas/Row"}, {"type": "string"}]},
            "GET /studies: reply 200: “row” may be string",
        ),
        (
            f"{REPLY}/properties/id",
            {"description": "Free."},
            "GET /studies: reply 200: “id” was integer and may be anything",
        ),
        (
            f"{REPLY}/properties/numbers/additionalProperties",
            {},
            "GET /studies: reply 200: “numbers.*” was number and may be anything",
        ),
        (
            f"{REPLY}/properties/numbers/additionalProperties/type",
            "string",
            "GET /studies: reply 200: “numbers.*” was number and is string",
        ),
        (f"{REPLY}/properties/free/additionalProperties", False, "GET /studies: reply 200: “free.*” is gone"),
        (f"{REPLY}/required", [], "GET /studies: reply 200: “id” may be left out"),
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
        (f"{BODY}/properties/kind/nullable", True),
        (f"{BODY}/properties/kind", {"oneOf": [{"enum": ["a", "b"]}, {"enum": [""]}, NULL]}),
        (f"{BODY}/properties/either", {"description": "Anything."}),
        (f"{BODY}/properties/numbers/additionalProperties", {}),
        (f"{BODY}/properties/name", {"type": ["string", "null"]}),
        (f"{REPLY}/properties/either", {"type": "string"}),
        (f"{REPLY}/properties/free/additionalProperties", {"type": "string"}),
        (f"{REPLY}/properties/row/additionalProperties", {}),
        (f"{REPLY}/required", ["id", "list"]),
    ],
)
def test_what_only_adds_breaks_nothing(path: str, value: object) -> None:
    assert breaking_changes(BEFORE, changed(path, value)) == []

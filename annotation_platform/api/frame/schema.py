"""What OpenAPI says of all endpoints alike."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from annotation_platform.api.frame.pages import NDJSON

IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of what was read."
)
IF_MATCH_IF_ANY = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="The ETag of what was read; without it, nothing is compared."
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, enum=["*"], description="Only if there is nothing yet."
)
FIELDS = "Only these fields, with commas between."
LISTING = [
    OpenApiParameter("cursor", str, description="Where to go on; “next” of the page before has it."),
    OpenApiParameter("limit", int, description="Entries of a page: 1 to 500, usually 50."),
    OpenApiParameter("fields", str, description=FIELDS),
]

RANGES = [
    OpenApiParameter("Range", str, OpenApiParameter.HEADER, description="bytes=100-: from the 101st byte on."),
    OpenApiParameter(
        "If-Range", str, OpenApiParameter.HEADER, description="The ETag; the whole, if the file is another one by now."
    ),
]
"""Of a file: what lets a download that broke off go on."""


def files_of(*kinds: str) -> dict[Any, Any]:
    """The replies that are a file of these media types, or a range of it."""
    found: dict[Any, Any] = {(status, kind): OpenApiTypes.BINARY for status in (200, 206) for kind in kinds}
    too_far = OpenApiResponse(OpenApiTypes.STR, description="The file ends before that range.")
    return {**found, (416, "text/plain"): too_far}


JSON_SCHEMA = {(200, "application/schema+json"): dict}
"""The reply that is a JSON Schema."""


_GIVEN_AS_LINES: set[str] = set()  # names of the schemas of lists


def as_lines(name: str, schema: Any) -> Any:
    """The schema of a list, by its name, with ``results`` that also come as lines."""
    _GIVEN_AS_LINES.add(name)
    return schema


def listed(name: str, row: type[serializers.Serializer[Any]]) -> Any:
    """The schema of a page of rows; with ``Accept: application/x-ndjson`` each line is such a row."""
    fields = {"results": row(many=True), "next": serializers.CharField(allow_null=True, help_text="Address.")}
    return as_lines(f"{name}Page", inline_serializer(f"{name}Page", fields))


def listed_whole(name: str, row: type[serializers.Serializer[Any]]) -> Any:
    """The schema of a list that has no pages, as long as it may be; lines are as those of :func:`listed`."""
    return as_lines(name, inline_serializer(name, {"results": row(many=True)}))


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How tokens are sent."""

    target_class = "annotation_platform.api.frame.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token from My account, or of a study."}


class BrowserScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How pages ask."""

    target_class = "annotation_platform.api.frame.authentication.BrowserAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "Signed in with this browser."}


_TEXT, _FREE = {"type": "string"}, {"type": "object", "additionalProperties": True}
PROBLEM = {
    "type": "object",
    "description": "RFC 9457: what went wrong, for a program (code, parameters) and for a person (detail).",
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": {**_TEXT, "description": "A sentence, in the language of Accept-Language."},
        "code": _TEXT,
        "parameters": _FREE,
        "errors": {
            "type": "array",
            "description": "One for each mistake: the field (empty: the whole), and where a file has one, the line.",
            "items": {
                "type": "object",
                "properties": {
                    "field": _TEXT,
                    "detail": _TEXT,
                    "code": _TEXT,
                    "parameters": _FREE,
                    "line": {"type": "integer"},
                },
                "required": ["field", "detail"],
            },
        },
    },
    "required": ["type", "title", "status", "detail", "code", "parameters"],
}
_ANSWER = {
    "description": "A problem (RFC 9457).",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "maxLength": 255},
    "description": "Any mark of yours. The same request with the same key within a day gives the first reply again.",
}


_CHOICE = {"in": "query", "name": "fields", "schema": {"type": "string"}, "description": FIELDS}


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Every operation may answer with a problem; every POST takes an idempotency key, every GET of JSON its fields, and
    every GET of a list gives lines."""
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    for operations in result["paths"].values():
        for method, operation in operations.items():
            operation["responses"].setdefault("default", _ANSWER)
            if method == "post":
                operation.setdefault("parameters", []).append(_KEY)
            if method == "get" and "application/json" in operation["responses"].get("200", {}).get("content", {}):
                _let_choose(operation.setdefault("parameters", []))
                _let_be_lines(operation["responses"]["200"], result["components"]["schemas"])
    return result


def _let_be_lines(response: dict[str, Any], schemas: Mapping[str, Any]) -> None:
    name = response["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
    if name in _GIVEN_AS_LINES:
        response["content"][NDJSON] = {"schema": schemas[name]["properties"]["results"]["items"]}
        response["description"] = f"As JSON; or with “Accept: {NDJSON}” all of the list as lines, a row in each."


def _let_choose(parameters: list[dict[str, Any]]) -> None:
    if "fields" not in {each["name"] for each in parameters}:
        parameters.append(_CHOICE)

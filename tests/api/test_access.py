"""Who gets in where: every address and method of the API, for every role and every scope of a token.

The lines (``access/``) are held against the router, so that a new endpoint without a line fails.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.scopes import NAMES, granted
from annotation_platform.api.urls import v1
from annotation_platform.studies.models import Member
from annotation_platform.studies.services.members import pause_member
from annotation_platform.studies.services.setting_aside import exclude_member
from tests import rests_on
from tests.api.access.crowd import CROWD
from tests.api.access.line import Line, World
from tests.api.access.results import RESULTS
from tests.api.access.studies import STUDIES
from tests.api.access.work import WORK
from tests.api.access.world import address_of, ask, built
from tests.api.clients import with_token
from tests.factories import OPERATOR

pytestmark = [pytest.mark.xdist_group("api-access"), pytest.mark.long(*rests_on.PLATFORM)]
LINES = [*STUDIES, *RESULTS, *CROWD, *WORK]
OF_HELD_TASK = {
    *("api_task", "api_give_back", "api_more_time", "api_drop_change", "api_late_judgment", "api_messages"),
    *("api_hint", "api_pasted", "api_draft", "api_judgment"),
}
"""About the task that an annotator has; who is excluded has it no more."""


def kind_of(line: Line) -> tuple[Any, ...]:
    """What the answer to somebody whose token or membership is not in force may depend on."""
    about = line.name if line.name == "api_take_task" else line.name in OF_HELD_TASK
    return line.method, line.scope, frozenset(line.who), line.is_own, bool(line.missing), about


ONE_OF_EACH_KIND = list({kind_of(line): line for line in LINES}.values())
by_line = pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.method} {line.name}")
one_by_kind = pytest.mark.parametrize("line", ONE_OF_EACH_KIND, ids=lambda line: f"{line.method} {line.name}")


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return built()


@pytest.fixture
def rows(db: None, world: World) -> World:
    cache.clear()
    return world


def test_every_address_and_method_has_a_line() -> None:
    there_are = {
        (str(pattern.name), method)
        for pattern in v1
        if isinstance(pattern, URLPattern)
        for method in pattern.callback.view_class(**{}).allowed_methods
        if method != "OPTIONS"
    }
    assert there_are == {(line.name, line.method) for line in LINES}


def asked(line: Line, rows: World, secret: str) -> Any:
    """The reply, of which nothing stays."""
    with transaction.atomic():
        reply = ask(with_token(secret), line, rows)
        transaction.set_rollback(True)
    return reply


def assert_gets_what_is_due(line: Line, rows: World, name: str, scope: str) -> None:
    reply = asked(line, rows, rows.tokens[name, scope])
    status = reply.status_code
    told = f"{name} with {scope}: {status}"
    if line.scope not in granted([scope]):
        assert (status, reply.json()["code"]) == (403, "api.scope_missing"), told
    elif line.lets_in(name) and line.missing:
        assert (status, reply.json()["code"]) == (404, line.missing), told
    elif line.lets_in(name):
        assert status not in (401, 403, 404, 405, 500), told
    else:
        assert status == 404, told
        assert reply.json()["code"] != line.missing


@by_line
def test_who_gets_in(line: Line, rows: World) -> None:
    """Whom it is for, with just the scope that it takes, the others not with the widest, and nobody with another."""
    assert ask(Client(), line, rows).status_code == 401
    names = dict.fromkeys(name for name, _ in rows.tokens)
    enough = [scope for scope in NAMES if line.scope in granted([scope])]
    for name in names:
        assert_gets_what_is_due(line, rows, name, line.scope if line.lets_in(name) else enough[-1])
    inside = next((name for name in names if line.lets_in(name)), next(iter(names)))
    for scope in set(NAMES) - {*enough}:
        assert_gets_what_is_due(line, rows, inside, scope)


@pytest.mark.long(*rests_on.ACCESS)
@by_line
def test_who_gets_in_with_which_scope(line: Line, rows: World) -> None:
    for name, scope in rows.tokens:
        assert_gets_what_is_due(line, rows, name, scope)


def assert_opens_nothing(line: Line, rows: World) -> None:
    for which, secret in rows.void.items():
        reply = ask(with_token(secret), line, rows)
        assert (reply.status_code, reply.json()["code"]) == (401, "api.token_not_valid"), which


@one_by_kind
def test_nobody_with_a_token_that_is_not_in_force(line: Line, rows: World) -> None:
    assert_opens_nothing(line, rows)


@pytest.mark.long(*rests_on.ACCESS)
@by_line
def test_nobody_anywhere_with_a_token_that_is_not_in_force(line: Line, rows: World) -> None:
    assert_opens_nothing(line, rows)


def assert_gets_in_as_before_and_takes_nothing_new(line: Line, state: str, rows: World) -> None:
    member = Member.objects.get(pk=rows.named["member"]["pk"])
    {"paused": pause_member, "excluded": exclude_member}[state](member=member, because="A question.", actor=OPERATOR)
    reply = asked(line, rows, rows.tokens["annotator", line.scope])
    if line.name == "api_take_task":
        assert reply.status_code == 409
    elif state == "excluded" and line.name in OF_HELD_TASK:
        assert (reply.status_code, reply.json()["code"]) == (404, "annotations.no_task")
    elif line.lets_in("annotator") and line.missing:
        assert (reply.status_code, reply.json()["code"]) == (404, line.missing)
    elif line.lets_in("annotator"):
        assert reply.status_code not in (401, 403, 404, 405, 500)
    else:
        assert reply.status_code == 404


@pytest.mark.parametrize("state", ["paused", "excluded"])
@one_by_kind
def test_who_is_paused_or_excluded_gets_in_as_before_and_takes_nothing_new(line: Line, state: str, rows: World) -> None:
    assert_gets_in_as_before_and_takes_nothing_new(line, state, rows)


@pytest.mark.long(*rests_on.ACCESS)
@pytest.mark.parametrize("state", ["paused", "excluded"])
@by_line
def test_who_is_paused_or_excluded_gets_in_anywhere_as_before(line: Line, state: str, rows: World) -> None:
    assert_gets_in_as_before_and_takes_nothing_new(line, state, rows)


@lru_cache
def described() -> Any:
    return Client().get("/api/openapi.json").json()


HAS_NO_TAG = {
    "api_draft": "its body has the version",
    "api_adjudicate": "everybody writes a decision of their own",
    "api_own_languages": "one's own",
    "api_upload": "the offset of the part says what it changes",
    "api_own_mail_wishes": "one's own",
}
"""Why a PUT or PATCH takes no ``If-Match``."""
CHANGES = [line for line in LINES if line.method in ("PUT", "PATCH")]


def test_every_change_of_the_description_has_a_line_and_says_whether_it_takes_a_tag(rows: World) -> None:
    paths: dict[str, Any] = described()["paths"]
    takes_tag = {
        (path, method.upper()): "If-Match" in {each["name"] for each in operation.get("parameters", [])}
        for path, operations in paths.items()
        for method, operation in operations.items()
        if method in ("put", "patch")
    }
    lines = {(_path(line, rows, paths), line.method): line.name not in HAS_NO_TAG for line in CHANGES}
    assert lines == takes_tag


def _path(line: Line, rows: World, paths: Iterable[str]) -> str:
    """Of the description; of several that fit, the one with the fewest parameters."""
    address = address_of(line, rows)
    fitting = [
        path for path in paths if re.fullmatch(re.sub(r"{\w+}", ".+" if "{path}" in path else "[^/]+", path), address)
    ]
    return min(fitting, key=lambda path: path.count("{"))


@pytest.mark.parametrize("line", [each for each in CHANGES if each.name not in HAS_NO_TAG], ids=lambda line: line.name)
def test_nobody_changes_what_somebody_else_has_changed(line: Line, rows: World) -> None:
    who = "operator" if line.who == {"operator"} else "researcher" if "researcher" in line.who else "admin"
    client, address = with_token(rows.tokens[who, "admin"]), address_of(line, rows)

    def change(**headers: str) -> Any:
        body = json.dumps(line.body(rows))
        return client.generic(line.method, address, body, content_type="application/json", headers=headers)

    before, events = client.get(address), Event.objects.count()
    for headers in ({"if-match": '"another"'}, {"if-match": '"a", W/"b"'}, {"if-none-match": "*"}):
        reply = change(**headers)
        assert (reply.status_code, reply.json()["code"]) == (412, "api.version_differs"), headers
    after = client.get(address)
    assert (after.json(), after["ETag"], Event.objects.count()) == (before.json(), before["ETag"], events)
    assert change(**{"if-match": before["ETag"]}).status_code not in (412, 428)


OF_ONE_FIELD = [line for line in CHANGES if line.method == "PATCH" and line.name != "api_upload"]
UNUSUAL: dict[str, dict[str, Any]] = {
    "api_batch": {"deadline_at": "2099-01-01T12:00:00Z", "finishes_late": True},
    "api_pay": {"bonus_percent": 10, "approval": "after_hours", "approval_hours": 5, "budget": "900.00"},
}
"""What to set before, so that a setting that falls back to what is usual is seen."""


def _takes(line: Line, rows: World) -> dict[str, Any]:
    """The fields of a change, with their schemas."""
    paths: dict[str, Any] = described()["paths"]
    content = paths[_path(line, rows, paths)]["patch"]["requestBody"]["content"]["application/json"]["schema"]
    schema = described()["components"]["schemas"][content["$ref"].rpartition("/")[2]]
    fields: dict[str, Any] = schema["properties"]
    return fields


@pytest.mark.parametrize("line", OF_ONE_FIELD, ids=lambda line: line.name)
def test_sending_back_one_field_changes_no_other(line: Line, rows: World) -> None:
    who = "operator" if line.who == {"operator"} else "researcher" if "researcher" in line.who else "admin"
    client, address = with_token(rows.tokens[who, "admin"]), address_of(line, rows)

    def change(body: dict[str, Any]) -> None:
        reply = client.patch(address, body, content_type="application/json", headers={"if-match": "*"})
        assert reply.status_code == 200, (body, reply.content)

    def read() -> dict[str, Any]:
        told: dict[str, Any] = client.get(address).json()
        return {name: value for name, value in told.items() if name != "changed_at"}

    change(UNUSUAL.get(line.name, line.body(rows)))
    before = read()
    settings = {**before, **next((each for each in before.values() if isinstance(each, dict)), {})}
    fields = _takes(line, rows)
    assert [name for name, schema in fields.items() if "default" in schema] == [], "it is left as it is, not usual"
    there = [name for name in fields if settings.get(name, "") != ""]  # of texts, some stand for nothing chosen
    assert there
    for name in there:
        change({name: settings[name]})
        assert read() == before, name


@pytest.mark.parametrize("line", [line for line in LINES if line.method == "GET"], ids=lambda line: line.name)
def test_numbers_that_are_none_break_nothing(line: Line, rows: World) -> None:
    who = "operator" if line.who == {"operator"} else "researcher" if "researcher" in line.who else "admin"
    client = with_token(rows.tokens[who, "annotate" if line.scope == "annotate" else "admin"])
    paths: dict[str, Any] = described()["paths"]
    operation = paths[_path(line, rows, paths)]["get"]
    names = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
    for name in names:
        assert client.get(address_of(line, rows), {name: "9" * 5_000}).status_code < 500, name
    longest = re.sub(r"(?<=/)\d+(?=/|$)", "9" * 10_000, address_of(line, rows), count=1)
    assert client.get(longest).status_code < 500


def test_a_method_that_is_not_there_is_refused_as_such(rows: World) -> None:
    reply = with_token(rows.tokens["admin", "admin"]).put(f"/api/v1/studies/{rows.study.slug}")
    assert (reply.status_code, reply.json()["code"]) == (405, "api.method_not_allowed")


def test_a_removed_researcher_loses_the_study_at_once(rows: World) -> None:
    Member.objects.filter(study=rows.study, user=rows.people["researcher"]).delete()
    line = next(line for line in LINES if line.name == "api_study")
    assert ask(with_token(rows.tokens["researcher", "admin"]), line, rows).status_code == 404

"""What holds at every address of ours, so also at one that is added tomorrow: guards, access, no inline script."""

from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.studies.models import Role
from tests import rests_on
from tests.accounts.everybody import (
    ACCOUNT_PAGES,
    JAPANESE,
    OURS,
    address,
    data,
    parameters_of,
    path_of,
    people,
    signed_in,
)
from tests.accounts.page_words import check_language
from tests.translations.pseudo import Data

__all__ = ["data", "people"]  # the fixtures
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.long(*rests_on.PLATFORM),
    pytest.mark.xdist_group("every address"),  # one process builds its world once
]

FOR_EVERYBODY = {
    *("home", "health", "demo_sign_in", "scheme_schema", "set_language", "join", "join_by_mail", "come_back"),
    *("shared_release", "download_shared_release", "prolific_arriving", "prolific_hook", "stop_mail"),
}
# Whoever has the role anywhere, or an invitation.
FOR_ITS_OWN_KIND = {
    *("work", "my_account", "personal_link", "build_study", "plan", "import_study", "import_corpus"),
    *("my_rounds", "read_results_file", "my_messages", "mail_wishes", "my_data", "ask_for_my_data", "earnings"),
    "earnings_file",
    *("my_submissions", "my_tokens", "given_releases"),
}


class Parts(HTMLParser):
    """Collects what a strict policy would not run: inline scripts, styles, and handlers."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = dict(attributes)
        is_data = names.get("type") == "application/json"  # never run
        if tag == "style" or (tag == "script" and "src" not in names and not is_data):
            self.inline.append(f"<{tag}>")
        self.inline += [
            f"<{tag} {name}={value!r}>"
            for name, value in attributes
            if name == "style" or name.startswith(("on", "hx-on")) or (value or "").startswith("javascript:")
        ]


class Reply(NamedTuple):
    """What a test looks at of a response."""

    status: int
    headers: dict[str, str]
    content: str

    @property
    def is_page(self) -> bool:
        return self.headers.get("Content-Type", "").startswith("text/html")


@pytest.fixture(scope="module")
def replies(people: dict[str, Any]) -> Callable[[str], list[Reply]]:
    """What a visitor and each role get at an address, asked for once by all tests that look at it."""

    @cache
    def replies(name: str) -> list[Reply]:
        clients = Client(**JAPANESE), *(signed_in(people, role, **JAPANESE) for role in Role.values)
        return [reply_of(client.get(path_of(name, people))) for client in clients]

    return replies


def reply_of(response: Any) -> Reply:
    page = "" if response.streaming else response.content.decode(errors="replace")
    return Reply(response.status_code, dict(response.headers), page)


@pytest.mark.parametrize("name", OURS)
def test_a_visitor_is_sent_to_sign_in(name: str, people: dict[str, Any]) -> None:
    for response in (Client().get(address(name, people)), Client().post(address(name, people))):
        if name in FOR_EVERYBODY:
            assert response.status_code in (200, 302, 403, 404, 405, 422)
        elif response.status_code != 405:
            assert response.status_code == 302
            assert response.url.startswith(reverse("account_login"))


@pytest.mark.parametrize("name", [name for name in OURS if name not in FOR_EVERYBODY | FOR_ITS_OWN_KIND])
def test_somebody_from_another_study_finds_nothing(name: str, people: dict[str, Any]) -> None:
    client = signed_in(people, "stranger")
    for response in (client.get(address(name, people)), client.post(address(name, people))):
        assert response.status_code in (404, 405)


@pytest.mark.parametrize("name", [name for name in OURS if {"slug", "pk"} <= parameters_of(name)])
def test_nobody_gets_at_the_rows_of_another_study_under_the_address_of_their_own(
    name: str, people: dict[str, Any]
) -> None:
    client, own = signed_in(people, "stranger"), people["stranger"].study
    path = address(name, people).replace(f"/studies/{people['admin'].study.slug}/", f"/studies/{own.slug}/")
    for response in (client.get(path), client.post(path)):
        assert response.status_code in (404, 405)


@pytest.mark.parametrize("name", OURS)
def test_a_post_without_its_csrf_token_is_refused(name: str, people: dict[str, Any]) -> None:
    client = signed_in(people, "admin", enforce_csrf_checks=True)
    response = client.post(address(name, people))
    assert response.status_code in (403, 405)
    if response.status_code == 405:
        assert "POST" not in response.headers["Allow"]


@pytest.mark.parametrize("name", [*OURS, *ACCOUNT_PAGES])
def test_the_policy_is_strict_and_the_page_needs_nothing_else(name: str, replies: Callable[[str], list[Reply]]) -> None:
    for reply in replies(name):
        assert reply.status < 500
        policy = dict(part.split(" ", 1) for part in reply.headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["form-action"] == "'self'"
        assert "unsafe" not in str(policy)
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        if reply.is_page:
            assert Parts(reply.content).inline == []


@pytest.mark.parametrize("name", [*OURS, *ACCOUNT_PAGES])
def test_every_page_is_in_the_language_that_it_says(
    name: str, replies: Callable[[str], list[Reply]], data: Data
) -> None:
    for reply in replies(name):
        if reply.is_page:
            check_language(reply.content, reply.headers["Content-Language"], data)


@pytest.mark.parametrize("name", ["home", "health", "scheme_schema"])
def test_whoever_watches_a_server_may_ask_for_the_head_alone(client: Client, name: str) -> None:
    response = client.head(reverse(name))
    assert (response.status_code, response.content) == (200, b"")


def test_the_head_of_an_invitation_takes_nobody_in(people: dict[str, Any]) -> None:
    """Mail programs look at links before anybody clicks."""
    path, study = address("join", people), people["admin"].study
    before = study.members.count()
    assert signed_in(people, "stranger").head(path).status_code == 405
    assert study.members.count() == before


def test_an_address_that_is_not_there_has_the_policy_too(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


def test_a_wrong_address_leads_back_to_the_start(client: Client) -> None:
    page = client.get("/nowhere/").content.decode()
    assert "There is no page at this address" in page
    assert f'href="{reverse("home")}"' in page


def test_a_stale_form_says_what_to_do(people: dict[str, Any]) -> None:
    client = signed_in(people, "annotator", enforce_csrf_checks=True)
    page = client.post(address("take", people), {"csrfmiddlewaretoken": "old"}).content.decode()
    assert "Go back, load it again" in page
    assert "DEBUG" not in page


def test_signing_in_for_a_form_does_not_end_on_an_empty_page(people: dict[str, Any]) -> None:
    """The form met an expired session, and the sign-in leads back to where it was sent."""
    response = signed_in(people, "annotator").get(address("take", people))
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert "repeat your last step" in response.content.decode()

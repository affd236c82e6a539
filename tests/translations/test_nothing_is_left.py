"""No page says anything of its own that no translation reaches: neither its template, nor what Python gives to it."""

import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client, TestCase
from django.urls import Resolver404, resolve, reverse

from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_ROLES
from annotation_platform.demo.crowd import prepare_crowd
from annotation_platform.demo.management.commands.prepare_demo import Command
from annotation_platform.demo.recorded import SAMPLES
from annotation_platform.demo.samples import FIRST, corpus_name, sample_files
from annotation_platform.studies.models import Role, Study
from tests import rests_on
from tests.accounts.everybody import ACCOUNT_PAGES, ADDED, OURS, data, path_of, people, signed_in
from tests.translations.pseudo import Data, Found, left_in, pseudo, texts_in_the_database, texts_of_presets

__all__ = ["data", "people"]  # the fixtures
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("pages in full-width letters")]

LINK = re.compile(r"""\s(?:href|hx-get)="([^"#]+)[^"]*\"""")
NOT_OPENED = {"account_logout", "api_docs"}  # the reference for programmers is in English as a whole
MOST_OF_A_KIND = 4  # pages of one view that are opened


def found_in(response: Any, data: Data) -> list[Found]:
    if not response.headers.get("Content-Type", "").startswith("text/html") or response.streaming:
        return []
    return left_in(response.content.decode(), data)


@pytest.mark.parametrize("name", [*OURS, *ACCOUNT_PAGES])
def test_every_address_says_nothing_untranslated(name: str, people: dict[str, Any], data: Data) -> None:
    path = path_of(name, people)
    with pseudo():
        for client in (Client(), *(signed_in(people, role) for role in Role.values)):
            for response in (client.get(path), client.get(path, headers={"HX-Request": "true"})):
                found = found_in(response, data)
                assert not found, "\n".join(text for text, _ in found)


@pytest.fixture(scope="module")
def demo(module_db: None, django_db_blocker: Any) -> dict[str, User]:
    """The demo's three, in a study of every kind and one of a crowd's, all of them with figures."""
    command = Command(stdout=StringIO())
    users = {role: command._user(role) for role in DEMO_ROLES}
    for sample in sample_files(SAMPLES):
        command._prepare(sample, users)
    with TestCase.captureOnCommitCallbacks(execute=True):
        prepare_crowd(source=Study.objects.get(name=corpus_name(SAMPLES / FIRST)), users=users)
    return users


def pages_from_home(user: User) -> Iterator[tuple[str, Any]]:
    """Whatever links lead to from somebody's start page, a few of each kind."""
    client = Client()
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[-1])
    seen: dict[str, int] = {}
    known, waiting = {reverse("home")}, [reverse("home")]
    while waiting:
        path = waiting.pop(0)
        response = client.get(path)
        yield path, response
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            continue
        for link in LINK.findall(response.content.decode()):
            to = unescape(link)
            to = to if to.startswith("/") else urlsplit(path).path + to if to.startswith("?") else ""
            kind = kind_of(to)
            if kind and to not in known and seen.get(kind, 0) < MOST_OF_A_KIND:
                known.add(to)
                seen[kind] = seen.get(kind, 0) + 1
                waiting.append(to)


def kind_of(path: str) -> str:
    """The name of the view, and of the parameters that its address has; none for what is not a page of ours."""
    try:
        view = resolve(urlsplit(path).path)
    except Resolver404:
        return ""
    ours = view.func.__module__.startswith(("annotation_platform.", "allauth."))
    asked = sorted(part.partition("=")[0] for part in urlsplit(path).query.split("&"))
    return f"{view.url_name}?{'&'.join(asked)}" if ours and view.url_name not in NOT_OPENED else ""


@pytest.mark.long(*rests_on.PLATFORM)
@pytest.mark.parametrize("role", Role.values)
def test_no_page_of_the_demo_says_anything_untranslated(role: str, demo: dict[str, User]) -> None:
    data = Data([*texts_in_the_database(), *texts_of_presets(), *ADDED])
    with pseudo():
        found = {path: left for path, response in pages_from_home(demo[role]) if (left := found_in(response, data))}
    assert not found, "\n".join(f"{path}: {text}" for path, left in found.items() for text, _ in left)

"""Each page is in one language, and says in which; a reader's choice is kept."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation_platform.studies.models import Role
from tests.accounts.test_every_address import ACCOUNT_PAGES, OURS, address, people, signed_in
from tests.factories import UserFactory
from tests.translations.pseudo import Data, left_in
from tests.translations.test_nothing_is_left import data

__all__ = ["data", "people"]  # the fixtures
pytestmark = pytest.mark.django_db

JAPANESE = {"HTTP_ACCEPT_LANGUAGE": "ja"}
KANA_OR_KANJI = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
WITH_OTHER_LANGUAGE = re.compile(r"<(\w+)[^>]*\slang=\"(?!en)[a-z-]+\"[^>]*>.*?</\1>", re.DOTALL)


def language_of(page: str) -> str:
    found = re.search(r"<html lang=\"([a-z-]+)\">", page)
    assert found
    return found[1]


def shown(page: str) -> str:
    """The words of an English page, without those that say of themselves that they are in another language."""
    page = re.sub(
        r"<title>.*?</title>|<script.*?</script>|<kbd.*?</kbd>|<svg.*?</svg>|<textarea.*?</textarea>",
        "",
        page,
        flags=re.DOTALL,
    )
    page = re.sub(WITH_OTHER_LANGUAGE, "", page)
    spoken = " ".join(re.findall(r"(?:aria-label|title|placeholder|alt)=\"([^\"]*)\"", page))
    return strip_tags(page.replace("<", " <")) + " " + spoken


def check(response: Any, data: Data) -> None:
    """A page in Japanese has no word of English, one in English none of Japanese, and the header says the same."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return
    page = response.content.decode()
    if "<html" not in page:
        return
    language = language_of(page)
    assert response.headers["Content-Language"] == language
    if language == "ja":
        left = left_in(page, data)
        assert not left, "\n".join(text for text, _ in left)
    else:
        words = shown(page)
        assert KANA_OR_KANJI.findall(words) == []
        assert not re.search(r"\d年|\d月", words)


@pytest.mark.parametrize("name", [*OURS, *ACCOUNT_PAGES])
def test_every_page_is_in_the_language_that_it_says(name: str, people: dict[str, Any], data: Data) -> None:
    path = address(name, people) if name in OURS else reverse(name)
    for client in (Client(**JAPANESE), *(signed_in(people, role, **JAPANESE) for role in Role.values)):
        check(client.get(path), data)


@pytest.mark.parametrize("path", ["/nowhere/", "/studies/nowhere/", "/work/assignments/99999/", "/join/nonsense/"])
def test_so_is_what_is_said_when_there_is_nothing(path: str, people: dict[str, Any], data: Data) -> None:
    for client in (Client(**JAPANESE), signed_in(people, "annotator", **JAPANESE)):
        check(client.get(path), data)


def test_annotators_and_researchers_pages_are_in_japanese(people: dict[str, Any]) -> None:
    for who, name in (
        ("annotator", "work"),
        ("annotator", "judge"),
        ("researcher", "home"),
        ("researcher", "study"),
        ("researcher", "people"),
        ("researcher", "items"),
    ):
        page = signed_in(people, who, **JAPANESE).get(address(name, people)).content.decode()
        assert language_of(page) == "ja", name


def switch(client: Client, language: str, **more: str) -> Any:
    return client.post(reverse("set_language"), {"language": language, **more})


def test_a_language_is_kept_for_the_person_in_whatever_browser() -> None:
    user = UserFactory()
    client, elsewhere = Client(), Client(**JAPANESE)
    for each in (client, elsewhere):
        each.force_login(user)
    assert language_of(elsewhere.get("/").content.decode()) == "ja"
    assert switch(client, "en", next="/work/").url == "/work/"
    assert language_of(elsewhere.get("/").content.decode()) == "en"
    switch(elsewhere, "ja")
    assert language_of(client.get("/").content.decode()) == "ja"


def test_a_visitors_language_is_kept_in_the_browser() -> None:
    client = Client()
    page = client.get("/").content.decode()
    assert 'lang="ja">日本語<' in page
    switch(client, "ja")
    assert 'lang="en">English<' in client.get("/").content.decode()
    assert language_of(client.get("/").content.decode()) == "ja"
    assert language_of(client.get("/nowhere/").content.decode()) == "ja"


def test_the_switch_leads_to_our_own_pages_and_languages_only(client: Client) -> None:
    assert switch(client, "ja", next="https://elsewhere.example/").url == "/"
    assert switch(client, "xx").status_code == 422
    assert settings.LANGUAGE_COOKIE_NAME in client.cookies


def test_the_way_back_is_an_address_and_never_the_name_of_a_page(client: Client) -> None:
    assert client.post(reverse("set_language"), {"language": "ja", "next": "no-such-page"}).status_code == 302

"""Each page is in one language, and says in which; a reader's choice is kept."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.accounts.everybody import JAPANESE, address, data, people, signed_in
from tests.accounts.page_words import check_language, language_of
from tests.factories import UserFactory
from tests.translations.pseudo import Data

__all__ = ["data", "people"]  # the fixtures
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/nowhere/", "/studies/nowhere/", "/work/assignments/99999/", "/join/nonsense/"])
def test_so_is_what_is_said_when_there_is_nothing(path: str, people: dict[str, Any], data: Data) -> None:
    for client in (Client(**JAPANESE), signed_in(people, "annotator", **JAPANESE)):
        response = client.get(path)
        check_language(response.content.decode(), response.headers["Content-Language"], data)


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

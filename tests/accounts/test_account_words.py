"""The account pages speak as the others do, and say only what concerns their reader."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation_platform.studies.models import Role
from tests.factories import MemberFactory, UserFactory
from tests.markup import markup

pytestmark = pytest.mark.django_db


def words(client: Client, name: str) -> str:
    return " ".join(strip_tags(markup(client.get(reverse(name)))).split())


@pytest.mark.parametrize("name", ["account_signup", "account_login", "account_reset_password"])
def test_pages_to_get_in(name: str) -> None:
    told = words(Client(), name)
    for other in ("Sign Up", "Sign In", "Password Reset", "Remember Me", "contact us", "Reset My"):
        assert other not in told
    assert not re.search(r"\b[Ee]mail", told)


@pytest.mark.parametrize("name", ["account_email", "account_change_password", "account_logout"])
def test_pages_of_an_account(client: Client, name: str) -> None:
    client.force_login(UserFactory())
    told = words(client, name)
    for other in ("Email", "Make Primary", "Re-send", "Change Password", "Current Password", "Sign Out"):
        assert other not in told


def test_japanese_pages_stay_japanese(client: Client) -> None:
    told = strip_tags(markup(client.get(reverse("account_signup"), headers={"accept-language": "ja"})))
    assert "Create an account" not in told
    assert "ユーザー登録" in told


def test_who_makes_no_studies_reads_nothing_of_studies_of_their_own(client: Client) -> None:
    for role, reads in ((Role.ANNOTATOR, False), (Role.RESEARCHER, True)):
        client.force_login(MemberFactory(role=role).user)
        assert ("only admin of a study" in words(client, "my_account")) is reads


def test_a_new_account_is_told_how_to_get_studies_of_its_own(client: Client) -> None:
    client.force_login(UserFactory())
    assert "To make studies of your own, ask the platform's staff." in words(client, "home")

"""The start page shows people their own studies; the health check answers without an account."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.studies.models import Batch, BatchState, Role
from tests.factories import MemberFactory, make_study

pytestmark = pytest.mark.django_db


def test_a_visitor_is_asked_to_sign_in(client: Client) -> None:
    page = client.get("/").content.decode()
    assert reverse("account_login") in page
    assert reverse("account_signup") in page


def test_the_start_page_lists_ones_own_studies_only(client: Client) -> None:
    member = MemberFactory(study=make_study(name="Mine"), pseudonym="A-7")
    make_study(name="Of others")
    client.force_login(member.user)
    page = client.get("/").content.decode()
    assert "Mine" in page
    assert "A-7" in page
    assert "Of others" not in page


@pytest.mark.parametrize(("role", "to"), [(Role.ANNOTATOR, "/work/"), (Role.RESEARCHER, "/studies/mine/")])
def test_each_role_is_led_to_its_own_part(client: Client, role: Role, to: str) -> None:
    member = MemberFactory(study=make_study(name="Mine"), role=role)
    client.force_login(member.user)
    assert f'href="{to}"' in client.get("/").content.decode()


def test_a_batch_is_closed_before_it_is_scored_and_after(client: Client) -> None:
    study = make_study(name="Mine")
    for number, state in enumerate(BatchState, start=1):
        Batch.objects.create(study=study, number=number, state=state)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert "2 of 4 batches" in " ".join(client.get("/").content.decode().split())


def test_the_address_of_studies_alone_leads_to_them(client: Client) -> None:
    assert client.get("/studies/").headers["Location"] == "/"


@pytest.mark.django_db
def test_a_part_of_a_page_that_finds_nobody_signed_in_has_the_whole_page_loaded_again(client: Client) -> None:
    answer = client.get("/studies/any/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers.get("HX-Refresh")) == (200, "true")
    assert client.get("/studies/any/").status_code == 302

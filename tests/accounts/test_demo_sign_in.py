"""One-click sign-in: in the demo only, by POST only."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.views import DEMO_DOMAIN, DEMO_ROLES
from annotation_platform.studies.models import Role, Study
from tests.factories import MemberFactory, UserFactory, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(settings: Any) -> None:
    settings.DEMO = True
    study = make_study()
    for role in DEMO_ROLES:
        MemberFactory(study=study, user=UserFactory(email=f"{role}@{DEMO_DOMAIN}", password=None), role=Role(role))


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("role", DEMO_ROLES)
def test_one_click_signs_in_as_the_role(client: Client, role: str) -> None:
    assert f"Sign in as {role}" in client.get("/").content.decode()
    response = client.post(reverse("demo_sign_in", args=[role]))
    study = Study.objects.get()
    first = reverse("work") if role == "annotator" else reverse("study", args=[study.slug])
    assert response["Location"] == first
    assert response.wsgi_request.user.email == f"{role}@{DEMO_DOMAIN}"


@pytest.mark.usefixtures("demo")
def test_an_unknown_role_is_not_found(client: Client) -> None:
    assert client.post(reverse("demo_sign_in", args=["emperor"])).status_code == 404


@pytest.mark.usefixtures("demo")
def test_a_link_does_not_sign_in(client: Client) -> None:
    assert client.get(reverse("demo_sign_in", args=["admin"])).status_code == 405


@pytest.mark.usefixtures("demo")
def test_a_forged_form_does_not_sign_in() -> None:
    assert Client(enforce_csrf_checks=True).post(reverse("demo_sign_in", args=["admin"])).status_code == 403


@pytest.mark.usefixtures("demo")
def test_outside_the_demo_there_are_neither_buttons_nor_addresses(client: Client, settings: Any) -> None:
    settings.DEMO = False
    assert "Sign in as" not in client.get("/").content.decode()
    assert client.post(reverse("demo_sign_in", args=["admin"])).status_code == 404
    assert "_auth_user_id" not in client.session

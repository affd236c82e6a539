"""An invitation lets whoever follows it into its study, in its role, once they have an account."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.studies import invitations
from annotation_platform.studies.invitations import make_invitation
from annotation_platform.studies.models import Role, Study
from tests.factories import PASSWORD, MemberFactory, UserFactory, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(name="Mine")


def link(study: Study, role: Role = Role.ANNOTATOR) -> str:
    return reverse("join", args=[make_invitation(study=study, role=role)])


def test_following_the_link_shows_the_study_and_a_click_joins_it(client: Client, study: Study) -> None:
    user = UserFactory()
    client.force_login(user)
    assert "You are invited to this study as annotator" in client.get(link(study)).content.decode()
    assert not study.members.filter(user=user).exists()
    client.post(link(study))
    assert study.members.get(user=user).role == Role.ANNOTATOR


def test_somebody_new_signs_up_on_the_way(client: Client, study: Study) -> None:
    address = link(study)
    to_sign_in = client.get(address)
    assert to_sign_in.url == f"{reverse('account_login')}?next={quote(address)}"
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    back = client.post(reverse("account_signup"), {"email": "new@example.org", "next": address, **passwords})
    assert back.url == address
    client.post(back.url)
    assert study.members.get().user.email == "new@example.org"  # type: ignore[union-attr]


def test_following_it_again_changes_nothing(client: Client, study: Study) -> None:
    member = MemberFactory(study=study, role=Role.ANNOTATOR)
    client.force_login(member.user)
    client.post(link(study, Role.ADMIN))
    assert study.members.get().role == Role.ANNOTATOR


@pytest.mark.parametrize("spoil", [lambda t: t[:-1], lambda t: "x" + t, lambda t: "nonsense"])
def test_a_damaged_link_lets_nobody_in(client: Client, study: Study, spoil: Any) -> None:
    client.force_login(UserFactory())
    address = reverse("join", args=[spoil(make_invitation(study=study, role=Role.ADMIN))])
    for response in (client.get(address), client.post(address)):
        assert response.status_code == 422
        assert "This invitation is not valid" in response.content.decode()
    assert not study.members.exists()


def test_an_old_link_lets_nobody_in(client: Client, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(UserFactory())
    address = link(study)
    monkeypatch.setattr(invitations, "VALID_FOR", timedelta(seconds=-1))
    response = client.post(address)
    assert (response.status_code, study.members.count()) == (422, 0)
    assert "too old" in response.content.decode()


def test_the_command_prints_a_link_that_works(client: Client, study: Study) -> None:
    output = StringIO()
    call_command("invite", "Mine", role="researcher", site="https://x.example.org/", stdout=output, stderr=StringIO())
    address = output.getvalue().strip().removeprefix("https://x.example.org")
    client.force_login(UserFactory())
    client.post(address)
    assert study.members.get().role == Role.RESEARCHER


def test_the_link_on_the_studys_page_works(client: Client, study: Study) -> None:
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = client.get(reverse("study", args=[study.slug])).content.decode()
    found = re.search(r"<code>http://testserver(/join/\S+/)</code>", page)
    assert found
    invited = UserFactory()
    client.force_login(invited)
    client.post(found[1])
    assert study.members.get(user=invited).role == Role.ANNOTATOR

"""Making and revoking tokens: one's own on My account, a study's by its admins; each is shown once."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import ApiToken, Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.studies.models import Member, Role, Study
from tests.api.clients import send, with_token
from tests.factories import MemberFactory, UserFactory, open_study

pytestmark = pytest.mark.xdist_group("api-token-pages")
MINE = reverse("my_tokens")


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return open_study(name="Owls")


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def secret_in(page: str) -> str:
    found = re.search(r'id="secret">(ap_[^<]+)<', page)
    assert found
    return found[1]


@pytest.fixture
def admin(db: None, study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN)


def test_a_token_is_shown_once_and_opens_what_it_is_for(admin: Member) -> None:
    client = signed_in(admin)
    made = client.post(MINE, {"name": "My script", "scopes": ["read"], "days": "30"})
    secret = secret_in(made.content.decode())
    assert "no-store" in made["Cache-Control"]
    assert secret not in client.get(MINE).content.decode()
    program = with_token(secret)
    assert send(program, "GET", f"/studies/{admin.study.slug}").status_code == 200
    assert send(program, "POST", f"/studies/{admin.study.slug}/batches/1/close", {}).status_code == 403
    token = ApiToken.objects.get()
    assert Event.objects.filter(verb=Verb.TOKEN_CREATED, subject_id=token.pk, user=admin.user).exists()
    client.post(reverse("revoke_my_token", args=[token.pk]))
    assert send(program, "GET", "/studies").status_code == 401


@pytest.mark.pages
@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"scopes": []}, {"scopes": ["everything"]}, {"days": "0"}, {"days": "x"}, {"name": "x" * 81}],
)
def test_what_cannot_be_is_told_and_what_was_typed_stays(admin: Member, wrong: dict[str, object]) -> None:
    page = signed_in(admin).post(MINE, {"name": "My script", "scopes": ["read"], "days": "30"} | wrong)
    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()
    assert str(({"name": "My script"} | wrong)["name"]) in page.content.decode()
    assert not ApiToken.objects.exists()


def test_nobody_revokes_a_token_of_others(admin: Member) -> None:
    signed_in(admin).post(MINE, {"name": "Mine", "scopes": ["read"]})
    token = ApiToken.objects.get()
    other = Client()
    other.force_login(UserFactory())
    assert other.post(reverse("revoke_my_token", args=[token.pk])).status_code == 404
    token.refresh_from_db()
    assert token.state == "in force"


def test_a_token_of_a_study_stays_when_its_maker_leaves_and_sees_that_study_alone(admin: Member, study: Study) -> None:
    MemberFactory(study=study, role=Role.ADMIN)
    other = MemberFactory(study=open_study(name="Finches"), role=Role.ADMIN, user=admin.user)
    address = reverse("study_tokens", args=[study.slug])
    made = signed_in(admin).post(address, {"name": "Nightly", "scopes": ["manage"], "role": "researcher"})
    program = with_token(secret_in(made.content.decode()))
    Member.objects.filter(pk=admin.pk).delete()
    listed = send(program, "GET", "/studies").json()["results"]
    assert [each["slug"] for each in listed] == [study.slug]
    assert send(program, "GET", f"/studies/{other.study.slug}").status_code == 404
    assert send(program, "POST", f"/studies/{study.slug}/archive").status_code == 403


def test_only_admins_of_a_study_make_and_revoke_its_tokens(admin: Member, study: Study) -> None:
    address = reverse("study_tokens", args=[study.slug])
    signed_in(admin).post(address, {"name": "Nightly", "scopes": ["read"], "role": "researcher"})
    token = ApiToken.objects.get()
    revoke = reverse("revoke_study_token", args=[study.slug, token.pk])
    new = {"name": "Another", "scopes": ["read"], "role": "admin"}
    strangers = [
        MemberFactory(study=study, role=Role.RESEARCHER),
        MemberFactory(study=study, role=Role.ANNOTATOR),
        MemberFactory(study=open_study(name="Finches"), role=Role.ADMIN),
    ]
    for member in strangers:
        client = signed_in(member)
        assert [client.get(address).status_code, client.post(address, new).status_code] == [404, 404]
        assert client.post(revoke).status_code == 404
    assert Client().get(address).status_code == 302
    assert Client().post(revoke).status_code == 302
    other = MemberFactory(study=open_study(name="Jays"), role=Role.ADMIN)
    elsewhere = reverse("revoke_study_token", args=[other.study.slug, token.pk])
    assert signed_in(other).post(elsewhere).status_code == 404
    assert ApiToken.objects.get().state == "in force"
    signed_in(admin).post(revoke)
    assert ApiToken.objects.get().state == "revoked"

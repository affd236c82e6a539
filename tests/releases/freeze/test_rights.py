"""Who may download a release without being in its study: people by a confirmed address, teams by a role."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import Event, User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.releases.freeze.rights import give_right, releases_given_to, revoke_right
from annotation_platform.releases.freeze.services import withdraw_release
from annotation_platform.releases.models import DownloadRight, Release
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import remove_member
from tests.api.clients import program, send
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_study
from tests.releases.freeze.frozen import admin_of

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def kept(study: Study, number: int = 1) -> Release:
    """A release whose folder has two files: what is in them is not asked here."""
    release = Release.objects.create(
        study=study,
        requested_by=admin_of(study),
        number=number,
        title="Long answers",
        authors="Mori, Aya",
        licence="CC-BY-4.0",
        status=Release.Status.DONE,
        frozen_at=timezone.now(),
        digest=f"{study.pk:032x}{number:032x}",
    )
    (release.folder / "data").mkdir(parents=True)
    (release.folder / "manifest.json").write_text("{}")
    (release.folder / "data" / "items.csv").write_text("study,scheme")
    return release


@pytest.fixture
def release() -> Release:
    study = make_study(name="Owls")
    MemberFactory(study=study)
    return kept(study)


def person(email: str = "aya@example.org", *, confirmed: bool = True) -> User:
    user: User = UserFactory(email=email)
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=confirmed)
    return user


def content(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def given(release: Release, **whom: Any) -> DownloadRight:
    return give_right(release=release, created_by=admin_of(release.study), actor=OPERATOR, **whom)


def statuses(release: Release, user: User) -> set[int]:
    """What page and API answer to somebody who wants the whole or one file."""
    browser, script = Client(), program(user, "read")
    browser.force_login(user)
    where, part = [release.study.slug, release.number], [release.study.slug, release.number, "data/items.csv"]
    asked = [
        (browser, reverse("download_release", args=where)),
        (browser, reverse("release_file", args=part)),
        (script, reverse("api_release_file", args=where)),
        (script, reverse("api_release_part", args=part)),
    ]
    found = set()
    for client, address in asked:
        answer: Any = client.get(address)
        if answer.streaming:
            content(answer)  # which closes it
        found.add(answer.status_code)
    return found


def test_an_admin_names_a_person_who_then_downloads_with_their_account(release: Release, client: Client) -> None:
    study, address = release.study, reverse("give_release_right", args=[release.study.slug, 1])
    client.force_login(admin_of(study).user)
    assert client.post(address, {"email": "Aya@Example.org"}).status_code == 302
    assert client.post(address, {"email": "aya@example.org"}).status_code == 302  # once more is the same
    right = DownloadRight.objects.get()
    page = client.get(reverse("release", args=[study.slug, 1])).content.decode()
    assert "---" not in page, "an empty choice is a dash wherever it stands"
    assert "aya@example.org" in page
    aya = person()
    client.force_login(aya)
    assert reverse("given_releases") in client.get(reverse("home")).content.decode()
    assert release.title in client.get(reverse("given_releases")).content.decode()
    japanese = client.get(reverse("given_releases"), headers={"accept-language": "ja"}).content.decode()
    assert "研究の管理者がダウンロードを許可したデータです。" in japanese
    assert statuses(release, aya) == {200}
    assert client.get(reverse("release", args=[study.slug, 1])).status_code == 404
    right.refresh_from_db()
    assert right.downloads == 4
    taken = Event.objects.filter(verb="release.downloaded", user=aya).order_by("pk")
    assert [each.change for each in taken] == [
        {"right": [None, right.pk]},
        {"file": [None, "data/items.csv"], "right": [None, right.pk]},
    ] * 2

    client.force_login(admin_of(study).user)
    assert client.post(reverse("revoke_release_right", args=[study.slug, 1, right.pk])).status_code == 302
    assert statuses(release, aya) == {404}
    assert not releases_given_to(aya)
    verbs = Event.objects.filter(verb__startswith="release.right").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["release.right_given", "release.right_revoked"]


def test_a_team_is_whoever_has_the_role_now(release: Release, client: Client) -> None:
    admin, partners = admin_of(release.study), make_study(name="Partners")
    MemberFactory(study=partners, user=admin.user, role=Role.RESEARCHER)
    client.force_login(admin.user)
    asked = {"team": partners.pk, "role": "annotator"}
    assert client.post(reverse("give_release_right", args=[release.study.slug, 1]), asked).status_code == 302
    judge, other = MemberFactory(study=partners), MemberFactory(study=partners, role=Role.ADMIN)
    assert statuses(release, judge.user) == {200}
    assert statuses(release, other.user) == {404}
    user = judge.user
    Member.objects.filter(pk=judge.pk).update(excluded_at=timezone.now())
    assert statuses(release, user) == {404}
    Member.objects.filter(pk=judge.pk).update(excluded_at=None)
    remove_member(member=judge, actor=OPERATOR)
    assert statuses(release, user) == {404}


def test_nobody_else_gets_in(release: Release) -> None:
    given(release, email="aya@example.org")
    given(release, team=make_study(name="Partners"), role=Role.ANNOTATOR)
    annotator = release.study.members.filter(role=Role.ANNOTATOR).first()
    assert annotator is not None
    unconfirmed, another = person(confirmed=False), person("ben@example.org")
    for user in (unconfirmed, another, annotator.user, UserFactory(is_staff=True)):
        assert statuses(release, user) == {404}
    other = kept(make_study(name="Another"))
    EmailAddress.objects.update(verified=True)
    assert statuses(release, unconfirmed) == {200}
    assert statuses(other, unconfirmed) == {404}  # the right is to one release


def test_an_embargo_ends_by_utc_whatever_zone_a_visitor_names() -> None:
    today = datetime.now(UTC).date()
    with timezone.override(timezone.get_fixed_timezone(timedelta(hours=23, minutes=59))):  # where it is tomorrow
        assert Release(embargo_until=today + timedelta(days=1)).is_embargoed
        assert not Release(embargo_until=today).is_embargoed


def test_an_embargo_and_a_withdrawal_hold_for_them_too(release: Release, client: Client) -> None:
    given(release, email="aya@example.org")
    aya, reader = person(), MemberFactory(study=release.study, role=Role.RESEARCHER).user
    tomorrow = timezone.localdate() + timedelta(days=1)
    Release.objects.update(embargo_until=tomorrow)
    assert (statuses(release, aya), statuses(release, reader)) == ({404}, {200})
    client.force_login(aya)
    assert tomorrow.isoformat() in client.get(reverse("given_releases")).content.decode()
    (told,) = send(program(aya), "GET", "/releases").json()["results"]
    assert (told["title"], told["file"]) == (release.title, None)
    Release.objects.update(embargo_until=None)
    assert statuses(release, aya) == {200}
    withdraw_release(release=release, because="Two annotators asked for it.", actor=OPERATOR)
    assert (statuses(release, aya), statuses(release, reader)) == ({404}, {404})
    assert "Two annotators asked for it." in client.get(reverse("given_releases")).content.decode()


def test_programs_name_people_and_teams_and_revoke(release: Release) -> None:
    admin = admin_of(release.study)
    script, path = program(admin.user), f"/studies/{release.study.slug}/releases/1/rights"
    made = send(script, "POST", path, {"email": "Aya@example.org"})
    assert (made.status_code, made.json()["email"], made.json()["team"]) == (201, "aya@example.org", None)
    team = send(script, "POST", path, {"team": release.study.slug, "role": "annotator"}).json()
    assert (team["team"], team["role"], team["email"]) == (release.study.slug, "annotator", None)
    listed = send(script, "GET", path).json()["results"]
    assert [each["id"] for each in listed] == [team["id"], made.json()["id"]]
    annotator = release.study.members.filter(role=Role.ANNOTATOR).first()
    assert annotator is not None
    (told,) = send(program(annotator.user, "read"), "GET", "/releases").json()["results"]
    assert content(program(annotator.user, "read").get(told["file"]))[:2] == b"PK"
    revoked = send(script, "POST", f"{path}/{team['id']}/revoke").json()
    assert revoked["revoked_at"] is not None
    assert send(program(annotator.user), "GET", "/releases").json()["results"] == []
    again = send(script, "POST", path, {"team": release.study.slug, "role": "annotator"}).json()
    assert again["id"] != team["id"]  # what was revoked stays so


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "releases.person_or_team"),
        ({"role": "admin"}, "releases.person_or_team"),
        ({"email": "aya@example.org", "team": "{own}", "role": "admin"}, "releases.person_or_team"),
        ({"team": "{own}"}, "releases.person_or_team"),
        ({"team": "of-others", "role": "admin"}, "releases.no_team"),
    ],
)
def test_what_cannot_be_named_is_refused(release: Release, body: dict[str, str], code: str) -> None:
    make_study(name="Of others")
    path = f"/studies/{release.study.slug}/releases/1/rights"
    sent = {key: value.replace("{own}", release.study.slug) for key, value in body.items()}
    refused = send(program(admin_of(release.study).user), "POST", path, sent)
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert not DownloadRight.objects.exists()


def test_the_page_says_what_is_wrong_and_offers_no_study_of_others(release: Release, client: Client) -> None:
    make_study(name="Of others")
    client.force_login(admin_of(release.study).user)
    answer = client.post(reverse("give_release_right", args=[release.study.slug, 1]), {"role": "annotator"})
    assert answer.status_code == 422
    assert "Give the address of a person" in answer.content.decode()
    assert "Of others" not in answer.content.decode()


def test_a_withdrawn_release_is_given_to_nobody(release: Release) -> None:
    withdraw_release(release=release, because="It is wrong.", actor=OPERATOR)
    with pytest.raises(InvalidInputError):
        given(release, email="aya@example.org")


def test_a_deleted_account_leaves_no_address(release: Release) -> None:
    given(release, email="aya@example.org")
    delete_account(user=person(), actor=OPERATOR)
    assert not DownloadRight.objects.exists()
    assert not Event.objects.filter(change__icontains="aya@example.org").exists()


def test_a_deleted_account_takes_no_right_of_others(release: Release) -> None:
    given(release, email="aya@example.org")
    given(release, team=release.study, role=Role.ANNOTATOR)
    delete_account(user=person(confirmed=False), actor=OPERATOR)  # whose address it is, nobody knows
    delete_account(user=UserFactory(email=""), actor=OPERATOR)
    assert DownloadRight.objects.count() == 2


def test_only_admins_give_and_revoke(release: Release, client: Client) -> None:
    right = given(release, email="aya@example.org")
    where = [release.study.slug, 1]
    researcher = MemberFactory(study=release.study, role=Role.RESEARCHER).user
    for user in (researcher, person()):
        client.force_login(user)
        assert client.post(reverse("give_release_right", args=where), {"email": "b@example.org"}).status_code == 404
        assert client.post(reverse("revoke_release_right", args=[*where, right.pk])).status_code == 404
    right.refresh_from_db()
    assert right.revoked_at is None
    assert DownloadRight.objects.count() == 1


def test_the_right_of_another_release_is_not_revoked_here(release: Release, client: Client) -> None:
    right = given(release, email="aya@example.org")
    second = kept(release.study, number=2)
    client.force_login(admin_of(release.study).user)
    address = reverse("revoke_release_right", args=[release.study.slug, second.number, right.pk])
    assert client.post(address).status_code == 404
    revoke_right(right=right, actor=OPERATOR)
    revoke_right(right=right, actor=OPERATOR)
    assert Event.objects.filter(verb="release.right_revoked").count() == 1

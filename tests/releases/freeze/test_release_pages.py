"""The pages of releases: asking, settling, links, withdrawal; and who gets in."""

import io
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.services import make_link, request_release, token_of, withdraw_release
from annotation_platform.releases.models import DownloadLink, Finding, Release
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory, make_study, study_with_judgments
from tests.releases.freeze.frozen import ASKED, admin_of, asked, frozen, worked

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=5)


def content(response: object) -> bytes:
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def test_the_next_release_begins_with_what_the_last_one_said_of_itself(study: Study, client: Client) -> None:
    client.force_login(admin_of(study).user)
    asked(study, description="Judged in spring.", licence="CC0-1.0")
    page = client.get(reverse("releases", args=[study.slug])).content.decode()
    assert "Mori, Aya\nA Group</textarea>" in page
    assert "Judged in spring.</textarea>" in page
    assert '<option value="CC0-1.0" selected>' in page
    assert f'value="{study.name}"' in page


def test_from_the_form_to_the_files(study: Study, client: Client) -> None:
    client.force_login(admin_of(study).user)
    home = reverse("releases", args=[study.slug])
    assert "Nothing has been released yet" in client.get(home).content.decode()
    answer = client.post(reverse("request_release", args=[study.slug]), ASKED)
    page = reverse("release", args=[study.slug, 1])
    assert answer.headers["Location"] == page
    assert "waits for its turn" in client.get(page).content.decode()
    worked(Release.objects.get())
    text = client.get(page).content.decode()
    assert "frozen" in text
    assert Release.objects.get().digest in text
    address = reverse("download_release", args=[study.slug, 1])
    whole: Any = client.get(address)
    packed = content(whole)
    rest: Any = client.get(address, headers={"range": f"bytes={len(packed) // 2}-", "if-range": whole["ETag"]})
    assert (rest.status_code, content(rest)) == (206, packed[len(packed) // 2 :])
    assert client.get(address, headers={"range": f"bytes={len(packed)}-"}).status_code == 416
    archive = zipfile.ZipFile(io.BytesIO(packed))
    names = {name.partition("/")[2] for name in archive.namelist()}
    assert {"manifest.json", "README.md", "data/judgments.csv", "verify.py"} <= names
    assert archive.testzip() is None
    one = client.get(reverse("release_file", args=[study.slug, 1, "data/items.csv"]))
    assert content(one).startswith(b"study,scheme")
    for wrong in ("../../settings.py", "/etc/passwd", "data", "x" * 5_000):
        assert client.get(reverse("release_file", args=[study.slug, 1, wrong])).status_code == 404
    assert client.head(address)["Content-Length"] == str(len(packed))
    taken = Event.objects.filter(verb="release.downloaded").order_by("pk").values_list("change", flat=True)
    assert list(taken) == [{}, {}, {"file": [None, "data/items.csv"]}]


def test_a_second_click_makes_no_second_release_although_the_first_is_frozen_already(
    study: Study, client: Client
) -> None:
    client.force_login(admin_of(study).user)
    home, ask = (reverse(name, args=[study.slug]) for name in ("releases", "request_release"))
    assert 'name="after" value="0"' in client.get(home).content.decode()
    client.post(ask, {**ASKED, "after": "0"})
    Release.objects.update(status=JobStatus.DONE, frozen_at=timezone.now())
    again = client.post(ask, {**ASKED, "after": "0", "description": "Typed at length"})
    said = again.content.decode()
    assert (again.status_code, Release.objects.count()) == (422, 1)
    assert "Release 1 was made since this page was shown" in said
    assert "Typed at length" in said
    assert 'name="after" value="1"' in said
    assert client.post(ask, {**ASKED, "after": "1"}).status_code == 302, "now it is wanted"
    assert Release.objects.count() == 2


def test_all_others_are_settled_at_once_but_what_cannot_be_replaced_stays_open(study: Study, client: Client) -> None:
    client.force_login(admin_of(study).user)
    release = asked(study)
    Release.objects.filter(pk=release.pk).update(status=Release.Status.DRAFT)
    said = Finding.objects.create(release=release, kind="email", text="ada@example.org")
    few = Finding.objects.create(release=release, kind="few", text="few")
    name = Finding.objects.create(release=release, kind="account", text="Ada")
    numbered = [study.slug, release.number]
    assert 'name="rest"' in client.get(reverse("release", args=numbered)).content.decode()
    client.post(reverse("settle_release", args=numbered), {f"finding-{said.pk}": "kept", "rest": "removed"})
    assert dict(release.findings.values_list("pk", "verdict")) == {said.pk: "kept", few.pk: "open", name.pk: "removed"}


def test_thousands_of_findings_are_settled_by_one_form(study: Study, client: Client) -> None:
    admin = admin_of(study)
    release = request_release(study=study, requested_by=admin, actor=OPERATOR, **ASKED)
    Release.objects.update(status=JobStatus.DRAFT, looked_at=timezone.now())
    Finding.objects.bulk_create(
        Finding(release=release, kind=Finding.Kind.WEB, text=f"https://example.org/{number}") for number in range(2_500)
    )
    client.force_login(admin.user)
    sent = {f"finding-{pk}": "kept" for pk in release.findings.values_list("pk", flat=True)}
    answer = client.post(reverse("settle_release", args=[study.slug, release.number]), sent)
    assert answer.status_code == 302
    assert not release.findings.filter(verdict=Finding.Verdict.OPEN).exists()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"title": " "}, "This field is required"),
        ({"authors": ""}, "This field is required"),
        ({"licence": "mine"}, "Select a valid choice"),
        ({"embargo_until": "2020-01-01"}, "This day is over"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(
    study: Study, client: Client, changed: dict[str, str], says: str
) -> None:
    client.force_login(admin_of(study).user)
    answer = client.post(
        reverse("request_release", args=[study.slug]), {**ASKED, "description": "Typed at length", **changed}
    )
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert "Typed at length" in answer.content.decode()
    assert not Release.objects.exists()


def test_one_at_a_time_and_never_of_nothing(client: Client) -> None:
    empty = make_study()
    client.force_login(admin_of(empty).user)
    said = client.post(reverse("request_release", args=[empty.slug]), ASKED).content.decode()
    assert "No batch has closed yet" in said


def test_a_link_lets_anybody_in_until_it_is_over(study: Study, client: Client) -> None:
    release = frozen(study)
    link = make_link(release=release, created_by=admin_of(study), days=3, actor=OPERATOR)
    page, file = (reverse(name, args=[token_of(link)]) for name in ("shared_release", "download_shared_release"))
    assert release.title in client.get(page).content.decode()
    assert content(client.get(file))[:2] == b"PK"
    assert DownloadLink.objects.get().downloads == 1
    assert client.get(reverse("shared_release", args=[f"{link.pk}:forged"])).status_code == 404

    Release.objects.update(embargo_until=timezone.localdate() + timedelta(days=1))
    assert "cannot be downloaded before" in client.get(page).content.decode()
    Release.objects.update(embargo_until=None)
    DownloadLink.objects.update(expires_at=timezone.now())
    assert client.get(page).status_code == client.get(file).status_code == 404


def test_a_withdrawn_release_leaves_its_number_and_the_reason(study: Study, client: Client) -> None:
    release = frozen(study)
    link = make_link(release=release, created_by=admin_of(study), days=3, actor=OPERATOR)
    withdraw_release(release=release, because="Two annotators asked for it.", actor=OPERATOR)
    shared = client.get(reverse("shared_release", args=[token_of(link)]))
    assert (shared.status_code, "Two annotators asked for it." in shared.content.decode()) == (404, True)
    client.force_login(admin_of(study).user)
    page = client.get(reverse("release", args=[study.slug, 1])).content.decode()
    assert "Two annotators asked for it." in page
    assert release.digest in page
    assert client.get(reverse("download_release", args=[study.slug, 1])).status_code == 404
    assert frozen(study).number == 2


GETS = ("releases", "release", "download_release")
POSTS = ("request_release", "settle_release", "give_up_release", "withdraw_release", "make_release_link")


def address(name: str, study: Study) -> str:
    return reverse(name, args=[study.slug] if name in ("releases", "request_release") else [study.slug, 1])


@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_who_does_not_get_in(study: Study, client: Client, name: str) -> None:
    release = frozen(study)
    send = client.get if name in GETS else client.post
    assert send(address(name, study)).status_code == 302  # to sign in
    stranger = MemberFactory(study=make_study(), role=Role.ADMIN)
    annotator = study.members.filter(role=Role.ANNOTATOR).first()
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    for member, expected in (
        (stranger, {404}),
        (annotator, {404}),
        (researcher, {200} if name in GETS else {403, 404}),
    ):
        client.force_login(member.user)
        assert send(address(name, study), {}).status_code in expected, (name, member.role)
    release.refresh_from_db()
    assert release.is_frozen
    assert not release.links.exists()

"""A person's own data as a ZIP, and leaving a study."""

import csv
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import Event
from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.crowd.consent.services import answer, publish_text
from annotation_platform.crowd.home.own_data import PARTS
from annotation_platform.crowd.home.takeout.jobs import TAKEOUTS
from annotation_platform.crowd.languages.models import StatedLanguages
from annotation_platform.crowd.pay.models import LedgerEntry
from annotation_platform.crowd.review.services import reject
from annotation_platform.crowd.rounds.services import begin_attempt
from annotation_platform.crowd.takeout.models import KEPT, Takeout
from annotation_platform.crowd.takeout.services import forget_old_takeouts, request_takeout
from annotation_platform.jobs.contract import run_job
from annotation_platform.studies.invitations import create_invitation
from annotation_platform.studies.models import Assignment, Member, Role, Study
from annotation_platform.studies.services import exclude_member, pause_member, restore_member
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.crowd.rounds.pieces import go_through, new_round
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study
from tests.markup import markup


@pytest.fixture(autouse=True)
def exports(settings: Any, tmp_path: Path) -> None:
    settings.EXPORTS_DIR = tmp_path / "exports"


@pytest.fixture
def study(db: None) -> Study:
    return open_study(corpus=make_corpus(articles=1, questions=3, sentences=8), overlap=3)


@pytest.fixture
def desk(study: Study) -> Desk:
    return sit_down(study)


def downloaded(client: Client) -> zipfile.ZipFile:
    assert client.post(reverse("ask_for_my_data")).status_code == 302
    takeout = run_job(TAKEOUTS, Takeout.objects.latest("pk").pk)
    assert takeout is not None
    response = client.get(reverse("download_my_data", args=[takeout.pk]))
    assert response.status_code == 200
    assert "my-data-" in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    return zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))  # type: ignore[attr-defined]


def rows(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(archive.read(f"{name}.json"))
    return found


def test_it_has_all_that_is_known_and_each_revision(desk: Desk, study: Study) -> None:
    researcher: Member = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R-secret")
    desk.submit(1)
    desk.submit(1, FORM | {"aspect-reasons": "It leaves out sentence 5, too."})
    desk.client.post(desk.url("draft", 2), FORM | {"aspect-reasons": "=half"} | desk.hidden())
    send_message(assignment=desk.assignment, author=desk.annotator, text="Which year?", actor=OPERATOR)
    send_message(assignment=desk.assignment, author=researcher, text="1897.", actor=OPERATOR)
    pause_member(member=desk.annotator, because="A rest.", actor=OPERATOR)
    archive = downloaded(desk.client)
    assert {f"{part.name}.{kind}" for part in PARTS for kind in ("json", "csv")} < set(archive.namelist())
    judgments = rows(archive, "judgments")
    assert [(each["revision"], each["counts"]) for each in judgments] == [(1, False), (2, True)]
    assert judgments[1]["values"]["reasons"] == "It leaves out sentence 5, too."
    (draft,) = rows(archive, "drafts")
    assert (draft["study"], draft["question"]) == (study.slug, 2)
    messages = [(each["by"], each["text"]) for each in rows(archive, "messages")]
    assert messages == [("you", "Which year?"), ("researcher", "1897.")]
    (member,) = rows(archive, "memberships")
    assert (member["pseudonym"], member["paused_because"]) == (desk.annotator.pseudonym, "A rest.")
    (account,) = rows(archive, "account")
    assert account["email"] == desk.annotator.user.email
    assert {"judgment.submitted", "member.paused"} <= {each["what"] for each in rows(archive, "events")}
    table = list(csv.DictReader(io.StringIO(archive.read("judgments.csv").decode("utf-8-sig"))))
    assert json.loads(table[1]["values"])["reasons"] == "It leaves out sentence 5, too."
    assert Event.objects.filter(verb="account.data_taken", user=desk.annotator.user).count() == 1


def test_it_has_nothing_of_anybody_else(desk: Desk, study: Study) -> None:
    researcher: Member = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R-secret")
    other = sit_down(study)
    other.submit(1, FORM | {"aspect-reasons": "A stranger's words."})
    other.client.post(other.url("draft", 2), FORM | {"aspect-reasons": "A stranger's draft."} | other.hidden())
    send_message(assignment=other.assignment, author=other.annotator, text="A stranger's trouble.", actor=OPERATOR)
    send_message_about_study(annotator=desk.annotator, author=researcher, text="Hello.", actor=OPERATOR)
    archive = downloaded(desk.client)
    whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "Hello." in whole
    for secret in (
        "stranger",
        other.annotator.pseudonym,
        other.annotator.user.email,
        "R-secret",
        researcher.user.email,
    ):
        assert secret not in whole


def test_a_table_has_no_formula(desk: Desk, study: Study) -> None:
    text = '=HYPERLINK("http://evil.example")'
    send_message_about_study(annotator=desk.annotator, author=desk.annotator, text=text, actor=OPERATOR)
    archive = downloaded(desk.client)
    assert rows(archive, "messages")[0]["text"] == text
    (row,) = csv.DictReader(io.StringIO(archive.read("messages.csv").decode("utf-8-sig")))
    assert row["text"] == f"'{text}"


def test_what_was_set_aside_and_what_was_before_one_left_is_there_too(desk: Desk) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    exclude_member(member=desk.annotator, because="All labels are the same.", actor=OPERATOR)
    desk.client.post(reverse("leave_study", args=[desk.study.slug]))
    archive = downloaded(desk.client)
    assert len(rows(archive, "judgments")) == 3
    assert rows(archive, "set_aside")[0]["because"] == "All labels are the same."
    assert rows(archive, "memberships")[0]["removed_at"]


def test_only_who_is_signed_in_downloads_and_only_by_a_form(db: None) -> None:
    assert Client().post(reverse("ask_for_my_data")).url.startswith("/accounts/")
    assert Client().get(reverse("download_my_data", args=[1])).url.startswith("/accounts/")
    assert Client().get(reverse("my_data")).status_code == 302


def test_the_page_says_when_it_is_ready_and_asking_again_meanwhile_makes_one(desk: Desk) -> None:
    page = reverse("my_data")
    assert "Have it made" in markup(desk.client.get(page))
    for _ in range(2):
        desk.client.post(reverse("ask_for_my_data"))
    takeout = Takeout.objects.get()
    assert Event.objects.filter(verb="account.data_taken").count() == 1
    assert "It waits for its turn" in markup(desk.client.get(page, headers={"hx-request": "true"}))
    assert desk.client.get(reverse("download_my_data", args=[takeout.pk])).status_code == 404
    run_job(TAKEOUTS, takeout.pk)
    ready = markup(desk.client.get(page, headers={"hx-request": "true"}))
    assert "Your file is ready" in ready
    assert "hx-get" not in ready
    assert "<h1" not in ready
    assert "ファイルの準備ができました" in markup(desk.client.get(page, headers={"accept-language": "ja"}))


def test_a_file_is_for_whom_it_is_about(desk: Desk, study: Study) -> None:
    archive_of_desk = request_takeout(user=desk.annotator.user, actor=OPERATOR)
    run_job(TAKEOUTS, archive_of_desk.pk)
    address = reverse("download_my_data", args=[archive_of_desk.pk])
    for role in (Role.ANNOTATOR, Role.ADMIN):
        assert client_of(MemberFactory(study=study, role=role)).get(address).status_code == 404
    mine = desk.client.get(address)
    mine.close()
    assert mine.status_code == 200


def test_files_go_after_some_days_and_with_the_account(desk: Desk, study: Study) -> None:
    user = desk.annotator.user
    old, new = (run_job(TAKEOUTS, request_takeout(user=user, actor=OPERATOR).pk) for _ in range(2))
    assert old is not None
    assert new is not None
    Takeout.objects.filter(pk=old.pk).update(finished_at=timezone.now() - KEPT - timedelta(hours=1))
    forget_old_takeouts()
    assert (old.path.exists(), new.path.exists()) == (False, True)
    assert list(Takeout.objects.values_list("pk", flat=True)) == [new.pk]
    delete_account(user=user, actor=OPERATOR)
    assert not new.path.exists()


def test_leaving_asks_first_and_keeps_what_counts(desk: Desk, study: Study) -> None:
    desk.submit(1)
    second = Assignment.objects.get(pk=desk.assignment.pk)
    leave = reverse("leave_study", args=[study.slug])
    page = desk.client.get(leave).content.decode()
    assert "The task under way is given back" in page
    assert desk.annotator.pseudonym in page
    assert Member.objects.get(pk=desk.annotator.pk).user is not None
    told = desk.client.post(leave, follow=True).content.decode()
    assert f"You left “{study.name}”." in told
    left = Member.objects.get(pk=desk.annotator.pk)
    assert (left.user, left.former_user) == (None, desk.annotator.user)
    second.refresh_from_db()
    assert second.state == "open"
    assert left.annotations.count() == 1
    assert Event.objects.filter(verb="member.left", study=study.pk).count() == 1
    assert desk.client.get(leave).status_code == 404
    assert study.name in desk.client.get(reverse("my_data")).content.decode()


def test_the_link_stays_open_for_others_and_an_admin_lets_in_again(desk: Desk, study: Study) -> None:
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
    Member.objects.filter(pk=desk.annotator.pk).update(invitation=invitation)
    desk.client.post(reverse("leave_study", args=[study.slug]))
    invitation.refresh_from_db()
    assert invitation.state == "open"
    restore_member(member=Member.objects.get(pk=desk.annotator.pk), actor=OPERATOR)
    assert desk.client.get(reverse("leave_study", args=[study.slug])).status_code == 200


def test_nobody_leaves_for_somebody_else_or_as_who_runs_the_study(desk: Desk, study: Study) -> None:
    leave = reverse("leave_study", args=[study.slug])
    for role in (Role.RESEARCHER, Role.ADMIN):
        assert client_of(MemberFactory(study=study, role=role)).post(leave).status_code == 404
    assert Client().post(leave).status_code == 302
    assert Member.objects.filter(study=study, removed_at__isnull=False).count() == 0


def test_who_leaves_a_study_leaves_its_rounds_and_comes_back_to_them(study: Study) -> None:
    member: Member = MemberFactory(study=study)
    place = begin_attempt(round_=new_round(study), member=member, actor=OPERATOR)
    client = client_of(member)
    assert client.get(reverse("judge", args=[place.pk, 1])).status_code == 200
    client.post(reverse("leave_study", args=[study.slug]))
    assert client.get(reverse("judge", args=[place.pk, 1])).status_code == 404
    restore_member(member=Member.objects.get(pk=member.pk), actor=OPERATOR)
    assert Member.objects.filter(user=member.user, removed_at=None).count() == 2


def test_every_part_writes_the_same_columns_in_every_row(desk: Desk, study: Study) -> None:
    """A table's head is its first row's; a row with another column would break the download."""
    text = publish_text(study=study, texts={"en": "You may leave at any time."}, actor=OPERATOR)
    answer(member=desk.annotator, text=text, agreed=True, language="en", actor=OPERATOR)
    go_through(new_round(study), desk.annotator)
    StatedLanguages.objects.create(member=desk.annotator, codes=["en"])
    for position in (1, 2, 3):
        desk.submit(position)
    researcher: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    reject(assignment=desk.assignment, because="Copied.", by=researcher, actor=OPERATOR)
    owed = {"kind": "correction", "amount": 150, "currency": "EUR", "reason": "Our mistake.", "actor_kind": "person"}
    LedgerEntry.objects.create(study=study, member=desk.annotator, **owed)
    archive = downloaded(desk.client)
    assert rows(archive, "earnings")[0]["amount"] == 150
    assert rows(archive, "reviews")[0]["because"] == "Copied."
    assert rows(archive, "consents")[0]["agreed"]
    assert rows(archive, "qualification")[0]["attempt"] == 1
    assert rows(archive, "languages")[0]["languages"] == ["en"]
    for part in PARTS:
        assert len({tuple(row) for row in rows(archive, part.name)}) <= 1, part.name

"""Deleting an account: the person goes, what they judged stays under the pseudonym."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.mail import send_mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import Event, User
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError
from annotation_platform.imports.drafts import receive_files
from annotation_platform.imports.models import ImportJob
from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.releases.models import Export
from annotation_platform.studies.invitations import create_invitation
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Role
from annotation_platform.studies.services import claim_assignment, hand_over, remove_member
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_study, open_study, submit
from workers import tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> Member:
    """Somebody who has submitted one judgment of a task under way, from a network address."""
    member = MemberFactory(study=open_study(), pseudonym="Wren", user=UserFactory(email="ada@example.org"))
    place = claim_assignment(annotator=member, actor=Actor.person(member.user_id, address="192.0.2.7"))
    submit(place, place.hit.items.first())
    return member


def test_judgments_and_events_stay_under_the_pseudonym(judge: Member) -> None:
    assert judge.user is not None

    delete_account(user=judge.user, actor=Actor.person(judge.user.pk, address="192.0.2.7"))

    assert not User.objects.filter(email="ada@example.org").exists()
    assert str(Annotation.objects.get().annotator) == "Wren"
    judge.refresh_from_db()
    assert (judge.user, judge.former_user, judge.removed_at is None) == (None, None, False)
    mine = Event.objects.filter(study=judge.study_id, name="Wren")
    assert [*mine.order_by("pk").values_list("verb", flat=True)] == [
        "task.taken",
        "judgment.submitted",
        "task.given_back",
        "member.account_deleted",
    ]
    assert not Event.objects.exclude(user=None, address=None).exists()
    assert Event.objects.last().verb == "account.deleted"  # type: ignore[union-attr]


def test_the_task_under_way_is_free_for_somebody_else(judge: Member) -> None:
    assert judge.user is not None

    delete_account(user=judge.user, actor=OPERATOR)

    assert not Assignment.objects.exclude(state=AssignmentState.OPEN).exists()


def test_all_that_says_who_they_were_goes(judge: Member, settings: Any) -> None:
    settings.EMAIL_BACKEND = "annotation_platform.jobs.outbox.mail.OutboxBackend"
    user = judge.user
    assert user is not None
    browser = Client()
    browser.force_login(user)
    Client().force_login(UserFactory())
    EmailAddress.objects.create(user=user, email=user.email)
    for recipient in (user.email, "somebody@example.org"):
        send_mail("A word", "…", None, [recipient])
    create_invitation(study=judge.study, role=Role.ANNOTATOR, note=user.email, actor=OPERATOR)
    job = receive_files(
        owner=user, uploads=[SimpleUploadedFile("a.csv", b"a,b\n1,2\n")], target="study", actor=OPERATOR
    )

    delete_account(user=user, actor=OPERATOR)

    assert Session.objects.count() == 1
    assert browser.get(reverse("work")).status_code == 302
    assert not EmailAddress.objects.exists()
    assert [mail.recipients for mail in OutgoingMail.objects.all()] == [["somebody@example.org"]]
    assert judge.study.invitations.get().note == ""
    assert not ImportJob.objects.exists()
    assert not job.folder.exists()


def test_a_session_that_is_over_is_forgotten_by_itself() -> None:
    for _ in range(2):
        Client().force_login(UserFactory())
    over = Session.objects.order_by("pk")[0]
    Session.objects.filter(pk=over.pk).update(expire_date=timezone.now() - timedelta(seconds=1))
    tasks.sweep_here()
    assert over not in Session.objects.all()
    assert Session.objects.count() == 1


def test_who_was_removed_before_is_forgotten_too(judge: Member) -> None:
    user = judge.user
    assert user is not None
    remove_member(member=judge, actor=OPERATOR)
    removed_at = judge.removed_at

    delete_account(user=user, actor=OPERATOR)

    judge.refresh_from_db()
    assert (judge.former_user, judge.removed_at) == (None, removed_at)


def test_the_only_admin_of_a_study_hands_it_over_first() -> None:
    study = make_study(name="Owls")
    admin, other = (MemberFactory(study=study, role=role) for role in (Role.ADMIN, Role.RESEARCHER))
    Export.objects.create(study=study, requested_by=admin, format="csv")

    with pytest.raises(ConflictError, match="the only admin of: Owls"):
        delete_account(user=admin.user, actor=OPERATOR)
    assert not Event.objects.filter(topic="account").exists()

    hand_over(admin=admin, to=other, actor=OPERATOR)
    delete_account(user=admin.user, actor=OPERATOR)
    assert Export.objects.get().requested_by == admin


def test_a_person_deletes_their_own_account_by_typing_its_name(judge: Member) -> None:
    client = Client()
    client.force_login(judge.user)
    page = reverse("my_account")
    assert "ada@example.org" in client.get(page).content.decode()

    refused = client.post(page, {"typed_name": "somebody else"})
    assert refused.status_code == 422
    assert "so nothing was deleted" in refused.content.decode()

    done = client.post(page, {"typed_name": " Ada@example.org "}, follow=True)
    assert "Your account is deleted." in done.content.decode()
    assert not User.objects.filter(email="ada@example.org").exists()
    assert client.get(page).status_code == 302


def test_the_page_says_in_japanese_why_an_account_cannot_be_deleted() -> None:
    admin = MemberFactory(study=make_study(name="Owls"), role=Role.ADMIN)
    client = Client(headers={"accept-language": "ja"})
    client.force_login(admin.user)

    refused = client.post(reverse("my_account"), {"typed_name": admin.user.email})

    assert "唯一の管理者です" in refused.content.decode()


def test_the_operator_deletes_an_account_by_its_address(
    judge: Member, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for typed in ("no\n", "ada@example.or\n", ""):
        monkeypatch.setattr("sys.stdin", StringIO(typed))
        with pytest.raises(CommandError, match="nothing was deleted"):
            call_command("delete_account", "ADA@example.org", stdout=StringIO())
    assert User.objects.filter(email="ada@example.org").exists()
    monkeypatch.setattr("sys.stdin", StringIO("ada@example.org\n"))
    call_command("delete_account", "ADA@example.org")

    assert "stays under its pseudonyms" in capsys.readouterr().out
    deleted = Event.objects.get(verb="account.deleted")
    assert (deleted.actor_kind, deleted.via) == ("operator", "delete_account")
    with pytest.raises(CommandError, match="no account “ada"):
        call_command("delete_account", "ada@example.org")


def test_the_admin_site_deletes_no_account(client: Client, judge: Member) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", "a long and quiet password"))

    assert client.get(f"/admin/accounts/user/{judge.user_id}/delete/").status_code == 403


def test_judgments_stay_even_when_a_row_is_deleted_by_hand(judge: Member) -> None:
    User.objects.all().delete()

    assert str(Annotation.objects.get().annotator) == "Wren"

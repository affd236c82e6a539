"""The page of a study's people: roles, removing, letting in again, handing over; a study always has an admin."""

import re
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.tokens import revoke_token
from annotation_platform.studies.account_deletion import OnlyAdminError
from annotation_platform.studies.invitations import token_of
from annotation_platform.studies.models import AssignmentState, Invitation, Member, Role, Study
from annotation_platform.studies.service_accounts import create_service_token
from annotation_platform.studies.services import LastAdminError, change_role, claim_assignment, hand_over, remove_member
from tests.factories import OPERATOR, MemberFactory, UserFactory, open_study, submit
from tests.markup import markup

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(name="Mine")


@pytest.fixture
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="Boss")


@pytest.fixture
def client(client: Client, admin: Member) -> Client:
    client.force_login(admin.user)
    return client


def change(client: Client, member: Member, action: str, **data: str) -> Any:
    kwargs = {"slug": member.study.slug, "pk": member.pk, "action": action}
    return client.post(reverse("change_member", kwargs=kwargs), data, follow=True)


def test_judgments_of_somebody_removed_stay_under_the_pseudonym_and_the_task_under_way_goes_back(
    client: Client, study: Study
) -> None:
    member = MemberFactory(study=study, pseudonym="A")
    user = member.user
    done = claim_assignment(annotator=member, actor=OPERATOR)
    for item in done.hit.items.all():
        submit(done, item)
    under_way = claim_assignment(annotator=member, actor=OPERATOR)
    page = markup(change(client, member, "remove"))
    assert "A is out of the study" in page
    member.refresh_from_db()
    under_way.refresh_from_db()
    assert (member.user, member.former_user, member.pseudonym) == (None, user, "A")
    assert member.annotations.filter(is_current=True).count() == done.hit.items.count()
    assert (under_way.state, under_way.annotator) == (AssignmentState.OPEN, None)
    theirs = Client()
    theirs.force_login(user)  # type: ignore[arg-type]
    assert "You annotate no study yet" in markup(theirs.get(reverse("work")))


def test_somebody_removed_can_be_let_in_again_as_who_they_were(client: Client, study: Study) -> None:
    member = MemberFactory(study=study, pseudonym="A")
    user = member.user
    assert user is not None
    change(client, member, "remove")
    change(client, member, "restore")
    assert study.members.get(user=user) == member
    change(client, member, "remove")
    call_command("add_member", "Mine", user.email)
    assert study.members.get(user=user) == member


@pytest.mark.parametrize("how", ["remove", "role"])
def test_a_study_is_never_left_without_an_admin(client: Client, study: Study, admin: Member, how: str) -> None:
    MemberFactory(study=study, role=Role.RESEARCHER)
    page = markup(change(client, admin, how, role="researcher"))
    assert "would have no admin left" in page
    admin.refresh_from_db()
    assert (admin.role, admin.user_id is None) == (Role.ADMIN, False)


def test_an_admin_who_cannot_sign_in_does_not_count(study: Study, admin: Member) -> None:
    other = MemberFactory(study=study, role=Role.ADMIN)
    assert other.user is not None
    other.user.is_active = False
    other.user.save()
    with pytest.raises(LastAdminError):
        remove_member(member=admin, actor=OPERATOR)
    with pytest.raises(LastAdminError):
        change_role(member=admin, role=Role.RESEARCHER, actor=OPERATOR)


@pytest.mark.parametrize("is_revoked", [False, True])
def test_a_program_is_no_admin_to_leave_a_study_to(study: Study, admin: Member, is_revoked: bool) -> None:
    token, _secret = create_service_token(
        study=study, name="nightly", role=Role.ADMIN, scopes=["admin"], actor=OPERATOR
    )
    if is_revoked:
        revoke_token(token=token, actor=OPERATOR)
    program = study.members.get(user=token.user)
    with pytest.raises(LastAdminError):
        remove_member(member=admin, actor=OPERATOR)
    with pytest.raises(LastAdminError):
        hand_over(admin=admin, to=program, actor=OPERATOR)
    with pytest.raises(OnlyAdminError):
        delete_account(user=admin.user, actor=OPERATOR)
    MemberFactory(study=study, role=Role.ADMIN)
    remove_member(member=admin, actor=OPERATOR)


def test_handing_over_makes_the_other_admin_and_oneself_researcher(client: Client, study: Study, admin: Member) -> None:
    other = MemberFactory(study=study, role=Role.RESEARCHER)
    page = markup(change(client, other, "hand-over"))
    assert "is admin now, and you are researcher" in page
    roles = dict(study.members.values_list("pk", "role"))
    assert (roles[admin.pk], roles[other.pk]) == ("researcher", "admin")
    assert change(client, other, "remove").status_code == 404  # an admin's step


def test_who_stops_annotating_gives_back_the_task_under_way(client: Client, study: Study) -> None:
    member = MemberFactory(study=study)
    place = claim_assignment(annotator=member, actor=OPERATOR)
    change(client, member, "role", role="researcher")
    place.refresh_from_db()
    assert place.state == AssignmentState.OPEN


def test_annotators_are_known_by_their_pseudonyms_only(client: Client, study: Study) -> None:
    annotator = MemberFactory(study=study, user=UserFactory(email="secret@example.org"))
    researcher = MemberFactory(study=study, role=Role.RESEARCHER, user=UserFactory(email="known@example.org"))
    page = markup(client.get(reverse("people", args=["mine"])))
    assert annotator.pseudonym in page
    assert researcher.pseudonym in page
    assert "known@example.org" in page
    assert "secret@example.org" not in page


def test_an_invitation_is_made_used_counted_and_revoked_on_the_page(client: Client, study: Study) -> None:
    client.post(reverse("invite", args=["mine"]), {"role": "annotator", "days": 7, "max_uses": 3, "note": "Pilot"})
    page = markup(client.get(reverse("people", args=["mine"])))
    found = re.search(r"<code id=\"link-\d+\">http://testserver(/join/\S+/)</code>", page)
    assert found
    assert 'data-copies="link-' in page
    Client().post(found[1], {"who": "Ada"})
    page = markup(client.get(reverse("people", args=["mine"])))
    assert "1 of 3 joined by it" in page
    client.post(reverse("revoke_invitation", args=["mine", Invitation.objects.get().pk]))
    page = markup(client.get(reverse("people", args=["mine"])))
    assert "Annotator: Pilot, revoked; 1 joined by it" in page
    assert Client().post(found[1], {"who": "Bob"}).status_code == 422


def test_an_invitation_goes_by_mail_to_one_person(client: Client, study: Study) -> None:
    client.post(reverse("invite", args=["mine"]), {"role": "researcher", "days": 7, "email": "co@example.org"})
    (sent,) = mail.outbox
    found = re.search(r"http://testserver(/join/\S+/)", str(sent.body))
    assert found
    assert sent.to == ["co@example.org"]
    assert Invitation.objects.get().max_uses == 1
    co_researcher = Client()
    co_researcher.force_login(UserFactory(email="co@example.org"))
    co_researcher.post(found[1])
    assert study.members.get(user__email="co@example.org").role == Role.RESEARCHER


def test_an_annotator_who_is_invited_by_mail_comes_in_by_that_link_alone(client: Client, study: Study) -> None:
    client.post(reverse("invite", args=["mine"]), {"role": "annotator", "days": 7, "email": "new@example.org"})
    (sent,) = mail.outbox
    found = re.search(r"http://testserver(/join-by-mail/\S+/)", str(sent.body))
    assert found
    theirs = Client()
    assert theirs.post(found[1]).status_code == 302
    assert study.members.get(user__email="new@example.org").role == Role.ANNOTATOR
    assert Client().post(found[1]).status_code == 422


def test_a_name_of_several_lines_from_earlier_days_stands_in_one_in_mails(client: Client, study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(name="Mine\nand yours")
    client.post(reverse("invite", args=["mine"]), {"role": "annotator", "days": 7, "email": "co@example.org"})
    token = token_of(Invitation.objects.get())
    Client().post(reverse("join", args=[token]), {"who": "new@example.org"})
    assert [sent.subject for sent in mail.outbox] == [
        "Invitation to “Mine and yours”",
        "Your way into “Mine and yours”",
    ]


def test_researchers_invite_annotators_only_and_change_nobody(study: Study, admin: Member) -> None:
    researcher = Client()
    researcher.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    refused = researcher.post(reverse("invite", args=["mine"]), {"role": "admin", "days": 7})
    assert (refused.status_code, Invitation.objects.count()) == (422, 0)
    made = researcher.post(reverse("invite", args=["mine"]), {"role": "annotator", "days": 7})
    assert (made.status_code, Invitation.objects.count()) == (302, 1)
    assert change(researcher, admin, "remove").status_code == 404


def test_what_invited_people_read_is_written_on_the_page(client: Client, study: Study) -> None:
    client.post(reverse("welcome", args=["mine"]), {"about": "Of ferries.", "task_minutes": "15", "pay": "€3"})
    study.refresh_from_db()
    assert (study.about, study.task_minutes, study.pay) == ("Of ferries.", 15, "€3")
    refused = client.post(reverse("welcome", args=["mine"]), {"about": "Kept words", "task_minutes": "-1"})
    assert refused.status_code == 422
    assert "Kept words" in markup(refused)


def test_a_researcher_pauses_an_annotator_who_reads_why_and_lets_them_on_again(study: Study) -> None:
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    member = MemberFactory(study=study, pseudonym="A")
    client, theirs = Client(), Client()
    client.force_login(researcher.user)  # type: ignore[arg-type]
    theirs.force_login(member.user)  # type: ignore[arg-type]
    address = reverse("pause_member", kwargs={"slug": study.slug, "pk": member.pk})
    assert "Write why, since A reads it" in markup(client.post(address, {"because": " "}, follow=True))
    page = markup(client.post(address, {"because": "Please read my message."}, follow=True))
    assert "A takes nothing new" in page
    assert "paused" in page
    waiting = markup(theirs.post(reverse("take", args=[study.slug]), follow=True))
    assert "You are paused in this study: Please read my message." in waiting
    assert "Start the next task" not in waiting
    assert "A can take tasks again" in markup(client.post(address, {"resume": "1"}, follow=True))
    assert "Start the next task" in markup(theirs.get(reverse("work")))


def test_an_annotator_pauses_nobody(study: Study) -> None:
    member = MemberFactory(study=study)
    client = Client()
    client.force_login(member.user)  # type: ignore[arg-type]
    address = reverse("pause_member", kwargs={"slug": study.slug, "pk": MemberFactory(study=study).pk})
    assert client.post(address, {"because": "No"}).status_code == 404

"""Announcements: who sees them where, until when; and mail about them."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event
from annotation_platform.crowd.talk.models import Announcement, Audience, MailWishes
from annotation_platform.crowd.talk.notifications import tell_of_announcements
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.studies.models import Member, Role, Study
from tests.annotations.desk import Desk, client_of
from tests.factories import OPERATOR, MemberFactory, make_study

pytestmark = pytest.mark.pages

TEXT = "The button “skip” is gone. Answer all questions."


def announced(
    study: Study, audience: Audience = Audience.ALL, *, text: str = TEXT, by_mail: bool = False
) -> Announcement:
    author: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    return announce(author=author, text=text, audience=audience, by_mail=by_mail, actor=OPERATOR)


def sees(client: Client, address: str) -> bool:
    return TEXT in client.get(address).content.decode()


def test_a_second_click_announces_nothing_a_second_time(study: Study) -> None:
    client = client_of(MemberFactory(study=study, role=Role.RESEARCHER))
    page, form = reverse("crowd_announcements", args=[study.slug]), {"text": TEXT, "audience": "all", "by_mail": "on"}
    assert [client.post(page, form).status_code for _ in range(2)] == [302, 422]
    assert Announcement.objects.count() == 1


def test_annotators_see_it_on_their_start_page_and_where_they_judge_until_they_put_it_away(
    desk: Desk, study: Study
) -> None:
    client = client_of(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R-secret"))
    page = reverse("crowd_announcements", args=[study.slug])
    assert client.post(page, {"text": TEXT, "audience": "all"}).status_code == 302
    assert "R-secret" not in desk.client.get(reverse("work")).content.decode()
    later: Member = MemberFactory(study=study)
    assert sees(desk.client, reverse("work"))
    assert sees(desk.client, desk.url())
    assert sees(client_of(later), reverse("work"))
    announcement = Announcement.objects.get()
    dismiss = reverse("dismiss_announcement", args=[announcement.pk])
    assert desk.client.post(dismiss, {"next": desk.url()})["Location"] == desk.url()
    assert desk.client.post(dismiss, headers={"HX-Request": "true"}).content == b""
    assert desk.client.post(dismiss, {"next": "https://evil.example"})["Location"] == reverse("work")
    assert not sees(desk.client, reverse("work"))
    assert not sees(desk.client, desk.url())
    assert sees(client_of(later), reverse("work"))
    assert "put away by 1" in client.get(page).content.decode()


def test_what_is_said_to_those_at_work_is_seen_by_nobody_else(desk: Desk, study: Study) -> None:
    idle: Member = MemberFactory(study=study)
    announced(study, Audience.AT_WORK)
    assert sees(desk.client, reverse("work"))
    assert not sees(client_of(idle), reverse("work"))
    client_of(idle).post(reverse("dismiss_announcement", args=[Announcement.objects.get().pk]))
    assert Announcement.objects.get().receipts.count() == 1


def test_an_announcement_that_is_ended_is_seen_by_nobody(desk: Desk, study: Study) -> None:
    announcement = announced(study)
    client = client_of(MemberFactory(study=study, role=Role.ADMIN))
    client.post(reverse("end_announcement", args=[study.slug, announcement.pk]))
    assert not sees(desk.client, reverse("work"))
    assert "Before" in client.get(reverse("crowd_announcements", args=[study.slug])).content.decode()
    assert Event.objects.filter(verb__startswith="member.announce").count() == 2


def test_what_cannot_be_announced_is_refused_and_kept(study: Study) -> None:
    client = client_of(MemberFactory(study=study, role=Role.RESEARCHER))
    page = reverse("crowd_announcements", args=[study.slug])
    nobody = client.post(page, {"text": TEXT, "audience": "at_work", "by_mail": "on"})
    assert nobody.status_code == 422
    assert "Nobody has a task under way now" in nobody.content.decode()
    assert f"{TEXT}</textarea>" in nobody.content.decode()
    assert re.search(r'value="at_work"\s+checked', nobody.content.decode())
    assert client.post(page, {"text": " "}).status_code == 422
    assert client.post(page, {"text": "x" * 2001}).status_code == 422
    assert not Announcement.objects.exists()
    for number in range(5):
        announced(study, text=f"{TEXT} {number}")
    assert "End an older one first" in client.post(page, {"text": TEXT}).content.decode()


def test_only_researchers_of_the_study_announce_and_end(desk: Desk, study: Study) -> None:
    announcement = announced(study)
    stranger = client_of(MemberFactory(study=make_study(name="Elsewhere"), role=Role.ADMIN))
    for client in (stranger, desk.client):
        page = reverse("crowd_announcements", args=[study.slug])
        assert client.get(page).status_code == 404
        assert client.post(page, {"text": "Hello"}).status_code == 404
        assert client.post(reverse("end_announcement", args=[study.slug, announcement.pk])).status_code == 404
    assert not sees(stranger, reverse("work"))
    assert Client().get(reverse("crowd_announcements", args=[study.slug])).status_code == 302
    assert Announcement.objects.get().ended_at is None


def test_mail_goes_once_to_those_who_want_it_and_have_an_address(desk: Desk, study: Study) -> None:
    declined: Member = MemberFactory(study=study)
    MailWishes.objects.create(user=declined.user, wants_announcements=False)
    guest: Member = MemberFactory(study=study)
    guest.user.email = "abc@guest.invalid"
    guest.user.save()
    announced(study, by_mail=True)
    assert tell_of_announcements() == 1
    assert tell_of_announcements() == 0
    mail = OutgoingMail.objects.get()
    assert mail.recipients == [desk.annotator.user.email]
    assert TEXT in mail.content["body"]
    assert "/work/messages/mail/stop/" in mail.content["body"]

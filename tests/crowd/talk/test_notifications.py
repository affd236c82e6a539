"""Mail about new messages: one at most in a while, none about what was read, none to who declined."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.models import Message
from annotation_platform.annotations.services import send_message_about_study
from annotation_platform.crowd.talk.models import MailWishes
from annotation_platform.crowd.talk.notifications import PAUSE, QUIET, tell_of_messages
from annotation_platform.crowd.talk.services.wishes import stop_token
from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import remove_member
from tests.annotations.desk import client_of
from tests.factories import OPERATOR, MemberFactory, make_study

pytestmark = pytest.mark.pages


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return make_study()


@pytest.fixture
def annotator(study: Study) -> Member:
    member: Member = MemberFactory(study=study, pseudonym="Alder")
    return member


@pytest.fixture
def researcher(study: Study) -> Member:
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    return member


def say(author: Member, annotator: Member, text: str = "A secret word.") -> None:
    send_message_about_study(annotator=annotator, author=author, text=text, actor=OPERATOR)


def later(**by: float) -> None:
    """Let time pass, for all that happened so far."""
    span = timedelta(**by)
    for message in Message.objects.all():
        Message.objects.filter(pk=message.pk).update(created_at=message.created_at - span)
    for wishes in MailWishes.objects.exclude(told_at=None):
        MailWishes.objects.filter(pk=wishes.pk).update(told_at=wishes.told_at - span)


def test_several_words_make_one_mail_which_does_not_repeat_them(annotator: Member, researcher: Member) -> None:
    say(researcher, annotator)
    say(researcher, annotator)
    assert tell_of_messages() == 0, "what was just written may be read at once"
    later(minutes=3)
    assert tell_of_messages() == 1
    mail = OutgoingMail.objects.get()
    assert mail.recipients == [annotator.user.email]
    assert mail.subject == "2 new messages"
    body = mail.content["body"]
    assert reverse("my_study_messages", args=[annotator.study.slug]) in body
    assert "A secret word." not in body
    assert researcher.user.email not in body
    assert researcher.pseudonym not in body
    assert tell_of_messages() == 0


def test_within_a_while_no_second_mail_and_then_one_for_all_since(annotator: Member, researcher: Member) -> None:
    say(researcher, annotator)
    later(minutes=3)
    assert tell_of_messages() == 1
    say(researcher, annotator)
    say(researcher, annotator)
    later(minutes=3)
    assert tell_of_messages() == 0
    later(minutes=PAUSE.total_seconds() / 60)
    assert tell_of_messages() == 1
    assert OutgoingMail.objects.order_by("pk").last().subject == "2 new messages"  # type: ignore[union-attr]


def test_what_was_read_needs_no_mail(annotator: Member, researcher: Member) -> None:
    say(researcher, annotator)
    client_of(annotator).get(reverse("my_study_messages", args=[annotator.study.slug]))
    later(minutes=3)
    assert tell_of_messages() == 0
    assert Message.objects.get().is_told


def test_all_researchers_are_told_and_none_of_their_own_words(annotator: Member, researcher: Member) -> None:
    second: Member = MemberFactory(study=annotator.study, role=Role.ADMIN)
    MemberFactory(study=make_study(name="Elsewhere"), role=Role.ADMIN)
    say(annotator, annotator)
    later(minutes=3)
    assert tell_of_messages() == 2
    told = {mail.recipients[0] for mail in OutgoingMail.objects.all()}
    assert told == {researcher.user.email, second.user.email}
    assert annotator.user.email not in OutgoingMail.objects.first().content["body"]  # type: ignore[union-attr]


def test_who_left_is_told_too_in_their_language(annotator: Member, researcher: Member) -> None:
    annotator.user.language = "ja"
    annotator.user.save()
    address = annotator.user.email
    remove_member(member=annotator, actor=OPERATOR)
    say(researcher, annotator)
    later(minutes=3)
    assert tell_of_messages() == 1
    mail = OutgoingMail.objects.get()
    assert mail.recipients == [address]
    assert "new message" not in mail.subject


def test_who_declined_or_has_no_address_gets_none(annotator: Member, researcher: Member) -> None:
    client = client_of(annotator)
    page = reverse("mail_wishes")
    assert 'name="messages" checked' in client.get(page).content.decode()
    client.post(page, {"announcements": "on"})
    assert 'name="messages" checked' not in client.get(page).content.decode()
    guest: Member = MemberFactory(study=annotator.study)
    guest.user.email = "abc@guest.invalid"
    guest.user.save()
    say(researcher, annotator)
    say(researcher, guest)
    later(minutes=3)
    assert tell_of_messages() == 0
    assert Message.objects.filter(is_told=True).count() == 2


def test_the_link_in_a_mail_stops_them_without_signing_in_and_a_look_does_not(annotator: Member) -> None:
    link = reverse("stop_mail", args=[stop_token(annotator.user)])
    assert Client().get(link).status_code == 200
    assert not MailWishes.objects.exists()
    assert Client().post(link).status_code == 200
    wishes = MailWishes.objects.get()
    assert (wishes.user, wishes.wants_messages, wishes.wants_announcements) == (annotator.user, False, False)
    assert Client().get(link[:-2] + "x/").status_code == 404
    assert Client().get(reverse("mail_wishes")).status_code == 302


def test_words_wait_for_the_worker_a_moment(annotator: Member, researcher: Member) -> None:
    say(researcher, annotator)
    assert Message.objects.get().created_at > timezone.now() - QUIET
    assert not OutgoingMail.objects.exists()

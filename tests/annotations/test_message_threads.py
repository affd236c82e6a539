"""Giving threads to the words of before: with whom each was exchanged, what waits, what is new."""

from datetime import timedelta
from importlib import import_module

from django.apps import apps
from django.utils import timezone

from annotation_platform.annotations.models import Message, MessageRead
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import lease_assignment
from tests.annotations.desk import Desk
from tests.factories import MemberFactory

MIGRATION = import_module("annotation_platform.annotations.migrations.0003_message_threads")


def as_before(desk: Desk, author: Member, text: str) -> Message:
    """A word as it was stored before there were threads; somebody's, for a row needs somebody."""
    return Message.objects.create(assignment=desk.assignment, author=author, text=text)


def test_words_of_two_holders_become_two_threads(desk: Desk, study: Study) -> None:
    researcher: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    asked = as_before(desk, desk.annotator, "Which year?")
    answered = as_before(desk, researcher, "1897.")
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    heir: Member = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    hinted = as_before(desk, researcher, "Mind sentence 2.")
    wondered = as_before(desk, heir, "Why?")
    MIGRATION.give_threads(apps, None)
    of = dict(Message.objects.values_list("pk", "annotator"))
    assert of == {
        asked.pk: desk.annotator.pk,
        answered.pk: desk.annotator.pk,
        hinted.pk: heir.pk,
        wondered.pk: heir.pk,
    }
    assert list(Message.objects.filter(needs_answer=True)) == [wondered]
    assert not Message.objects.filter(is_told=False).exists()
    read = set(MessageRead.objects.values_list("message", "reader"))
    assert read == {(asked.pk, researcher.pk), (hinted.pk, heir.pk)}


def test_a_word_to_a_place_that_nobody_has_keeps_no_addressee(desk: Desk, study: Study) -> None:
    researcher: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    type(desk.assignment).objects.filter(pk=desk.assignment.pk).update(annotator=None, state="open", claimed_at=None)
    as_before(desk, researcher, "To nobody.")
    MIGRATION.give_threads(apps, None)
    assert Message.objects.get().annotator is None

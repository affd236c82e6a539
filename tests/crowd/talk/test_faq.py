"""Frequent questions: grown from answers, ordered, in two languages, found by words."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.services import send_message
from annotation_platform.crowd.rounds.services import begin_attempt
from annotation_platform.crowd.talk.models import FaqEntry
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.studies.models import Member, Role, Study
from tests.annotations.desk import Desk, client_of
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, make_study

pytestmark = pytest.mark.pages

JAPANESE = {"question_ja": "未完成の文も答えですか。", "answer_ja": "はい、そのまま判定してください。"}


@pytest.fixture
def researcher(study: Study) -> Client:
    return client_of(MemberFactory(study=study, role=Role.RESEARCHER))


def add(study: Study, question: str, answer: str = "Yes.", **japanese: str) -> FaqEntry:
    texts = {"question_ja": "", "answer_ja": ""} | japanese
    return add_entry(study=study, question_en=question, answer_en=answer, **texts, actor=OPERATOR)


def test_an_answer_becomes_an_entry_with_what_was_asked(desk: Desk, study: Study, researcher: Client) -> None:
    author: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    send_message(assignment=desk.assignment, author=desk.annotator, text="Is a fragment\nan answer?", actor=OPERATOR)
    answer = send_message(assignment=desk.assignment, author=author, text="Yes, as it stands.", actor=OPERATOR)
    new = reverse("new_faq_entry", args=[study.slug]) + f"?from={answer.pk}"
    inbox = researcher.get(reverse("crowd_messages", args=[study.slug])).content.decode()
    assert new in inbox
    page = researcher.get(new).content.decode()
    assert 'value="Is a fragment an answer?"' in page
    assert "Yes, as it stands.</textarea>" in page
    form = {"question_en": "Is a fragment an answer?", "answer_en": "Yes.", "question_ja": "", "answer_ja": ""}
    assert researcher.post(new, form).status_code == 302
    assert FaqEntry.objects.get().grown_from == answer
    for shown in (desk.url("instructions", None), reverse("faq", args=[study.slug])):
        assert "Is a fragment an answer?" in desk.client.get(shown).content.decode()
    assert reverse("faq", args=[study.slug]) in desk.client.get(reverse("work")).content.decode()


def test_an_answer_in_a_round_becomes_an_entry_of_the_study(study: Study, researcher: Client) -> None:
    annotator: Member = MemberFactory(study=study)
    author: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    place = begin_attempt(round_=new_round(study), member=annotator, actor=OPERATOR)
    assert place.annotator is not None
    send_message(assignment=place, author=place.annotator, text="Is a fragment an answer?", actor=OPERATOR)
    answer = send_message(assignment=place, author=author, text="Yes, as it stands.", actor=OPERATOR)
    new = reverse("new_faq_entry", args=[study.slug]) + f"?from={answer.pk}"
    assert new in researcher.get(reverse("crowd_messages", args=[study.slug])).content.decode()
    page = researcher.get(new).content.decode()
    assert 'value="Is a fragment an answer?"' in page
    assert "Yes, as it stands.</textarea>" in page


def test_a_half_entry_is_refused_and_kept(study: Study, researcher: Client) -> None:
    new = reverse("new_faq_entry", args=[study.slug])
    half = researcher.post(new, {"question_en": "Is a fragment an answer?", "answer_en": ""})
    assert half.status_code == 422
    assert 'value="Is a fragment an answer?"' in half.content.decode()
    assert "write both the question and the answer" in half.content.decode()
    assert researcher.post(new, {}).status_code == 422
    assert researcher.post(new, {"question_en": "x" * 301, "answer_en": "Yes."}).status_code == 422
    assert not FaqEntry.objects.exists()


def test_entries_are_moved_changed_and_removed(study: Study, researcher: Client) -> None:
    first, second, third = (add(study, text) for text in ("First?", "Second?", "Third?"))
    move = reverse("move_faq_entry", args=[study.slug, third.pk])
    researcher.post(move, {"up": "1"})
    researcher.post(reverse("move_faq_entry", args=[study.slug, first.pk]), {"up": "1"})
    assert [str(each) for each in study.faq.all()] == ["First?", "Third?", "Second?"]
    researcher.post(move, {"down": "1"})
    assert [str(each) for each in study.faq.all()] == ["First?", "Second?", "Third?"]
    entry = reverse("faq_entry", args=[study.slug, second.pk])
    assert 'value="Second?"' in researcher.get(entry).content.decode()
    researcher.post(entry, {"question_en": "Changed?", "answer_en": "No."})
    assert researcher.post(entry, {"question_en": "Half?"}).status_code == 422
    researcher.post(reverse("remove_faq_entry", args=[study.slug, first.pk]))
    assert [str(each) for each in study.faq.all()] == ["Changed?", "Third?"]


def test_annotators_read_their_language_and_find_by_words(desk: Desk, study: Study) -> None:
    add(study, "Is a fragment an answer?", "Judge it as it stands.", **JAPANESE)
    add(study, "When is the pay?", "On Friday.")
    page = reverse("faq", args=[study.slug])
    found = desk.client.get(page, {"q": "STANDS fragment"}, headers={"HX-Request": "true"}).content.decode()
    assert "Is a fragment an answer?" in found
    assert "When is the pay?" not in found
    assert "<html" not in found
    desk.annotator.user.language = "ja"
    desk.annotator.user.save()
    japanese = desk.client.get(page).content.decode()
    assert JAPANESE["question_ja"] in japanese
    assert "Is a fragment an answer?" not in japanese
    assert "When is the pay?" in japanese
    assert "No answer has these words" not in japanese
    assert JAPANESE["answer_ja"] in desk.client.get(page, {"q": "判定"}).content.decode()


def test_others_neither_read_nor_write(desk: Desk, study: Study) -> None:
    entry = add(study, "When is the pay?")
    elsewhere = make_study(name="Elsewhere")
    stranger = client_of(MemberFactory(study=elsewhere, role=Role.ADMIN))
    assert stranger.get(reverse("faq", args=[study.slug])).status_code == 404
    names = ["faq_entry", "move_faq_entry", "remove_faq_entry"]
    for client in (stranger, desk.client):
        assert client.get(reverse("crowd_faq", args=[study.slug])).status_code == 404
        assert client.post(reverse("new_faq_entry", args=[study.slug]), {}).status_code == 404
        for name in names:
            assert client.post(reverse(name, args=[study.slug, entry.pk]), {}).status_code == 404
    for name in names:
        assert stranger.post(reverse(name, args=[elsewhere.slug, entry.pk]), {}).status_code == 404
    secret = send_message(assignment=desk.assignment, author=desk.annotator, text="A secret.", actor=OPERATOR)
    page = stranger.get(reverse("new_faq_entry", args=[elsewhere.slug]), {"from": secret.pk})
    assert "A secret." not in page.content.decode()
    assert FaqEntry.objects.get() == entry

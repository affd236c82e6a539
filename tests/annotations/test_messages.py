"""Words between annotators and researchers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_platform.annotations.models import Message, MessageRead
from annotation_platform.annotations.services import send_message
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import lease_assignment, return_assignment
from tests.annotations.desk import Desk, client_of
from tests.factories import OPERATOR, MemberFactory

pytestmark = pytest.mark.pages
HTMX = {"HX-Request": "true"}


def test_the_thread_is_open_both_ways(desk: Desk, study: Study) -> None:
    url = desk.url("messages", None)
    assert desk.client.post(url, {"text": "Is a fragment an answer?"}).status_code == 302
    researcher = client_of(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R-secret"))
    page = researcher.get(url).content.decode()
    assert '<p dir="auto">Is a fragment an answer?</p>' in page
    assert desk.annotator.pseudonym in page
    assert desk.annotator.user.email not in page
    researcher.post(url, {"text": "Yes, judge it as it stands."})
    judging = desk.client.get(desk.url()).content.decode()
    assert "Yes, judge it as it stands." in judging
    assert "R-secret" not in judging


def test_htmx_gets_the_thread_alone(desk: Desk) -> None:
    response = desk.client.post(desk.url("messages", None), {"text": "Hello"}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "Hello" in response.content.decode()
    assert "<html" not in response.content.decode()


def test_an_empty_or_endless_word_is_refused_and_kept(desk: Desk) -> None:
    assert desk.client.post(desk.url("messages", None), {"text": "  "}).status_code == 422
    endless = "word " * 2000
    response = desk.client.post(desk.url("messages", None), {"text": endless})
    assert response.status_code == 422
    assert endless.strip() in response.content.decode()
    assert not desk.assignment.messages.exists()


def test_the_next_holder_of_a_place_does_not_read_the_words_of_the_first(desk: Desk, study: Study) -> None:
    send_message(assignment=desk.assignment, author=desk.annotator, text="A private trouble.", actor=OPERATOR)
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    heir = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    page = client_of(heir).get(desk.url("messages", None))
    assert page.status_code == 200
    assert "A private trouble." not in page.content.decode()


def test_without_a_script_a_researcher_stays_in_the_thread_that_they_answered(desk: Desk, study: Study) -> None:
    url = desk.url("messages", None)
    send_message(assignment=desk.assignment, author=desk.annotator, text="Which year?", actor=OPERATOR)
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    heir, reader = MemberFactory(study=study), MemberFactory(study=study, role=Role.RESEARCHER)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    send_message(assignment=desk.assignment, author=heir, text="Is a fragment an answer?", actor=OPERATOR)
    page = client_of(reader).post(url, {"text": "1897.", "annotator": desk.annotator.pk}, follow=True).content.decode()
    assert "1897." in page
    assert "Is a fragment an answer?" not in page
    assert not MessageRead.objects.filter(message__annotator=heir, reader=reader).exists(), "nobody has read it"
    assert f'name="annotator" value="{desk.annotator.pk}"' in page


def test_without_a_script_a_word_about_a_question_leads_back_to_it(desk: Desk) -> None:
    url = desk.url("messages", None)
    desk.client.post(url, {"text": "About the second."}, follow=True)
    sent = {"text": "About the first.", "position": "1"}
    page = desk.client.post(url, sent, follow=True).content.decode()
    assert f'href="{desk.url()}"' in page
    assert '<input type="hidden" name="position" value="1">' in page, "the next word is about it, too"
    assert "Back to question 1" in " ".join(page.split())


def test_no_link_leads_back_to_a_question_that_is_not_theirs_any_more(desk: Desk) -> None:
    url = desk.url("messages", None)
    desk.client.post(url, {"text": "About the first.", "position": "1"})
    assert return_assignment(assignment=desk.assignment, annotator=desk.annotator, actor=OPERATOR)
    page = desk.client.get(f"{url}?position=1").content.decode()
    assert "About the first." in page
    assert "Back to question" not in " ".join(page.split())
    assert desk.client.get(desk.url()).status_code == 404, "there it would lead"


def test_an_answer_goes_to_whose_words_it_was_written_under(desk: Desk, study: Study) -> None:
    url = desk.url("messages", None)
    send_message(assignment=desk.assignment, author=desk.annotator, text="Which year?", actor=OPERATOR)
    researcher = client_of(MemberFactory(study=study, role=Role.RESEARCHER))
    field = f'<input type="hidden" name="annotator" value="{desk.annotator.pk}">'
    assert field in researcher.get(url).content.decode()
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    heir = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    send_message(assignment=desk.assignment, author=heir, text="Is a fragment an answer?", actor=OPERATOR)
    answered = researcher.post(url, {"text": "1897.", "annotator": str(desk.annotator.pk)}, headers=HTMX)
    assert "Is a fragment" not in answered.content.decode()
    assert Message.objects.get(text="1897.").annotator == desk.annotator
    assert [each.text for each in Message.objects.filter(needs_answer=True)] == ["Is a fragment an answer?"]
    stranger = MemberFactory(study=study)
    assert researcher.post(url, {"text": "Hello", "annotator": str(stranger.pk)}).status_code == 404
    assert desk.client.post(url, {"text": "Thanks", "annotator": str(heir.pk)}).status_code == 302
    assert Message.objects.get(text="Thanks").annotator == desk.annotator


def test_a_character_that_no_database_takes_is_left_out(desk: Desk) -> None:
    desk.client.post(desk.url("messages", None), {"text": "Sentence\x00 4 is cut off."})
    assert desk.assignment.messages.get().text == "Sentence 4 is cut off."


def test_the_first_holder_of_a_lost_place_reads_nothing_of_the_nexts_words(desk: Desk, study: Study) -> None:
    desk.submit()
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    heir = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    send_message(assignment=desk.assignment, author=heir, text="A private trouble.", actor=OPERATOR)
    page = desk.client.get(desk.url()).content.decode()
    assert "somebody else has it now" in page
    assert "A private trouble." not in page
    assert desk.url("messages", None) not in page


def test_a_question_that_no_task_can_have_breaks_nothing(desk: Desk) -> None:
    sent = desk.client.post(desk.url("messages", None), {"text": "Hello", "position": "9" * 5000})
    assert sent.status_code == 302

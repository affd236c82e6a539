"""Threads about tasks and about the study: who reads them, who answers, what waits and what is new."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.annotations.models import Message, MessageRead
from annotation_platform.annotations.services import messages as rules
from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.crowd.rounds.services import begin_attempt
from annotation_platform.studies.models import Member, Role, SetAside, Study
from annotation_platform.studies.services import change_role, exclude_member, lease_assignment, remove_member, set_aside
from tests.annotations.desk import Desk, client_of
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, make_study

pytestmark = pytest.mark.pages

HTMX = {"HX-Request": "true"}


def researcher_of(study: Study) -> tuple[Member, Client]:
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R-secret")
    return member, client_of(member)


def own(study: Study) -> str:
    return reverse("my_study_messages", args=[study.slug])


def one(study: Study, annotator: Member, assignment: int = 0) -> str:
    return reverse("crowd_thread", args=[study.slug, annotator.pk, assignment])


def inbox(study: Study, client: Client, **query: str) -> str:
    return client.get(reverse("crowd_messages", args=[study.slug]), query).content.decode()


def test_annotator_and_researcher_talk_about_the_study_and_neither_learns_who_the_other_is(desk: Desk) -> None:
    assert desk.client.post(own(desk.study), {"text": "When is the pay?"}).status_code == 302
    researcher, client = researcher_of(desk.study)
    page = inbox(desk.study, client)
    assert "When is the pay?" in page
    assert desk.annotator.pseudonym in page
    assert desk.annotator.user.email not in page
    assert client.post(one(desk.study, desk.annotator), {"text": "On Friday."}).status_code == 302
    read = desk.client.get(own(desk.study)).content.decode()
    assert "On Friday." in read
    assert "R-secret" not in read
    assert researcher.user.email not in read
    assert Event.objects.filter(verb="member.message_sent", study=desk.study.pk).count() == 2


def test_what_waits_for_an_answer_comes_first_until_it_is_answered_or_needs_none(desk: Desk, study: Study) -> None:
    other: Member = MemberFactory(study=study, pseudonym="Zelkova")
    send_message(assignment=desk.assignment, author=desk.annotator, text="Sentence 4 is cut.", actor=OPERATOR)
    send_message_about_study(annotator=other, author=other, text="Thanks!", actor=OPERATOR)
    _, client = researcher_of(study)
    assert inbox(study, client).count("to answer</span>") == 2
    assert client.post(reverse("settle_thread", args=[study.slug, other.pk, 0])).status_code == 302
    page = inbox(study, client)
    assert page.count("to answer</span>") == 1
    assert page.index("Sentence 4 is cut.") < page.index("Thanks!")
    answered = client.post(
        one(study, desk.annotator, desk.assignment.pk), {"text": "Judge it as it stands."}, headers=HTMX
    ).content.decode()
    assert "<html" not in answered
    assert "Judge it as it stands." in answered
    assert 'hx-swap-oob="true"' in answered
    assert "to answer</span>" not in inbox(study, client)
    assert "Judge it as it stands." in desk.client.get(desk.url()).content.decode()


@pytest.mark.parametrize("how", ["answered", "settled"])
def test_what_waits_when_its_annotator_becomes_a_researcher_is_dealt_with_all_the_same(
    desk: Desk, study: Study, how: str
) -> None:
    send_message(assignment=desk.assignment, author=desk.annotator, text="Sentence 4 is cut.", actor=OPERATOR)
    send_message_about_study(annotator=desk.annotator, author=desk.annotator, text="When is the pay?", actor=OPERATOR)
    researcher, client = researcher_of(study)
    change_role(member=desk.annotator, role=Role.RESEARCHER, actor=OPERATOR)
    page = client.get(reverse("batch", args=[study.slug, 1])).content.decode()
    (of_task,) = re.findall(r'action="([^"]+/messages/[^"]+)"', page)
    for address in (of_task, one(study, desk.annotator)):
        where = address if how == "answered" else f"{address}settle/"
        assert client.post(where, {"text": "Soon."}).status_code == 302
    assert not Message.objects.filter(needs_answer=True).exists()
    assert client.get(one(study, researcher)).status_code == 404


def test_the_inbox_is_narrowed_down_and_searched(desk: Desk, study: Study) -> None:
    send_message(assignment=desk.assignment, author=desk.annotator, text="The mill is odd.", actor=OPERATOR)
    send_message_about_study(annotator=desk.annotator, author=desk.annotator, text="About the pay.", actor=OPERATOR)
    researcher, client = researcher_of(study)
    assert "About the pay." not in inbox(study, client, about="task")
    assert "The mill is odd." not in inbox(study, client, about="study")
    assert "About the pay." not in inbox(study, client, q="mill")
    send_message_about_study(annotator=desk.annotator, author=researcher, text="Soon.", actor=OPERATOR)
    assert "About the pay." not in inbox(study, client, only="waiting")
    assert "No conversation is like that." in inbox(study, client, q="windmill")
    assert "The mill is odd." in inbox(study, client, only="'", about="\x00", page="x")


def test_each_reader_has_their_own_new_messages(desk: Desk, study: Study) -> None:
    send_message_about_study(annotator=desk.annotator, author=desk.annotator, text="Hello?", actor=OPERATOR)
    _, first = researcher_of(study)
    second = client_of(MemberFactory(study=study, role=Role.ADMIN))
    new = 'badge accent">new</span>'
    assert new in inbox(study, first)
    assert new not in inbox(study, first)
    assert new in inbox(study, second)
    first.post(one(study, desk.annotator), {"text": "Hello."})
    home = desk.client.get(reverse("work")).content.decode()
    assert "1 new" in home
    assert "Hello." in home
    desk.client.get(own(study))
    assert "1 new" not in desk.client.get(reverse("work")).content.decode()


def test_an_answer_on_the_page_where_one_judges_is_read_there(desk: Desk, study: Study) -> None:
    researcher, _ = researcher_of(study)
    send_message(assignment=desk.assignment, author=researcher, text="Mind sentence 2.", actor=OPERATOR)
    assert "1 new" in desk.client.get(reverse("my_messages")).content.decode()
    desk.client.get(desk.url())
    assert MessageRead.objects.get().reader == desk.annotator
    assert "1 new" not in desk.client.get(reverse("my_messages")).content.decode()


def test_no_annotator_reads_or_writes_anothers_thread(desk: Desk, study: Study) -> None:
    send_message_about_study(annotator=desk.annotator, author=desk.annotator, text="A secret.", actor=OPERATOR)
    neighbour: Member = MemberFactory(study=study)
    client = client_of(neighbour)
    assert "A secret." not in client.get(own(study)).content.decode()
    assert "A secret." not in client.get(reverse("my_messages")).content.decode()
    assert client.get(one(study, desk.annotator)).status_code == 404
    assert client.post(one(study, desk.annotator), {"text": "Me, too."}).status_code == 404
    assert client.get(desk.url("messages", None)).status_code == 404
    assert client.get(reverse("crowd_messages", args=[study.slug])).status_code == 404
    assert Message.objects.count() == 1


def test_another_studys_researcher_and_visitors_do_not_enter(desk: Desk, study: Study) -> None:
    send_message_about_study(annotator=desk.annotator, author=desk.annotator, text="A secret.", actor=OPERATOR)
    elsewhere = make_study(name="Elsewhere")
    stranger = client_of(MemberFactory(study=elsewhere, role=Role.ADMIN))
    for address in (one(study, desk.annotator), own(study), reverse("crowd_messages", args=[study.slug])):
        assert stranger.get(address).status_code == 404
        assert Client().get(address).status_code == 302
    assert stranger.get(one(elsewhere, desk.annotator)).status_code == 404
    assert stranger.post(reverse("settle_thread", args=[study.slug, desk.annotator.pk, 0])).status_code == 404
    assert Message.objects.get().needs_answer


def test_a_thread_about_a_task_is_only_of_who_had_to_do_with_it(desk: Desk, study: Study) -> None:
    other: Member = MemberFactory(study=study)
    _, client = researcher_of(study)
    assert client.get(one(study, other, desk.assignment.pk)).status_code == 404
    assert client.get(one(study, desk.annotator, desk.assignment.pk)).status_code == 200


def test_who_was_removed_still_reads_and_writes(desk: Desk, study: Study) -> None:
    send_message(assignment=desk.assignment, author=desk.annotator, text="What is wrong?", actor=OPERATOR)
    remove_member(member=desk.annotator, actor=OPERATOR)
    assert "no longer in this study" in desk.client.get(own(study)).content.decode()
    assert desk.client.post(own(study), {"text": "Why was I removed?"}).status_code == 302
    _, client = researcher_of(study)
    page = inbox(study, client)
    assert "Why was I removed?" in page
    assert 'badge">left</span>' in page
    client.post(one(study, desk.annotator), {"text": "By mistake."})
    assert "By mistake." in desk.client.get(own(study)).content.decode()
    assert "What is wrong?" in desk.client.get(desk.url("messages", None)).content.decode()
    assert desk.client.get(desk.url()).status_code == 404


def test_who_was_excluded_reads_why_and_writes_about_work_that_was_set_aside(desk: Desk, study: Study) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    exclude_member(member=desk.annotator, because="All labels are the same.", actor=OPERATOR)
    assert SetAside.objects.filter(assignment=desk.assignment).exists()
    assert "All labels are the same." in desk.client.get(own(study)).content.decode()
    assert desk.client.post(desk.url("messages", None), {"text": "Look again."}).status_code == 302
    assert Message.objects.get().annotator == desk.annotator


def test_an_answer_reaches_who_asked_also_when_somebody_else_has_the_task_by_then(desk: Desk, study: Study) -> None:
    send_message(assignment=desk.assignment, author=desk.annotator, text="Which year?", actor=OPERATOR)
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    heir: Member = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    _, client = researcher_of(study)
    client.post(desk.url("messages", None), {"text": "1897."})
    assert "1897." in desk.client.get(desk.url("messages", None)).content.decode()
    assert "1897." not in client_of(heir).get(desk.url("messages", None)).content.decode()


def test_nothing_typed_is_lost_when_it_is_refused(desk: Desk, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MOST_AT_ONCE", 2)
    for text in ("One.", "Two."):
        assert desk.client.post(own(study), {"text": text}).status_code == 302
    third = desk.client.post(own(study), {"text": "Three & more."})
    assert third.status_code == 422
    assert "Three &amp; more.</textarea>" in third.content.decode()
    assert "2 messages within 5 minutes" in third.content.decode()
    _, client = researcher_of(study)
    for _ in range(3):  # researchers answer many at once
        client.post(one(study, desk.annotator), {"text": "Answer."})
    assert Message.objects.count() == 5
    endless = client.post(one(study, desk.annotator), {"text": "word " * 2000}, headers=HTMX)
    assert endless.status_code == 422
    assert "word word </textarea>" in endless.content.decode()
    assert desk.client.post(own(study), {"text": " \x00"}).status_code == 422


def test_a_researcher_writes_first(desk: Desk, study: Study) -> None:
    _, client = researcher_of(study)
    to = reverse("write_to_annotator", args=[study.slug])
    found = client.get(to, {"name": desk.annotator.pseudonym})
    assert found["Location"] == one(study, desk.annotator)
    client.post(found["Location"], {"text": "Well done."})
    assert "Well done." in desk.client.get(own(study)).content.decode()
    missed = client.get(to, {"name": "R-secret"}, follow=True)
    assert "No annotator of this study is called" in missed.content.decode()


def test_many_threads_need_no_more_queries(desk: Desk, study: Study, django_assert_max_num_queries: object) -> None:
    _, client = researcher_of(study)
    for number in range(6):
        annotator: Member = MemberFactory(study=study, pseudonym=f"A{number}")
        send_message_about_study(annotator=annotator, author=annotator, text="Hello?", actor=OPERATOR)
        client.get(reverse("crowd_messages", args=[study.slug]))
    with django_assert_max_num_queries(16):  # type: ignore[operator]
        client.get(reverse("crowd_messages", args=[study.slug]))


def test_rejected_work_can_be_written_about(desk: Desk) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    kind = SetAside.Kind.REJECTED
    set_aside(assignment=desk.assignment, kind=kind, because="Copied.", actor=OPERATOR)
    assert desk.client.get(desk.url("messages", None)).status_code == 200


def test_words_in_a_round_come_to_the_researchers_of_the_study_that_it_is_for(study: Study) -> None:
    member: Member = MemberFactory(study=study, pseudonym="Alder")
    place = begin_attempt(round_=new_round(study, title="Trial"), member=member, actor=OPERATOR)
    asking = client_of(member)
    assert asking.post(reverse("messages", args=[place.pk]), {"text": "Is it the mill?"}).status_code == 302
    _, client = researcher_of(study)
    page = inbox(study, client)
    assert "Is it the mill?" in page
    assert f"the round “{place.hit.batch.study.name}”" in page
    assert place.annotator is not None
    client.post(one(study, place.annotator, place.pk), {"text": "It is."})
    assert "It is." in asking.get(reverse("messages", args=[place.pk])).content.decode()
    assert "to answer</span>" not in inbox(study, client)
    stranger = client_of(MemberFactory(study=make_study(name="Elsewhere"), role=Role.ADMIN))
    assert stranger.get(reverse("messages", args=[place.pk])).status_code == 404

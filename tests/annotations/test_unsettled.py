"""Work that must neither be lost nor count unnoticed: given back, changed, sent twice, past the deadline."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.services import send_message
from annotation_platform.annotations.taking import take_task
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, Role, Study
from annotation_platform.studies.services import (
    NothingToClaimError,
    claim_assignment,
    close_batch,
    lease_assignment,
    return_assignment,
)
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.factories import OPERATOR, MemberFactory, submit

pytestmark = pytest.mark.pages

HTMX = {"HX-Request": "true"}
CHANGED = FORM | {"aspect-reasons": "On second thought, sentence 5."}


def page_of(desk: Desk, position: int = 1) -> str:
    return str(desk.client.get(desk.url(position=position)).content.decode())


def save(desk: Desk, form: dict[str, str], position: int = 1, version: int = 0) -> dict[str, Any]:
    answer = desk.client.post(desk.url("draft", position), form | desk.hidden(version=version))
    assert answer.status_code == 200
    return dict(answer.json())


def state_of(desk: Desk) -> str:
    desk.assignment.refresh_from_db()
    return desk.assignment.state


def expire(place: Assignment) -> None:
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    place.refresh_from_db()


def pass_deadline(desk: Desk) -> None:
    """The deadline passes, and nobody is there to close the batch."""
    Batch.objects.update(deadline_at=timezone.now() - timedelta(seconds=1))


# ---- Giving back ----


def test_giving_back_asks_first_and_says_what_happens(desk: Desk) -> None:
    desk.submit()
    work = desk.client.get(reverse("work")).content.decode()
    assert f'href="{desk.url("give_back", None)}"' in work
    assert f'action="{desk.url("give_back", None)}"' not in work
    question = desk.client.get(desk.url("give_back", None)).content.decode()
    assert "Give the task back?" in question
    assert "1 of 3 questions are done" in question
    assert "it counts again if you get this task another time" in question
    assert state_of(desk) == AssignmentState.CLAIMED


def test_who_comes_back_to_a_task_given_back_is_told_that_and_not_that_somebody_has_it(desk: Desk) -> None:
    save(desk, FORM)
    desk.client.post(desk.url("give_back", None))
    for page in (page_of(desk), desk.submit().content.decode()):
        assert "This task was given back" in page
        assert "somebody else has it" not in page
        assert FORM["aspect-reasons"] in page


def test_a_task_given_back_and_taken_again_goes_on_where_it_stopped(desk: Desk) -> None:
    desk.submit(1)
    desk.submit(2)
    desk.client.post(desk.url("give_back", None))
    assert not Annotation.objects.current().exists()
    answer = desk.client.post(reverse("take", args=[desk.study.slug]))
    taken = Assignment.objects.get(annotator=desk.annotator)
    assert answer["Location"] == reverse("judge", args=[taken.pk, 3])
    assert "2 of 3 questions done" in desk.client.get(reverse("work")).content.decode()
    assert Annotation.objects.current().count() == 2
    assert desk.submit(3)["Location"] == desk.url("done", None)


def test_the_last_revision_counts_again_not_the_first(desk: Desk) -> None:
    desk.submit()
    desk.submit(form=CHANGED)
    return_assignment(assignment=desk.assignment, annotator=desk.annotator, actor=OPERATOR)
    take_task(annotator=desk.annotator, actor=OPERATOR)
    assert Annotation.objects.current().get().values["reasons"] == CHANGED["aspect-reasons"]


def test_a_place_lost_when_the_time_ran_out_and_given_back_by_its_next_holder_is_as_it_was(
    desk: Desk, study: Study
) -> None:
    desk.submit()
    expire(desk.assignment)
    other = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=other)
    submit(desk.assignment, desk.items[0])
    assert return_assignment(assignment=desk.assignment, annotator=other, actor=OPERATOR)
    assert take_task(annotator=desk.annotator, actor=OPERATOR) == desk.assignment
    assert Annotation.objects.current().get().annotator == desk.annotator


def test_work_of_a_place_that_somebody_else_has_filled_counts_again_in_another_place(desk: Desk, study: Study) -> None:
    desk.submit(1)
    desk.submit(2)
    expire(desk.assignment)
    other = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=other)
    for item in desk.items:
        submit(desk.assignment, item)
    second = take_task(annotator=desk.annotator, actor=OPERATOR)
    assert second.hit == desk.assignment.hit
    assert second != desk.assignment
    counted = Annotation.objects.current().filter(item__hit=second.hit)
    assert counted.filter(annotator=desk.annotator, assignment=second).count() == 2
    assert counted.filter(annotator=other, assignment=desk.assignment).count() == 3
    copy = counted.get(annotator=desk.annotator, item=desk.items[0])
    assert copy.carried_from == Annotation.objects.get(assignment=desk.assignment, item=copy.item, is_current=False)
    assert copy.ratings.count() == copy.carried_from.ratings.count() > 0
    assert copy.sentence_references.count() == 3


def test_taking_what_one_holds_already_changes_nothing(desk: Desk) -> None:
    desk.submit()
    assert take_task(annotator=desk.annotator, actor=OPERATOR) == desk.assignment
    assert Annotation.objects.count() == 1


# ---- Changed, not submitted yet ----


def test_a_change_of_a_submitted_answer_is_called_one_everywhere(desk: Desk) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    assert save(desk, CHANGED)["version"]
    page = page_of(desk)
    assert '<div class="notice warning" id="changed">' in page
    assert ", changed, not submitted yet" in page
    assert "Submit the change" in page
    work = desk.client.get(reverse("work")).content.decode()
    assert "Question 1: submit or drop the change" in work
    assert desk.url() in work
    assert "the change is not submitted yet" in desk.client.get(desk.url("done", None)).content.decode()
    assert Annotation.objects.current().get(item=desk.items[0]).values["reasons"] == FORM["aspect-reasons"]


def test_what_says_the_same_as_the_judgment_is_no_change(desk: Desk) -> None:
    desk.submit()
    version = save(desk, CHANGED)["version"]
    assert save(desk, FORM | {"aspect-sentences": "2,4,5"}, version=version)["version"] == 0
    assert not Draft.objects.exists()
    assert 'id="changed" hidden' in page_of(desk)


def test_a_stale_tab_with_the_submitted_answer_drops_no_newer_change(desk: Desk) -> None:
    desk.submit()
    save(desk, CHANGED)
    answer = desk.client.post(desk.url("draft"), FORM | desk.hidden(version=0))
    assert answer.status_code == 409
    assert Draft.objects.get().values["reasons"] == CHANGED["aspect-reasons"]


@pytest.mark.parametrize("settled_by", ["submitting", "dropping"])
def test_a_task_is_done_only_when_its_changes_are_settled(desk: Desk, settled_by: str) -> None:
    desk.submit(1)
    desk.submit(2)
    version = save(desk, CHANGED)["version"]
    assert desk.submit(3)["Location"] == desk.url(position=1)
    assert state_of(desk) == AssignmentState.CLAIMED
    assert desk.client.get(desk.url("done", None))["Location"] == desk.url(position=1)
    if settled_by == "submitting":
        answer = desk.submit(1, CHANGED, version=version)
    else:
        answer = desk.client.post(desk.url("drop_change", 1))
    assert answer["Location"] == desk.url("done", None)
    assert state_of(desk) == AssignmentState.SUBMITTED
    assert not Draft.objects.exists()
    kept = CHANGED if settled_by == "submitting" else FORM
    assert Annotation.objects.current().get(item=desk.items[0]).values["reasons"] == kept["aspect-reasons"]


def test_dropping_a_change_of_what_was_never_submitted_drops_nothing(desk: Desk) -> None:
    save(desk, FORM)
    assert desk.client.post(desk.url("drop_change", 1))["Location"] == desk.url(position=1)
    assert Draft.objects.exists()


# ---- Sent again ----


@pytest.mark.parametrize("position", [1, 3])
@pytest.mark.parametrize("headers", [None, HTMX])
def test_the_last_form_sent_again_after_its_answer_was_lost_is_a_success(
    desk: Desk, position: int, headers: dict[str, str] | None
) -> None:
    for each in {1, 2, 3} - {position}:
        desk.submit(each)
    mark = str(uuid4())
    desk.submit(position, submission=mark)
    close_batch(batch=desk.assignment.hit.batch, because="all assignments submitted", actor=OPERATOR)
    save(desk, FORM, position)  # the page took its form for unsent
    answer = desk.submit(position, submission=mark, headers=headers)
    assert answer.status_code == (200 if headers else 302)
    assert answer["HX-Redirect" if headers else "Location"] == desk.url("done", None)
    assert not Draft.objects.exists()
    assert Annotation.objects.count() == 3


def test_a_copy_of_the_form_that_is_a_draft_already_goes_with_it(desk: Desk) -> None:
    mark = str(uuid4())
    desk.submit(submission=mark)
    Draft.objects.create(annotator=desk.annotator, item=desk.items[0], values=dict(Annotation.objects.get().values))
    assert desk.submit(submission=mark)["Location"] == desk.url(position=2)
    assert not Draft.objects.exists()


def test_another_form_for_a_closed_batch_is_still_refused(desk: Desk) -> None:
    mark = str(uuid4())
    desk.submit(submission=mark)
    close_batch(batch=desk.assignment.hit.batch, because="by R-1", actor=OPERATOR)
    assert desk.submit(form=CHANGED, submission=mark).status_code == 409
    assert Annotation.objects.get().values["reasons"] == FORM["aspect-reasons"]


# ---- The deadline, by the clock ----


@pytest.mark.parametrize("headers", [None, HTMX])
def test_a_form_past_the_deadline_is_refused_in_the_form_which_stays(
    desk: Desk, headers: dict[str, str] | None
) -> None:
    pass_deadline(desk)
    answer = desk.submit(headers=headers)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "The deadline has passed" in page
    assert 'id="judgment"' in page
    assert FORM["aspect-reasons"] in page
    assert not Annotation.objects.exists()
    assert Draft.objects.get().values["reasons"] == FORM["aspect-reasons"]


def test_a_draft_past_the_deadline_is_kept_and_the_page_says_why_it_cannot_be_submitted(desk: Desk) -> None:
    pass_deadline(desk)
    save(desk, FORM)
    page = page_of(desk)
    assert "The deadline has passed" in page
    assert FORM["aspect-reasons"] in page
    assert "The deadline has passed" in desk.client.get(reverse("work")).content.decode()


def test_no_task_is_taken_from_a_batch_past_its_deadline(desk: Desk, study: Study) -> None:
    pass_deadline(desk)
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=desk.annotator, actor=OPERATOR)


def test_a_deadline_to_come_stops_nobody(desk: Desk, study: Study) -> None:
    Batch.objects.update(deadline_at=timezone.now() + timedelta(minutes=1))
    assert desk.submit().status_code == 302
    assert sit_down(study).submit().status_code == 302


def test_a_change_past_the_deadline_no_longer_asks_to_be_submitted(desk: Desk) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    save(desk, CHANGED)
    pass_deadline(desk)
    assert "Question 1: submit or drop" not in desk.client.get(reverse("work")).content.decode()
    assert desk.client.get(desk.url("done", None)).status_code == 200


def test_a_lost_place_is_told_to_who_drops_a_change_there(desk: Desk, study: Study) -> None:
    desk.submit()
    save(desk, CHANGED)
    expire(desk.assignment)
    assert lease_assignment(place=desk.assignment, annotator=MemberFactory(study=study))
    assert "somebody else has it now" in desk.client.post(desk.url("drop_change", 1), follow=True).content.decode()
    assert Draft.objects.exists()


# ---- My tasks, and words about a question ----


def test_my_tasks_names_a_study_once(desk: Desk) -> None:
    page = desk.client.get(reverse("work")).content.decode()
    title = desk.assignment.hit.article.title
    assert title
    assert page.count(desk.study.name) == 1
    assert "Finish the task under way" not in page


def test_an_answer_stands_where_the_question_was_asked(desk: Desk) -> None:
    word = {"text": "What does sentence 2 mean?", "position": "2"}
    desk.client.post(desk.url("messages", None), word)
    researcher = MemberFactory(study=desk.study, role=Role.RESEARCHER)
    send_message(assignment=desk.assignment, author=researcher, text="It is about the mill.", actor=OPERATOR)
    assert "It is about the mill." in page_of(desk, 2)
    assert "The researcher has answered" in page_of(desk, 2)
    assert "It is about the mill." not in page_of(desk, 1)
    work = desk.client.get(reverse("work")).content.decode()
    assert "The researcher has answered on question 2" in work
    assert desk.url(position=2) + "#word" in work


def test_messages_are_counted_from_when_the_task_was_taken(desk: Desk, study: Study) -> None:
    desk.client.post(desk.url("messages", None), {"text": "A word of the first holder."})
    expire(desk.assignment)
    heir = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    assert "One message" not in client_of(heir).get(reverse("work")).content.decode()

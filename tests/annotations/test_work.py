"""The annotator's list: what waits, what is under way, what was submitted; taking a task."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.models import Draft
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.studies import eligibility
from annotation_platform.studies.eligibility import Moment
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Study
from annotation_platform.studies.services import claim_assignment, close_batch, finish_batch
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.factories import OPERATOR, MemberFactory, judge_everything, judgment, make_corpus, open_study, submit

pytestmark = pytest.mark.pages


def test_a_newcomer_sees_what_waits_and_reads_the_instructions_first(study: Study) -> None:
    client = client_of(MemberFactory(study=study))
    assert "3 tasks wait" in client.get(reverse("work")).content.decode()
    response = client.post(reverse("take", args=[study.slug]))
    assert "/assignments/" in response["Location"]
    page = client.get(response["Location"]).content.decode()
    assert "Worked examples" in page
    assert "To the questions" in page


def test_who_has_judged_before_goes_straight_to_the_question(desk: Desk, study: Study) -> None:
    for item in desk.items:
        submit(desk.assignment, item)
    response = desk.client.post(reverse("take", args=[study.slug]))
    assert response["Location"].endswith("/1/")


def test_taking_again_gives_the_task_under_way(desk: Desk, study: Study) -> None:
    response = desk.client.post(reverse("take", args=[study.slug]))
    assert f"/assignments/{desk.assignment.pk}/" in response["Location"]


def test_when_nothing_is_left_the_page_says_so_kindly(study: Study) -> None:
    member = MemberFactory(study=study)
    judge_everything(member, lambda item: judgment())
    client = client_of(member)
    response = client.post(reverse("take", args=[study.slug]), follow=True)
    assert response.status_code == 200
    assert "no task is left for you" in response.content.decode()


def test_a_task_under_way_shows_progress_and_leads_to_the_next_open_question(desk: Desk) -> None:
    submit(desk.assignment, desk.items[0])
    page = desk.client.get(reverse("work")).content.decode()
    assert "1 of 3 questions done" in page
    assert desk.url(position=2) in page
    assert "left" in page
    assert "Start the next task" not in page


def test_an_expired_lease_is_told_without_alarm(desk: Desk) -> None:
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()
    assert "yours until somebody else takes it" in desk.client.get(reverse("work")).content.decode()


def test_a_task_that_can_still_be_finished_stands_before_one_whose_batch_has_closed(desk: Desk) -> None:
    assert desk.annotator.user is not None
    close_batch(batch=desk.assignment.hit.batch, because="enough judgments", actor=OPERATOR)
    elsewhere = MemberFactory(user=desk.annotator.user, study=open_study(corpus=make_corpus(articles=1)))
    later = claim_assignment(annotator=elsewhere, actor=OPERATOR)
    page = desk.client.get(reverse("work")).content.decode()
    assert page.index(reverse("judge", args=[later.pk, 1])) < page.index("The batch has closed.")


@pytest.mark.django_db
def test_a_task_that_ran_out_while_its_batch_was_closing_keeps_nobody_from_the_next() -> None:
    study = open_study(corpus=make_corpus(articles=2, questions=1, systems=("alder",)), overlap=2, hits_per_batch=1)
    desk = sit_down(study)
    claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    finish_batch(batch=desk.assignment.hit.batch, because="enough judgments", actor=OPERATOR)
    assert "finish the task while your time runs" in desk.client.get(reverse("work")).content.decode()
    ran_out = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=ran_out)
    page = desk.client.get(reverse("work")).content.decode()
    assert "The time ran out while this batch was closing." in page
    assert "Look again" in page
    assert "Continue" not in page
    assert f'action="{reverse("take", args=[study.slug])}"' in page


def test_an_unfinished_task_of_a_closed_batch_spares_nobody_what_comes_before_the_next(
    desk: Desk, study: Study
) -> None:
    close_batch(batch=desk.assignment.hit.batch, because="enough judgments", actor=OPERATOR)
    publish_text(study=study, texts={"en": "We keep what you write."}, actor=OPERATOR)
    response = desk.client.post(reverse("take", args=[study.slug]))
    assert response["Location"] == reverse("consent", args=[study.slug])


def test_submitted_tasks_stay_listed_with_their_thread(desk: Desk) -> None:
    for item in desk.items:
        submit(desk.assignment, item)
    desk.client.post(desk.url("messages", None), {"text": "Question 2 is unclear."})
    page = desk.client.get(reverse("work")).content.decode()
    assert "Submitted" in page
    assert "One message" in page
    assert desk.url("messages", None) in page


def test_many_submitted_tasks_come_in_pages(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation_platform.crowd.home.page.SUBMITTED_PER_PAGE", 2)
    member = MemberFactory(study=study)
    judge_everything(member, lambda item: judgment())
    client = client_of(member)
    first = client.get(reverse("work")).content.decode()
    assert "Page 1 of 2" in first
    assert '<span class="badge num">3</span>' in first
    second = client.get(reverse("work") + "?page=2").content.decode()
    assert first.count("Look again") + second.count("Look again") == 3


def test_the_done_page_offers_the_next_task(desk: Desk) -> None:
    for item in desk.items:
        submit(desk.assignment, item)
    page = desk.client.get(desk.url("done", None)).content.decode()
    assert "Your 3 judgments" in page
    assert "Start the next task" in page


def test_the_done_page_of_an_unfinished_task_leads_back_to_it(desk: Desk) -> None:
    submit(desk.assignment, desk.items[0])
    assert desk.client.get(desk.url("done", None))["Location"] == desk.url(position=2)


def test_a_task_can_be_given_back_and_what_was_typed_stays(desk: Desk) -> None:
    desk.client.post(desk.url("draft"), FORM | desk.hidden())
    address = reverse("give_back", args=[desk.assignment.pk])
    assert desk.client.post(address).url == reverse("work")
    desk.assignment.refresh_from_db()
    assert (desk.assignment.state, desk.assignment.annotator) == (AssignmentState.OPEN, None)
    desk.client.post(reverse("take", args=[desk.study.slug]))
    taken = Assignment.objects.get(annotator=desk.annotator)
    assert FORM["aspect-reasons"] in desk.client.get(reverse("judge", args=[taken.pk, 1])).content.decode()


def test_a_submitted_task_cannot_be_given_back(desk: Desk) -> None:
    for position in range(1, len(desk.items) + 1):
        desk.submit(position)
    answer = desk.client.post(reverse("give_back", args=[desk.assignment.pk]))
    assert answer.status_code == 409
    desk.assignment.refresh_from_db()
    assert desk.assignment.state == AssignmentState.SUBMITTED


def test_what_a_rule_refuses_when_it_is_submitted_stays_in_the_form_with_the_reason(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(annotator: Member, moment: Moment) -> Reason | None:
        return Reason("studies.paused", because="Ask us.") if moment == Moment.SUBMITTING else None

    monkeypatch.setitem(eligibility._rules, "tests.refuses", refuses)
    response = desk.submit(form=FORM | {"aspect-reasons": "What I typed stays."})
    page = response.content.decode()
    assert response.status_code == 409
    assert "You are paused in this study: Ask us." in page
    assert "What I typed stays." in page
    assert not desk.assignment.annotations.exists()
    assert Draft.objects.get(item=desk.items[0]).values["reasons"] == "What I typed stays."

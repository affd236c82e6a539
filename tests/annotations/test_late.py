"""Judgments that come when the time has run out and somebody else has the task: kept, and decided by a person."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.late import accept_late_work, decline_late_work
from annotation_platform.annotations.models import Annotation, Draft, LateJudgment
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.eligibility import Moment, refusal
from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Member, SetAside, Study
from annotation_platform.studies.services import (
    claim_assignment,
    close_batch,
    exclude_member,
    lease_assignment,
    return_assignment,
    set_aside,
)
from tests.annotations.desk import FORM, Desk, sit_down
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, submit
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
HTMX = {"HX-Request": "true"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(corpus=make_corpus(questions=2), questions_per_hit=2, overlap=1)


@pytest.fixture
def desk(study: Study) -> Desk:
    return sit_down(study)


@pytest.fixture
def heir(desk: Desk, study: Study) -> Member:
    """Somebody who took the place of the desk's annotator when the lease had run out."""
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    desk.assignment.refresh_from_db()
    member: Member = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=member)
    return member


def waiting() -> Any:
    return LateJudgment.objects.filter(state=LateJudgment.State.WAITING)


def both_late(desk: Desk) -> None:
    for position in (1, 2):
        assert desk.submit(position).status_code == 302


def hit_of(desk: Desk) -> Hit:
    return Hit.objects.select_related("batch__study").get(pk=desk.assignment.hit_id)


def again(member: Member) -> Member:
    return Member.objects.select_related("study__scheme_version").get(pk=member.pk)


def free_the_place(desk: Desk, heir: Member) -> None:
    assert return_assignment(assignment=desk.assignment, annotator=heir, actor=OPERATOR)


@pytest.mark.usefixtures("heir")
def test_what_comes_too_late_is_kept_and_counts_nowhere(desk: Desk) -> None:
    response = desk.submit()
    assert response.status_code == 302
    assert response.url == desk.url(position=2)
    late = waiting().get()
    assert (late.annotator, late.item.position, late.values["completeness"]) == (desk.annotator, 1, "missing_minor")
    assert not Annotation.objects.exists()
    page = markup(desk.client.get(response.url))
    assert "a researcher decides about it" in page
    assert "Submit late" in page


@pytest.mark.usefixtures("heir")
def test_with_scripts_it_leads_on_as_well(desk: Desk) -> None:
    assert desk.submit(headers=HTMX).headers["HX-Redirect"] == desk.url(position=2)
    assert desk.submit(2, headers=HTMX).headers["HX-Redirect"] == reverse("work")
    assert "a researcher decides whether it counts" in markup(desk.client.get(reverse("work")))


@pytest.mark.usefixtures("heir")
def test_what_the_scheme_does_not_accept_is_not_kept_and_comes_back(desk: Desk) -> None:
    response = desk.submit(form=FORM | {"aspect-completeness": ""})
    assert response.status_code == 422
    assert "It leaves out sentence 4." in markup(response)
    assert not LateJudgment.objects.exists()


@pytest.mark.usefixtures("heir")
def test_the_same_form_is_kept_once_and_another_takes_its_place(desk: Desk) -> None:
    mark = str(uuid4())
    for _ in range(2):
        desk.submit(submission=mark)
    assert LateJudgment.objects.count() == 1
    desk.submit(form=FORM | {"aspect-reasons": "Better words."})
    assert [each.values["reasons"] for each in waiting()] == ["Better words."]
    assert LateJudgment.objects.count() == 2


@pytest.mark.usefixtures("heir")
def test_the_draft_that_was_sent_goes_and_the_page_shows_what_was_sent(desk: Desk) -> None:
    Draft.objects.create(annotator=desk.annotator, item=desk.items[0], values={"reasons": "Half a thought"})
    desk.submit(version="1")
    assert not Draft.objects.exists()
    assert "It leaves out sentence 4." in markup(desk.client.get(desk.url()))


def test_the_heir_knows_nothing_of_it_and_nobody_else_can_send_any(desk: Desk, heir: Member, study: Study) -> None:
    desk.submit()
    stranger = sit_down(open_study(corpus=make_corpus(questions=2), name="Another"))
    form = FORM | {"scheme": study.scheme_version.signature, "holder": "", "submission": str(uuid4())}
    assert stranger.client.post(desk.url(), form).status_code == 404
    assert waiting().count() == 1
    heirs = Desk(study, heir, desk.assignment, stranger.client)
    heirs.client.force_login(heir.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert "It leaves out sentence 4." not in markup(heirs.client.get(heirs.url()))


def test_who_was_excluded_sends_nothing_more(desk: Desk, heir: Member) -> None:
    exclude_member(member=desk.annotator, because="Haste", actor=OPERATOR)
    response = desk.submit()
    assert response.status_code == 409
    assert not LateJudgment.objects.exists()


def test_accepted_it_takes_the_free_place_and_counts(desk: Desk, heir: Member) -> None:
    both_late(desk)
    free_the_place(desk, heir)
    place = accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    assert (place.annotator, place.state) == (desk.annotator, AssignmentState.SUBMITTED)
    counted = Annotation.objects.current().filter(assignment=place)
    assert [each.item.position for each in counted.order_by("item__position")] == [1, 2]
    assert counted.first().ratings.exists()
    assert not waiting().exists()
    assert "Accepted: it counts." in markup(desk.client.get(reverse("work")))


def test_accepted_it_is_no_task_that_was_taken_today(desk: Desk, heir: Member, study: Study) -> None:
    both_late(desk)
    free_the_place(desk, heir)
    accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    Study.objects.filter(pk=study.pk).update(most_tasks_a_day=1)
    assert refusal(again(desk.annotator), Moment.TAKING) is None


def test_what_was_judged_in_time_counts_with_it(desk: Desk, study: Study) -> None:
    submit(desk.assignment, desk.items[0], reasons="In time.")
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    desk.assignment.refresh_from_db()
    heir = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    assert desk.submit(2).url == reverse("work")
    free_the_place(desk, heir)
    place = accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    reasons = {each.item.position: each.values["reasons"] for each in place.annotations.current()}
    assert reasons == {1: "In time.", 2: "It leaves out sentence 4."}


def test_a_form_that_was_stored_in_time_and_sent_again_when_its_answer_was_lost_can_be_accepted(
    desk: Desk, study: Study
) -> None:
    mark = str(uuid4())
    desk.submit(submission=mark)  # stored; that it was, never reached the browser
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    desk.assignment.refresh_from_db()
    heir = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    desk.submit(form=FORM | {"aspect-reasons": "In better words."}, submission=mark)
    desk.submit(2)
    free_the_place(desk, heir)
    place = accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    reasons = {each.item.position: each.values["reasons"] for each in place.annotations.current()}
    assert reasons == {1: "In better words.", 2: "It leaves out sentence 4."}


@pytest.mark.usefixtures("heir")
def test_no_item_gets_more_judgments_than_it_may(desk: Desk) -> None:
    both_late(desk)
    with pytest.raises(ConflictError, match="No place of this task is free"):
        accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    assert waiting().count() == 2


def test_half_a_task_cannot_count(desk: Desk, heir: Member) -> None:
    desk.submit(1)
    free_the_place(desk, heir)
    with pytest.raises(ConflictError, match="1 question of the task is not judged"):
        accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    assert Assignment.objects.get(pk=desk.assignment.pk).state == AssignmentState.OPEN


def test_it_is_not_accepted_into_a_closed_batch(desk: Desk, heir: Member) -> None:
    both_late(desk)
    free_the_place(desk, heir)
    close_batch(batch=hit_of(desk).batch, because="enough", actor=OPERATOR)
    with pytest.raises(ConflictError, match="takes no judgments"):
        accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)


def test_nor_while_they_have_the_task_again_or_were_rejected_in_it(desk: Desk, heir: Member) -> None:
    both_late(desk)
    free_the_place(desk, heir)
    place = claim_assignment(annotator=again(desk.annotator), actor=OPERATOR)
    with pytest.raises(ConflictError, match="has this task again"):
        accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)
    for item in place.hit.items.all():
        submit(place, item)
    place.refresh_from_db()
    set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="Wrong", actor=OPERATOR)
    with pytest.raises(ConflictError, match="was rejected"):
        accept_late_work(hit=hit_of(desk), annotator=again(desk.annotator), actor=OPERATOR)


@pytest.mark.usefixtures("heir")
def test_declined_it_stays_kept_and_they_read_why(desk: Desk) -> None:
    both_late(desk)
    with pytest.raises(InvalidInputError):
        decline_late_work(hit=hit_of(desk), annotator=desk.annotator, because=" ", actor=OPERATOR)
    decline_late_work(hit=hit_of(desk), annotator=desk.annotator, because="All places are filled.", actor=OPERATOR)
    assert LateJudgment.objects.filter(state=LateJudgment.State.DECLINED).count() == 2
    assert "It does not count: All places are filled." in markup(desk.client.get(reverse("work")))
    with pytest.raises(ConflictError, match="decided already"):
        decline_late_work(hit=hit_of(desk), annotator=desk.annotator, because="Again", actor=OPERATOR)

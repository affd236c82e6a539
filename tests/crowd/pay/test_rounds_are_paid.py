"""Work in a round of qualification: earned, approved, paid by Prolific or by a file, by those who look after it."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay import paid_file
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.by_prolific import order_bonuses
from annotation_platform.crowd.pay.models import LedgerEntry, LineState, PaymentRun
from annotation_platform.crowd.pay.selectors import to_approve
from annotation_platform.crowd.pay.services import (
    approve_payment,
    collect_payment,
    correct,
    credit_bonus,
    credit_what_is_due,
    hand_out_file,
    record_paid,
)
from annotation_platform.crowd.pay.wording import earned
from annotation_platform.crowd.providers.prolific import calls
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.vault.identities import erase_person
from annotation_platform.crowd.review.models import ReviewState
from annotation_platform.crowd.review.selectors import counts_of, own_submissions
from annotation_platform.crowd.review.services import appeal, approve, reject
from annotation_platform.crowd.rounds.models import Round, Verdict
from annotation_platform.crowd.rounds.services import begin_attempt, decide, end_round
from annotation_platform.studies.models import Assignment, Member, Role, Study
from annotation_platform.studies.services import NothingToClaimError, exclude_member, remove_member
from tests.crowd.pay.paying import agree, by
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.crowd.rounds.pieces import RIGHT, WRONG, acts, go_through, judge, new_round
from tests.factories import OPERATOR, MemberFactory, submit
from tests.markup import markup
from tests.servers.prolific import ProlificServer

pytestmark = pytest.mark.django_db
PERSON = "5f0000000000000000000001"


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture
def prolific(study: Study) -> ProlificStudy:
    return connected(study)


@pytest.fixture
def round_(study: Study) -> Round:
    made = new_round(study, is_reviewed=True)
    agree(made.study, reward=150, approval="at_once", second_above=100)
    return made


@pytest.fixture
def owed(round_: Round, prolific: ProlificStudy, annotator: Member, server: ProlificServer) -> list[Member]:
    """Two who went through the round: one from Prolific, one by account."""
    one = submission(prolific)
    server.add(one.external_id, EXTERNAL_STUDY, PERSON)
    for member in (one.member, annotator):
        go_through(round_, member)
    assert credit_what_is_due(actor=OPERATOR) == 2
    return [one.member, annotator]


def approved(round_: Round, admin: Member, other: Member) -> PaymentRun:
    run = collect_payment(study=round_.study, actor=by(admin))
    approve_payment(run=run, actor=by(other))
    return run


@pytest.fixture
def other(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="Boss 2")


def test_a_rounds_payment_is_made_and_approved_by_the_studys_admins_two_above_the_limit(
    round_: Round, owed: list[Member], admin: Member, other: Member
) -> None:
    run = collect_payment(study=round_.study, actor=by(admin))
    assert (run.made_by, run.needs_second) == (admin, True)
    with pytest.raises(InvalidInputError):
        approve_payment(run=run, actor=by(admin))
    with pytest.raises(InvalidInputError):
        approve_payment(run=run, actor=by(MemberFactory(study=round_.study.qualifies_for, role=Role.RESEARCHER)))
    approve_payment(run=run, actor=by(other))
    assert run.approved_by == other


def test_prolific_pays_who_came_from_there_and_the_file_has_the_rest(
    round_: Round, owed: list[Member], admin: Member, other: Member, server: ProlificServer
) -> None:
    run = approved(round_, admin, other)
    assert f",{PERSON},1.50,USD" in paid_file.written(run), "as Prolific knows them"
    (call,) = order_bonuses(run=run, actor=by(admin))
    assert PERSON not in paid_file.written(run)
    assert f",{owed[1].pseudonym},1.50,USD" in paid_file.written(run)
    calls.make_calls()
    call.refresh_from_db()
    assert server.paid == [("session01", 150)]
    assert sorted(run.lines.values_list("state", flat=True)) == [LineState.OPEN, LineState.PAID]
    assert LedgerEntry.objects.filter(study=round_.study).balance() == 150
    with pytest.raises(InvalidInputError):
        order_bonuses(run=run, actor=by(admin))
    calls.make_calls()
    assert len(server.paid) == 1


def test_the_file_is_read_again_with_the_names_that_it_was_written_with(
    round_: Round, owed: list[Member], admin: Member, other: Member
) -> None:
    run = approved(round_, admin, other)
    rows = paid_file.read(run, paid_file.written(run).encode())
    assert record_paid(run=run, rows=rows, actor=by(admin)).paid == 2
    assert LedgerEntry.objects.filter(study=round_.study).balance() == 0


def test_a_file_from_before_somebody_was_erased_is_taken_with_their_line(
    round_: Round, owed: list[Member], admin: Member, other: Member
) -> None:
    run = approved(round_, admin, other)
    file = hand_out_file(run=run, actor=by(admin))
    assert PERSON in file
    erase_person(member=owed[0], actor=OPERATOR)
    assert record_paid(run=run, rows=paid_file.read(run, file.encode()), actor=by(admin)).paid == 2


def test_who_has_left_since_is_paid_all_the_same(
    round_: Round, owed: list[Member], admin: Member, other: Member, server: ProlificServer
) -> None:
    remove_member(member=owed[0], actor=OPERATOR)
    run = approved(round_, admin, other)
    assert f",{PERSON},1.50,USD" in paid_file.written(run)
    order_bonuses(run=run, actor=by(admin))
    calls.make_calls()
    assert server.paid == [("session01", 150)]


def test_rounds_and_tasks_are_paid_side_by_side(
    study: Study, round_: Round, owed: list[Member], admin: Member, other: Member, server: ProlificServer
) -> None:
    correct(member=owed[0], amount=40, reason="For the test.", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    order_bonuses(run=run, actor=by(admin))
    order_bonuses(run=approved(round_, admin, other), actor=by(admin))
    calls.make_calls()
    calls.make_calls()
    assert sorted(server.paid) == [("session01", 40), ("session01", 150)]


def test_a_second_attempt_that_is_not_finished_is_paid_its_part_beside_the_first(
    study: Study, annotator: Member
) -> None:
    new = new_round(study, attempts_allowed=2)
    agree(new.study, reward=150, approval="at_once", returned_percent=100)
    go_through(new, annotator, {1: WRONG})
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    submit(place, place.hit.items.order_by("position")[0], **RIGHT)
    end_round(round_=new, actor=OPERATOR)
    credit_what_is_due(actor=OPERATOR)
    paid = LedgerEntry.objects.order_by("replicate").values_list("replicate", "kind", "amount", "items")
    assert list(paid) == [(0, "reward", 150, None), (1, "partial", 75, 1)]
    assert credit_what_is_due(actor=OPERATOR) == 0


def test_a_bonus_goes_by_the_attempts_that_were_finished(study: Study, annotator: Member) -> None:
    new = new_round(study, attempts_allowed=2)
    agree(new.study, reward=200, approval="at_once", returned_percent=100, bonus_percent=50)
    go_through(new, annotator, {1: WRONG})
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    submit(place, place.hit.items.order_by("position")[0], **RIGHT)
    end_round(round_=new, actor=OPERATOR)
    for _sweep in range(2):
        credit_what_is_due(actor=OPERATOR)
    paid = LedgerEntry.objects.order_by("pk").values_list("kind", "amount")
    assert list(paid) == [("reward", 200), ("partial", 100), ("bonus", 100)]


def test_what_is_due_for_an_attempt_counts_none_of_the_items_of_another(
    study: Study, annotator: Member, admin: Member
) -> None:
    new = new_round(study, attempts_allowed=2)
    agree(new.study, reward=150, returned_percent=100)
    for number in (1, 2):
        place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
        submit(place, place.hit.items.order_by("position")[number - 1], **RIGHT)
        decide(attempt=new.attempts.get(number=number), verdict=Verdict.FAILED, by=admin, actor=by(admin))
    end_round(round_=new, actor=OPERATOR)
    credit_what_is_due(actor=OPERATOR)
    paid = LedgerEntry.objects.order_by("replicate").values_list("replicate", "amount", "items")
    assert list(paid) == [(0, 75, 1), (1, 75, 1)]


def test_a_task_that_was_rejected_and_done_again_is_reviewed_again_and_paid_once(
    study: Study, annotator: Member
) -> None:
    new = new_round(study, articles=2)
    agree(new.study, reward=150)
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {1: WRONG})
    review = reject(assignment=place, because="Not read.", by=None, actor=OPERATOR)
    appeal(review=review, words="I have.", actor=acts(annotator))
    assert begin_attempt(round_=new, member=annotator, actor=acts(annotator)) == place
    assert counts_of(new.study) == dict.fromkeys(ReviewState, 0) | {ReviewState.APPEALED: 1}
    judge(place, {})
    assert counts_of(new.study) == dict.fromkeys(ReviewState, 0) | {ReviewState.WAITING: 1}
    again = reject(assignment=place, because="Still not.", by=None, actor=OPERATOR)
    assert (again.because, again.state) == ("Still not.", ReviewState.REJECTED)
    assert again.appeal == "I have."
    assert "I have." not in str([*Event.objects.values_list("change")]), "no event has what an annotator wrote"
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = markup(client.get(reverse("review", args=[new.study.slug, place.pk, again.annotator_id])))
    assert "I have." in page.partition("What was said against an earlier rejection")[2]
    appeal(review=again, words="Now, too.", actor=acts(annotator))
    assert again.appeal == "I have.\n\nNow, too."
    begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {1: WRONG})
    for _ in range(2):
        approve(assignment=place, by=None, actor=OPERATOR)
        credit_what_is_due(actor=OPERATOR)
    assert counts_of(new.study)[ReviewState.APPROVED] == 1
    assert LedgerEntry.objects.balance() == 150
    with pytest.raises(InvalidInputError):
        reject(assignment=place, because="After all.", by=None, actor=OPERATOR)


def test_what_is_paid_at_once_is_taken_back_when_it_is_rejected_and_given_again_when_what_is_done_anew_is_approved(
    study: Study, annotator: Member
) -> None:
    new = new_round(study, articles=2)
    agree(new.study, reward=150, approval="at_once")
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {1: WRONG})
    credit_what_is_due(actor=OPERATOR)
    reject(assignment=place, because="Not read.", by=None, actor=OPERATOR)
    assert LedgerEntry.objects.balance() == 0
    begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    user = annotator.user
    assert [each.review.because for each in own_submissions(user, most=9) if each.review] == ["Not read."]
    other_task = 150  # of the round, which they have not begun
    assert committed_in(new.study) == 150 + other_task
    judge(place, {})
    assert own_submissions(user, most=9) == [], "done anew, it is not the rejected work that waits"
    assert committed_in(new.study) == 150 + other_task
    assert credit_what_is_due(actor=OPERATOR) == 0, "whoever rejected it looks at it first"
    assert list(to_approve(new.study)) == [place]
    assert "1 task of yours is still to be approved" in earned(annotator)
    approve(assignment=place, by=None, actor=OPERATOR)
    assert LedgerEntry.objects.balance() == 150
    assert LedgerEntry.objects.latest("pk").reason
    assert credit_what_is_due(actor=OPERATOR) == 0
    assert not to_approve(new.study).exists()
    in_round = new.study.members.get(pseudonym=annotator.pseudonym)
    assert exclude_member(member=in_round, because="No.", actor=OPERATOR) == 1, "although work of theirs is aside there"


def test_what_is_done_anew_badly_is_rejected_again_where_work_counts_at_once(study: Study, annotator: Member) -> None:
    new = new_round(study, articles=2)
    agree(new.study, reward=150, approval="at_once")
    place = rejected_and_done_anew(new, annotator)
    credit_what_is_due(actor=OPERATOR)
    reject(assignment=place, because="Not read again.", by=None, actor=OPERATOR)
    assert credit_what_is_due(actor=OPERATOR) == 0
    assert LedgerEntry.objects.balance() == 0


def test_what_is_done_anew_before_the_first_was_paid_waits_where_work_counts_at_once(
    study: Study, annotator: Member
) -> None:
    new = new_round(study, articles=2)
    agree(new.study, reward=150, approval="at_once")
    place = rejected_and_done_anew(new, annotator, is_paid_first=False)
    assert credit_what_is_due(actor=OPERATOR) == 0
    assert list(to_approve(new.study)) == [place]


def test_what_is_done_anew_counts_after_the_hours_that_the_terms_give_for_looking(
    study: Study, annotator: Member
) -> None:
    new = new_round(study, articles=2)
    agree(new.study, reward=150, approval="after_hours", approval_hours=2)
    place = rejected_and_done_anew(new, annotator)
    assert credit_what_is_due(actor=OPERATOR) == 0
    Assignment.objects.filter(pk=place.pk).update(submitted_at=timezone.now() - timedelta(hours=2))
    assert credit_what_is_due(actor=OPERATOR) == 1
    assert not to_approve(new.study).exists()


def rejected_and_done_anew(new: Round, annotator: Member, *, is_paid_first: bool = True) -> Assignment:
    """The first task, which was paid at once before it was rejected, or not."""
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {1: WRONG})
    if is_paid_first:
        credit_what_is_due(actor=OPERATOR)
    reject(assignment=place, because="Not read.", by=None, actor=OPERATOR)
    begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {})
    return place


def test_what_is_done_anew_is_bound_with_its_bonus(study: Study, annotator: Member) -> None:
    new = new_round(study, articles=2)
    agree(new.study, reward=100, approval="at_once", bonus_percent=50)
    rejected_and_done_anew(new, annotator)
    assert committed_in(new.study) == 150 + 150


def test_a_bonus_waits_for_what_was_done_anew(study: Study, annotator: Member) -> None:
    new = new_round(study, articles=2)
    agree(new.study, approval="at_once", bonus_percent=50)
    begin = partial(begin_attempt, round_=new, member=annotator, actor=acts(annotator))
    place = begin()
    judge(place, {1: WRONG})
    credit_what_is_due(actor=OPERATOR)
    reject(assignment=place, because="Not read.", by=None, actor=OPERATOR)
    agree(new.study, approval="by_hand", bonus_percent=50)
    begin()
    judge(place, {})
    other = begin()
    judge(other, {})
    approve(assignment=other, by=None, actor=OPERATOR)
    end_round(round_=new, actor=OPERATOR)
    batch = new.study.batches.get()
    assert credit_bonus(batch=batch, actor=OPERATOR) == 0
    approve(assignment=place, by=None, actor=OPERATOR)
    assert credit_bonus(batch=batch, actor=OPERATOR) == 1
    assert LedgerEntry.objects.balance() == 2 * 200 + 200


def test_what_was_done_anew_before_anything_was_agreed_is_for_a_person_to_approve(
    study: Study, annotator: Member
) -> None:
    new = new_round(study, articles=2)
    place = rejected_and_done_anew(new, annotator)
    agree(new.study, approval="at_once")
    assert credit_what_is_due(actor=OPERATOR) == 0
    assert list(to_approve(new.study)) == [place]


def committed_in(study: Study) -> int:
    budget = budget_of(study)
    assert budget is not None
    return budget.committed


def test_nobody_gets_a_place_in_a_round_beyond_its_budget(study: Study) -> None:
    new = new_round(study, articles=2, attempts_allowed=2)
    agree(new.study, reward=150, bonus_percent=10, budget=659)
    one, two, three = (MemberFactory(study=study) for _ in range(3))
    first = begin_attempt(round_=new, member=one, actor=acts(one))
    with pytest.raises(NothingToClaimError) as refused:
        begin_attempt(round_=new, member=two, actor=acts(two))
    assert refused.value.reason.code == "studies.no_place_in_the_round"
    assert not new.attempts.filter(member=two).exists(), "no attempt is used"
    agree(new.study, reward=150, bonus_percent=10, budget=660)
    go_through(new, two, {}, {})
    with pytest.raises(NothingToClaimError):
        begin_attempt(round_=new, member=three, actor=acts(three))
    judge(first, {})
    assert begin_attempt(round_=new, member=one, actor=acts(one)).hit_id != first.hit_id, "who is at it goes on"
    budget = budget_of(new.study)
    assert budget is not None
    assert budget.committed == 660


@pytest.mark.pages
def test_who_begins_a_round_beyond_its_budget_reads_why(study: Study, annotator: Member, client: Client) -> None:
    new = new_round(study)
    agree(new.study, budget=200)
    go_through(new, MemberFactory(study=study))
    client.force_login(annotator.user)
    page = client.post(reverse("begin_round", args=[new.pk]), follow=True)
    assert page.status_code == 200
    assert "This round gives out no more tasks at the moment" in markup(page)


@pytest.mark.pages
def test_who_gets_no_next_task_of_a_round_reads_why(study: Study, annotator: Member, client: Client) -> None:
    new = new_round(study, articles=2)
    agree(new.study, budget=1_000)
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {})
    go_through(new, MemberFactory(study=study), {}, {})
    agree(new.study, budget=1)
    client.force_login(annotator.user)
    page = client.post(reverse("take", args=[new.study.slug]), follow=True)
    assert "This round gives out no more tasks at the moment" in markup(page)


@pytest.mark.pages
def test_it_is_paid_on_the_rounds_own_page_of_pay(
    round_: Round, owed: list[Member], admin: Member, other: Member, client: Client, server: ProlificServer
) -> None:
    client.force_login(admin.user)
    page = client.post(reverse("crowd_pay", args=[round_.study.slug]), {"step": "collect"}, follow=True)
    assert page.status_code == 200
    address = reverse("payment", args=[round_.study.slug, 1])
    client.post(address, {"step": "approve"})
    assert PaymentRun.objects.get().state == "proposed", "who made it does not approve it above the limit"
    client.force_login(other.user)
    client.post(address, {"step": "approve"})
    assert "1 person of this payment came from Prolific" in markup(client.get(address))
    assert "asked to pay 1 person" in markup(client.post(address, {"step": "prolific"}, follow=True))
    assert PERSON not in client.get(address).content.decode()

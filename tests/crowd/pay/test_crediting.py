"""What people are credited with, and that it is credited once."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation_platform.annotations.late import accept_late_work
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.models import Approval, EntryKind, LedgerEntry, PayTerms
from annotation_platform.crowd.pay.rates import rates_of
from annotation_platform.crowd.pay.selectors import to_approve
from annotation_platform.crowd.pay.services import (
    correct,
    credit_assignment,
    credit_bonus,
    credit_returned,
    credit_what_is_due,
    due,
)
from annotation_platform.studies.models import Assignment, AssignmentState, Member, SetAside, Study
from annotation_platform.studies.services import archive_study, close_batch, restore_work, return_assignment, set_aside
from tests.crowd.late.pieces import free_the_place, late_desk
from tests.crowd.pay.paying import agree, by, paying_study
from tests.crowd.pay.work import do, take
from tests.factories import OPERATOR, MemberFactory, judge_everything, make_corpus, open_study, submit

pytestmark = pytest.mark.django_db


def kinds_and_amounts(member: Member) -> list[tuple[str, int]]:
    return list(LedgerEntry.objects.filter(member=member).values_list("kind", "amount"))


def test_a_task_is_credited_once_however_often_it_is_approved(annotator: Member, admin: Member) -> None:
    place = do(annotator)
    first = credit_assignment(assignment=place, annotator=annotator, actor=by(admin))
    again = credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    assert first == again
    assert kinds_and_amounts(annotator) == [("reward", 200)]
    assert first is not None
    assert (first.made_by, first.actor_kind, first.terms and first.terms.number) == (admin, "person", 1)


def test_a_task_that_is_not_submitted_or_of_somebody_else_is_not_credited(annotator: Member, study: Study) -> None:
    other = MemberFactory(study=study)
    done, under_way = do(other), take(annotator)
    for place in (done, under_way):
        with pytest.raises(InvalidInputError):
            credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    assert not LedgerEntry.objects.exists()


def test_nothing_is_credited_where_no_pay_was_agreed() -> None:
    annotator = MemberFactory(study=open_study())
    assert credit_assignment(assignment=do(annotator), annotator=annotator, actor=OPERATOR) is None


def test_what_was_promised_when_a_task_was_taken_holds_for_it(study: Study, annotator: Member) -> None:
    before = do(annotator)
    agree(study, reward=150)
    after = do(annotator)
    for place in (before, after):
        credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    found = LedgerEntry.objects.values_list("assignment", "amount", "terms__number")
    assert set(found) == {(before.pk, 200, 1), (after.pk, 150, 2)}


def test_late_work_is_paid_as_it_was_promised_before_it_was_accepted() -> None:
    desk = late_desk()
    agree(desk.study, reward=200)
    agree(desk.study, reward=100)
    free_the_place(desk)
    place = accept_late_work(hit=desk.assignment.hit, annotator=desk.annotator, actor=OPERATOR)
    assert_promised(desk.study, place, 200)


def test_restored_work_is_paid_as_it_was_promised_when_it_was_begun() -> None:
    study = open_study(corpus=make_corpus(articles=1, questions=2, systems=["alder"]))
    place = take(MemberFactory(study=study))
    first, second = place.hit.items.all()
    submit(place, first)
    agree(study, reward=200)
    agree(study, reward=100)
    submit(place, second)
    place.refresh_from_db()
    aside = set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="Too short.", actor=OPERATOR)
    restore_work(aside=aside, actor=OPERATOR)
    place.refresh_from_db()
    assert_promised(study, place, 200)


def assert_promised(study: Study, place: Assignment, reward: int) -> None:
    """That the budget, the rate of an hour and the reward say the same of a study's only task that was submitted."""
    budget, rates = budget_of(study), rates_of(study)
    assert budget is not None
    assert rates is not None
    open_places = Assignment.objects.exclude(state=AssignmentState.SUBMITTED).count()
    assert budget.committed == reward + open_places * 100
    assert rates.rates[0].rewards == reward
    assert place.annotator is not None
    credit_assignment(assignment=place, annotator=place.annotator, actor=OPERATOR)
    assert kinds_and_amounts(place.annotator) == [("reward", reward)]


def test_terms_that_say_the_same_are_no_new_version(study: Study) -> None:
    agree(study)
    assert PayTerms.objects.filter(study=study).count() == 1


def test_a_task_given_back_is_paid_by_what_is_done_and_finished_afterwards_for_the_rest() -> None:
    study = paying_study(returned_percent=50)
    annotator = MemberFactory(study=study)
    place = do(annotator, items=1)
    assert credit_returned(assignment=place, annotator=annotator, actor=OPERATOR) is None  # it is theirs still
    return_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    for _ in range(2):
        credit_returned(assignment=place, annotator=annotator, actor=OPERATOR)
    assert kinds_and_amounts(annotator) == [("partial", 50)]  # half of one of two items
    while (again := do(annotator)).hit_id != place.hit_id:
        pass
    credit_assignment(assignment=again, annotator=annotator, actor=OPERATOR)
    assert kinds_and_amounts(annotator) == [("partial", 50), ("reward", 150)]


def test_work_that_was_set_aside_is_neither_rewarded_nor_partly_paid(admin: Member) -> None:
    study = paying_study(returned_percent=100, approval=Approval.AT_ONCE)
    annotator = MemberFactory(study=study)
    place = do(annotator)
    set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="Copied.", actor=OPERATOR)
    credit_what_is_due(actor=OPERATOR)
    assert kinds_and_amounts(annotator) == []


@pytest.mark.parametrize(
    ("approval", "hours", "due_now", "due_later"),
    [(Approval.BY_HAND, None, 0, 0), (Approval.AT_ONCE, None, 1, 1), (Approval.AFTER_HOURS, 2, 0, 1)],
)
def test_work_is_approved_by_time_as_the_terms_say(
    approval: Approval, hours: int | None, due_now: int, due_later: int
) -> None:
    study = paying_study(approval=approval, approval_hours=hours)
    place = do(MemberFactory(study=study))
    credit_what_is_due(actor=OPERATOR)
    assert LedgerEntry.objects.count() == due_now
    Assignment.objects.filter(pk=place.pk).update(submitted_at=timezone.now() - timedelta(hours=2, minutes=1))
    for _ in range(2):
        credit_what_is_due(actor=OPERATOR)
    assert LedgerEntry.objects.count() == due_later


def test_work_from_before_anything_was_agreed_waits_for_a_person() -> None:
    study = open_study()
    annotator = MemberFactory(study=study)
    place = do(annotator)
    agree(study, approval=Approval.AT_ONCE)
    assert credit_what_is_due(actor=OPERATOR) == 0
    assert credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR) is not None


def test_returned_and_unfinished_work_becomes_due_by_itself_once() -> None:
    study = paying_study(returned_percent=100, overlap=3)
    returning, unfinished = MemberFactory(study=study), MemberFactory(study=study)
    place = do(returning, items=1)
    return_assignment(assignment=place, annotator=returning, actor=OPERATOR)
    do(unfinished, items=1)
    assert credit_what_is_due(actor=OPERATOR) == 1
    close_batch(batch=place.hit.batch, because="enough", actor=OPERATOR)
    assert credit_what_is_due(actor=OPERATOR) == 1
    assert credit_what_is_due(actor=OPERATOR) == 0
    assert kinds_and_amounts(returning) == kinds_and_amounts(unfinished) == [("partial", 100)]


def test_returned_work_waits_for_none_for_which_nothing_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "AT_ONCE", 1)
    study = paying_study(returned_percent=0, overlap=3)
    people = [MemberFactory(study=study) for _ in range(3)]
    for percent, annotator in zip((0, 100, 0), people, strict=True):
        agree(study, returned_percent=percent)
        return_assignment(assignment=do(annotator, items=1), annotator=annotator, actor=OPERATOR)
    for _ in range(2):
        credit_what_is_due(actor=OPERATOR)
    assert [kinds_and_amounts(each) for each in people] == [[], [("partial", 100)], []]


def test_returned_work_becomes_due_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "AT_ONCE", 2)
    study = paying_study(returned_percent=100, overlap=3)
    for annotator in (MemberFactory(study=study) for _ in range(3)):
        return_assignment(assignment=do(annotator, items=1), annotator=annotator, actor=OPERATOR)
    assert [credit_what_is_due(actor=OPERATOR) for _ in range(3)] == [2, 1, 0]


def test_what_is_owed_becomes_due_in_an_archived_study_as_in_any_other() -> None:
    study = paying_study(approval=Approval.AT_ONCE, returned_percent=100, bonus_percent=10)
    before, afterwards, returning = (MemberFactory(study=study) for _ in range(3))
    do(before)
    under_way, given_back = take(afterwards), do(returning, items=1)
    archive_study(study=study, actor=OPERATOR)
    for item in under_way.hit.items.all():
        submit(under_way, item)
    return_assignment(assignment=given_back, annotator=returning, actor=OPERATOR)
    close_batch(batch=under_way.hit.batch, because="enough", actor=OPERATOR)
    credit_what_is_due(actor=OPERATOR)
    assert kinds_and_amounts(before) == kinds_and_amounts(afterwards) == [("reward", 200), ("bonus", 20)]
    assert kinds_and_amounts(returning) == [("partial", 100)]


def test_an_archived_study_in_which_nothing_is_due_costs_no_sweep_a_look_until_something_happens() -> None:
    study = paying_study(approval=Approval.AT_ONCE, returned_percent=100, bonus_percent=10)
    under_way = take(MemberFactory(study=study))

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            credit_what_is_due(actor=OPERATOR)
        return len(asked)

    assert queries() == queries() > 1
    archive_study(study=study, actor=OPERATOR)
    assert [queries() > 1, queries()] == [True, 1]
    for item in under_way.hit.items.all():
        submit(under_way, item)
    credit_what_is_due(actor=OPERATOR)
    assert LedgerEntry.objects.get().amount == 200
    queries()
    assert queries() == 1
    Study.objects.update(archived_at=timezone.now())
    assert queries() > 1, "brought back and archived again"


def test_the_bonus_of_a_batch_is_on_its_rewards_and_given_once_everything_is_decided() -> None:
    study = paying_study(bonus_percent=20)
    annotator = MemberFactory(study=study)
    places = [do(annotator), do(annotator)]
    batch = places[0].hit.batch
    with pytest.raises(InvalidInputError):
        credit_bonus(batch=batch, actor=OPERATOR)
    close_batch(batch=batch, because="enough", actor=OPERATOR)
    batch.refresh_from_db()
    credit_assignment(assignment=places[0], annotator=annotator, actor=OPERATOR)
    assert credit_bonus(batch=batch, actor=OPERATOR) == 0  # the second task is not decided
    credit_assignment(assignment=places[1], annotator=annotator, actor=OPERATOR)
    assert [credit_bonus(batch=batch, actor=OPERATOR) for _ in range(2)] == [1, 0]
    assert kinds_and_amounts(annotator)[-1] == ("bonus", 80)


def test_a_correction_is_an_entry_with_a_reason(study: Study, annotator: Member, admin: Member) -> None:
    correct(member=annotator, amount=-50, reason="Paid twice by mistake.", actor=by(admin))
    entry = LedgerEntry.objects.get()
    assert (entry.kind, entry.amount, entry.reason) == (EntryKind.CORRECTION, -50, "Paid twice by mistake.")
    for amount, reason in ((0, "None"), (5, " ")):
        with pytest.raises(InvalidInputError):
            correct(member=annotator, amount=amount, reason=reason, actor=by(admin))


def test_the_currency_stays_once_somebody_has_an_entry(study: Study, annotator: Member) -> None:
    agree(study, currency="EUR")
    agree(study, currency="USD")
    correct(member=annotator, amount=5, reason="A present.", actor=OPERATOR)
    with pytest.raises(InvalidInputError) as refused:
        agree(study, currency="EUR")
    assert refused.value.reason.code == "crowd.pay_currency_fixed"


def test_many_tasks_are_credited_in_one_go() -> None:
    study = paying_study(approval=Approval.AT_ONCE)
    for annotator in (MemberFactory(study=study), MemberFactory(study=study)):
        judge_everything(annotator, lambda item: {})
    assert credit_what_is_due(actor=OPERATOR) == 4
    assert LedgerEntry.objects.balance() == 800


def test_what_waits_is_looked_up_in_no_list_of_all_that_is_not_paid(study: Study) -> None:
    """With which PostgreSQL compares each place, once the list takes more than ``work_mem``."""
    assert " IN (SELECT" not in str(to_approve(study).query)

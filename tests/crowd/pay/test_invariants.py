"""Whatever people do in whatever order: balances are the sums of entries, and no task is paid twice."""

from typing import Any

import pytest
from django.db import transaction
from django.db.models import Sum
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay.models import (
    CREDITS,
    OF_A_TASK,
    UNSETTLED,
    EntryKind,
    LedgerEntry,
    LineState,
    PaymentLine,
)
from annotation_platform.crowd.pay.selectors import accounts_of
from annotation_platform.crowd.pay.services import (
    approve_payment,
    cancel_payment,
    collect_payment,
    correct,
    credit_assignment,
    credit_bonus,
    credit_returned,
    credit_what_is_due,
    reverse_payment,
    settle_line,
)
from annotation_platform.studies.models import FINISHED_STATES, Assignment, AssignmentState, Member, Role, SetAside
from annotation_platform.studies.services import (
    claim_assignment,
    close_batch,
    reopen_batch,
    restore_work,
    return_assignment,
    set_aside,
)
from tests.crowd.pay.paying import agree, by, paying_study
from tests.factories import OPERATOR, MemberFactory, submit

pytestmark = pytest.mark.django_db

people = st.integers(0, 1)
amounts = st.integers(-300, 300)
REWARD = 200


class Paying(RuleBasedStateMachine):
    """Two annotators, two tasks of two items, one place more than they need; a reward of 200 and never more."""

    @initialize(percent=st.sampled_from([0, 50, 100]), bonus=st.sampled_from([0, 20]))
    def begin(self, percent: int, bonus: int) -> None:
        self.savepoint = transaction.atomic()
        self.savepoint.__enter__()
        self.study = paying_study(overlap=2, returned_percent=percent, bonus_percent=bonus)
        self.batch = self.study.batches.get()
        self.annotators = [MemberFactory(study=self.study) for _ in range(2)]
        self.admin = by(MemberFactory(study=self.study, role=Role.ADMIN))

    def teardown(self) -> None:
        if hasattr(self, "savepoint"):
            transaction.set_rollback(True)
            self.savepoint.__exit__(None, None, None)

    def attempt(self, work: Any, **what: Any) -> Any:
        """Do it, or be told that it cannot be done now."""
        try:
            with transaction.atomic():
                return work(**what, actor=self.admin)
        except (InvalidInputError, ConflictError):
            return None

    def held(self, annotator: Member) -> Assignment | None:
        return annotator.assignments.filter(state=AssignmentState.CLAIMED).first()

    @rule(who=people, items=st.integers(0, 2))
    def work(self, who: int, items: int) -> None:
        place = self.attempt(claim_assignment, annotator=self.annotators[who])
        for item in list(place.hit.items.all())[:items] if place else []:
            submit(place, item)

    @rule(who=people)
    def give_back(self, who: int) -> None:
        if place := self.held(self.annotators[who]):
            self.attempt(return_assignment, assignment=place, annotator=self.annotators[who])

    @rule(who=people, times=st.integers(1, 2))
    def approve_work(self, who: int, times: int) -> None:
        for place in Assignment.objects.filter(hit__batch=self.batch):
            for _ in range(times):
                self.attempt(credit_assignment, assignment=place, annotator=self.annotators[who])

    @rule(who=people)
    def pay_for_returned(self, who: int) -> None:
        for place in Assignment.objects.filter(hit__batch=self.batch):
            self.attempt(credit_returned, assignment=place, annotator=self.annotators[who])

    @rule(who=people)
    def begin_and_be_paid_for_it(self, who: int) -> None:
        """Steps that seldom come one after the other by chance."""
        self.work(who, 1)
        self.give_back(who)
        self.pay_for_returned(who)

    @rule(who=people)
    def finish_everything(self, who: int) -> None:
        for _ in range(2):
            self.work(who, 2)
        self.approve_work(who, 2)

    @rule()
    def sweep(self) -> None:
        credit_what_is_due(actor=OPERATOR)

    @rule(reward=st.sampled_from([100, REWARD]), approval=st.sampled_from(["by_hand", "at_once"]))
    def agree_anew(self, reward: int, approval: str) -> None:
        agree(self.study, reward=reward, approval=approval, returned_percent=50, bonus_percent=20)

    @rule(who=people)
    def reject_or_restore(self, who: int) -> None:
        aside = SetAside.objects.filter(annotator=self.annotators[who], restored_at=None).first()
        place = self.annotators[who].assignments.filter(state=AssignmentState.SUBMITTED).first()
        if aside is not None:
            self.attempt(restore_work, aside=aside)
        elif place is not None:
            self.attempt(set_aside, assignment=place, kind=SetAside.Kind.REJECTED, because="No.")

    @rule()
    def close_or_reopen(self) -> None:
        self.batch.refresh_from_db()
        if self.batch.state in FINISHED_STATES:
            self.attempt(credit_bonus, batch=self.batch)
            self.attempt(reopen_batch, batch=self.batch)
        else:
            self.attempt(close_batch, batch=self.batch, because="enough")

    @rule(who=people, amount=amounts)
    def make_good(self, who: int, amount: int) -> None:
        self.attempt(correct, member=self.annotators[who], amount=amount, reason="For the test.")

    @rule(then=st.sampled_from([approve_payment, cancel_payment]))
    def collect(self, then: Any) -> None:
        if run := self.attempt(collect_payment, study=self.study):
            self.attempt(then, run=run)

    @rule(amount=st.integers(0, 300))
    def settle(self, amount: int) -> None:
        if line := PaymentLine.objects.filter(run__study=self.study, state__in=UNSETTLED).first():
            self.attempt(settle_line, line=line, amount=amount)

    @rule()
    def comes_back(self) -> None:
        for line in PaymentLine.objects.filter(run__study=self.study, state=LineState.PAID)[:1]:
            self.attempt(reverse_payment, line=line, reason="Closed.")

    @invariant()
    def a_balance_is_the_sum_of_entries(self) -> None:
        if not hasattr(self, "study"):
            return
        for account in accounts_of(self.study):
            entries = list(LedgerEntry.objects.filter(member=account.member))
            assert account.balance == sum(entry.amount for entry in entries)
            assert account.earned == sum(entry.amount for entry in entries if entry.kind in CREDITS)
            paid = PaymentLine.objects.filter(member=account.member, state=LineState.PAID)
            assert account.paid == (paid.aggregate(sum=Sum("told_amount"))["sum"] or 0)

    @invariant()
    def no_task_is_paid_twice(self) -> None:
        credited = LedgerEntry.objects.filter(kind__in=OF_A_TASK).order_by().values("hit", "member")
        assert all(task["sum"] <= REWARD for task in credited.annotate(sum=Sum("amount")))
        rewarded = LedgerEntry.objects.filter(kind=EntryKind.REWARD).values_list("hit", "member")
        assert len(rewarded) == len(set(rewarded))

    @invariant()
    def nobody_waits_for_two_payments(self) -> None:
        waiting = list(PaymentLine.objects.filter(state__in=UNSETTLED).values_list("member", flat=True))
        assert len(waiting) == len(set(waiting))


def test_no_order_of_steps_breaks_what_must_hold() -> None:
    run_state_machine_as_test(Paying, settings=settings(max_examples=8, stateful_step_count=14))


@pytest.mark.long("annotation_platform/crowd/pay/**/*.py", "tests/crowd/pay/paying.py")
def test_no_order_of_many_steps_breaks_it_either() -> None:
    run_state_machine_as_test(Paying, settings=settings(max_examples=60, stateful_step_count=40))

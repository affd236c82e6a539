"""Two who approve, collect or record at the same moment: it is done once."""

import pytest

from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay.models import LedgerEntry, PaymentRun
from annotation_platform.crowd.pay.services import (
    approve_payment,
    collect_payment,
    correct,
    credit_assignment,
    credit_returned,
    settle_line,
)
from annotation_platform.studies.models import Role
from annotation_platform.studies.services import return_assignment
from tests.crowd.pay.paying import by, paying_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR, MemberFactory
from tests.studies.test_concurrency import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("many connections"),
]
MANY = 6


def test_many_approvals_of_one_task_credit_it_once() -> None:
    study = paying_study()
    annotator = MemberFactory(study=study)
    place = do(annotator)
    found = at_once(MANY, lambda _: credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR))
    (entry,) = LedgerEntry.objects.all()
    assert found == [entry] * MANY


def test_a_reward_and_a_part_of_it_are_never_both_paid_in_full() -> None:
    study = paying_study(returned_percent=100)
    annotator = MemberFactory(study=study)
    place = do(annotator, items=1)
    return_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    at_once(MANY, lambda _: credit_returned(assignment=place, annotator=annotator, actor=OPERATOR))
    assert LedgerEntry.objects.balance() == 100
    while (again := do(annotator)).hit_id != place.hit_id:
        pass
    at_once(MANY, lambda _: credit_assignment(assignment=again, annotator=annotator, actor=OPERATOR))
    assert LedgerEntry.objects.filter(hit=place.hit).balance() == 200


def test_two_collections_at_once_collect_once() -> None:
    study = paying_study()
    correct(member=MemberFactory(study=study), amount=250, reason="For the test.", actor=OPERATOR)
    found = at_once(MANY, lambda _: collect_payment(study=study, actor=OPERATOR))
    assert sum(isinstance(each, PaymentRun) for each in found) == 1
    assert all(isinstance(each, PaymentRun | InvalidInputError) for each in found)


def test_two_approvals_and_two_settlements_at_once_are_one() -> None:
    study = paying_study()
    correct(member=MemberFactory(study=study), amount=250, reason="For the test.", actor=OPERATOR)
    run = collect_payment(study=study, actor=OPERATOR)
    admins = [MemberFactory(study=study, role=Role.ADMIN) for _ in range(MANY)]

    def approve(index: int) -> None:
        approve_payment(run=PaymentRun.objects.get(pk=run.pk), actor=by(admins[index]))

    found = at_once(MANY, approve)
    assert found.count(None) == 1
    assert sum(isinstance(each, ConflictError) for each in found) == MANY - 1
    run.refresh_from_db()
    line = run.lines.get()
    found = at_once(MANY, lambda index: settle_line(line=line, amount=250, actor=by(admins[index])))
    assert found.count(None) == 1
    assert LedgerEntry.objects.balance() == 0

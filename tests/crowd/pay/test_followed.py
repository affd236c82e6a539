"""What follows from other topics: reviews and appeals credit, and a release by the clock keeps to the budget."""

import pytest

from annotation_platform.crowd.pacing.services import pacing_of, release_due, set_pacing
from annotation_platform.crowd.pay import paid_file
from annotation_platform.crowd.pay.models import Approval, LedgerEntry
from annotation_platform.crowd.pay.payee import payee_id
from annotation_platform.crowd.pay.services import collect_payment, credit_what_is_due
from annotation_platform.crowd.providers.vault.identities import keep_identity
from annotation_platform.crowd.review.services import appeal, approve, decide_appeal, reject
from annotation_platform.studies.models import BatchState, Member
from annotation_platform.studies.services import claim_assignment, plan_batches
from tests.crowd.pay.paying import agree, by, paying_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study

pytestmark = pytest.mark.django_db


def amounts(member: Member) -> list[int]:
    return list(LedgerEntry.objects.filter(member=member).values_list("amount", flat=True))


def test_work_that_is_approved_in_review_is_credited_once(annotator: Member, admin: Member) -> None:
    place = do(annotator)
    for _ in range(2):
        approve(assignment=place, by=admin, actor=by(admin))
    assert amounts(annotator) == [200]


def test_rejected_work_is_credited_when_the_appeal_is_accepted_also_if_its_place_is_taken(admin: Member) -> None:
    study = paying_study(overlap=1, articles=1)
    annotator, other = MemberFactory(study=study), MemberFactory(study=study)
    review = reject(assignment=do(annotator), because="Too short.", by=admin, actor=by(admin))
    assert claim_assignment(annotator=other, actor=OPERATOR).pk == review.assignment_id
    agree(study, reward=150)
    appeal(review=review, words="It says everything.", actor=by(annotator))
    decide_appeal(review=review, accept=True, note="You are right.", by=admin, actor=by(admin))
    assert (amounts(annotator), amounts(other)) == ([200], [])


def test_a_release_by_the_clock_waits_for_the_budget() -> None:
    study = make_study(corpus=make_corpus(articles=1, questions=1, systems=["alder"]), overlap=2)
    (batch,) = plan_batches(study=study)
    agree(study, budget=399)
    set_pacing(study=study, is_on=True, batches_at_once=1, every_hours=12, limits={}, bound="value", actor=OPERATOR)
    release_due(actor=OPERATOR)
    batch.refresh_from_db()
    assert batch.state == BatchState.DRAFT
    (reason,) = pacing_of(study).held_because
    assert "0.01 USD are missing" in reason
    agree(study, budget=400)


def test_a_payee_is_named_as_their_platform_knows_them(annotator: Member, admin: Member) -> None:
    keep_identity(member=annotator, provider="prolific", external_id="5f00000000000000000000aa")
    assert payee_id(annotator) == "5f00000000000000000000aa"
    approve(assignment=do(annotator), by=admin, actor=by(admin))
    run = collect_payment(study=annotator.study, actor=by(admin))
    assert "5f00000000000000000000aa,2.00,USD" in paid_file.written(run)


def test_imported_work_is_not_credited(admin: Member) -> None:
    study = paying_study(approval=Approval.AT_ONCE)
    annotator = MemberFactory(study=study)
    place = do(annotator)
    Member.objects.filter(pk=annotator.pk).update(user=None)
    assert credit_what_is_due(actor=OPERATOR) == 0
    approve(assignment=place, by=admin, actor=by(admin))
    assert amounts(annotator) == []

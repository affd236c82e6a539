"""What follows from other topics: reviews and appeals credit, and a release by the clock keeps to the budget."""

import pytest
from django.db import IntegrityError, transaction

from annotation_platform.accounts.models import Event
from annotation_platform.crowd.pacing.services import pacing_of, release_due, set_pacing
from annotation_platform.crowd.pay import paid_file
from annotation_platform.crowd.pay.models import Approval, EntryKind, LedgerEntry
from annotation_platform.crowd.pay.payee import payee_id
from annotation_platform.crowd.pay.services import (
    approve_payment,
    collect_payment,
    credit_assignment,
    credit_bonus,
    credit_submitted,
    credit_what_is_due,
    take_back,
)
from annotation_platform.crowd.pay.services.crediting import bonus_bases
from annotation_platform.crowd.providers.vault.identities import keep_identity
from annotation_platform.crowd.review.services import appeal, approve, decide_appeal, reject
from annotation_platform.studies.models import Assignment, BatchState, Member, Study
from annotation_platform.studies.services import claim_assignment, close_batch, plan_batches
from tests.crowd.pay.paying import agree, by, paying_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def amounts(member: Member) -> list[int]:
    return list(LedgerEntry.objects.filter(member=member).values_list("amount", flat=True))


@pytest.mark.storage
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


def test_what_was_credited_by_itself_is_taken_back_once_when_it_is_rejected(study: Study, admin: Member) -> None:
    agree(study, approval=Approval.AT_ONCE, bonus_percent=20)
    annotator = MemberFactory(study=study)
    place, kept = do(annotator), do(annotator)
    credit_what_is_due(actor=OPERATOR)
    assert amounts(annotator) == [200, 200]
    review = reject(assignment=place, because="It copies the answer.", by=admin, actor=by(admin))
    entry = LedgerEntry.objects.get(kind=EntryKind.CORRECTION)
    assert (entry.amount, entry.reason, entry.made_by, entry.hit_id) == (
        -200,
        "It copies the answer.",
        admin,
        place.hit_id,
    )
    for _ in range(2):
        credit_what_is_due(actor=OPERATOR)
        assert take_back(assignment=place, annotator=annotator, actor=OPERATOR) is None
    assert amounts(annotator) == [200, 200, -200]
    assert Event.objects.filter(verb="pay.corrected", subject_id=annotator.pk).count() == 1
    entry.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        entry.save(force_insert=True)
    kept.refresh_from_db()
    close_batch(batch=kept.hit.batch, because="enough", actor=OPERATOR)
    assert bonus_bases(kept.hit.batch)[annotator.pk] == {entry.terms_id: 200}, "no bonus on what was taken back"
    appeal(review=review, words="It does not.", actor=by(annotator))
    decide_appeal(review=review, accept=True, note="You are right.", by=admin, actor=by(admin))
    assert amounts(annotator) == [200, 200, -200, 200]
    assert LedgerEntry.objects.latest("pk").reason == "You are right."
    credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    assert amounts(annotator) == [200, 200, -200, 200]


@pytest.mark.parametrize(("accept", "bonus"), [(True, 80), (False, 40)])
def test_the_bonus_waits_for_an_appeal_that_is_under_way(admin: Member, accept: bool, bonus: int) -> None:
    study = paying_study(bonus_percent=20)
    annotator = MemberFactory(study=study)
    rejected, approved = do(annotator), do(annotator)
    batch = approved.hit.batch
    approve(assignment=approved, by=admin, actor=by(admin))
    review = reject(assignment=rejected, because="Too short.", by=admin, actor=by(admin))
    appeal(review=review, words="It says everything.", actor=by(annotator))
    close_batch(batch=batch, because="enough", actor=OPERATOR)
    batch.refresh_from_db()
    assert credit_bonus(batch=batch, actor=OPERATOR) == 0
    decide_appeal(review=review, accept=accept, note="I looked again.", by=admin, actor=by(admin))
    assert credit_bonus(batch=batch, actor=OPERATOR) == 1
    assert amounts(annotator)[-1] == bonus


def test_work_that_was_not_credited_has_nothing_to_take_back(annotator: Member, admin: Member) -> None:
    reject(assignment=do(annotator), because="Too short.", by=admin, actor=by(admin))
    assert amounts(annotator) == []


def test_what_was_credited_in_the_moment_of_the_rejection_is_taken_back_by_the_sweep(
    study: Study, annotator: Member, admin: Member
) -> None:
    place = do(annotator)
    taken = Assignment.objects.get(pk=place.pk)  # as the sweep has read it
    reject(assignment=place, because="Too short.", by=admin, actor=by(admin))
    credit_submitted(study=study, places=[taken], actor=OPERATOR)
    assert amounts(annotator) == [200]
    for _ in range(2):
        credit_what_is_due(actor=OPERATOR)
    assert amounts(annotator) == [200, -200]


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
    approve_payment(run=run, actor=by(admin))
    assert "5f00000000000000000000aa,2.00,USD" in paid_file.written(run)


def test_imported_work_is_not_credited(admin: Member) -> None:
    study = paying_study(approval=Approval.AT_ONCE)
    annotator = MemberFactory(study=study)
    place = do(annotator)
    Member.objects.filter(pk=annotator.pk).update(user=None)
    assert credit_what_is_due(actor=OPERATOR) == 0
    approve(assignment=place, by=admin, actor=by(admin))
    assert amounts(annotator) == []

"""Closing: now or when those at work have finished, at the deadline either way; and opening again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState, Member
from annotation_platform.studies.services import (
    BatchStateError,
    NothingToClaimError,
    claim_assignment,
    close_batch,
    close_batch_if_complete,
    close_due_batches,
    extend_lease,
    finish_batch,
    keep_batch_open,
    remove_member,
    renew_lease,
    reopen_batch,
    return_assignment,
    set_deadline,
)
from tests.factories import (
    OPERATOR,
    MemberFactory,
    judge_everything,
    make_corpus,
    open_study,
    study_with_judgments,
    submit,
)

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def at_work() -> tuple[Batch, Assignment, Member]:
    """An open batch, a place in it that somebody works on, and somebody else who could take one."""
    study = open_study(corpus=make_corpus(articles=1, questions=1, systems=("alder", "birch")), overlap=2)
    place = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    return study.batches.get(), place, MemberFactory(study=study)


def run_out(place: Assignment) -> None:
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    place.refresh_from_db()


def finish(place: Assignment) -> None:
    for item in place.hit.items.all():
        submit(place, item)


def past(batch: Batch, **fields: bool) -> None:
    Batch.objects.filter(pk=batch.pk).update(deadline_at=timezone.now() - timedelta(seconds=1), **fields)
    batch.refresh_from_db()


def test_those_at_work_may_finish_and_nobody_else_begins(at_work: tuple[Batch, Assignment, Member]) -> None:
    batch, place, other = at_work
    assert finish_batch(batch=batch, because="by R", actor=OPERATOR)
    assert (batch.state, batch.is_finishing) == (BatchState.OPEN, True)
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=other, actor=OPERATOR)
    assert close_due_batches(actor=OPERATOR) == []
    assert claim_assignment(annotator=place.annotator, actor=OPERATOR) == place
    finish(place)
    assert close_due_batches(actor=OPERATOR) == [batch]
    batch.refresh_from_db()
    assert (batch.state, batch.closed_because, batch.finishing_since) == (BatchState.CLOSED, "by R", None)


def test_a_finishing_batch_closes_when_the_last_lease_ends_and_none_is_renewed(
    at_work: tuple[Batch, Assignment, Member],
) -> None:
    batch, place, _ = at_work
    finish_batch(batch=batch, because="by R", actor=OPERATOR)
    run_out(place)
    renew_lease(assignment=place)
    assert place.has_expired
    assert close_due_batches(actor=OPERATOR) == [batch]


@pytest.mark.parametrize("end", ["asked", "deadline"])
def test_who_was_too_slow_for_a_finishing_batch_goes_on_in_another(end: str) -> None:
    study = open_study(corpus=make_corpus(articles=2, questions=1, systems=("alder",)), overlap=2, hits_per_batch=1)
    batch, other_batch = study.batches.all()
    slow, other = MemberFactory(study=study), MemberFactory(study=study)
    place = claim_assignment(annotator=slow, actor=OPERATOR)
    claim_assignment(annotator=other, actor=OPERATOR)
    if end == "asked":
        finish_batch(batch=batch, because="by R", actor=OPERATOR)
    else:
        past(batch, finishes_late=True)
    assert claim_assignment(annotator=slow, actor=OPERATOR) == place
    run_out(place)
    next_place = claim_assignment(annotator=slow, actor=OPERATOR)
    assert next_place.hit.batch == other_batch
    assert claim_assignment(annotator=slow, actor=OPERATOR) == next_place


def test_a_batch_in_which_nobody_is_at_work_closes_at_once(at_work: tuple[Batch, Assignment, Member]) -> None:
    batch, place, _ = at_work
    run_out(place)
    assert finish_batch(batch=batch, because="by R", actor=OPERATOR)
    assert batch.state == BatchState.CLOSED
    assert not finish_batch(batch=batch, because="by R", actor=OPERATOR)


def test_a_batch_that_was_about_to_close_stays_open_after_all(at_work: tuple[Batch, Assignment, Member]) -> None:
    batch, _, other = at_work
    finish_batch(batch=batch, because="by R", actor=OPERATOR)
    assert keep_batch_open(batch=batch, actor=OPERATOR)
    assert claim_assignment(annotator=other, actor=OPERATOR)
    assert not keep_batch_open(batch=batch, actor=OPERATOR)


def test_the_deadline_is_the_end_for_all_or_lets_those_at_work_finish(
    at_work: tuple[Batch, Assignment, Member],
) -> None:
    batch, place, other = at_work
    past(batch, finishes_late=True)
    assert close_due_batches(actor=OPERATOR) == []
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=other, actor=OPERATOR)
    finish(place)
    assert close_due_batches(actor=OPERATOR) == [batch]
    batch.refresh_from_db()
    assert batch.closed_because == "deadline reached, those at work had finished"


def test_nobody_begins_after_the_deadline_even_while_nothing_has_closed_the_batch(
    at_work: tuple[Batch, Assignment, Member],
) -> None:
    batch, _, other = at_work
    past(batch)
    assert batch.is_over
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=other, actor=OPERATOR)
    assert close_due_batches(actor=OPERATOR) == [batch]


def test_a_deadline_is_changed_and_dropped_while_the_batch_runs(at_work: tuple[Batch, Assignment, Member]) -> None:
    batch, _, other = at_work
    with pytest.raises(InvalidInputError, match="past"):
        set_deadline(batch=batch, deadline_at=timezone.now() - timedelta(hours=1), actor=OPERATOR)
    past(batch)
    set_deadline(batch=batch, deadline_at=timezone.now() + timedelta(hours=1), actor=OPERATOR)
    assert claim_assignment(annotator=other, actor=OPERATOR)
    set_deadline(batch=batch, deadline_at=None, actor=OPERATOR)
    assert batch.deadline_at is None
    close_batch(batch=batch, because="by R", actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="has closed"):
        set_deadline(batch=batch, deadline_at=None, actor=OPERATOR)


@pytest.mark.parametrize("state", [BatchState.CLOSED, BatchState.SCORED])
def test_a_finished_batch_is_opened_again_with_the_places_it_had(
    at_work: tuple[Batch, Assignment, Member], state: BatchState
) -> None:
    batch, place, other = at_work
    close_batch(batch=batch, because="by R", actor=OPERATOR)
    Batch.objects.filter(pk=batch.pk).update(state=state)
    places = list(Assignment.objects.values_list("pk", flat=True))
    reopen_batch(batch=batch, actor=OPERATOR)
    assert (batch.state, batch.closed_at, batch.closed_because) == (BatchState.OPEN, None, "")
    assert list(Assignment.objects.values_list("pk", flat=True)) == places
    assert claim_assignment(annotator=place.annotator, actor=OPERATOR) == place  # still theirs
    assert claim_assignment(annotator=other, actor=OPERATOR)
    finish(place)
    assert not close_batch_if_complete(batch=batch, actor=OPERATOR)


def test_only_what_has_closed_is_opened_again(at_work: tuple[Batch, Assignment, Member]) -> None:
    with pytest.raises(BatchStateError, match="only a closed or scored batch"):
        reopen_batch(batch=at_work[0], actor=OPERATOR)


def test_a_complete_batch_that_was_opened_again_stays_open_for_changes_until_somebody_closes_it() -> None:
    batch = study_with_judgments(annotators=1).batches.get()
    reopen_batch(batch=batch, actor=OPERATOR)
    assert close_due_batches(actor=OPERATOR) == []
    place = Assignment.objects.filter(state=AssignmentState.SUBMITTED).first()
    assert place is not None
    submit(place, place.hit.items.first(), reasons="On second thoughts, sentence 2 says it better.")
    assert close_due_batches(actor=OPERATOR) == []
    past(batch)
    assert close_due_batches(actor=OPERATOR) == [batch]


def test_a_batch_that_was_opened_again_closes_by_itself_when_its_last_place_is_submitted() -> None:
    study = study_with_judgments(annotators=1, overlap=2)
    batch = study.batches.get()
    reopen_batch(batch=batch, actor=OPERATOR)
    judge_everything(MemberFactory(study=study), lambda item: {})
    assert close_due_batches(actor=OPERATOR) == [batch]


def test_more_time_is_added_to_what_is_left(at_work: tuple[Batch, Assignment, Member]) -> None:
    batch, place, _ = at_work
    before = place.lease_expires_at
    extend_lease(assignment=place, minutes=30, actor=OPERATOR)
    assert place.lease_expires_at == before + timedelta(minutes=30)
    run_out(place)
    finish_batch(batch=batch, because="by R", actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="Nobody works"):
        extend_lease(assignment=place, minutes=30, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="cannot be given"):
        extend_lease(assignment=place, minutes=0, actor=OPERATOR)


def test_what_counts_in_a_closed_batch_still_counts_when_its_holder_goes() -> None:
    study = open_study()
    place = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    holder = place.annotator
    assert holder is not None
    submit(place, place.hit.items.first())
    place.refresh_from_db()
    assert place.state == AssignmentState.CLAIMED
    close_batch(batch=place.hit.batch, because="by R", actor=OPERATOR)
    assert not return_assignment(assignment=place, annotator=holder, actor=OPERATOR)
    remove_member(member=holder, actor=OPERATOR)
    assert holder.annotations.filter(is_current=True).count() == 1

"""The life of a study: frozen scheme, planned batches, places, leases, closing."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import AssignmentLostError
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState, Item, Role, SchemeVersion
from annotation_platform.studies.services import (
    BatchStateError,
    NothingToClaimError,
    add_member,
    claim_assignment,
    close_batch,
    close_batch_if_complete,
    close_due_batches,
    create_study,
    freeze_scheme,
    launch_imported,
    lease_assignment,
    open_batch,
    plan_batches,
    plan_single_items,
    renew_lease,
    return_assignment,
    store_filled_places,
)
from tests.factories import (
    OPERATOR,
    AnswerFactory,
    MemberFactory,
    QuestionFactory,
    SystemFactory,
    judge_everything,
    make_corpus,
    make_study,
    open_a_batch,
    open_study,
    study_with_judgments,
    submit,
)
from tests.some import some

pytestmark = pytest.mark.django_db


def expire(place: Assignment) -> None:
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_the_same_scheme_is_frozen_once_and_a_changed_one_is_the_next_version() -> None:
    first = freeze_scheme(definition=preset("ebr"))
    again = freeze_scheme(definition=dict(reversed(preset("ebr").items())))
    changed = freeze_scheme(definition={**preset("ebr"), "description": "Another"})
    assert first == again
    assert (first.number, changed.number) == (1, 2)
    assert SchemeVersion.objects.get(pk=first.pk).scheme().key == "ebr"


def test_a_frozen_scheme_speaks_each_language() -> None:
    version = freeze_scheme(definition=preset("ebr"))
    assert version.scheme("ja").title != version.scheme("en").title


@pytest.mark.parametrize("name", ["Town", "town!"])
def test_a_study_needs_a_name_and_an_address_of_its_own(name: str) -> None:
    make_study(name="Town")
    with pytest.raises(InvalidInputError, match="already"):
        make_study(name=name)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_a_name_that_is_empty_or_endless_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="1 to 200 characters"):
        make_study(name=name)


def test_a_study_named_in_another_script_has_an_address() -> None:
    assert make_study(name="研究").slug.startswith("study-")


@pytest.mark.parametrize("field", ["overlap", "questions_per_hit", "hits_per_batch", "time_limit_minutes"])
@pytest.mark.parametrize("number", [0, 40_000])
def test_a_setting_that_no_study_can_have_is_refused(field: str, number: int) -> None:
    with pytest.raises(InvalidInputError, match=f"{field} is {number}; it must be from 1 to"):
        create_study(name="Zero", corpus=make_corpus(), definition=preset("ebr"), **{field: number})


def test_members_get_pseudonyms_that_do_not_tell_who_they_are() -> None:
    study = make_study()
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    assert first.pseudonym != second.pseudonym
    assert first.user.email.split("@")[0] not in first.pseudonym


def test_one_person_is_in_a_study_once() -> None:
    member = MemberFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        add_member(study=member.study, role=Role.RESEARCHER, user=member.user, actor=OPERATOR)


def test_planning_puts_every_answer_into_one_hit_of_one_article() -> None:
    study = make_study(corpus=make_corpus(articles=3, questions=6), questions_per_hit=4, hits_per_batch=5)
    batches = plan_batches(study=study)
    assert Item.objects.filter(study=study).count() == 3 * 6 * 3
    assert sorted(batch.hits.count() for batch in batches) == [4, 4, 5, 5]
    assert {batch.state for batch in batches} == {BatchState.DRAFT}
    for batch in batches:
        for hit in batch.hits.all():
            assert {item.question.article_id for item in hit.items.all()} == {hit.article_id}
            assert 1 <= hit.items.count() <= 4


def test_an_annotator_sees_every_question_of_a_hit_once_and_different_systems() -> None:
    study = make_study(corpus=make_corpus(questions=3))
    (batch,) = plan_batches(study=study)
    for hit in some(batch.hits.all()):
        answers = [item.answer for item in hit.items.all()]
        assert len({answer.question_id for answer in answers}) == len(answers) == 3
        assert len({answer.system_id for answer in answers}) == 3


def test_planning_again_takes_only_what_is_new() -> None:
    study = make_study()
    plan_batches(study=study)
    with pytest.raises(InvalidInputError, match="nothing to plan"):
        plan_batches(study=study)
    article = study.corpus.articles.get()
    answer = AnswerFactory(
        question=QuestionFactory(article=article, position=9), system=SystemFactory(corpus=study.corpus)
    )
    (added,) = plan_batches(study=study)
    assert added.number == 2
    assert [item.answer for item in Item.objects.filter(hit__batch=added)] == [answer]


def test_single_answers_become_hits_of_their_own() -> None:
    study = make_study()
    answers = [answer for q in study.corpus.articles.get().questions.all() for answer in q.answers.all()]
    first, second = plan_single_items(
        study=study, batches=[[[answer] for answer in part] for part in (answers[:5], answers[5:])]
    )
    assert [first.hits.count(), second.hits.count()] == [5, 7]
    assert [hit.items.get().answer for hit in first.hits.all()] == answers[:5]


def test_opening_makes_as_many_places_a_hit_as_the_overlap() -> None:
    study = make_study(overlap=3)
    (batch,) = plan_batches(study=study)
    open_batch(batch=batch, actor=OPERATOR)
    assert [hit.assignments.count() for hit in batch.hits.all()] == [3] * batch.hits.count()
    assert batch.state == BatchState.OPEN
    with pytest.raises(BatchStateError):
        open_batch(batch=batch, actor=OPERATOR)


def test_a_deadline_in_the_past_is_refused() -> None:
    (batch,) = plan_batches(study=make_study())
    with pytest.raises(InvalidInputError, match="past"):
        open_batch(batch=batch, deadline_at=timezone.now() - timedelta(minutes=1), actor=OPERATOR)


def test_an_annotator_keeps_the_place_they_hold_and_then_gets_another_hit() -> None:
    study = open_study(overlap=2)
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    assert claim_assignment(annotator=annotator, actor=OPERATOR) == place
    for item in place.hit.items.all():
        submit(place, item)
    assert claim_assignment(annotator=annotator, actor=OPERATOR).hit != place.hit


def test_nobody_is_offered_a_hit_that_they_had_and_then_nothing_is_left() -> None:
    study = open_study(overlap=2)  # each HIT still has a free place when the annotator is through
    annotator = MemberFactory(study=study)
    assert judge_everything(annotator, lambda item: {}) == Item.objects.filter(study=study).count()
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    assert Assignment.objects.filter(state=AssignmentState.OPEN).count() == 3


def test_the_database_itself_refuses_a_second_place_in_a_hit() -> None:
    study = open_study(overlap=2)
    annotator = MemberFactory(study=study)
    first = claim_assignment(annotator=annotator, actor=OPERATOR)
    second = Assignment.objects.get(hit=first.hit, place=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        lease_assignment(place=second, annotator=annotator)


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_only_annotators_take_tasks(role: Role) -> None:
    with pytest.raises(InvalidInputError):
        claim_assignment(annotator=MemberFactory(study=open_study(), role=role), actor=OPERATOR)


def test_places_of_other_studies_and_of_batches_that_are_not_open_are_not_taken() -> None:
    open_study()
    draft = make_study()
    plan_batches(study=draft)
    closed = open_a_batch()
    close_batch(batch=closed, because="closed by a researcher", actor=OPERATOR)
    for study in (draft, closed.study):
        with pytest.raises(NothingToClaimError):
            claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)


def test_an_expired_place_is_taken_over_and_what_its_first_holder_judged_counts_no_more() -> None:
    study = open_study(corpus=make_corpus(systems=("alder",)), overlap=1)
    slow, quick = MemberFactory(study=study), MemberFactory(study=study)
    place = claim_assignment(annotator=slow, actor=OPERATOR)
    item = place.hit.items.first()
    submit(place, item)
    expire(place)
    taken = claim_assignment(annotator=quick, actor=OPERATOR)
    assert (taken, taken.annotator) == (place, quick)
    assert list(Annotation.objects.values_list("annotator", "is_current")) == [(slow.pk, False)]
    with pytest.raises(AssignmentLostError):
        submit(place, item)


def test_an_expired_place_that_nobody_wanted_is_still_its_holders() -> None:
    study = open_study(overlap=1)
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    submit(place, place.hit.items.first())
    expire(place)
    renewed = claim_assignment(annotator=annotator, actor=OPERATOR)
    assert renewed == place
    assert not renewed.has_expired
    assert Annotation.objects.current().count() == 1


def test_a_running_lease_is_not_renewed() -> None:
    place = claim_assignment(annotator=MemberFactory(study=open_study()), actor=OPERATOR)
    before = place.lease_expires_at
    renew_lease(assignment=place)
    assert place.lease_expires_at == before


def test_a_returned_place_is_free_again_and_only_its_holder_can_return_it() -> None:
    study = open_study(corpus=make_corpus(systems=("alder",)), overlap=1)
    holder, other = MemberFactory(study=study), MemberFactory(study=study)
    place = claim_assignment(annotator=holder, actor=OPERATOR)
    submit(place, place.hit.items.first())
    assert not return_assignment(assignment=place, annotator=other, actor=OPERATOR)
    assert return_assignment(assignment=place, annotator=holder, actor=OPERATOR)
    assert Annotation.objects.current().count() == 0
    assert claim_assignment(annotator=other, actor=OPERATOR) == place


def test_a_batch_closes_when_all_places_are_submitted_and_not_before() -> None:
    study = study_with_judgments(annotators=2, overlap=3, close=False)
    batch = study.batches.get()
    assert not close_batch_if_complete(batch=batch, actor=OPERATOR)
    judge_everything(MemberFactory(study=study), lambda item: {})
    assert close_batch_if_complete(batch=batch, actor=OPERATOR)
    assert (batch.state, batch.closed_because) == (BatchState.CLOSED, "all assignments submitted")
    assert not close_batch(batch=batch, because="again", actor=OPERATOR)


def test_due_batches_are_those_past_their_deadline_and_those_that_are_complete() -> None:
    waiting = open_a_batch()
    late = open_a_batch()
    Batch.objects.filter(pk=late.pk).update(deadline_at=timezone.now() - timedelta(seconds=1))
    complete = study_with_judgments(annotators=1, close=False).batches.get()
    assert {batch.pk for batch in close_due_batches(actor=OPERATOR)} == {late.pk, complete.pk}
    reasons = dict(Batch.objects.values_list("pk", "closed_because"))
    assert reasons == {waiting.pk: "", late.pk: "deadline reached", complete.pk: "all assignments submitted"}


def test_filled_places_close_the_batches_that_are_full_and_leave_the_rest_to_take() -> None:
    study = make_study(corpus=make_corpus(articles=3, questions=1, systems=("alder",)), overlap=2, hits_per_batch=1)
    full, begun, untouched = plan_batches(study=study)
    a, b = MemberFactory(study=study), MemberFactory(study=study)
    takers = {full.hits.get().pk: [(a, 0, None), (b, 0, None)], begun.hits.get().pk: [(a, 0, None)]}
    assert len(store_filled_places(takers=takers)) == 3
    launch_imported(study=study, keep_drafts=True)
    states = list(study.batches.values_list("state", flat=True))
    assert states == [BatchState.CLOSED, BatchState.OPEN, BatchState.DRAFT]
    assert Assignment.objects.filter(hit__batch=begun, state=AssignmentState.OPEN).count() == 1
    assert not Assignment.objects.filter(hit__batch=untouched).exists()
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=a, actor=OPERATOR)
    assert claim_assignment(annotator=b, actor=OPERATOR).hit.batch == begun


def test_finished_data_fill_as_many_places_as_they_have_and_may_repeat_an_annotator() -> None:
    study = make_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=1)
    (batch,) = plan_batches(study=study)
    member = MemberFactory(study=study)
    takers = {batch.hits.get().pk: [(member, 0, None), (member, 1, None)]}
    assert len(store_filled_places(takers=takers)) == 2
    launch_imported(study=study, finished=[batch])
    batch.refresh_from_db()
    assert (batch.state, batch.closed_because) == (BatchState.CLOSED, "imported")


def test_more_takers_than_the_overlap_are_refused() -> None:
    study = make_study(overlap=1)
    (batch,) = plan_batches(study=study)
    takers = {batch.hits.first().pk: [(MemberFactory(study=study), 0, None), (MemberFactory(study=study), 0, None)]}
    store_filled_places(takers=takers)
    with pytest.raises(InvalidInputError, match="overlap is 1"):
        launch_imported(study=study)

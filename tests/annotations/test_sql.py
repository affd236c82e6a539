"""The SQL of our own in annotations says what the models say: on whichever database the tests run."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.sql import judged_so_far, lock_assignment
from annotation_platform.studies.models import Assignment, Batch, Study
from annotation_platform.studies.services import claim_assignment, finish_batch, return_assignment
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, submit

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def by_models(held: Assignment) -> list[tuple[Any, ...]]:
    """The same by the ORM: every item of a HIT beside each of its holder's revisions, or beside none."""
    found = []
    for item in held.hit.items.order_by("position").select_related("hit__batch__study", "hit__article", "question"):
        batch, study = item.hit.batch, item.hit.batch.study
        is_over = None if batch.deadline_at is None else batch.deadline_at <= timezone.now()
        mine = Annotation.objects.filter(item=item, assignment=held, annotator_id=held.annotator_id, revision__gt=0)
        draft = Draft.objects.filter(item=item, annotator_id=held.annotator_id).first()
        about = (item.pk, item.position, batch.pk, batch.state, item.hit.article.sentence_count)
        about += (item.candidates.count(), item.question_id)
        closing = (
            bool(is_over) and not batch.finishes_late,
            batch.finishing_since is not None or (bool(is_over) and batch.finishes_late),
        )
        version = study.scheme_version
        context = (draft and draft.version, version.pk, version.signature)
        for revision in mine.order_by("revision") or [None]:
            said = revision and (revision.pk, revision.revision, revision.is_current, revision.values)
            found.append((*about, *closing, *context, said, (study.pk, study.slug)))
    return found


def by_sql(held: Assignment) -> list[tuple[Any, ...]]:
    import json

    def plain(values: Any) -> Any:
        return json.loads(values) if isinstance(values, str) else values

    return [
        (
            *(row.item_id, row.position, row.batch_id, row.batch_state, row.sentence_count),
            *(row.candidate_count, row.question_id, bool(row.is_over), bool(row.is_finishing)),
            *(row.draft_version, row.scheme_version_id, row.scheme_signature),
            row.annotation_id and (row.annotation_id, row.revision, bool(row.is_current), plain(row.values)),
            (row.study_id, row.study_slug),
        )
        for row in judged_so_far(held)
    ]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(corpus=make_corpus(articles=2, questions=2, systems=("alder", "birch")), overlap=2)


def test_a_task_without_and_with_judgments_revisions_and_drafts(study: Study) -> None:
    one, other = (MemberFactory(study=study) for _ in range(2))
    held = claim_assignment(annotator=one, actor=OPERATOR)
    assert by_sql(held) == by_models(held)
    items = list(held.hit.items.order_by("position"))
    for completeness in ("complete", "missing_all"):  # a revision above another
        submit(held, items[0], completeness=completeness)
    Draft.objects.create(item=items[1], annotator=one, values={"reasons": "日本語 “half”"}, version=3)
    theirs = claim_assignment(annotator=other, actor=OPERATOR)
    submit(theirs, theirs.hit.items.first())  # somebody else's judgment of the same
    assert len(by_sql(held)) == len(items) + 1
    assert by_sql(held) == by_models(held)
    assert by_sql(theirs) == by_models(theirs)


def test_judgments_of_an_earlier_holder_and_of_what_is_being_migrated_are_not_there(study: Study) -> None:
    first, second = (MemberFactory(study=study) for _ in range(2))
    held = claim_assignment(annotator=first, actor=OPERATOR)
    submit(held, held.hit.items.first())
    return_assignment(assignment=held, annotator=first, actor=OPERATOR)
    again = claim_assignment(annotator=second, actor=OPERATOR)
    assert again.pk == held.pk
    assert {row[-2] for row in by_sql(again)} == {None}
    submit(again, again.hit.items.first())
    Annotation.every.filter(annotator=second).update(revision=0)
    assert {row[-2] for row in by_sql(again)} == {None}
    assert by_sql(again) == by_models(again)


@pytest.mark.parametrize("finishes_late", [False, True])
@pytest.mark.parametrize("hours", [-1, 1])
def test_batches_that_are_over_or_about_to_be(study: Study, hours: int, finishes_late: bool) -> None:
    held = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    deadline = timezone.now() + timedelta(hours=hours)
    Batch.objects.filter(pk=held.hit.batch_id).update(deadline_at=deadline, finishes_late=finishes_late)
    held = Assignment.objects.get(pk=held.pk)
    assert by_sql(held) == by_models(held)


def test_a_batch_that_waits_for_those_at_work(study: Study) -> None:
    held = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    finish_batch(batch=held.hit.batch, because="by R", actor=OPERATOR)
    held = Assignment.objects.get(pk=held.pk)
    assert by_sql(held)[0][8] is True
    assert by_sql(held) == by_models(held)


def test_a_locked_assignment_is_that_of_the_models_with_or_without_its_annotator(study: Study) -> None:
    annotator = MemberFactory(study=study)
    held = claim_assignment(annotator=annotator, actor=OPERATOR)
    Assignment.objects.filter(pk=held.pk).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    free = Assignment.objects.filter(annotator=None).first()
    assert free is not None
    for pk in (held.pk, free.pk):
        locked, by_model = lock_assignment(pk), Assignment.objects.select_related("annotator").get(pk=pk)
        assert locked is not None
        assert vars_of(locked) == vars_of(by_model)
        if by_model.annotator is None:
            assert locked.annotator is None
        else:
            assert vars_of(locked.annotator) == vars_of(by_model.annotator)
    assert lock_assignment(0) is None


def vars_of(row: Any) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}

"""Items that mirror each other: nobody gets two of them."""

import pytest

from annotation_platform.corpus.models import Answer
from annotation_platform.studies.models import Assignment, AssignmentState, Item, Member, SetAside, Study
from annotation_platform.studies.services import (
    NothingToClaimError,
    claim_assignment,
    open_batch,
    plan_batches,
    set_aside,
)
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study

pytestmark = pytest.mark.django_db


def study_with_twins(text: str = "The same answer.") -> Study:
    """Three systems answered one question; two of them in the same words."""
    corpus = make_corpus(questions=1)
    for name, words in (("alder", "The same answer."), ("birch", text)):
        Answer.objects.filter(system__name=name, system__corpus=corpus).update(text=words)
    study = make_study(corpus=corpus, questions_per_hit=1, overlap=2)
    for batch in plan_batches(study=study):
        open_batch(batch=batch, actor=OPERATOR)
    study.refresh_from_db()
    return study


def annotator_of(study: Study) -> Member:
    return Member.objects.select_related("study").get(pk=MemberFactory(study=study).pk)


def take_all(annotator: Member) -> list[Assignment]:
    taken = []
    while True:
        try:
            place = claim_assignment(annotator=annotator, actor=OPERATOR)
        except NothingToClaimError:
            return taken
        Assignment.objects.filter(pk=place.pk).update(state=AssignmentState.SUBMITTED)
        taken.append(Assignment.objects.get(pk=place.pk))


@pytest.mark.parametrize("text", ["The same answer.", "  the SAME\nanswer. "])
def test_one_person_gets_one_of_two_items_that_say_the_same(text: str) -> None:
    study = study_with_twins(text)
    assert study.has_mirrored_items
    assert Item.objects.filter(study=study).exclude(mirror="").count() == 2
    taken = take_all(annotator_of(study))
    assert len(taken) == 2
    mirrors = [place.hit.items.get().mirror for place in taken]
    assert sum(bool(mirror) for mirror in mirrors) == 1


def test_another_answer_is_another_item() -> None:
    study = study_with_twins("Another answer.")
    assert not study.has_mirrored_items
    assert len(take_all(annotator_of(study))) == 3


def test_the_same_words_about_another_document_are_another_item() -> None:
    study = make_study(corpus=make_corpus(articles=2, questions=1))
    plan_batches(study=study)
    study.refresh_from_db()
    assert not study.has_mirrored_items


def test_what_was_set_aside_was_seen_all_the_same() -> None:
    study = study_with_twins()
    annotator = annotator_of(study)
    mirrored = next(place for place in take_all(annotator) if place.hit.items.get().mirror)
    set_aside(assignment=mirrored, kind=SetAside.Kind.REJECTED, because="Wrong", actor=OPERATOR)
    assert take_all(annotator) == []

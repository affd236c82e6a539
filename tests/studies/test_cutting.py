"""Cutting drafts into batches of so many items: tasks stay whole and in order, and what is out stays as it is."""

import pytest

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Batch, BatchState, Hit, Study
from annotation_platform.studies.services import (
    BatchStateError,
    cut_batches,
    draw_batch,
    open_batch,
    tasks_to_draw_from,
)
from tests.drawn_studies import equivalence_study
from tests.factories import OPERATOR

pytestmark = pytest.mark.django_db


def study_of(hits_per_batch: int = 10, questions: int = 30) -> Study:
    return equivalence_study(questions=questions, with_run=False, hits_per_batch=hits_per_batch)


def sizes(study: Study) -> dict[int, int]:
    """Number of a batch → its tasks."""
    return {batch.number: batch.hits.count() for batch in study.batches.order_by("number")}


def order(study: Study) -> list[int]:
    return list(tasks_to_draw_from(study).values_list("pk", flat=True))


@pytest.mark.parametrize(("items", "expected"), [(7, [7, 7, 7, 7, 2]), (30, [30]), (1000, [30]), (1, [1] * 30)])
def test_batches_have_at_most_so_many_items_in_the_same_order(items: int, expected: list[int]) -> None:
    study = study_of()
    before = order(study)
    made = cut_batches(study=study, items=items, actor=OPERATOR)
    assert sizes(study) == dict(enumerate(expected, start=1))
    assert [batch.number for batch in made] == list(sizes(study))
    assert order(study) == before
    assert all(hits == sorted(hits) for hits in [list(batch.hits.values_list("position", flat=True)) for batch in made])


def test_what_is_open_or_drawn_stays_as_it_is() -> None:
    study = study_of()
    open_batch(batch=study.batches.get(number=2), actor=OPERATOR)
    drawn = draw_batch(study=study, tasks=5, seed="1", actor=OPERATOR)
    left = order(study)
    out = list(Hit.objects.exclude(pk__in=left).order_by("pk").values_list("pk", "batch_id", "position"))
    cut_batches(study=study, items=4, actor=OPERATOR)
    assert sizes(study) == {1: 4, 2: 10, 3: 4, 4: 5, 5: 4, 6: 3}
    assert list(Hit.objects.exclude(pk__in=left).order_by("pk").values_list("pk", "batch_id", "position")) == out
    assert (drawn.number, study.batches.get(number=2).state) == (4, BatchState.OPEN)
    assert order(study) == left


def test_cut_the_same_again_nothing_changes() -> None:
    study = study_of()
    first = cut_batches(study=study, items=7, actor=OPERATOR)
    again = cut_batches(study=study, items=7, actor=OPERATOR)
    assert [batch.pk for batch in first] == [batch.pk for batch in again]
    event = Event.objects.get(verb=Verb.BATCH_CUT)
    assert event.change == {"batches": [3, 5], "items": [None, 7]}


def test_a_task_stays_whole() -> None:
    study = study_of(hits_per_batch=2, questions=4)
    hit = Hit.objects.filter(batch__study=study).order_by("batch__number", "position").first()
    assert hit is not None
    other = Hit.objects.filter(batch__study=study).order_by("-pk").first()
    assert other is not None
    for position, item in enumerate(other.items.all(), start=2):
        item.hit, item.position = hit, position
        item.save()
    other.delete()
    cut_batches(study=study, items=1, actor=OPERATOR)
    assert [batch.hits.count() for batch in Batch.objects.filter(study=study).order_by("number")] == [1, 1, 1]
    assert hit.items.count() == 2


def test_when_nothing_is_left_it_is_said() -> None:
    study = study_of(questions=2)
    for wrong in (0, -1, 10**9):
        with pytest.raises(InvalidInputError, match="How many items"):
            cut_batches(study=study, items=wrong, actor=OPERATOR)
    for batch in study.batches.all():
        open_batch(batch=batch, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="none is left to cut"):
        cut_batches(study=study, items=2, actor=OPERATOR)


def test_who_opens_a_batch_that_was_cut_meanwhile_is_told() -> None:
    study = study_of()
    batch = study.batches.get(number=2)
    cut_batches(study=study, items=7, actor=OPERATOR)
    with pytest.raises(BatchStateError, match="cut into others meanwhile"):
        open_batch(batch=batch, actor=OPERATOR)

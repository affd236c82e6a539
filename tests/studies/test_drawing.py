"""Drawing a batch: tasks move by chance, each with its probability, and everything that decided is kept."""

import pytest

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.statistics.chances import chances
from annotation_platform.studies.models import Batch, BatchState, Draw, DrawRule, Hit, Study
from annotation_platform.studies.services import (
    Uncertainty,
    claim_assignment,
    draw_batch,
    open_batch,
    tasks_to_draw_from,
)
from tests.drawn_studies import equivalence_study
from tests.factories import OPERATOR, MemberFactory, open_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def unsure(study: Study) -> Uncertainty:
    """The later a task, the more uncertain; nothing is known about the first one."""
    hits = list(tasks_to_draw_from(study).values_list("pk", flat=True))
    return Uncertainty(7, "run's signature", "probability", {pk: float(n) for n, pk in enumerate(hits)} | {hits[0]: 3})


def test_drawn_tasks_move_with_their_probabilities() -> None:
    study = equivalence_study(questions=30, with_run=False, hits_per_batch=10)
    uncertainty, hits = unsure(study), list(tasks_to_draw_from(study).values_list("pk", flat=True))
    batch = draw_batch(study=study, tasks=8, floor=0.25, uncertainty=uncertainty, seed="1", actor=OPERATOR)

    assert (batch.number, batch.state, batch.hits.count()) == (4, BatchState.DRAFT, 8)
    expected = dict(zip(hits, chances([uncertainty.of_hit[pk] ** 0.5 for pk in hits], 8, floor=0.25), strict=True))
    assert {hit.pk: hit.probability for hit in batch.hits.all()} == pytest.approx(
        {pk: expected[pk] for pk in batch.hits.values_list("pk", flat=True)}
    )
    assert list(batch.hits.values_list("position", flat=True)) == list(range(1, 9))
    assert list(batch.hits.values_list("pk", flat=True)) == sorted(batch.hits.values_list("pk", flat=True))
    draw = batch.draw
    assert (draw.rule, draw.drawn, draw.frame, draw.floor, draw.run) == (DrawRule.UNCERTAINTY, 8, 30, 0.25, 7)
    assert (draw.run_signature, draw.measure, draw.seed) == ("run's signature", "probability", "1")
    assert len(draw.signature) == 64
    assert not Hit.objects.exclude(batch=batch).exclude(probability=None).exists()
    assert tasks_to_draw_from(study).count() == 22
    event = Event.objects.get(verb=Verb.BATCH_DRAWN)
    assert event.change["drawn"] == [None, 8]


def test_the_same_seed_draws_the_same_tasks() -> None:
    drawn = []
    for seed in ("1", "1", "2"):
        study = equivalence_study(questions=30, with_run=False)
        batch = draw_batch(study=study, tasks=8, seed=seed, actor=OPERATOR)
        drawn.append([hit.items.get().question.position for hit in batch.hits.all()])
        assert [hit.probability for hit in batch.hits.all()] == pytest.approx([8 / 30] * 8)
        assert (batch.draw.rule, batch.draw.floor, batch.draw.run) == (DrawRule.RANDOM, 1, None)
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_second_draw_takes_of_what_is_left_and_empty_drafts_go() -> None:
    study = equivalence_study(questions=12, with_run=False, hits_per_batch=6)
    first = draw_batch(study=study, tasks=5, actor=OPERATOR)
    second = draw_batch(study=study, tasks=7, actor=OPERATOR)
    assert second.draw.frame == 7
    assert not set(first.hits.values_list("pk", flat=True)) & set(second.hits.values_list("pk", flat=True))
    assert list(study.batches.values_list("number", flat=True)) == [3, 4]
    assert list(Draw.objects.values_list("batch", flat=True)) == [first.pk, second.pk]
    with pytest.raises(InvalidInputError, match="none is left"):
        draw_batch(study=study, tasks=1, actor=OPERATOR)


def test_a_drawn_batch_opens_like_any_other() -> None:
    study = equivalence_study(questions=12, with_run=False, overlap=2)
    batch = draw_batch(study=study, tasks=4, actor=OPERATOR)
    open_batch(batch=batch, actor=OPERATOR)
    place = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    assert place.hit.batch == batch
    assert batch.hits.count() * 2 == sum(hit.assignments.count() for hit in batch.hits.all())


def test_a_task_goes_as_a_whole() -> None:
    study = equivalence_study(questions=30, with_run=False, questions_per_hit=5)
    batch = draw_batch(study=study, tasks=2, actor=OPERATOR)
    assert [hit.items.count() for hit in batch.hits.all()] == [5, 5]


@pytest.mark.parametrize(
    ("n", "floor", "says"), [(0, 0.2, "from 1 to 30"), (31, 0.2, "from 1 to 30"), (3, 0.05, "10%")]
)
def test_what_cannot_be_drawn_is_refused_and_nothing_changes(n: int, floor: float, says: str) -> None:
    study = equivalence_study(questions=30, with_run=False)
    with pytest.raises(InvalidInputError, match=says):
        draw_batch(study=study, tasks=n, floor=floor, uncertainty=unsure(study), actor=OPERATOR)
    assert Batch.objects.filter(study=study, number__gt=2).count() == 0
    assert not Draw.objects.exists()


def test_what_is_open_is_not_drawn() -> None:
    with pytest.raises(InvalidInputError, match="none is left"):
        draw_batch(study=open_study(), tasks=1, actor=OPERATOR)

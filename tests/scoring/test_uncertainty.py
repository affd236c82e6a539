"""How uncertain runs are about the tasks that are left: by probabilities, by replies, by two judges."""

from typing import Any

import pytest

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ItemLabel, ItemScore, Method, Scorer, ScoringRun
from annotation_platform.scoring.services import draw_and_open
from annotation_platform.scoring.uncertainty import Measure, uncertain_run, uncertain_runs, uncertainty_of
from annotation_platform.studies.models import BatchState, Study
from annotation_platform.studies.services import open_batch, plan_batches
from tests.drawn_studies import equivalence_study
from tests.factories import OPERATOR, make_corpus, make_study

pytestmark = pytest.mark.django_db


def judge(study: Study, replies: dict[int, list[str]], **parameters: Any) -> ScoringRun:
    """A judge's labels of “completeness” for the item of each question, so many replies as there are."""
    run = ScoringRun.objects.create(
        study=study,
        method=Method.JUDGE,
        scorer=Scorer.LANGUAGE_MODEL,
        status=JobStatus.DONE,
        parameters={"model": "birch-7b", **parameters},
        signature=f"judge {parameters}",
    )
    for item in study.items.select_related("question"):
        for repetition, label in enumerate(replies.get(item.question.position, [])):
            ItemLabel.objects.create(
                run=run,
                item=item,
                aspect="completeness",
                variant="plain",
                repetition=repetition,
                label=label,
                source=ItemLabel.Source.RULES,
            )
    return run


def drafts(**settings: Any) -> Study:
    corpus = make_corpus(questions=4, systems=("alder",))
    study = make_study(corpus=corpus, definition=preset("ebr"), questions_per_hit=1, **settings)
    plan_batches(study=study)
    return study


def by_question(study: Study, of_hit: Any) -> dict[int, float]:
    items = study.items.select_related("question")
    return {item.question.position: of_hit[item.hit_id] for item in items if item.hit_id in of_hit}


def test_a_classifier_is_most_uncertain_at_one_half_and_a_task_has_the_sum_of_its_items() -> None:
    study = equivalence_study(questions=10, questions_per_hit=5)
    (source,) = uncertain_runs(study)
    assert source.measure is Measure.PROBABILITY
    found = uncertainty_of(study, source)
    assert (found.run, found.run_signature, found.measure) == (source.run.pk, "planted", "probability")
    assert list(found.of_hit.values()) == pytest.approx([0.25 + 4 * 0.0475] * 2)


def test_only_tasks_that_are_left_are_looked_at() -> None:
    study = equivalence_study(questions=10, hits_per_batch=5)
    (source,) = uncertain_runs(study)
    open_batch(batch=study.batches.get(number=1), actor=OPERATOR)
    left = set(study.batches.get(number=2).hits.values_list("pk", flat=True))
    assert set(uncertainty_of(study, source).of_hit) == left


def test_replies_that_lie_apart_make_a_task_uncertain() -> None:
    study = drafts()
    judge(
        study,
        {
            1: ["complete"] * 3,
            2: ["complete", "missing_minor", "complete"],
            3: ["complete", "missing_all", "complete"],
        },
    )
    (source,) = uncertain_runs(study)
    assert (source.measure, source.replies) == (Measure.REPLIES, 3)
    found = by_question(study, uncertainty_of(study, source).of_hit)
    # SS is 0, 30² · 2/3 = 600 and 100² · 2/3 of the scale's numbers; v̄ their sum over six degrees of freedom
    mean = (600 + 20_000 / 3) / 6
    expected = [mean / 3, (600 + mean) / 3, (20_000 / 3 + mean) / 3]
    assert [found[n] for n in (1, 2, 3)] == pytest.approx([v / (sum(expected) / 3) for v in expected])
    assert 4 not in found  # the run says nothing about it


def test_two_judges_are_each_others_measure() -> None:
    study = drafts()
    first = judge(study, {n: ["complete"] for n in range(1, 5)})
    assert uncertain_runs(study) == []
    second = judge(study, {n: ["complete" if n < 4 else "missing_all"] for n in range(1, 5)}, model="cedar-9b")
    assert {(each.run.pk, each.other and each.other.pk) for each in uncertain_runs(study)} == {
        (first.pk, second.pk),
        (second.pk, first.pk),
    }
    source = uncertain_run(study, second.pk)
    uncertainty = uncertainty_of(study, source)
    found = by_question(study, uncertainty.of_hit)
    assert found[4] > found[1] == found[2] == found[3] > 0
    assert uncertainty.measure == f"judges/{first.pk}"
    assert uncertainty.run_signature not in (first.signature, second.signature)


def test_the_same_judge_once_more_is_no_second_one() -> None:
    study = drafts()
    judge(study, {1: ["complete"]})
    judge(study, {1: ["missing_all"]})
    judge(study, {1: ["missing_all"]}, price_in=2.0, concurrency=2)  # nor at another price and pace
    assert uncertain_runs(study) == []
    other = judge(study, {1: ["complete"]}, model="cedar-9b")
    same = judge(study, {1: ["missing_all"]}, timeout=90.0)
    assert uncertain_run(study, same.pk).other == other


def test_a_run_that_is_never_uncertain_cannot_choose() -> None:
    study = equivalence_study(questions=10)
    ItemScore.objects.filter(aspect="equivalence.probability").update(value=1.0)
    (source,) = uncertain_runs(study)
    with pytest.raises(InvalidInputError, match="as certain of each task"):
        uncertainty_of(study, source)
    with pytest.raises(InvalidInputError, match="does not say how uncertain"):
        uncertain_run(study, source.run.pk + 1)


def test_runs_cover_the_batch_into_which_their_tasks_were_drawn() -> None:
    study = equivalence_study(questions=10, hits_per_batch=5)
    (source,) = uncertain_runs(study)
    other = ScoringRun.objects.create(study=study, method=Method.JUDGE, scorer=Scorer.LANGUAGE_MODEL)
    batch = draw_and_open(study=study, tasks=6, source=source, floor=0.3, actor=OPERATOR)
    assert batch.state == BatchState.OPEN
    assert list(batch.scoring_runs.all()) == [source.run]
    assert not other.batches.exists()
    assert source.run.batches.filter(hits__items__in=study.items.all()).values("hits__items").count() == 10

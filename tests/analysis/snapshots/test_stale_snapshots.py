"""A snapshot is out of date when its study's judgments or the runs that count have changed since, and says so."""

from typing import Any

import pytest
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_snapshot
from annotation_platform.analysis.snapshots.stored import headline_of, latest_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import method_title
from annotation_platform.scoring.models import Completion, ItemLabel, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Batch, Item, Study
from annotation_platform.studies.services import open_batch
from tests.analysis.snapshots.test_take_snapshot import opinion_by_name, snapshot_of
from tests.analysis.study_rows import score
from tests.factories import OPERATOR, MemberFactory, close_all, judge_everything, make_study, plan_batches

pytestmark = pytest.mark.django_db


def reason(study: Study) -> str:
    headline = headline_of(study)
    assert headline is not None
    return headline.stale_because


@pytest.fixture
def growing() -> tuple[Study, Batch]:
    """A scored and measured study with a second batch still in draft."""
    study = make_study(overlap=2, hits_per_batch=1, questions_per_hit=4)
    first, second, *_ = plan_batches(study=study)
    open_batch(batch=first, actor=OPERATOR)
    members = [MemberFactory(study=study, pseudonym=name) for name in "AB"]
    for member in members:
        judge_everything(member, lambda item, m=member: opinion_by_name(m, item))
    close_all(study)
    score(study)
    snapshot_of(study)
    return study, second


def test_a_snapshot_is_stale_when_a_batch_has_closed_or_a_run_has_finished_since(
    growing: tuple[Study, Batch],
) -> None:
    study, second = growing

    assert reason(study) == ""
    score(study)
    assert "scored again" in reason(study)
    snapshot_of(study)
    assert reason(study) == ""
    open_batch(batch=second, actor=OPERATOR)
    assert reason(study) == ""
    close_all(study)
    assert reason(study) == "Batch 2 has closed since."


def test_a_snapshot_of_another_version_of_the_program_is_stale_unless_something_graver_is(
    growing: tuple[Study, Batch],
) -> None:
    study, _ = growing
    study.snapshots.update(code_version="0.0.9")
    assert reason(study) == f"It was computed by version 0.0.9; this is {__version__}."
    assert studies_awaiting_snapshot() == []  # two workers of two versions would take turns for ever
    score(study)
    assert "scored again" in reason(study)


def test_a_batch_that_was_opened_and_closed_again_is_awaited_by_what_was_measured_last(
    growing: tuple[Study, Batch],
) -> None:
    study, second = growing
    open_batch(batch=second, actor=OPERATOR)
    close_all(study)
    both = snapshot_of(study)
    Batch.objects.filter(pk=second.pk).update(state="open")
    assert snapshot_of(study) != both  # the first one, and it is shown
    close_all(study)
    assert reason(study) == "Batch 2 has closed since."
    assert studies_awaiting_snapshot() == [study.pk]


def test_two_annotators_side_by_side_show_what_the_snapshot_measured_and_nothing_that_closed_since(
    growing: tuple[Study, Batch],
) -> None:
    study, second = growing
    ScoringRun.objects.all().delete()  # which would say by itself what it covers
    snapshot = snapshot_of(study)

    def shown() -> set[int]:
        asked = tables.ask(snapshot, "completeness", ["pair"], {})
        return {row["item"] for row in tables.tables_of(asked, ["pair"])["pair"].cells}

    measured = shown()
    assert measured == set(Item.objects.filter(hit__batch__number=1).values_list("pk", flat=True))
    open_batch(batch=second, actor=OPERATOR)
    for member in study.members.filter(pseudonym__in="AB"):
        judge_everything(member, lambda item, m=member: opinion_by_name(m, item))
    close_all(study)
    assert Item.objects.filter(hit__batch=second, annotations__isnull=False).exists()
    assert shown() == measured


@pytest.mark.parametrize("method", [method for method in Method if method != Method.EBR])
def test_a_snapshot_is_stale_when_a_run_of_any_method_has_finished_since(
    growing: tuple[Study, Batch], method: Method
) -> None:
    study, _ = growing

    def run(**fields: Any) -> ScoringRun:
        return ScoringRun.objects.create(
            study=study, method=method, scorer=Scorer.LANGUAGE_MODEL, finished_at=timezone.now(), **fields
        )

    run(status=JobStatus.FAILED)
    assert reason(study) == ""
    first = run(status=JobStatus.DONE)
    assert reason(study) == f"A run of “{method_title(method)}” has finished since."
    assert studies_awaiting_snapshot() == [study.pk]
    snapshot_of(study)
    assert reason(study) == ""
    assert studies_awaiting_snapshot() == []
    run(status=JobStatus.DONE)
    assert reason(study) == f"Another run of “{method_title(method)}” has finished since."
    snapshot_of(study)
    first.is_chosen = True
    first.save()
    assert reason(study) == f"Another run of “{method_title(method)}” was chosen since."
    assert snapshot_of(study) == latest_snapshot(study)  # the first one, and it counts again
    assert reason(study) == ""


def test_a_further_rescaling_is_compared_even_if_another_one_counts(growing: tuple[Study, Batch]) -> None:
    study, _ = growing
    study.scoring_runs.update(is_chosen=True)
    snapshot_of(study)
    score(study)
    headline = headline_of(study)
    assert headline
    assert headline.stale_because == "Another run of “Explanation-based rescaling” has finished since."


@pytest.mark.parametrize("method", [Method.JUDGE, Method.MATE])
def test_a_snapshot_is_stale_when_people_have_read_a_models_replies_since(
    growing: tuple[Study, Batch], method: Method
) -> None:
    study, _ = growing
    run = ScoringRun.objects.create(
        study=study, method=method, scorer=Scorer.LANGUAGE_MODEL, status=JobStatus.DONE, finished_at=timezone.now()
    )
    label = ItemLabel.objects.create(
        run=run,
        item=Item.objects.filter(study=study).first(),
        aspect="completeness",
        source=ItemLabel.Source.UNREAD,
        completion=Completion.objects.create(signature="0" * 64, request={}, reply="Hm."),
    )
    snapshot_of(study)
    assert reason(study) == ""
    label.source, label.decided_at = ItemLabel.Source.PERSON, timezone.now()
    label.save()
    assert reason(study) == "People have decided on replies of a model that nobody could read before."
    assert studies_awaiting_snapshot() == []  # which is up to whoever decides on them
    run.counts = {"completeness": {"read_by": {"person": 1}}}
    run.save()
    snapshot_of(study)
    assert reason(study) == ""

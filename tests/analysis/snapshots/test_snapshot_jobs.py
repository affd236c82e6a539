"""Measuring a study is a job: found to be due, followed by the explorer, and told where it fails."""

from collections.abc import Iterator

import pytest
from django.urls import reverse

from annotation_platform.analysis.models import ExplorationJob, ExploredStudy, SnapshotJob
from annotation_platform.analysis.snapshots import jobs
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import client_of
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.markup import markup
from workers import tasks
from workers.celery import app

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tasks_at_once() -> Iterator[None]:
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=2, systems=("alder", "birch")))


def broken(**_: object) -> None:
    raise MemoryError("no room")


def test_a_snapshot_is_followed_by_the_explorer_and_both_are_done_once(study: Study) -> None:
    for _ in range(2):
        tasks.sweep()
    assert list(SnapshotJob.objects.values_list("status", flat=True)) == [JobStatus.DONE]
    assert list(ExplorationJob.objects.values_list("status", flat=True)) == [JobStatus.DONE]
    assert ExploredStudy.objects.get(study=study).snapshot == study.snapshots.get()


def test_one_that_fails_is_told_on_the_page_and_not_tried_again_until_somebody_asks(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "take_snapshot", broken)
        for _ in range(3):
            tasks.sweep()
    assert list(SnapshotJob.objects.values_list("status", flat=True)) == [JobStatus.FAILED]
    client = client_of(study)
    page = markup(client.get(reverse("agreement", kwargs={"slug": study.slug})))
    assert "Computing them failed:" in page
    assert "MemoryError: no room" in page
    tasks.work("snapshot", jobs.request_snapshot(study=study, actor=OPERATOR).pk)
    assert "Computing them failed" not in markup(client.get(reverse("agreement", kwargs={"slug": study.slug})))


def test_one_that_failed_is_tried_again_when_the_data_have_changed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "take_snapshot", broken)
        tasks.sweep()
    batch = study.batches.first()
    assert batch is not None
    batch.closed_at = SnapshotJob.objects.get().finished_at
    batch.save(update_fields=["closed_at"])
    tasks.sweep()
    assert list(SnapshotJob.objects.values_list("status", flat=True)) == [JobStatus.DONE, JobStatus.FAILED]

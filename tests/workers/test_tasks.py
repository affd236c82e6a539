"""The tasks on the way from a closing batch to its snapshot, and what the sweep picks up."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_snapshot
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Export
from annotation_platform.releases.services import request_export
from annotation_platform.scoring import services
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import BatchState, Role, Study
from annotation_platform.studies.services import close_batch
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from workers import tasks
from workers.celery import app
from workers.publisher import MOST_WAITING, publisher

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def tasks_at_once() -> Iterator[None]:
    """A task that is sent is done on the spot, as if a worker had nothing else to do."""
    app.conf.task_always_eager = app.conf.task_eager_propagates = True
    yield
    app.conf.task_always_eager = app.conf.task_eager_propagates = False


def study(**settings: object) -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=2, systems=("alder", "birch")), **settings)


@pytest.mark.usefixtures("tasks_at_once")
class TestFromClosingToSnapshot:
    def test_closing_enqueues_scoring_and_scoring_enqueues_the_snapshot(
        self, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
    ) -> None:
        batch = study(close=False).batches.get()
        with django_capture_on_commit_callbacks(execute=True):
            close_batch(batch=batch, because="closed by a researcher", actor=OPERATOR)
            tasks.sweep.delay_on_commit()
        batch.refresh_from_db()
        assert batch.state == BatchState.SCORED
        assert AgreementSnapshot.objects.get().run == ScoringRun.objects.get(status=JobStatus.DONE)

    @pytest.mark.storage
    def test_every_task_may_run_twice(self) -> None:
        study()
        for _ in range(2):
            tasks.sweep()
        run = ScoringRun.objects.get()
        tasks.work("run", run.pk)
        tasks.work("snapshot", run.study.snapshot_jobs.get().pk)
        tasks.sweep()
        assert ScoringRun.objects.count() == AgreementSnapshot.objects.count() == 1
        assert run.scores.count() == 8

    def test_the_sweep_closes_a_batch_at_its_deadline_and_scores_it(self) -> None:
        # A third place stays open, so that only the deadline can close the batch.
        late, early = study(close=False, overlap=3), study(close=False, overlap=3)
        now = timezone.now()
        late.batches.update(deadline_at=now - timedelta(seconds=1))
        early.batches.update(deadline_at=now + timedelta(hours=1))
        tasks.sweep()
        assert late.batches.get().state == BatchState.SCORED
        assert late.batches.get().closed_because == "deadline reached"
        assert late.snapshots.count() == 1
        assert early.batches.get().state == BatchState.OPEN

    def test_the_sweep_takes_a_snapshot_that_was_lost_on_the_way(self) -> None:
        run = services.start_run(study=study(), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        execute(RUNS, claimed)
        assert not AgreementSnapshot.objects.exists()
        tasks.sweep()
        assert AgreementSnapshot.objects.get().run == run

    def test_a_study_that_nothing_is_rescaled_in_is_measured_when_a_batch_closes(self) -> None:
        unscored = study(definition={**preset("ebr"), "rescale": []})
        batch = unscored.batches.get()
        for _ in range(2):
            tasks.sweep()
        snapshot = AgreementSnapshot.objects.get(study=unscored)
        assert snapshot.head.batches == (batch.number,)
        assert not unscored.scoring_runs.exists()
        assert studies_awaiting_snapshot() == []

    def test_a_judges_run_does_not_ask_for_a_snapshot_again_and_again(self) -> None:
        scored = study()
        tasks.sweep()
        ScoringRun.objects.create(study=scored, method="judge", scorer="openai", status=JobStatus.DONE)
        assert studies_awaiting_snapshot() == []

    def test_the_sweep_makes_an_export_whose_message_was_lost(self) -> None:
        exported = study()
        admin = MemberFactory(study=exported, role=Role.ADMIN)
        export = request_export(study=exported, requested_by=admin, format="csv", actor=OPERATOR)
        Export.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=5))
        tasks.sweep()
        export.refresh_from_db()
        assert export.status == Export.Status.DONE


def test_a_failed_run_asks_for_no_snapshot() -> None:
    run = services.start_run(study=study(), scorer="distilled", actor=OPERATOR)
    ScoringRun.objects.filter(pk=run.pk).update(parameters={})
    app.conf.task_always_eager = True
    try:
        tasks.work("run", run.pk)
    finally:
        app.conf.task_always_eager = False
    run.refresh_from_db()
    assert run.status == JobStatus.FAILED
    assert not AgreementSnapshot.objects.exists()


@pytest.mark.storage
@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_down_breaks_no_request(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(tasks.work, "delay", broken)
    with transaction.atomic():
        tasks.work.delay_on_commit("run", 1)
    assert "no broker" in caplog.text


@pytest.mark.storage
@pytest.mark.django_db(transaction=True)
def test_a_broker_that_says_nothing_holds_up_no_request_and_is_not_piled_up_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(publisher, "publish")  # by its own thread, as in a web process
    answered = threading.Event()
    monkeypatch.setattr(tasks.work, "delay", lambda *_: answered.wait(60))
    for _ in range(MOST_WAITING + 2):  # each would wait for a minute
        tasks.work.delay_on_commit("run", 1)
    assert "left to the sweep" in caplog.text
    answered.set()
    publisher.flush()

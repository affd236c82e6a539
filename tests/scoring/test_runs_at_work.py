"""Scoring runs and their workers: who has one, and what is left when one breaks off."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from annotation_platform.jobs import heartbeat, worker_status
from annotation_platform.jobs.contract import claim, execute, waiting
from annotation_platform.jobs.models import WorkerPulse
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import services
from annotation_platform.scoring.methods.ebr import aspect as ebr_aspect
from annotation_platform.scoring.models import Score, ScoringRun
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import BatchState
from annotation_platform.studies.services import close_batch
from tests.factories import OPERATOR, close_all
from tests.scoring.small_runs import everything_is_scored_once, make_stale, score, small_study, wait_until
from tests.servers.model_server import ModelServer, fails

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
Asks = Callable[..., dict[str, Any]]


class TestClaiming:
    def test_a_run_is_claimed_once(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        assert claim(RUNS, run.pk) is not None
        assert claim(RUNS, run.pk) is None

    def test_a_silent_workers_run_can_be_taken_over(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        first = claim(RUNS, run.pk)
        make_stale(run)
        second = claim(RUNS, run.pk)
        assert first is not None
        assert second is not None
        assert first.worker != second.worker
        assert claim(RUNS, run.pk) is None

    def test_a_finished_run_cannot_be_claimed(self) -> None:
        assert claim(RUNS, score(small_study()).pk) is None

    @pytest.mark.django_db(transaction=True)
    def test_of_two_workers_at_the_same_moment_one_executes_the_run(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        barrier, claims = threading.Barrier(8), []

        def work() -> None:
            barrier.wait()
            try:
                claims.append(claim(RUNS, run.pk))
            finally:
                connection.close()

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len([claim for claim in claims if claim is not None]) == 1


class TestBreakingOff:
    @pytest.fixture(autouse=True)
    def small_chunks(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setattr(ebr_aspect, "CHUNK", 3)
        yield
        heartbeat.stopping.clear()

    def test_a_run_that_broke_off_while_storing_scores_neither_misses_nor_doubles_any(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        store, chunks = type(Score.objects).bulk_create, []

        def dies_at_the_second(self: Any, *args: Any, **kwargs: Any) -> Any:
            chunks.append(1)
            if len(chunks) == 2:
                raise OperationalError("deadlock detected")
            return store(self, *args, **kwargs)

        monkeypatch.setattr(type(Score.objects), "bulk_create", dies_at_the_second)
        with pytest.raises(OperationalError):
            execute(RUNS, claimed)
        run.refresh_from_db()
        assert (run.status, run.scores.count()) == (JobStatus.PENDING, 3)
        again = claim(RUNS, run.pk)
        assert again is not None
        assert execute(RUNS, again).status == JobStatus.DONE
        assert everything_is_scored_once(run)

    def test_a_run_that_another_worker_took_over_is_left_to_it(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None

        def taken_over(done: int, total: int) -> None:
            ScoringRun.objects.filter(pk=run.pk).update(worker="another")

        result = execute(RUNS, claimed, on_progress=taken_over)
        assert (result.status, result.worker) == (JobStatus.RUNNING, "another")
        assert run.study.batches.get().state == BatchState.CLOSED

    def test_a_worker_that_ends_in_good_order_gives_its_run_back(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        result = execute(RUNS, claimed, on_progress=lambda done, total: heartbeat.stopping.set())
        assert (result.status, result.worker) == (JobStatus.PENDING, "")
        assert run.pk in waiting(services.RUNS)

    def test_an_error_of_the_platforms_own_fails_the_run_and_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*args: Any, **kwargs: Any) -> None:
            raise ZeroDivisionError("oh")

        monkeypatch.setattr(ebr_aspect, "rescale", broken)
        run = score(small_study())
        assert run.status == JobStatus.FAILED
        assert "ZeroDivisionError: oh" in run.error

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.skipif(connection.vendor != "postgresql", reason="there is no server that could be restarted")
    def test_the_row_stays_fresh_after_the_server_was_restarted(self, settings: Any) -> None:
        settings.RUN_STALE_AFTER_SECONDS = 1.0
        run = services.start_run(study=small_study(), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None

        def is_heard_of_after(moment: datetime) -> bool:
            run.refresh_from_db()
            return run.heartbeat_at is not None and run.heartbeat_at > moment

        with heartbeat.Heartbeat(claimed):
            wait_until(lambda: is_heard_of_after(claimed.heartbeat_at))
            with connection.cursor() as cursor:
                others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                cursor.execute(f"SELECT count(pg_terminate_backend(pid)) {others}")
            now = timezone.now()
            wait_until(lambda: is_heard_of_after(now))

    @pytest.mark.django_db(transaction=True)
    def test_the_row_stays_fresh_while_a_run_waits_for_a_slow_server(
        self, server: ModelServer, asks: Asks, settings: Any
    ) -> None:
        settings.RUN_STALE_AFTER_SECONDS = 0.5
        server.hold_after(0)
        run = services.start_run(
            study=small_study(), scorer="openai", parameters=asks(concurrency=8, timeout=100), actor=OPERATOR
        )
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        worker = threading.Thread(target=lambda: (execute(RUNS, claimed), connection.close()))
        worker.start()
        wait_until(lambda: bool(server.asked))
        # Sign after sign comes while nothing is answered, for longer than a silent worker is waited for.
        signs = {claimed.heartbeat_at}
        longer = timezone.now() + timedelta(seconds=2 * settings.RUN_STALE_AFTER_SECONDS)

        def is_heard_of_since() -> bool:
            row = ScoringRun.objects.get(pk=run.pk)
            assert (row.status, row.worker) == (JobStatus.RUNNING, claimed.worker)
            assert row.heartbeat_at is not None
            signs.add(row.heartbeat_at)
            return len(signs) > 3 and row.heartbeat_at > longer

        wait_until(is_heard_of_since)
        assert not server.answered
        server.release()
        worker.join(60)
        run.refresh_from_db()
        assert run.status == JobStatus.DONE


class TestSweeping:
    def test_a_closed_batch_starts_a_run_with_the_studys_scorer(self) -> None:
        study = small_study(scorer="recorded")
        (run,) = services.start_runs_for_closed_batches(actor=OPERATOR)
        assert (run.study, run.scorer, list(run.batches.all())) == (study, "recorded", list(study.batches.all()))
        assert services.start_runs_for_closed_batches(actor=OPERATOR) == []

    def test_a_batch_that_closes_during_a_run_is_scored_by_the_next(self) -> None:
        study = small_study(close=False, hits_per_batch=2, questions_per_hit=1)
        first, second = study.batches.all()
        close_batch(batch=first, because="closed by a researcher", actor=OPERATOR)
        run = services.start_run(study=study, actor=OPERATOR)
        close_batch(batch=second, because="closed by a researcher", actor=OPERATOR)
        assert services.start_runs_for_closed_batches(actor=OPERATOR) == []
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        execute(RUNS, claimed)
        assert list(study.batches.values_list("state", flat=True)) == [BatchState.SCORED, BatchState.CLOSED]
        (following,) = services.start_runs_for_closed_batches(actor=OPERATOR)
        assert list(following.batches.all()) == [first, second]

    def test_a_failed_run_is_not_repeated_until_something_is_new(self, server: ModelServer, asks: Asks) -> None:
        server.behaviour = lambda asked: fails(401)
        study = small_study(close=False, hits_per_batch=2, questions_per_hit=1)
        first, second = study.batches.all()
        close_batch(batch=first, because="closed by a researcher", actor=OPERATOR)
        assert score(study, "openai", **asks()).status == JobStatus.FAILED
        assert services.start_runs_for_closed_batches(actor=OPERATOR) == []
        close_batch(batch=second, because="closed by a researcher", actor=OPERATOR)
        assert len(services.start_runs_for_closed_batches(actor=OPERATOR)) == 1

    def test_a_run_that_cannot_even_start_is_on_record_with_the_reason(self, settings: Any) -> None:
        settings.OPENAI_MODEL = ""
        study, fine = small_study(scorer="openai"), small_study()
        assert [run.study for run in services.start_runs_for_closed_batches(actor=OPERATOR)] == [fine]
        failed = study.scoring_runs.get()
        assert failed.status == JobStatus.FAILED
        assert "No language model is chosen" in failed.error
        assert services.start_runs_for_closed_batches(actor=OPERATOR) == []

    def test_lost_messages_are_sent_again_but_not_at_every_sweep(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        assert waiting(services.RUNS) == []  # whoever started it has just sent its message
        make_stale(run)
        assert waiting(services.RUNS) == [run.pk]
        assert waiting(services.RUNS) == []

    def test_runs_of_silent_workers_are_sent_again(self) -> None:
        run = services.start_run(study=small_study(), actor=OPERATOR)
        claim(RUNS, run.pk)
        assert waiting(services.RUNS) == []
        make_stale(run)
        assert waiting(services.RUNS) == [run.pk]


class TestWorkerState:
    def test_without_any_worker_it_says_so(self) -> None:
        state = worker_status.worker_state()
        assert (state.is_running, state.last_seen_at) == (False, None)

    def test_a_worker_that_fell_silent_is_missing_since_then(self) -> None:
        worker_status.record_pulse(name="one")
        assert worker_status.worker_state().is_running
        seen_at = timezone.now() - timedelta(seconds=21)
        WorkerPulse.objects.update(seen_at=seen_at)
        state = worker_status.worker_state()
        assert (state.is_running, state.last_seen_at) == (False, seen_at)

    def test_a_worker_that_ends_in_good_order_is_missing_at_once(self) -> None:
        worker_status.record_pulse(name="one")
        worker_status.forget_pulse(name="one")
        assert not worker_status.worker_state().is_running


def test_closing_everything_leaves_nothing_open() -> None:
    study = small_study(close=False)
    close_all(study)
    assert everything_is_scored_once(score(study))

"""What is due by the clock is done while all threads of a worker are at long jobs, and where there is no beat."""

import re
import time
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.mail import send_mail
from django.utils import timezone

from annotation_platform.jobs import heartbeat
from annotation_platform.jobs.models import OutgoingMail, WorkerPulse
from annotation_platform.jobs.outbox import mail
from annotation_platform.jobs.worker_status import take_turn_to_sweep, worker_state
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import BatchState
from tests import rests_on
from tests.crowd.providers.pieces import EXTERNAL_STUDY, PERSON
from tests.factories import study_with_judgments
from tests.servers.model_server import ModelServer
from tests.servers.prolific import ProlificServer
from tests.workers.installation import Installation
from workers import errands, tasks

SENT = "SELECT count(*) FROM jobs_outgoingmail WHERE state = 'sent'"
A_MAIL = """
import django; django.setup()
from django.core.mail import send_mail; send_mail("Your code", "123456", None, ["ada@example.org"])
"""
A_MAIL_WHEN_TOLD = """
import django; django.setup()
from django.core.mail import send_mail
print("ready", flush=True); input()
send_mail("Your code", "123456", None, ["ada@example.org"])
"""
SEND_SWEEP = """
import django; django.setup()
from workers.errands import _send_sweep; print(_send_sweep())
"""


@pytest.mark.django_db
def test_a_worker_without_a_free_thread_does_what_is_due_and_hands_no_jobs_out(settings: Any) -> None:
    settings.EMAIL_BACKEND = "annotation_platform.jobs.outbox.mail.OutboxBackend"
    settings.MAIL_DELIVERY_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    late = study_with_judgments(close=False, overlap=3)
    late.batches.update(deadline_at=timezone.now() - timedelta(seconds=1))
    send_mail("Your code", "123456", None, ["ada@example.org"])
    tasks.sweep_here()
    assert late.batches.get().state == BatchState.CLOSED
    assert not ScoringRun.objects.exclude(status="pending").exists()
    assert OutgoingMail.objects.get().state == OutgoingMail.State.SENT


@pytest.mark.django_db
def test_what_is_due_is_done_as_long_as_a_worker_that_is_to_end_has_jobs(settings: Any) -> None:
    settings.EMAIL_BACKEND = "annotation_platform.jobs.outbox.mail.OutboxBackend"
    settings.MAIL_DELIVERY_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    late = study_with_judgments(close=False, overlap=3)
    late.batches.update(deadline_at=timezone.now() - timedelta(seconds=1))
    send_mail("Your code", "123456", None, ["ada@example.org"])
    heartbeat.stopping.set()
    try:
        tasks.sweep_here()
    finally:
        heartbeat.stopping.clear()
    assert late.batches.get().state == BatchState.CLOSED
    assert OutgoingMail.objects.get().state == OutgoingMail.State.SENT


@pytest.mark.django_db(transaction=True)
def test_a_sweep_that_was_sent_and_that_nobody_began_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errands, "SWEEP_EVERY", 0.001)
    late = study_with_judgments(close=False, overlap=3)
    late.batches.update(deadline_at=timezone.now() - timedelta(seconds=1))
    step = errands.Errands(SimpleNamespace(concurrency=1))
    step._look()  # sends it, to no worker
    assert late.batches.get().state != BatchState.CLOSED
    step._look()
    assert late.batches.get().state == BatchState.CLOSED
    assert step._calls is not None
    step._calls.join()


@pytest.mark.django_db
def test_what_one_worker_swept_no_other_sweeps_again() -> None:
    assert take_turn_to_sweep(after=30)  # nobody ever did
    assert not take_turn_to_sweep(after=30)
    WorkerPulse.objects.update(seen_at=timezone.now() - timedelta(seconds=31))
    tasks.sweep()  # by another worker
    assert not take_turn_to_sweep(after=30)
    WorkerPulse.objects.update(seen_at=timezone.now() - timedelta(seconds=31))
    assert [take_turn_to_sweep(after=30) is not None for _ in range(3)] == [True, False, False]


@pytest.mark.django_db
def test_a_sweep_of_after_now_is_none_since_the_clock_was_set_back() -> None:
    tasks.sweep()
    WorkerPulse.objects.update(seen_at=timezone.now() + timedelta(hours=1))
    assert take_turn_to_sweep(after=30)


@pytest.mark.django_db
def test_a_sweep_is_no_sign_of_life_of_a_worker() -> None:
    tasks.sweep()
    assert not worker_state().is_running


@pytest.mark.django_db
def test_what_fails_holds_up_nothing_else(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    late = study_with_judgments(close=False, overlap=3)
    late.batches.update(deadline_at=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr(mail, "AT_ONCE", "many")  # a mistake of ours
    send_mail("Your code", "123456", None, ["ada@example.org"])
    tasks.sweep_here()
    assert late.batches.get().state == BatchState.CLOSED


@pytest.mark.long(*rests_on.SCORING)
def test_mail_goes_out_while_the_only_thread_waits_for_a_language_model(
    small: Installation, server: ModelServer
) -> None:
    small.run("-m", "tests.workers.seed_closed_study", "openai")
    server.hold_after(0)
    small.worker_arguments = small.worker_arguments.replace("--concurrency 2", "--concurrency 1")
    small.start_worker("--clock")
    small.wait_for("the run to hold the worker", lambda: server.under_way > 0)
    small.run("-c", A_MAIL)
    small.wait_for("the mail to go out", lambda: small.value(SENT) == 1)
    assert small.rows("SELECT status FROM scoring_scoringrun") == [("running",)]
    server.release()
    small.wait_for("the run to finish", lambda: small.rows("SELECT status FROM scoring_scoringrun") == [("done",)])


@pytest.mark.long(*rests_on.SCORING)
def test_mail_goes_out_while_a_worker_that_is_to_end_waits_for_a_language_model(
    small: Installation, server: ModelServer
) -> None:
    small.run("-m", "tests.workers.seed_closed_study", "openai")
    server.hold_after(0)
    worker = small.start_worker("--clock")
    small.wait_for("the run to hold the worker", lambda: server.under_way > 0)
    program = small.start("-c", A_MAIL_WHEN_TOLD)
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    worker.process.terminate()
    small.wait_for("the worker to hear of it", lambda: "Warm shutdown" in worker.log.read_text())
    program.stdin.write("\n")
    program.stdin.flush()
    small.wait_for("the mail to go out", lambda: small.value(SENT) == 1)
    assert worker.process.poll() is None
    server.release()
    worker.stop()


def test_a_sweep_that_redis_does_not_take_is_known_not_to_be_sent(small: Installation) -> None:
    small.environment["REDIS_URL"] = "redis://127.0.0.1:1/0"
    began = time.monotonic()
    assert small.run("-c", SEND_SWEEP).strip() == "False"
    assert time.monotonic() - began < 60


@pytest.fixture
def prolific() -> Iterator[ProlificServer]:
    with ProlificServer() as prolific:
        prolific.add("session01", EXTERNAL_STUDY, PERSON)
        yield prolific
        prolific.released.set()


@pytest.mark.long(*rests_on.SCORING)
def test_a_payment_under_way_holds_no_mail_up_and_is_waited_for_when_the_worker_ends(
    small: Installation, server: ModelServer, prolific: ProlificServer
) -> None:
    small.environment["PROLIFIC_API_URL"] = prolific.url
    small.run("-m", "tests.workers.seed_closed_study", "openai")
    server.hold_after(0)
    prolific.moods.append(("/pay/$", "held"))
    small.worker_arguments = small.worker_arguments.replace("--concurrency 2", "--concurrency 1")
    worker = small.start_worker("--clock")
    small.wait_for("the run to hold the worker", lambda: server.under_way > 0)
    small.run("-m", "tests.workers.seed_bonus")
    small.wait_for("the paying to begin", lambda: prolific.count("/pay/$") == 1)
    small.wait_for("the mail to go out", lambda: small.value(SENT) == 1)
    assert small.rows("SELECT state FROM crowd_providercall") == [("sent",)]  # Prolific has not answered yet
    worker.process.terminate()
    server.release()
    time.sleep(6)  # longer than the run takes to end; a request that takes 30 s is given up
    prolific.released.set()
    worker.stop()
    assert small.rows("SELECT state FROM crowd_providercall") == [("confirmed",)]


@pytest.mark.long(*rests_on.SCORING)
def test_a_worker_without_a_beat_does_what_is_due(small: Installation) -> None:
    worker = small.start_worker()
    small.wait_for(
        "the first sweep", lambda: "sweep" in worker.log.read_text() and "succeeded" in worker.log.read_text()
    )
    small.run("-c", A_MAIL)
    small.run("-m", "tests.workers.seed_closed_study", "distilled")
    small.wait_for("the mail to go out", lambda: small.value(SENT) == 1)
    small.wait_for(
        "the jobs to be handed out", lambda: small.value("SELECT count(*) FROM analysis_agreementsnapshot") == 1
    )
    assert len(re.findall(r"Task workers\.tasks\.sweep\[\S+ received", worker.log.read_text())) > 1
    worker.stop()

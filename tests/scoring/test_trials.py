"""Trying a model connection: a job of the worker, whatever the foreign server does meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.jobs.contract import claim, execute, run_job, waiting
from annotation_platform.jobs.worker_status import record_pulse
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection
from annotation_platform.scoring.trials import TRIALS, request_trial
from tests.factories import OPERATOR
from tests.markup import markup
from tests.scoring.trying import ask_to_try, tried
from tests.servers.model_server import ModelServer, says
from workers import tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_user("staff@example.org", is_staff=True))
    return client


@pytest.fixture
def connection(server: ModelServer) -> ModelConnection:
    given = {"name": "Local", "base_url": server.url, "model": "tiny", "concurrency": 4, "timeout": 5}
    return save_connection(connection=ModelConnection(**given), actor=OPERATOR)


def test_the_request_asks_nobody_and_the_page_says_that_no_worker_is_there(
    staff: Client, connection: ModelConnection, server: ModelServer
) -> None:
    page = ask_to_try(staff, connection)
    assert "The background worker is not running; the trial waits." in page
    assert 'hx-trigger="every 1s"' in page
    assert not server.asked
    record_pulse(name="one")
    assert "The trial waits for the background worker." in markup(staff.get(reverse("connections")))


def test_the_click_is_sent_to_the_worker(
    staff: Client, connection: ModelConnection, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(tasks.work, "delay", lambda *args: sent.append(args))
    with django_capture_on_commit_callbacks(execute=True):
        ask_to_try(staff, connection)
    assert sent == [("trial", ConnectionTrial.objects.get().pk)]


def test_the_page_stops_asking_once_the_server_has_answered(
    staff: Client, connection: ModelConnection, server: ModelServer
) -> None:
    server.queue.append(says("ready"))
    page = tried(staff, connection)
    assert "“Local” works: tiny-2026 answered “ready” in" in page
    assert "hx-trigger" not in page


def test_a_second_click_asks_once_and_a_later_one_anew(
    staff: Client, connection: ModelConnection, server: ModelServer
) -> None:
    first = request_trial(connection=connection, actor=OPERATOR)
    assert request_trial(connection=connection, actor=OPERATOR) == first
    run_job(TRIALS, first.pk)
    assert ["response_format" in asked.body for asked in server.asked] == [False, True]
    assert request_trial(connection=connection, actor=OPERATOR) != first
    assert ConnectionTrial.objects.count() == 1


def test_a_change_of_the_connection_forgets_what_was_tried_before(
    staff: Client, connection: ModelConnection, server: ModelServer
) -> None:
    tried(staff, connection)
    save_connection(connection=connection, actor=OPERATOR)
    assert "works:" not in markup(staff.get(reverse("connections")))


def test_a_trial_that_is_forgotten_while_it_is_under_way_troubles_nobody(
    connection: ModelConnection, server: ModelServer
) -> None:
    trial = claim(TRIALS, request_trial(connection=connection, actor=OPERATOR).pk)
    assert trial is not None
    save_connection(connection=connection, actor=OPERATOR)
    execute(TRIALS, trial)
    assert not ConnectionTrial.objects.exists()


def test_one_over_which_workers_died_twice_has_failed_and_says_so(staff: Client, connection: ModelConnection) -> None:
    trial = request_trial(connection=connection, actor=OPERATOR)
    for _ in range(2):
        assert claim(TRIALS, trial.pk) is not None
        assert waiting(TRIALS) == []
        ConnectionTrial.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    assert waiting(TRIALS) == []
    page = markup(staff.get(reverse("connections")))
    assert "“Local” does not work: Its worker died in the middle of it, 2 times" in page

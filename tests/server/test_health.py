"""The health check needs no account, tells what is degraded, and stays 200 while pages work."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.mail import send_mail
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.jobs.outbox import mail
from annotation_platform.jobs.worker_status import record_pulse
from tests.servers.mail_server import MailServer

pytestmark = pytest.mark.django_db


def test_all_is_well_with_a_worker(client: Client) -> None:
    record_pulse(name="one@here")
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_missing_worker_and_waiting_mail_are_told(client: Client) -> None:
    OutgoingMail.objects.create(recipients=["ada@example.org"], subject="x", content={}, due_at=timezone.now())
    OutgoingMail.objects.update(created_at=timezone.now() - timedelta(minutes=6))
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert set(answer.json()["trouble"]) == {"worker", "mail"}
    assert "ada" not in answer.content.decode()


def test_a_mail_server_that_refuses_all_mail_is_told_and_one_wrong_address_is_not(client: Client) -> None:
    record_pulse(name="one@here")
    ended = {"recipients": ["ada@example.org"], "subject": "x", "content": {}}
    for state, status in [("given up", "ok"), ("sent", "ok"), *[("given up", "ok")] * 2, ("given up", "degraded")]:
        OutgoingMail.objects.create(**ended, state=state, due_at=timezone.now())
        assert client.get("/health/").json()["status"] == status
    assert "refused the last mails" in client.get("/health/").json()["trouble"]["mail"]
    OutgoingMail.objects.update(created_at=timezone.now() - timedelta(days=2))
    assert client.get("/health/").json()["status"] == "ok"


def test_a_mail_server_that_begins_to_refuse_in_the_middle_of_an_announcement_is_told(
    client: Client, settings: Any
) -> None:
    record_pulse(name="one@here")
    settings.EMAIL_BACKEND = "annotation_platform.jobs.outbox.mail.OutboxBackend"
    settings.MAIL_DELIVERY_BACKEND = "annotation_platform.jobs.outbox.smtp.EmailBackend"
    for number in range(8):
        send_mail("News", "Some words.", "platform@example.org", [f"{number}@example.org"])
    with MailServer() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        server.on_mail = lambda: setattr(server, "mood", "refuses" if len(server.received) == 4 else "takes")
        assert mail.deliver_mail() == 4
    assert "refused the last mails" in client.get("/health/").json()["trouble"]["mail"]


def test_a_redis_that_is_not_there_is_told(client: Client, settings: Any) -> None:
    record_pulse(name="one@here")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert set(client.get("/health/").json()["trouble"]) == {"redis"}


def test_a_database_that_does_not_answer_is_503(client: Client) -> None:
    def broken(*_: Any) -> None:
        raise OperationalError("gone")

    with connection.execute_wrapper(broken):
        answer = client.get("/health/")
    assert (answer.status_code, answer.json()["status"]) == (503, "down")

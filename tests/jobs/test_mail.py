"""Requests only write mail down; the worker hands it to real mail servers, good ones and bad ones."""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.mail import BadHeaderError, EmailMultiAlternatives, send_mail
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.jobs import heartbeat
from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.jobs.outbox import mail, smtp
from tests.servers.mail_server import MailServer
from workers import tasks
from workers.celery import app

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
State = OutgoingMail.State


@pytest.fixture(autouse=True)
def outbox(settings: Any) -> None:
    settings.EMAIL_BACKEND = "annotation_platform.jobs.outbox.mail.OutboxBackend"
    settings.MAIL_DELIVERY_BACKEND = "annotation_platform.jobs.outbox.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 30


@contextmanager
def mail_server(settings: Any, mood: str = "takes") -> Iterator[MailServer]:
    with MailServer(mood) as server:
        settings.EMAIL_PORT = server.port
        yield server


def write(to: str = "ada@example.org", subject: str = "Hello") -> OutgoingMail:
    send_mail(subject, "Some words, and 名前.", "platform@example.org", [to])
    return OutgoingMail.objects.latest("pk")


def test_a_process_that_is_to_end_leaves_the_mails_that_it_holds_to_the_next(settings: Any) -> None:
    for number in range(3):
        write(f"{number}@example.org")
    with mail_server(settings) as server:
        server.on_mail = heartbeat.ending.set
        try:
            assert mail.deliver_mail() == 1
        finally:
            heartbeat.ending.clear()
            server.on_mail = lambda: None
        assert OutgoingMail.objects.due().filter(claim="").count() == 2
        assert mail.deliver_mail() == 2


def test_a_mail_that_was_written_down_arrives_whole(settings: Any) -> None:
    message = EmailMultiAlternatives("Grüße", "Some words.", "platform@example.org", ["a@example.org"], cc=["b@x.org"])
    message.attach_alternative("<p>Some words.</p>", "text/html")
    message.send()
    with mail_server(settings) as server:
        assert mail.deliver_mail() == 1
    (received,) = server.received
    assert b"To: a@example.org" in received
    assert b"Cc: b@x.org" in received
    assert b"<p>Some words.</p>" in received
    row = OutgoingMail.objects.get()
    assert (row.state, row.attempts, row.recipients) == (State.SENT, 1, ["a@example.org", "b@x.org"])
    assert row.sent_at


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 with its key, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = timezone.now()
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize("mood", ["takes", "silent", "trickles"])
def test_a_server_that_speaks_tls_from_the_first_byte(
    settings: Any, monkeypatch: pytest.MonkeyPatch, certificate: Path, mood: str
) -> None:
    settings.EMAIL_USE_SSL = True
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    if mood != "takes":
        settings.EMAIL_TIMEOUT = 1
        monkeypatch.setattr(smtp, "SESSION_SECONDS", 1.5)
    row = write()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    with MailServer(mood, tls) as server:
        settings.EMAIL_PORT = server.port
        assert mail.deliver_mail() == (mood == "takes")
        assert len(server.received) == (mood == "takes")
    row.refresh_from_db()
    assert row.state == (State.SENT if mood == "takes" else State.WAITING), row.error


def test_the_text_of_a_mail_is_forgotten_once_it_is_sent_or_given_up(settings: Any) -> None:
    row = write()
    assert "名前" in str(row.content)
    with mail_server(settings):
        mail.deliver_mail()
    refused = write("nobody@example.org")
    with mail_server(settings):
        mail.deliver_mail()
    for each in (row, refused):
        each.refresh_from_db()
        assert each.content == {}
    assert refused.state == State.GIVEN_UP
    assert refused.error.code == "jobs.mail_refused"
    assert "550 there is nobody of this name" in refused.error
    with override("ja"):
        assert in_language(refused.error).startswith("メールサーバーに拒否されました：")


@pytest.mark.parametrize("mood", ["silent", "trickles"])
def test_a_mail_server_that_says_nothing_is_left_and_tried_again(
    settings: Any, monkeypatch: pytest.MonkeyPatch, mood: str
) -> None:
    settings.EMAIL_TIMEOUT = 1
    monkeypatch.setattr(smtp, "SESSION_SECONDS", 1.5)
    rows = [write(), write("grace@example.org")]
    with mail_server(settings, mood) as server:
        assert mail.deliver_mail() == 0
        for row in rows:
            row.refresh_from_db()
            assert (row.state, row.attempts) == (State.WAITING, 1)
            assert row.error.code == "jobs.mail_unreachable"
            assert row.due_at > timezone.now()
        assert mail.deliver_mail() == 0, "it was tried again at once"
        server.mood = "takes"
        settings.EMAIL_TIMEOUT = 30
        monkeypatch.setattr(smtp, "SESSION_SECONDS", 60.0)
        OutgoingMail.objects.update(due_at=timezone.now())
        assert mail.deliver_mail() == 2
        assert len(server.received) == 2


def test_a_mail_server_that_is_away_costs_an_attempt_and_no_mail(settings: Any) -> None:
    settings.EMAIL_PORT = 1
    row = write()
    assert mail.deliver_mail() == 0
    row.refresh_from_db()
    assert (row.state, row.attempts) == (State.WAITING, 1)
    assert row.error.code == "jobs.mail_unreachable"
    assert "refused" in row.error


def test_pauses_grow_and_end_after_a_day(settings: Any) -> None:
    settings.EMAIL_PORT = 1
    row = write()
    pauses = []
    for _ in range(4):
        OutgoingMail.objects.update(due_at=timezone.now())
        mail.deliver_mail()
        row.refresh_from_db()
        pauses.append((row.due_at - timezone.now()).total_seconds())
    assert pauses == sorted(pauses)
    assert pauses[0] < 31
    OutgoingMail.objects.update(due_at=timezone.now(), created_at=timezone.now() - timedelta(hours=25))
    mail.deliver_mail()
    row.refresh_from_db()
    assert row.state == State.GIVEN_UP


def test_a_server_that_asks_for_later_gets_it_later_and_the_others_now(settings: Any) -> None:
    row = write()
    with mail_server(settings, "later"):
        mail.deliver_mail()
    row.refresh_from_db()
    assert (row.state, row.attempts) == (State.WAITING, 1)
    assert "451 come back later" in row.error


def test_one_refused_address_holds_up_no_other_mail(settings: Any) -> None:
    write("nobody@example.org")
    write("ada@example.org")
    with mail_server(settings) as server:
        assert mail.deliver_mail() == 1
    assert len(server.received) == 1


def test_what_was_written_last_goes_first_and_all_goes_in_one_round(settings: Any) -> None:
    """A code to sign in is of use for three minutes: it does not wait behind an announcement to hundreds."""
    for number in range(2 * mail.AT_ONCE + 1):
        write(f"annotator-{number}@example.org", "News")
    write("ada@example.org", "Your code")
    with mail_server(settings) as server:
        assert mail.deliver_mail() == len(server.received) == 2 * mail.AT_ONCE + 2
    assert b"Your code" in server.received[0]


def test_a_round_ends_and_the_next_one_follows(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "ROUND_SECONDS", 0.0)
    app.conf.task_always_eager = True
    try:
        for number in range(mail.AT_ONCE + 1):
            write(f"annotator-{number}@example.org")
        with mail_server(settings) as server:
            assert mail.deliver_mail() == mail.AT_ONCE
            write()
            tasks.deliver_mail()
            assert len(server.received) == mail.AT_ONCE + 2
    finally:
        app.conf.task_always_eager = False


def test_a_sender_that_is_refused_costs_no_mail(settings: Any) -> None:
    """The fault is a setting's, DEFAULT_FROM_EMAIL; once it is mended, what waited goes out."""
    row = write()
    with mail_server(settings, "refuses the sender") as server:
        assert mail.deliver_mail() == 0
        row.refresh_from_db()
        assert (row.state, row.attempts) == (State.WAITING, 1)
        assert "553 you are nobody of ours" in row.error
        server.mood = "takes"
        mail.send_again([row])
        assert mail.deliver_mail() == 1


def test_the_log_says_of_nobody_that_their_address_was_refused(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    row = write("nobody@example.org")
    with mail_server(settings):
        mail.deliver_mail()
    assert f"Mail {row.pk} is given up" in caplog.text
    assert "nobody@" not in caplog.text


@pytest.mark.storage
def test_two_workers_never_send_the_same_mail(settings: Any) -> None:
    write()
    claimed = mail._claim()
    assert len(claimed) == 1
    with mail_server(settings) as server:
        assert mail.deliver_mail() == 0
    assert server.received == []


@pytest.mark.storage
def test_a_mail_whose_worker_died_is_due_again_with_the_same_identity(settings: Any) -> None:
    row = write()
    mail._claim()
    OutgoingMail.objects.update(due_at=timezone.now())  # the claim has run out
    identity = row.content["headers"]["Message-ID"]
    with mail_server(settings) as server:
        assert mail.deliver_mail() == 1
    assert identity in server.received[0].decode()


@pytest.mark.storage
def test_a_mail_of_a_request_that_fails_is_not_sent() -> None:
    with suppress(RuntimeError), transaction.atomic():
        write()
        raise RuntimeError
    assert not OutgoingMail.objects.exists()


def test_what_is_wrong_with_a_mail_is_said_where_it_is_written() -> None:
    with pytest.raises(BadHeaderError):
        write(subject="two\nlines")
    assert not OutgoingMail.objects.exists()


@pytest.mark.storage
def test_many_password_resets_with_a_silent_mail_server_answer_and_send_nothing_themselves(
    settings: Any, client: Client
) -> None:
    user = User.objects.create_user("ada@example.org", "a long password")
    with mail_server(settings, "silent") as server:
        for _ in range(3):
            assert client.post(reverse("account_reset_password"), {"email": user.email}).status_code == 302
        server.mood = "takes"
        tasks.deliver_mail()
        server.wait_for(1)
    assert re.search(rb"/accounts/password/reset/key/\S+", server.received[0])


def test_old_rows_are_forgotten_and_waiting_ones_are_not() -> None:
    old = write()
    OutgoingMail.objects.update(state=State.SENT, created_at=timezone.now() - timedelta(days=31))
    waiting = write()
    OutgoingMail.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(days=31))
    mail.forget_old_mail()
    assert list(OutgoingMail.objects.values_list("pk", flat=True)) == [waiting.pk]
    assert old.pk != waiting.pk


def test_staff_see_what_waits_and_why_and_can_ask_for_another_attempt(settings: Any, client: Client) -> None:
    settings.EMAIL_PORT = 1
    row = write()
    mail.deliver_mail()
    client.force_login(User.objects.create_superuser("staff@example.org", "a long password"))
    page = client.get(reverse("admin:jobs_outgoingmail_changelist"))
    assert "refused" in page.content.decode()
    client.post(
        reverse("admin:jobs_outgoingmail_changelist"), {"action": "try_again_now", "_selected_action": [row.pk]}
    )
    with mail_server(settings):
        assert mail.deliver_mail() == 1

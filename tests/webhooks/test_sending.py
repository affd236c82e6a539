"""Messages leave from the worker, to real servers: good ones, bad ones, and those that nobody may be led to."""

import json
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db.models import F
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.jobs import heartbeat
from annotation_platform.jobs.outbox import posting
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import close_batch
from annotation_platform.webhooks import sending, services
from annotation_platform.webhooks.models import Delivery, Endpoint, FormerSecret
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.django_db
State = Delivery.State


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return open_study(name="Owls")


@pytest.fixture(autouse=True)
def private_addresses(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


def hook(study: Study, receiver: Receiver, *kinds: str) -> tuple[Endpoint, str]:
    return services.add_webhook(study=study, address=receiver.url, kinds=kinds or ["batch.closed"], actor=OPERATOR)


def tried(endpoint: Endpoint, receiver: Receiver) -> tuple[dict[str, str], bytes]:
    """Headers and body of a test message that its receiver got."""
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    sending.deliver()
    return receiver.received[-1]


def close(study: Study) -> None:
    assert close_batch(batch=study.batches.get(number=1), because="by hand", actor=OPERATOR)


def the_delivery(endpoint: Endpoint) -> Delivery:
    return endpoint.deliveries.get()


def later(endpoint: Endpoint, **by: float) -> None:
    """Let that time pass for what waits."""
    at = timezone.now() - timedelta(seconds=1)
    Endpoint.objects.filter(pk=endpoint.pk).update(rests_until=at)
    endpoint.deliveries.update(due_at=at)


def time_passes(by: timedelta) -> None:
    """For former secrets."""
    FormerSecret.objects.update(signs_until=F("signs_until") - by)


def test_a_process_that_is_to_end_sends_nothing_further(study: Study, receiver: Receiver) -> None:
    for _ in range(2):
        hook(study, receiver)
    close(study)
    receiver.on_message = heartbeat.ending.set
    try:
        assert sending.deliver() == 1
    finally:
        heartbeat.ending.clear()
        receiver.on_message = lambda: None
    assert sending.is_due()
    assert sending.deliver() == 1


def test_what_happened_arrives_signed(study: Study, receiver: Receiver) -> None:
    endpoint, secret = hook(study, receiver)
    close(study)
    assert receiver.received == []  # nothing is sent by whoever closes a batch
    assert sending.is_due()
    assert sending.deliver() == 1
    ((headers, body),) = receiver.received
    said = Webhook(secret).verify(body, headers)
    assert said["type"] == "batch.closed"
    assert said["data"] == {"study": study.slug, "batch": 1, "because": "by hand"}
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body + b" ", headers)
    delivery = the_delivery(endpoint)
    assert (delivery.state, delivery.status, delivery.attempts) == (State.DELIVERED, 204, 1)
    assert not sending.is_due()
    assert sending.deliver() == 0


def test_what_changes_in_the_midst_of_a_round_holds_for_the_rest_of_it(
    study: Study, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, _ = hook(study, receiver)
    for _ in range(3):
        services.send_test(endpoint=endpoint, actor=OPERATOR)
    secrets: list[str] = []
    changes = [
        lambda: secrets.append(services.rotate_secret(endpoint=endpoint, actor=OPERATOR)),
        lambda: services.switch_off(endpoint=endpoint, actor=OPERATOR),
    ]
    note = sending._note

    def noted(*what: Any) -> None:
        note(*what)
        changes.pop(0)()

    monkeypatch.setattr(sending, "_note", noted)
    assert sending.deliver() == 2
    headers, body = receiver.received[1]
    assert Webhook(secrets[0]).verify(body, headers)
    assert (len(receiver.received), endpoint.deliveries.filter(state=State.WAITING).count()) == (2, 1)
    endpoint.refresh_from_db()
    assert endpoint.claim == ""


def test_what_is_undone_is_not_told(study: Study, receiver: Receiver) -> None:
    from django.db import transaction

    endpoint, _ = hook(study, receiver)
    with transaction.atomic():
        close(study)
        transaction.set_rollback(True)
    assert not endpoint.deliveries.exists()


def test_only_who_wants_it_is_told(study: Study, receiver: Receiver) -> None:
    other, _ = hook(study, receiver, "release.ready")
    off, _ = hook(study, receiver)
    services.switch_off(endpoint=off, actor=OPERATOR)
    elsewhere, _ = hook(open_study(name="Finches"), receiver)
    close(study)
    assert not Delivery.objects.filter(endpoint__in=[other, off, elsewhere]).exists()


def test_a_server_that_breaks_is_tried_again_under_the_same_number(study: Study, receiver: Receiver) -> None:
    endpoint, _ = hook(study, receiver)
    receiver.moods.append(500)
    receiver.says = b"Out of order"
    close(study)
    assert sending.deliver() == 0
    delivery = the_delivery(endpoint)
    assert (delivery.state, delivery.status, delivery.reply) == (State.WAITING, 500, "Out of order")
    assert "500" in str(delivery.error)
    assert sending.deliver() == 0
    assert len(receiver.received) == 1  # it rests first
    later(endpoint)
    assert sending.deliver() == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.error) == (State.DELIVERED, 2, "")
    first, second = receiver.received
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    endpoint.refresh_from_db()
    assert (endpoint.failures, endpoint.failing_since) == (0, None)


@pytest.mark.parametrize("mood", ["silent", "drips"])
def test_a_server_without_an_end_is_left(
    mood: str, study: Study, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, _ = hook(study, receiver)
    receiver.moods.append(mood)
    monkeypatch.setitem(posting.post.__kwdefaults__, "whole_seconds", 0.5)
    close(study)
    begun = time.monotonic()
    assert sending.deliver() == 0
    assert time.monotonic() - begun < 2
    assert the_delivery(endpoint).error.code == "jobs.post_too_slow"


def test_an_answer_without_an_end_counts_by_its_status(receiver: Receiver) -> None:
    receiver.moods.append("drips_body")
    begun = time.monotonic()
    answer = posting.post(receiver.url, b"{}", {}, private=True, whole_seconds=0.5)
    assert answer.status == 200
    assert time.monotonic() - begun < 2


def test_nobody_there_is_a_failure_too(study: Study) -> None:
    with Receiver() as gone:
        endpoint, _ = hook(study, gone)
    close(study)
    sending.deliver()
    assert the_delivery(endpoint).error.code == "jobs.post_failed"


def test_a_redirect_is_not_followed(study: Study, receiver: Receiver) -> None:
    with Receiver() as elsewhere:
        receiver.moods.append(307)
        receiver.location = elsewhere.url
        endpoint, _ = hook(study, receiver)
        close(study)
        sending.deliver()
        assert elsewhere.received == []
    assert the_delivery(endpoint).status == 307


@pytest.mark.parametrize(
    "address",
    [
        *("https://127.0.0.1/", "https://10.1.2.3/", "https://169.254.169.254/latest", "https://[::1]/"),
        *("https://[::ffff:10.0.0.1]/", "https://[64:ff9b::a00:1]/", "https://[2002:a00:1::]/", "https://0.0.0.0/"),
        *("https://[fd00::1]/", "https://224.0.0.1/", "https://100.64.0.1/"),
        *("https://[fec0::1]/", "https://[::a00:1]/", "https://[64:ff9b:1::a00:1]/", "https://192.0.0.8/"),
    ],
)
def test_no_private_address(address: str, study: Study, settings: Any) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    with pytest.raises(InvalidInputError) as refused:
        services.add_webhook(study=study, address=address, kinds=["batch.closed"], actor=OPERATOR)
    assert refused.value.reason.code == "jobs.post_private"


@pytest.mark.parametrize("name", ["localhost", "2130706433", "0x7f.1"])
def test_no_name_that_means_a_private_address(name: str, study: Study, receiver: Receiver, settings: Any) -> None:
    endpoint, _ = hook(study, receiver)
    Endpoint.objects.filter(pk=endpoint.pk).update(address=f"https://{name}:{receiver.port}/")
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    close(study)
    sending.deliver()
    assert the_delivery(endpoint).error.code == "jobs.post_private"
    assert receiver.received == []


def test_a_name_is_looked_up_once(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it cannot mean one machine when it is looked at and another when it is connected to."""
    asked: list[str] = []

    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *rest: Any, **how: Any) -> Any:
        if host != "h.test":
            return real(host, port, *rest, **how)
        asked.append(host)
        return real("127.0.0.1" if len(asked) == 1 else "192.0.2.1", port, *rest, **how)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    answer = posting.post(f"http://h.test:{receiver.port}/", b"{}", {}, private=True)
    assert (answer.status, asked) == (204, ["h.test"])
    assert receiver.received[0][0]["host"] == f"h.test:{receiver.port}"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("http://example.org/", "jobs.post_unencrypted"),
        *((address, "jobs.post_address_wrong") for address in ("ftp://example.org/", "https://", "https://a:b@c.org/")),
        *((address, "jobs.post_address_wrong") for address in ("https://a.org:99999/", "https://a.org/\r\nX: y", "a")),
    ],
)
def test_an_address_is_a_web_address(address: str, code: str, study: Study, settings: Any) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    with pytest.raises(InvalidInputError) as refused:
        services.add_webhook(study=study, address=address, kinds=["batch.closed"], actor=OPERATOR)
    assert refused.value.reason.code == code


def test_after_a_new_secret_both_sign_for_a_day(study: Study, receiver: Receiver) -> None:
    endpoint, former = hook(study, receiver)
    secret = services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    headers, body = tried(endpoint, receiver)
    for each in (former, secret):
        assert Webhook(each).verify(body, headers)["type"] == "webhook.test"
    time_passes(timedelta(days=1))
    headers, body = tried(endpoint, receiver)
    Webhook(secret).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(former).verify(body, headers)
    assert secret not in str(Endpoint.objects.values().get(pk=endpoint.pk))


def test_a_secret_that_is_changed_twice_within_a_day_goes_on_signing(study: Study, receiver: Receiver) -> None:
    endpoint, in_use = hook(study, receiver)
    lost = services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    secret = services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    assert services.rotate_keys() == 1
    headers, body = tried(endpoint, receiver)
    for each in (in_use, lost, secret):
        assert Webhook(each).verify(body, headers)["type"] == "webhook.test"
    time_passes(timedelta(days=1))
    last = services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    headers, body = tried(endpoint, receiver)
    for each in (secret, last):
        assert Webhook(each).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(in_use).verify(body, headers)


def test_a_secret_that_is_changed_each_half_day_signs_for_a_day_after_it_was_replaced(
    study: Study, receiver: Receiver
) -> None:
    endpoint, first = hook(study, receiver)
    second = services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    assert endpoint.former_until is not None
    time_passes(timedelta(hours=12))
    third = services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    time_passes(timedelta(hours=13))
    headers, body = tried(endpoint, receiver)
    for each in (second, third):
        assert Webhook(each).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(first).verify(body, headers)
    services.rotate_secret(endpoint=endpoint, actor=OPERATOR)
    assert FormerSecret.objects.count() == 2, "what signs no more is forgotten"
    time_passes(timedelta(days=1))
    assert endpoint.former_until is None
    assert services.rotate_keys() == 1
    assert not FormerSecret.objects.exists()


def test_a_dead_server_costs_one_attempt_and_holds_up_nobody(study: Study, receiver: Receiver) -> None:
    with Receiver() as gone:
        dead, _ = hook(study, gone)
    alive, _ = hook(study, receiver)
    for _ in range(5):
        services.send_test(endpoint=dead, actor=OPERATOR)
        services.send_test(endpoint=alive, actor=OPERATOR)
    assert sending.deliver() == 5
    assert sum(dead.deliveries.values_list("attempts", flat=True)) == 1


def test_pauses_grow_and_end(study: Study, receiver: Receiver) -> None:
    endpoint, _ = hook(study, receiver)
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    pauses = []
    while the_delivery(endpoint).state == State.WAITING:
        receiver.moods.append(503)
        later(endpoint)
        sending.deliver()
        delivery = the_delivery(endpoint)
        pauses.append(delivery.due_at - timezone.now())
    assert delivery.state == State.GIVEN_UP
    assert pauses[:-1] == sorted(pauses[:-1])
    assert delivery.attempts == len(sending.PAUSES) + 1
    endpoint.refresh_from_db()
    assert endpoint.is_on  # it has not been for long


def test_who_fails_for_long_is_switched_off_and_researchers_are_told(study: Study, receiver: Receiver) -> None:
    researcher = MemberFactory(study=study, role=Role.RESEARCHER, user__language="ja")
    MemberFactory(study=study, role=Role.ANNOTATOR)
    endpoint, _ = hook(study, receiver)
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    Endpoint.objects.filter(pk=endpoint.pk).update(failures=19, failing_since=timezone.now() - timedelta(days=2))
    receiver.moods.append(500)
    sending.deliver()
    endpoint.refresh_from_db()
    assert not endpoint.is_on
    assert endpoint.switched_off_because.code == "webhooks.failing"
    (told,) = mail.outbox
    assert told.to == [researcher.user.email]
    assert "停止" in told.subject
    assert Event.objects.filter(verb=Verb.WEBHOOK_SWITCHED_OFF, study=study.pk, actor_kind="worker").count() == 1
    later(endpoint)
    assert sending.deliver() == 0
    with pytest.raises(ConflictError):
        services.send_test(endpoint=endpoint, actor=OPERATOR)
    services.switch_on(endpoint=endpoint, actor=OPERATOR)
    assert sending.deliver() == 1


def test_who_receives_one_message_and_refuses_the_next_has_not_failed_for_long(
    study: Study, receiver: Receiver
) -> None:
    endpoint, _ = hook(study, receiver)
    for _ in range(2):
        services.send_test(endpoint=endpoint, actor=OPERATOR)
    Endpoint.objects.filter(pk=endpoint.pk).update(failures=19, failing_since=timezone.now() - timedelta(days=2))
    receiver.moods.extend([204, 500])
    assert sending.deliver() == 1
    endpoint.refresh_from_db()
    assert (endpoint.is_on, endpoint.failures) == (True, 1)
    assert endpoint.failing_since is not None
    assert timezone.now() - endpoint.failing_since < timedelta(minutes=1)


def test_who_is_gone_is_switched_off_at_once(study: Study, receiver: Receiver) -> None:
    endpoint, _ = hook(study, receiver)
    receiver.moods.append(410)
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    sending.deliver()
    endpoint.refresh_from_db()
    assert endpoint.switched_off_because.code == "webhooks.gone"


def test_what_was_received_is_sent_again_when_somebody_wants_it(study: Study, receiver: Receiver) -> None:
    endpoint, _ = hook(study, receiver)
    delivery = services.send_test(endpoint=endpoint, actor=OPERATOR)
    sending.deliver()
    services.send_again(delivery=delivery, actor=OPERATOR)
    assert sending.deliver() == 1
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1


def test_a_worker_that_dies_leaves_the_message_to_the_next(study: Study, receiver: Receiver) -> None:
    endpoint, _ = hook(study, receiver)
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    assert sending._claim() is not None
    assert sending.deliver() == 0
    Endpoint.objects.filter(pk=endpoint.pk).update(rests_until=timezone.now())  # three minutes later
    assert sending.deliver() == 1


def test_the_log_is_forgotten_after_a_while(study: Study, receiver: Receiver) -> None:
    endpoint, _ = hook(study, receiver)
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    endpoint.deliveries.update(created_at=timezone.now() - timedelta(days=31))
    sending.forget_old_deliveries()
    assert not endpoint.deliveries.exists()


def test_a_body_is_json_in_any_language(study: Study, receiver: Receiver) -> None:
    endpoint, secret = hook(study, receiver)
    close_batch(batch=study.batches.get(number=1), because="締め切り", actor=OPERATOR)
    sending.deliver()
    headers, body = receiver.received[0]
    Webhook(secret).verify(body, headers)
    assert json.loads(body)["data"]["because"] == "締め切り"
    assert endpoint.deliveries.get().state == State.DELIVERED

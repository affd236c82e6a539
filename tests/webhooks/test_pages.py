"""What researchers do with webhooks on their pages and by the API."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from standardwebhooks import Webhook

from annotation_platform.api.models import KeptReply
from annotation_platform.crowd.providers.vault.secrets import decrypt
from annotation_platform.studies.models import Member, Role
from annotation_platform.webhooks import sending, services
from annotation_platform.webhooks.models import Endpoint
from tests.api.clients import program, send
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.servers.receiver import Receiver

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def researcher(module_db: None) -> Member:
    return MemberFactory(study=open_study(name="Owls"), role=Role.RESEARCHER)


@pytest.fixture
def browser_of(researcher: Member, client: Client, settings: Any) -> Client:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    client.force_login(researcher.user)
    return client


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


def base(researcher: Member) -> str:
    return f"/studies/{researcher.study.slug}/settings/webhooks/"


def text_of(reply: Any) -> str:
    return str(reply.content.decode())


def test_from_the_form_to_the_log(browser_of: Client, researcher: Member, receiver: Receiver) -> None:
    sent = {"address": receiver.url, "note": "Ours", "kinds": ["batch.closed", "run.done"]}
    page = browser_of.post(base(researcher), sent)
    endpoint = Endpoint.objects.get()
    secret = decrypt(endpoint.encrypted_secret)
    assert secret in text_of(page)
    assert secret not in text_of(browser_of.get(base(researcher)))
    one = f"{base(researcher)}{endpoint.pk}/"
    browser_of.post(one, {"step": "test"})
    sending.deliver()
    page = text_of(browser_of.get(one))
    assert secret not in page
    assert "webhook.test" in page
    assert "delivered" in page
    browser_of.post(f"{one}messages/{endpoint.deliveries.get().pk}/")
    sending.deliver()
    headers, body = receiver.received[1]
    assert Webhook(secret).verify(body, headers)["type"] == "webhook.test"


def test_a_mistake_stands_in_the_form(browser_of: Client, researcher: Member) -> None:
    page = browser_of.post(base(researcher), {"address": "ftp://example.org", "kinds": ["batch.closed"]})
    assert page.status_code == 422
    assert "no web address" in text_of(page)
    assert "ftp://example.org" in text_of(page)
    assert browser_of.post(base(researcher), {"address": "https://example.org/"}).status_code == 422


def test_changing_rotating_switching_deleting(browser_of: Client, researcher: Member, receiver: Receiver) -> None:
    endpoint, former = services.add_webhook(
        study=researcher.study, address=receiver.url, kinds=["batch.closed"], actor=OPERATOR
    )
    one = f"{base(researcher)}{endpoint.pk}/"
    change = {"step": "change", "address": receiver.url, "note": "New", "kinds": ["release.ready"]}
    assert browser_of.post(one, change).status_code == 302
    endpoint.refresh_from_db()
    assert (endpoint.note, endpoint.kinds) == ("New", ["release.ready"])
    page = text_of(browser_of.post(one, {"step": "rotate"}))
    endpoint.refresh_from_db()
    assert decrypt(endpoint.encrypted_secret) in page
    assert decrypt(endpoint.former_secrets.get().encrypted_secret) == former
    browser_of.post(one, {"step": "off"})
    assert "Switched off" in text_of(browser_of.get(one))
    browser_of.post(one, {"step": "on"})
    endpoint.refresh_from_db()
    assert endpoint.is_on
    browser_of.post(one, {"step": "delete"})
    assert browser_of.get(one).status_code == 404
    history = text_of(browser_of.get(f"/studies/{researcher.study.slug}/history/?topic=webhook"))
    assert history.count("a webhook") >= 5
    assert receiver.url not in history  # addresses may hold keys


def test_a_study_says_that_one_was_switched_off(browser_of: Client, researcher: Member, receiver: Receiver) -> None:
    endpoint, _ = services.add_webhook(
        study=researcher.study, address=receiver.url, kinds=["batch.closed"], actor=OPERATOR
    )
    services.send_test(endpoint=endpoint, actor=OPERATOR)
    Endpoint.objects.update(failures=30, failing_since=timezone.now() - timedelta(days=2))
    receiver.moods.append(500)
    sending.deliver()
    assert "A webhook was switched off" in text_of(browser_of.get(f"/studies/{researcher.study.slug}/"))


def test_the_same_by_the_api(researcher: Member, receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    client, path = program(researcher.user), f"/studies/{researcher.study.slug}/webhooks"
    made = send(client, "POST", path, {"address": receiver.url})
    assert made.status_code == 201
    secret, one = made.json()["secret"], f"{path}/{made.json()['id']}"
    assert "judgment.submitted" not in made.json()["kinds"]
    assert "secret" not in send(client, "GET", one).json()
    assert send(client, "POST", f"{one}/test").status_code == 202
    sending.deliver()
    headers, body = receiver.received[0]
    Webhook(secret).verify(body, headers)
    (delivery,) = send(client, "GET", f"{one}/deliveries").json()["results"]
    assert (delivery["state"], delivery["status"], delivery["body"]) == ("delivered", 204, body.decode())
    assert send(client, "POST", f"{one}/deliveries/{delivery['id']}/again").json()["state"] == "waiting"
    assert send(client, "POST", f"{one}/rotate").json()["secret"] != secret
    assert send(client, "PATCH", one, {"is_on": False}).json()["is_on"] is False
    refused = send(client, "POST", f"{one}/test")
    assert (refused.status_code, refused.json()["code"]) == (409, "webhooks.off")
    assert send(client, "DELETE", one).status_code == 204
    assert send(client, "GET", path).json()["results"] == []


def test_a_reply_that_is_kept_has_no_secret(researcher: Member) -> None:
    client, path = program(researcher.user), f"/studies/{researcher.study.slug}/webhooks"
    body, key = {"address": "https://example.org/hook"}, {"idempotency-key": "once"}
    first = send(client, "POST", path, body, **key).json()
    again = send(client, "POST", path, body, **key)
    assert again.json() == first | {"secret": ""}
    assert again["Content-Type"] == "application/json; charset=utf-8"
    assert first["secret"].encode() not in bytes(KeptReply.objects.get().body)


def test_secrets_are_written_with_a_new_key(researcher: Member, settings: Any) -> None:
    settings.IDENTITY_KEYS = ["a" * 40]
    endpoint, secret = services.add_webhook(
        study=researcher.study, address="https://example.org/", kinds=["batch.closed"], actor=OPERATOR
    )
    settings.IDENTITY_KEYS = ["b" * 40, "a" * 40]
    call_command("rotate_identities")
    settings.IDENTITY_KEYS = ["b" * 40]
    endpoint.refresh_from_db()
    assert decrypt(endpoint.encrypted_secret) == secret

"""What is done with a study's webhooks: adding, changing, switching off and on, deleting, sending again."""

import base64
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.providers.vault.secrets import encrypt, encrypt_again
from annotation_platform.jobs.outbox.posting import check_web_address
from annotation_platform.studies.models import Study
from annotation_platform.webhooks.kinds import NAMES, TEST
from annotation_platform.webhooks.mails import mail_of_switching_off
from annotation_platform.webhooks.models import Delivery, Endpoint, FormerSecret
from annotation_platform.webhooks.queueing import body_of, message

MOST = 10
LONGEST_NOTE = 120
BEGINNING = "whsec_"
SECRET_BYTES = 32
KEPT_FOR = timedelta(days=30)
FORMER_FOR = timedelta(days=1)


def webhook_of(study: Study, pk: int) -> Endpoint:
    """
    Raises
    ------
    NotThereError
        When the study has none of this number.
    """
    if (found := Endpoint.objects.filter(study=study, pk=pk).first()) is None:
        raise NotThereError("webhooks.none")
    return found


def delivery_of(endpoint: Endpoint, pk: int) -> Delivery:
    """
    Raises
    ------
    NotThereError
        When the log has no such message, or no longer.
    """
    if (found := endpoint.deliveries.select_related("endpoint__study").filter(pk=pk).first()) is None:
        raise NotThereError("webhooks.no_delivery", days=KEPT_FOR.days)
    return found


@transaction.atomic
def add_webhook(
    *, study: Study, address: str, kinds: Collection[str], note: str = "", actor: Actor
) -> tuple[Endpoint, str]:
    """A new endpoint, and its secret: the only time that anybody sees it.

    Raises
    ------
    InvalidInputError
        When the address cannot be, a kind is unknown or there is none, or the study has very many.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if Endpoint.objects.filter(study=study).count() >= MOST:
        raise InvalidInputError("webhooks.too_many", most=MOST)
    told = _checked(address, kinds, note)
    secret = _new_secret()
    endpoint = Endpoint.objects.create(study=study, encrypted_secret=encrypt(secret), **told)
    record(actor, Verb.WEBHOOK_ADDED, endpoint, study=study, change=differences({}, _said(endpoint)))
    return endpoint, secret


@transaction.atomic
def change_webhook(
    *,
    endpoint: Endpoint,
    address: str | None = None,
    kinds: Collection[str] | None = None,
    note: str | None = None,
    actor: Actor,
) -> None:
    """Another address, other kinds, another note; None leaves what is there.

    Raises
    ------
    InvalidInputError
        As :func:`add_webhook`.
    """
    now = locked(endpoint)
    before = _said(now)
    told = _checked(
        now.address if address is None else address,
        now.kinds if kinds is None else kinds,
        now.note if note is None else note,
    )
    Endpoint.objects.filter(pk=now.pk).update(**told)
    endpoint.refresh_from_db()
    if change := differences(before, _said(endpoint)):
        record(actor, Verb.WEBHOOK_CHANGED, endpoint, study=endpoint.study, change=change)


@transaction.atomic
def rotate_secret(*, endpoint: Endpoint, actor: Actor) -> str:
    """A new secret, shown this once; the present one signs, too, until a day from now.

    Of several within a day all sign: nobody knows here which of them the receiver has.
    """
    now, secret = locked(endpoint), _new_secret()
    now.former_secrets.over().delete()
    now.former_secrets.create(encrypted_secret=now.encrypted_secret, signs_until=timezone.now() + FORMER_FOR)
    Endpoint.objects.filter(pk=endpoint.pk).update(encrypted_secret=encrypt(secret))
    endpoint.refresh_from_db()
    record(actor, Verb.WEBHOOK_SECRET_ROTATED, endpoint, study=endpoint.study)
    return secret


@transaction.atomic
def switch_off(*, endpoint: Endpoint, because: Reason | None = None, actor: Actor) -> None:
    """Send nothing more; with a reason it was the platform, and the study's researchers are mailed.

    What happens meanwhile is not told later. What waits already goes out when it is switched on again.
    """
    off = {"switched_off_at": timezone.now(), "switched_off_because": because or ""}
    if not Endpoint.objects.switched_on().filter(pk=endpoint.pk).update(**off):
        return
    endpoint.refresh_from_db()
    record(actor, Verb.WEBHOOK_SWITCHED_OFF, endpoint, study=endpoint.study)
    if because is not None:
        mail_of_switching_off(endpoint)


@transaction.atomic
def switch_on(*, endpoint: Endpoint, actor: Actor) -> None:
    """Send again, what waits first; doing it twice does no harm."""
    rested = {"rests_until": timezone.now(), "failures": 0, "failing_since": None, "claim": ""}
    on = {"switched_off_at": None, "switched_off_because": ""}
    if Endpoint.objects.filter(pk=endpoint.pk).exclude(switched_off_at=None).update(**rested, **on):
        record(actor, Verb.WEBHOOK_SWITCHED_ON, endpoint, study=endpoint.study)
    endpoint.refresh_from_db()


@transaction.atomic
def delete_webhook(*, endpoint: Endpoint, actor: Actor) -> None:
    """Delete an endpoint with its secret and its log."""
    gone = {field: (value, None) for field, value in _said(endpoint).items() if value}
    record(actor, Verb.WEBHOOK_DELETED, endpoint, study=endpoint.study, change=gone)
    endpoint.delete()


@transaction.atomic
def send_test(*, endpoint: Endpoint, actor: Actor) -> Delivery:
    """Put a message into the outbox that tells of nothing.

    Raises
    ------
    ConflictError
        When the endpoint is switched off.
    """
    now = timezone.now()
    body = body_of(TEST, now, {"study": endpoint.study.slug})
    delivery = message(endpoint, TEST, body, now)
    delivery.save()
    _send_soon(delivery, actor)
    return delivery


@transaction.atomic
def send_again(*, delivery: Delivery, actor: Actor) -> None:
    """Send a message once more, under its own number, whatever became of it.

    Raises
    ------
    ConflictError
        When the endpoint is switched off.
    """
    Delivery.objects.filter(pk=delivery.pk).update(state=Delivery.State.WAITING, attempts=0, due_at=timezone.now())
    delivery.refresh_from_db()
    _send_soon(delivery, actor)


def rotate_keys() -> int:
    """Encrypt the secrets of all endpoints with the first of the platform's keys; give how many there are."""
    FormerSecret.objects.over().delete()
    endpoints = list(Endpoint.objects.all())
    for each in (*endpoints, *FormerSecret.objects.all()):
        as_it_was = type(each).objects.filter(pk=each.pk, encrypted_secret=each.encrypted_secret)
        as_it_was.update(encrypted_secret=encrypt_again(each.encrypted_secret))  # not over one that is new since
    return len(endpoints)


def _send_soon(delivery: Delivery, actor: Actor) -> None:
    endpoint = delivery.endpoint
    if not endpoint.is_on:
        raise ConflictError("webhooks.off")
    Endpoint.objects.filter(pk=endpoint.pk, claim="").update(rests_until=timezone.now())
    record(actor, Verb.WEBHOOK_SENT_AGAIN, endpoint, study=endpoint.study, change={"message": (None, str(delivery))})


def locked(endpoint: Endpoint) -> Endpoint:
    """An endpoint as it is now, which nobody else changes until the transaction ends."""
    return Endpoint.objects.select_for_update(of=("self",)).select_related("study").get(pk=endpoint.pk)


def _checked(address: str, kinds: Collection[str], note: str) -> dict[str, Any]:
    address, note = address.strip(), " ".join(note.split())
    check_web_address(address, private=settings.WEBHOOK_PRIVATE_ADDRESSES)
    if not kinds or any(kind not in NAMES for kind in kinds):
        raise InvalidInputError("webhooks.kinds_wrong", known=NAMES)
    if len(note) > LONGEST_NOTE:
        raise InvalidInputError("webhooks.note_too_long", most=LONGEST_NOTE)
    return {"address": address, "kinds": [kind for kind in NAMES if kind in kinds], "note": note}


def _said(endpoint: Endpoint) -> dict[str, Any]:
    """What an event says of an endpoint: nothing of its secrets, and of its address no more than the server."""
    server = check_web_address(endpoint.address, private=True).hostname
    return {"server": server, "kinds": ", ".join(endpoint.kinds), "note": endpoint.note}


def _new_secret() -> str:
    return BEGINNING + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()

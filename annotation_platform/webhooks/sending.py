"""Sending what waits: endpoint by endpoint, each held by one worker, in the order in which things happened.

An endpoint that does not answer rests, longer each time, so that a dead server costs one attempt a pause and not one a
message. A worker that dies between the answer and the note of it sends a message twice, under the same number.
"""

import logging
import secrets
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from standardwebhooks import Webhook

from annotation_platform import __version__
from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import DomainError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.providers.vault.secrets import decrypt
from annotation_platform.jobs.heartbeat import ending
from annotation_platform.jobs.outbox.posting import Answer, post
from annotation_platform.webhooks.models import Delivery, Endpoint
from annotation_platform.webhooks.services import KEPT_FOR, switch_off

logger = logging.getLogger(__name__)

AT_ONCE = 50
ROUND_SECONDS = 30.0  # after which another endpoint, or other work of the worker, has its turn
CLAIMED_FOR = timedelta(minutes=3)  # more than a round and the last attempt in it take
PAUSES = [
    timedelta(seconds=10),
    *(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60)),
    *(timedelta(hours=hours) for hours in (3, 6, 12)),
]
LONGEST_REST = timedelta(hours=1)
MOST_FAILURES, FAILING_FOR = 20, timedelta(days=1)
GONE = 410
State = Delivery.State


def deliver() -> int:
    """Send what is due, for about ``ROUND_SECONDS``; give how many messages were received."""
    received, end = 0, time.monotonic() + ROUND_SECONDS
    while time.monotonic() < end and not ending.is_set() and (endpoint := _claim()) is not None:
        received += _deliver_to(endpoint, end)
    return received


def is_due() -> bool:
    return Endpoint.objects.due().exists()


def forget_old_deliveries() -> None:
    """Delete the log of long ago."""
    Delivery.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()


def signed_headers(endpoint: Endpoint, delivery: Delivery, now: datetime) -> dict[str, str]:
    """The headers of Standard Webhooks; for a while after a change of the secret there are several signatures."""
    former = endpoint.former_secrets.in_force().values_list("encrypted_secret", flat=True)
    kept = [endpoint.encrypted_secret, *former]
    signatures = [Webhook(decrypt(each)).sign(delivery.message_id, now, delivery.body) for each in kept]
    return {
        "Content-Type": "application/json",
        "User-Agent": f"annotation-platform/{__version__}",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _claim() -> Endpoint | None:
    for pk in Endpoint.objects.due().order_by("rests_until", "pk").values_list("pk", flat=True)[:AT_ONCE]:
        claim, now = secrets.token_hex(8), timezone.now()
        free = Endpoint.objects.switched_on().filter(pk=pk, rests_until__lte=now)
        if free.update(claim=claim, rests_until=now + CLAIMED_FOR):
            return Endpoint.objects.select_related("study").filter(pk=pk, claim=claim).first()
    return None


def _deliver_to(endpoint: Endpoint, end: float) -> int:
    """Send an endpoint's messages until one is not received, or time is up."""
    received = 0
    for delivery in Delivery.objects.due().filter(endpoint=endpoint).order_by("pk")[:AT_ONCE]:
        # As it is now: a round takes a while, in which it may get another secret or address, or be switched off.
        as_it_is = Endpoint.objects.switched_on().filter(pk=endpoint.pk, claim=endpoint.claim).first()
        if as_it_is is None:
            break
        why = _attempt(as_it_is, delivery)
        if why is not None:
            _rest(endpoint, delivery, why)
            return received
        received += 1
        endpoint.failures, endpoint.failing_since = 0, None
        if time.monotonic() > end or ending.is_set():
            break
    _let_go(endpoint, rests_until=timezone.now(), failures=endpoint.failures, failing_since=endpoint.failing_since)
    return received


def _attempt(endpoint: Endpoint, delivery: Delivery) -> Reason | None:
    """Send one message and note what came back; why it does not count as received, or None."""
    now, answer, why = timezone.now(), None, None
    try:
        headers = signed_headers(endpoint, delivery, now)
        answer = post(endpoint.address, delivery.body.encode(), headers, private=settings.WEBHOOK_PRIVATE_ADDRESSES)
        if not answer.is_success:
            why = Reason("webhooks.status", status=answer.status)
    except DomainError as error:
        why = error.reason
    _note(delivery, now, answer, why)
    return why


def _note(delivery: Delivery, now: datetime, answer: Answer | None, why: Reason | None) -> None:
    delivery.attempts += 1
    delivery.status = answer.status if answer else None
    changes: dict[str, Any] = {"state": State.DELIVERED}
    if why is not None and delivery.attempts > len(PAUSES):
        changes = {"state": State.GIVEN_UP}
    elif why is not None:
        changes = {"due_at": now + PAUSES[delivery.attempts - 1]}
    Delivery.objects.filter(pk=delivery.pk).update(
        attempts=delivery.attempts,
        status=delivery.status,
        reply=answer.beginning.replace("\x00", "�") if answer else "",
        error=why or "",
        tried_at=now,
        **changes,
    )


def _rest(endpoint: Endpoint, delivery: Delivery, why: Reason) -> None:
    """Leave an endpoint alone for a while, or for good."""
    now, failures = timezone.now(), endpoint.failures + 1
    since = endpoint.failing_since or now
    pause = min(PAUSES[min(failures, len(PAUSES)) - 1], LONGEST_REST)
    _let_go(endpoint, rests_until=now + pause, failures=failures, failing_since=since)
    if delivery.status == GONE:
        _give_up(endpoint, Reason("webhooks.gone"))
    elif failures >= MOST_FAILURES and now - since >= FAILING_FOR:
        _give_up(endpoint, Reason("webhooks.failing", count=failures, last=why))


def _give_up(endpoint: Endpoint, because: Reason) -> None:
    logger.warning("Webhook %s is switched off: %s", endpoint.pk, because)
    switch_off(endpoint=endpoint, because=because, actor=Actor.worker("webhooks"))


def _let_go(endpoint: Endpoint, **changes: Any) -> None:
    Endpoint.objects.filter(pk=endpoint.pk, claim=endpoint.claim).update(claim="", **changes)

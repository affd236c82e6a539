"""The outbox of orders to Prolific: claimed one at a time, made once, and noted as what became of them.

Approving and rejecting may be repeated, and so may setting bonuses up, which moves no money. Paying them may not, nor
making and publishing a study: ``paying_at`` is committed before that call, after which the order is never intended
again (the database sees to it).
"""

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeGuard

from django.db import IntegrityError, models, transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.providers.prolific.client import (
    NotSentError,
    ProlificClient,
    RefusalError,
    UnclearError,
)
from annotation_platform.crowd.providers.prolific.made import note_made
from annotation_platform.crowd.providers.prolific.models import ProviderCall, Submission, SubmissionState
from annotation_platform.crowd.providers.prolific.outcomes import bonuses_are_paid
from annotation_platform.crowd.providers.prolific.visits import IDENTIFIER
from annotation_platform.crowd.providers.vault.secrets import UnreadableSecretError, decrypt
from annotation_platform.jobs.heartbeat import stopping
from annotation_platform.jobs.outbox.mail import ROUND_SECONDS

logger = logging.getLogger(__name__)

AT_ONCE = 20
CLAIMED_FOR = timedelta(minutes=5)  # more than any call takes
PAUSES = [timedelta(seconds=10), *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 30, 60))]
GIVEN_UP_AFTER = timedelta(hours=24)
MOST_WITH_FEES = 2  # times the bonuses: Prolific's fees and taxes are about half of them
SETUP = re.compile(r"[A-Za-z0-9_-]{1,64}")
State = ProviderCall.State


def make_calls() -> int:
    """Carry out what is due, a few orders, for about ``ROUND_SECONDS``, and none after this process was asked to end;
    give how many."""
    _take_up_left_behind()
    count, end = 0, time.monotonic() + ROUND_SECONDS
    while count < AT_ONCE and not (stopping.is_set() or time.monotonic() > end) and (call := _claim()) is not None:
        _make(call)
        count += 1
    return count


def is_due() -> bool:
    stale = ProviderCall.objects.filter(state=State.SENT, sent_at__lt=timezone.now() - CLAIMED_FOR)
    return _due().exists() or stale.exists()


def _due() -> models.QuerySet[ProviderCall]:
    return ProviderCall.objects.filter(state=State.INTENDED, due_at__lte=timezone.now())


def _claim() -> ProviderCall | None:
    """The next order, of a study none of whose orders is under way; the database lets only one of them be."""
    busy = ProviderCall.objects.filter(state=State.SENT).values("connection")
    for pk in _due().exclude(connection__in=busy).order_by("due_at", "pk").values_list("pk", flat=True)[:AT_ONCE]:
        claim = secrets.token_hex(8)
        try:
            with transaction.atomic():
                taken = _due().filter(pk=pk).update(state=State.SENT, claim=claim, sent_at=timezone.now())
        except IntegrityError:  # another worker is at this study
            continue
        if taken:
            return ProviderCall.objects.select_related("connection__study", "submission").get(pk=pk)
    return None


def _take_up_left_behind() -> None:
    """Orders whose worker died: paying is unclear then, the rest is made again."""
    stale = ProviderCall.objects.filter(state=State.SENT, sent_at__lt=timezone.now() - CLAIMED_FOR)
    stale.filter(paying_at__isnull=False).update(state=State.UNCLEAR, claim="", error=Reason("crowd.call_worker_died"))
    stale.filter(paying_at=None).update(state=State.INTENDED, claim="", due_at=timezone.now())


def _make(call: ProviderCall) -> None:
    try:
        client = ProlificClient(decrypt(call.connection.encrypted_token))
        WAYS.get(call.kind, _transition)(client, call)
    except (RefusalError, UnreadableSecretError) as error:
        _end(call, State.REFUSED, error)
    except NotSentError as error:
        if call.paying_at is None:
            _postpone(call, error, error.wait)
        else:  # it never got there, so it is known not to be done, and is ordered anew
            _end(call, State.REFUSED, error)
    except UnclearError as error:
        if call.paying_at is None:
            _postpone(call, error)
        else:
            _end(call, State.UNCLEAR, error)


def _transition(client: ProlificClient, call: ProviderCall) -> None:
    assert call.submission is not None  # the database sees to it
    client.tell("POST", f"/submissions/{call.submission.external_id}/transition/", call.body)
    approved = call.kind == ProviderCall.Kind.APPROVE
    state = SubmissionState.APPROVED if approved else SubmissionState.REJECTED
    with transaction.atomic():
        _end(call, State.CONFIRMED)
        Submission.objects.filter(pk=call.submission.pk).update(state=state, told_at=timezone.now())


def _pay(client: ProlificClient, call: ProviderCall) -> None:
    """Set the bonuses up, look whether Prolific understood the same sum, then pay, once."""
    lines = list(call.lines.select_related("submission"))
    rows = "".join(f"{line.submission.external_id},{line.shown}\n" for line in lines)
    set_up = client.ask("POST", "/submissions/bonus-payments/", {"study_id": call.external_study, "csv_bonuses": rows})
    setup_id, total = set_up.get("id"), set_up.get("total_amount")
    meant = sum(line.amount for line in lines)
    if not isinstance(setup_id, str) or not SETUP.fullmatch(setup_id) or not _is_believable(total, meant):
        raise RefusalError("crowd.bonus_misunderstood", meant=meant, understood=json.dumps(total)[:100])
    if not _begin_once(call, setup_id=setup_id, total_there=round(total)):
        return
    client.tell("POST", f"/bulk-bonus-payments/{setup_id}/pay/")
    with transaction.atomic():
        if _end(call, State.CONFIRMED):
            bonuses_are_paid(call, _worker(call))


def _create(client: ProlificClient, call: ProviderCall) -> None:
    """Make a draft; its identifier is one by which people may come in."""
    if not _begin_once(call):
        return
    said = client.ask("POST", "/studies/", call.body)
    external_study = said.get("id")
    if not isinstance(external_study, str) or not IDENTIFIER.fullmatch(external_study):
        raise UnclearError("crowd.prolific_other_reply", words=json.dumps(said)[:100])
    with transaction.atomic():
        if _end(call, State.CONFIRMED):
            note_made(call, external_study)


def _publish(client: ProlificClient, call: ProviderCall) -> None:
    if not _begin_once(call):
        return
    client.tell("POST", f"/studies/{call.external_study}/transition/", {"action": "PUBLISH"})
    _end(call, State.CONFIRMED)


WAYS: dict[str, Callable[[ProlificClient, ProviderCall], None]] = {
    ProviderCall.Kind.BONUS: _pay,
    ProviderCall.Kind.CREATE: _create,
    ProviderCall.Kind.PUBLISH: _publish,
}


def _begin_once(call: ProviderCall, **found: object) -> bool:
    """Note that the call which must not be repeated begins.

    False when it is not to begin here: the order is another worker's by now; or this process was asked to end, which
    waits for one request and not for the second of an order, so the order is left to the next worker.
    """
    now = timezone.now()
    if stopping.is_set():
        _leave(call, state=State.INTENDED, due_at=now)
        return False
    begun = ProviderCall.objects.filter(pk=call.pk, claim=call.claim, state=State.SENT, paying_at=None).update(
        paying_at=now, sent_at=now, **found
    )
    if not begun:
        logger.warning("%s was taken over by another worker, so it is not carried out here.", call)
        return False
    call.paying_at = now
    return True


def _worker(call: ProviderCall) -> Actor:
    return Actor.worker("prolific", call.pk, on_behalf_of=call.created_by_id)


def _is_believable(total: object, meant: int) -> TypeGuard[float]:
    """Whether what Prolific will take for bonuses is their sum with its fees, and not a sum in another unit."""
    return isinstance(total, int | float) and meant <= total <= MOST_WITH_FEES * meant


def _postpone(call: ProviderCall, error: CodedError, wait: float | None = None) -> None:
    if timezone.now() - call.created_at > GIVEN_UP_AFTER:
        _end(call, State.REFUSED, error)
        return
    pause = PAUSES[min(call.attempts, len(PAUSES) - 1)] if wait is None else timedelta(seconds=wait)
    due_at = timezone.now() + pause
    _leave(call, state=State.INTENDED, due_at=due_at, attempts=call.attempts + 1, error=error.reason)


def _end(call: ProviderCall, state: ProviderCall.State, error: CodedError | None = None) -> bool:
    why = error.reason if error else ""
    return _leave(call, state=state, ended_at=timezone.now(), attempts=call.attempts + 1, error=why)


def _leave(call: ProviderCall, **changes: object) -> bool:
    """Note what became of an order; False when it is another worker's by now."""
    left = ProviderCall.objects.filter(pk=call.pk, claim=call.claim, state=State.SENT).update(claim="", **changes)
    if not left:
        logger.warning("%s was taken over by another worker.", call)
    return bool(left)

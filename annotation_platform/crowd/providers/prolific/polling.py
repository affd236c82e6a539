"""How submissions stand, asked for now and then: instead of hooks, or where one of them got lost."""

import json
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.crowd.providers.prolific.client import SHOWN_WORDS, ProlificClient, UnclearError
from annotation_platform.crowd.providers.prolific.models import (
    CARRIED_OUT,
    OVER,
    ProlificStudy,
    ProviderCall,
    Submission,
    SubmissionState,
)
from annotation_platform.crowd.providers.prolific.visits import IDENTIFIER
from annotation_platform.crowd.providers.vault.secrets import decrypt
from annotation_platform.jobs.heartbeat import stopping
from annotation_platform.jobs.outbox.mail import ROUND_SECONDS

EVERY = timedelta(minutes=5)
LEDGER_FOLLOWS = timedelta(hours=1)
MOST_PAGES = 500
LARGEST_SUM = 2**31 - 1  # that the column holds


def due_to_ask() -> list[ProlificStudy]:
    """Studies with a token that were not asked about lately, and of which something may be still to be told; those that
    are to be asked about at once first, then those that wait longest.

    That is how submissions stand that are not over, and what bonuses they have by Prolific's ledger: as long as an
    order of bonuses is unclear, and for a while after one was carried out, which Prolific does in its own time. A study
    that was not asked about yet, or is to be asked about at once, is due in any case.
    """
    now = timezone.now()
    open_submissions = Submission.objects.exclude(state__in=OVER).values("connection")
    bonuses = ProviderCall.objects.filter(kind=ProviderCall.Kind.BONUS)
    unclear = Q(state=ProviderCall.State.UNCLEAR) | Q(state__in=CARRIED_OUT, ended_at__gt=now - LEDGER_FOLLOWS)
    waiting = Q(asked_at=None) | Q(pk__in=open_submissions) | Q(pk__in=bonuses.filter(unclear).values("connection"))
    lately = Q(asked_at__gt=now - EVERY)
    due = ProlificStudy.objects.filter(waiting).exclude(lately).exclude(encrypted_token="")
    return list(due.order_by(F("asked_at").asc(nulls_first=True), "pk"))


def ask_all() -> None:
    """Ask about what is due, for about ``ROUND_SECONDS``; the next round asks about the rest."""
    end = time.monotonic() + ROUND_SECONDS
    for connection in due_to_ask():
        if stopping.is_set() or time.monotonic() > end:
            return
        ask(connection)


def ask_soon(*, connection: ProlificStudy) -> None:
    """Have a study's submissions asked for with the next round of asking, however lately that was done.

    Raises
    ------
    InvalidInputError
        When there is no token to ask with.
    """
    if not connection.encrypted_token:
        raise InvalidInputError("crowd.prolific_no_token")
    ProlificStudy.objects.filter(pk=connection.pk).update(asked_at=None)
    connection.refresh_from_db()


def ask(connection: ProlificStudy) -> None:
    """Take over how every known submission stands; what went wrong is kept for the page."""
    began = timezone.now()
    # Whoever asks first has the turn, so that two workers do not ask at once.
    mine = ProlificStudy.objects.filter(pk=connection.pk, asked_at=connection.asked_at).update(asked_at=began)
    if not mine:
        return
    error: object = ""
    try:
        client = ProlificClient(decrypt(connection.encrypted_token))
        known = connection.submissions.exclude(external_study="").values_list("external_study", flat=True)
        for external_study in dict.fromkeys(known.order_by("external_study")):
            take_over(connection, _listed(client, external_study))
    except DomainError as failed:
        error = failed.reason
    again = {"asked_at": None} if stopping.is_set() else {}  # the next worker asks for what is missing
    ProlificStudy.objects.filter(pk=connection.pk).update(ask_error=error, **again)
    connection.refresh_from_db()


def take_over(connection: ProlificStudy, told: Iterable[Mapping[str, Any]]) -> int:
    """Note what Prolific says of submissions; give how many of them are ours."""
    count = 0
    for one in told:
        if (state := SubmissionState.named(str(one.get("status", "")))) is None:
            continue
        changes: dict[str, Any] = {"state": state, "told_at": timezone.now()}
        if (bonuses := _bonuses(one.get("bonus_payments"))) is not None:
            changes["bonus_there"] = bonuses
        if isinstance(key := one.get("id"), str) and IDENTIFIER.fullmatch(key):
            count += connection.submissions.filter(external_id=key).update(**changes)
    return count


def _listed(client: ProlificClient, external_study: str) -> Iterable[Mapping[str, Any]]:
    for page in range(1, MOST_PAGES + 1):
        if stopping.is_set():
            return
        said = client.ask("GET", "/submissions/", study=external_study, page=page)
        results = said.get("results")
        if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
            raise UnclearError("crowd.prolific_other_reply", words=json.dumps(said)[:SHOWN_WORDS])
        yield from results
        if not results or not _has_next(said.get("_links")):
            return
    raise UnclearError("crowd.prolific_endless_list", pages=MOST_PAGES)


def _has_next(links: Any) -> bool:
    following = links.get("next") if isinstance(links, dict) else None
    return isinstance(following, dict) and bool(following.get("href"))


def _bonuses(told: Any) -> int | None:
    """The sum of bonuses that a reply lists; None where it says nothing, or nothing that an amount can be."""
    if not isinstance(told, list) or not all(type(each) in (int, float) for each in told):
        return None
    total = sum(told)
    return round(total) if 0 <= total <= LARGEST_SUM else None

"""How submissions stand, asked for now and then: instead of hooks, or where one of them got lost."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.crowd.providers.prolific.client import ProlificClient
from annotation_platform.crowd.providers.prolific.models import OVER, ProlificStudy, Submission, SubmissionState
from annotation_platform.crowd.providers.vault.secrets import decrypt

EVERY = timedelta(minutes=5)
MOST_PAGES = 50
STATES = frozenset(SubmissionState.values)


def due_to_ask() -> list[ProlificStudy]:
    """Studies with a token some of whose submissions are not over, and that were not asked about lately."""
    waiting = Submission.objects.exclude(state__in=OVER).values("connection")
    lately = Q(asked_at__gt=timezone.now() - EVERY)
    return list(ProlificStudy.objects.filter(pk__in=waiting).exclude(lately).exclude(encrypted_token=""))


def ask_all() -> None:
    for connection in due_to_ask():
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
    ProlificStudy.objects.filter(pk=connection.pk).update(ask_error=error)
    connection.refresh_from_db()


def take_over(connection: ProlificStudy, told: Iterable[Mapping[str, Any]]) -> int:
    """Note what Prolific says of submissions; give how many of them are ours."""
    count = 0
    for one in told:
        state = str(one.get("status", "")).replace("_", " ")
        state = SubmissionState.TIMED_OUT if state == "TIMED OUT" else state
        if state not in STATES:
            continue
        changes: dict[str, Any] = {"state": state, "told_at": timezone.now()}
        bonuses = one.get("bonus_payments")
        if isinstance(bonuses, list):
            changes["bonus_there"] = round(sum(each for each in bonuses if isinstance(each, int | float)))
        count += connection.submissions.filter(external_id=str(one.get("id", ""))).update(**changes)
    return count


def _listed(client: ProlificClient, external_study: str) -> Iterable[Mapping[str, Any]]:
    for page in range(1, MOST_PAGES + 1):
        said = client.ask("GET", "/submissions/", study=external_study, page=page)
        results = said.get("results", []) if isinstance(said, dict) else []
        yield from (each for each in results if isinstance(each, dict))
        links = said.get("_links", {}) if isinstance(said, dict) else {}
        if not results or not (links.get("next") or {}).get("href"):
            return

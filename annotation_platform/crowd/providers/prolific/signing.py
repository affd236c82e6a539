"""Identifiers with Prolific's signature: a JSON Web Token in the address by which somebody arrives.

A study that asks for it believes what is signed and nothing else: no one comes in by identifiers that they typed. From
the first page to its button we sign ourselves, since Prolific's token ends while somebody reads.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.core.cache import cache

from annotation_platform.core.errors import DomainError
from annotation_platform.crowd.providers.prolific.client import ProlificClient
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.visits import Arrival, VisitError

if TYPE_CHECKING:
    from jwt import PyJWK

PARAMETER, TICKET = "prolific_token", "ticket"
KEYS_PATH = "/.well-known/study/jwks.json"
KEYS, FRESH = "crowd.prolific.keys", "crowd.prolific.keys_are_fresh"
KEYS_KEPT, ASK_AGAIN = 24 * 3600, 60  # seconds; Prolific wants its keys asked for once a day at least
TICKET_SECONDS = 2 * 3600
LEEWAY = 60  # seconds between Prolific's clock and ours
WAIT_SECONDS = 5.0  # somebody waits at the door
SILENT_SECONDS = 30  # for so long nobody else waits there for a Prolific that did not answer


def arrival_of(connection: ProlificStudy, sent: Mapping[str, str], *, host: str) -> Arrival:
    """The identifiers of who arrives, as sent, or as signed where the study asks for it.

    ``host`` is ours, for which the token must be made.

    Raises
    ------
    VisitError
        When they are missing or none that Prolific makes, or the signature is missing, wrong, too old, or cannot be
        looked at now.
    """
    if not connection.checks_signature:
        return Arrival.read(sent)
    if ticket := sent.get(TICKET, ""):
        return Arrival.read(_of_ticket(connection, ticket))
    return Arrival.read(_signed(sent.get(PARAMETER, ""), host))


def ticket_for(connection: ProlificStudy, arrival: Arrival) -> str:
    """What the first page's form sends instead of Prolific's token; empty where the study does not ask for one."""
    if not connection.checks_signature:
        return ""
    told = {"PROLIFIC_PID": arrival.person, "STUDY_ID": arrival.study, "SESSION_ID": arrival.session}
    return signing.dumps(told, salt=_salt(connection))


def keep_keys_known() -> None:
    """Ask for Prolific's keys in time, where a study needs them, so that nobody who arrives waits for them.

    A chore of the sweep. Without a cache that processes share, who arrives first still asks.
    """
    if not ProlificStudy.objects.filter(checks_signature=True, is_open=True).exists():
        return
    if not cache.get(FRESH):
        with suppress(VisitError):  # the next sweep asks again
            _asked_keys()


def _of_ticket(connection: ProlificStudy, ticket: str) -> dict[str, str]:
    try:
        told: dict[str, str] = signing.loads(ticket, salt=_salt(connection), max_age=TICKET_SECONDS)
    except signing.SignatureExpired:
        raise VisitError("crowd.arrival_expired") from None
    except signing.BadSignature:
        raise VisitError("crowd.arrival_signature_wrong") from None
    return told


def _salt(connection: ProlificStudy) -> str:
    return f"crowd.prolific.arrival {connection.address_token}"


def _signed(token: str, host: str) -> dict[str, str]:
    """What a token says, once its signature, its end and whom it is for have been looked at."""
    import jwt

    if not token:
        raise VisitError("crowd.arrival_unsigned")
    try:
        claims = jwt.decode(
            token,
            _key(str(jwt.get_unverified_header(token).get("kid", ""))),
            algorithms=["RS256"],
            leeway=LEEWAY,
            options={"require": ["exp", "aud"], "verify_aud": False},
        )
    except jwt.ExpiredSignatureError:
        raise VisitError("crowd.arrival_expired") from None
    except jwt.PyJWTError:
        raise VisitError("crowd.arrival_signature_wrong") from None
    told = claims.get("prolific")
    if not isinstance(told, Mapping) or host not in _hosts(claims["aud"]):
        raise VisitError("crowd.arrival_signature_wrong")
    return {str(name): str(value) for name, value in told.items()}


def _hosts(audience: Any) -> set[str]:
    """The hosts that a token is for; it names them as domains or as addresses."""
    named = audience if isinstance(audience, list) else [audience]
    return {urlsplit(each).netloc or each for each in map(str, named)}


def _key(kid: str) -> "PyJWK":
    import jwt

    found = _known_keys().get(kid)
    if found is None and cache.add("crowd.prolific.keys_asked", True, timeout=ASK_AGAIN):
        found = _asked_keys().get(kid)
    if found is None:
        raise VisitError("crowd.arrival_signature_wrong")
    return jwt.PyJWK(found, algorithm="RS256")


def _known_keys() -> dict[str, Any]:
    known: dict[str, Any] | None = cache.get(KEYS)
    return _asked_keys() if known is None else known


def _asked_keys() -> dict[str, Any]:
    if cache.get("crowd.prolific.silent"):
        raise VisitError("crowd.arrival_unchecked")
    api = urlsplit(settings.PROLIFIC_API_URL)
    client = ProlificClient("", base=f"{api.scheme}://{api.netloc}", whole_seconds=WAIT_SECONDS)
    try:
        said = client.ask("GET", KEYS_PATH)
    except DomainError:
        cache.set("crowd.prolific.silent", True, timeout=SILENT_SECONDS)
        raise VisitError("crowd.arrival_unchecked") from None
    if not isinstance(listed := said.get("keys"), list):
        raise VisitError("crowd.arrival_unchecked")
    keys = {str(key["kid"]): key for key in listed if isinstance(key, dict) and key.get("kid")}
    cache.set(KEYS, keys, timeout=KEYS_KEPT)
    cache.set(FRESH, True, timeout=KEYS_KEPT // 2)
    return keys

"""Studies on Prolific that are made and published from here: orders, which :mod:`.calls` carries out."""

from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.made import check_identifier
from annotation_platform.crowd.providers.prolific.models import CARRIED_OUT, ProlificStudy, ProviderCall
from annotation_platform.crowd.providers.prolific.orders import intend

ARRIVAL_QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
DEVICES = ("desktop", "tablet", "mobile")
LONGEST_NAME, LONGEST_DESCRIPTION = 120, 4_000
MOST_PLACES, MOST_REWARD, MOST_MINUTES = 10_000, 1_000_00, 600
CODE_TYPES = {Ending.DONE: "COMPLETED", Ending.NO_CONSENT: "NO_CONSENT"}
Kind = ProviderCall.Kind


@dataclass(frozen=True)
class Offer:
    """What people on Prolific are offered: ``reward`` in minor units for a submission, which takes ``minutes``."""

    name: str
    description: str
    places: int
    reward: int
    minutes: int
    project: str = ""


def address_for(arriving: str) -> str:
    """The address for Prolific's field “Study URL”, of our page to arrive at."""
    return f"{arriving}?{ARRIVAL_QUERY}"


@transaction.atomic
def make_offer(*, connection: ProlificStudy, offer: Offer, arriving: str, actor: Actor) -> ProviderCall:
    """Have a draft made on Prolific, with our address, the codes of all endings, places and reward.

    Raises
    ------
    InvalidInputError
        When there is no token, or a part of the offer cannot be.
    """
    _check(offer)
    call = intend(connection, Kind.CREATE, actor, body=_body(connection, offer, arriving))
    change = {"places": (None, offer.places), "amount": (None, offer.reward)}
    record(actor, Verb.PROVIDER_CALL_INTENDED, call, study=connection.study, change=change)
    return call


@transaction.atomic
def publish_study(*, made: ProviderCall, actor: Actor) -> ProviderCall:
    """Have a draft that was made from here published, by which Prolific reserves what it costs.

    Raises
    ------
    ConflictError
        When there is no such draft, or it is published already, or about to be.
    """
    if made.kind != Kind.CREATE or made.state not in CARRIED_OUT or not made.external_study:
        raise ConflictError("crowd.no_draft_there")
    try:
        with transaction.atomic():
            call = intend(made.connection, Kind.PUBLISH, actor, external_study=made.external_study)
    except IntegrityError:
        raise ConflictError("crowd.published_already") from None
    change = {"external_studies": (None, made.external_study)}
    record(actor, Verb.PROVIDER_CALL_INTENDED, call, study=made.connection.study, change=change)
    return call


def _check(offer: Offer) -> None:
    for text, most in ((offer.name, LONGEST_NAME), (offer.description, LONGEST_DESCRIPTION)):
        if not text.strip() or len(text) > most:
            raise InvalidInputError("crowd.offer_text_wrong", most=most)
    limits = ((offer.places, MOST_PLACES), (offer.reward, MOST_REWARD), (offer.minutes, MOST_MINUTES))
    if any(not 1 <= given <= most for given, most in limits):
        raise InvalidInputError(
            "crowd.offer_number_wrong", places=MOST_PLACES, reward=f"{MOST_REWARD // 100:,}", minutes=MOST_MINUTES
        )
    if offer.project:
        check_identifier(offer.project)


def _body(connection: ProlificStudy, offer: Offer, arriving: str) -> dict[str, Any]:
    codes = {ending: connection.code(ending) for ending in Ending}
    return {
        "name": offer.name,
        "internal_name": connection.study.slug,
        "description": offer.description,
        "external_study_url": address_for(arriving),
        "is_external_study_url_secure": connection.checks_signature,
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {"code": code, "code_type": CODE_TYPES.get(ending, "OTHER"), "actions": [{"action": "MANUALLY_REVIEW"}]}
            for ending, code in codes.items()
            if code
        ],
        "total_available_places": offer.places,
        "estimated_completion_time": offer.minutes,
        "reward": offer.reward,
        "device_compatibility": list(DEVICES),
        "peripheral_requirements": [],
        **({"project": offer.project} if offer.project else {}),
    }

"""What decides a run's scores. Each method has parameters of its own; what all share stands here.

Resolved once, when a run starts, and stored with it: a run that is resumed uses what it began with. Keys of
model servers are no parameters; they stay in the environment.
"""

from typing import Any, Literal

from django.conf import settings
from django.core.exceptions import ValidationError as FieldError
from django.db.models import QuerySet
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.models.connections import validate_address
from annotation_platform.studies.models import Study

OPENAI_URL = "https://api.openai.com/v1"
PACE = {
    "connection",
    "mode",
    "structured",
    "concurrency",
    "timeout",
    "retries",
    "price_in",
    "price_out",
    "requests_per_minute",
    "tokens_per_minute",
    "max_run_tokens",
}
"""By which way, how fast and at what price a model is asked: no part of what decides the scores."""


class Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    def stored(self) -> dict[str, Any]:
        """As kept with the run."""
        return self.model_dump(mode="json", by_alias=True)

    def deciding(self) -> dict[str, Any]:
        """The part that decides the scores, which is what signatures are made of."""
        return {name: value for name, value in self.stored().items() if name not in PACE}


class ModelCall(Parameters):
    """How a language model behind an OpenAI-compatible address is asked."""

    model: str = Field(min_length=1)
    base_url: str
    temperature: float | None = Field(default=0.0, ge=0, le=2, description="None: not sent.")
    max_tokens: int | None = Field(default=512, ge=1, lt=2**31, description="Of one reply. None: not sent.")
    seed: int | None = Field(default=None, ge=0, lt=2**31, description="Repetitions count up from it. None: not sent.")
    connection: str = Field(default="", description="Name of the connection; empty: as the environment says.")
    mode: Literal["direct", "batch"] = Field(default="direct", description="batch: by the server's Batch API.")
    structured: Literal["auto", "never"] = Field(default="auto", description="Whether JSON schemas are sent along.")
    concurrency: int = Field(default=8, ge=1, le=256, description="Requests at a time, by all workers together.")
    timeout: float = Field(default=60.0, gt=0, description="Seconds for an answer at first; learns.")
    retries: int = Field(default=6, ge=0, le=20)
    price_in: float | None = Field(default=None, ge=0, description="US dollars for a million prompt tokens.")
    price_out: float | None = Field(default=None, ge=0, description="US dollars for a million tokens of replies.")
    requests_per_minute: int | None = Field(default=None, ge=1, description="By all workers together.")
    tokens_per_minute: int | None = Field(default=None, ge=1, description="By all workers together.")
    max_run_tokens: int | None = Field(
        default=None, ge=1, lt=2**63, description="In and out; the run pauses before it has more."
    )


FROM_CONNECTION = (
    "structured",
    "concurrency",
    "timeout",
    "price_in",
    "price_out",
    "requests_per_minute",
    "tokens_per_minute",
)


def server_and_model(given: dict[str, Any]) -> dict[str, Any]:
    """Which server and model to ask, and at what pace and price, by the connection named in ``given`` or, where it
    names none, by ``base_url`` and ``model`` or the environment. What was used is taken out of ``given``.

    Raises
    ------
    InvalidInputError
        When there is no such connection, no model, no usable address, or no key where one is needed.
    """
    if name := given.pop("connection", ""):
        return _by_connection(str(name), given)
    base_url = (given.pop("base_url", "") or settings.OPENAI_BASE_URL or OPENAI_URL).rstrip("/")
    model = given.pop("model", "") or settings.OPENAI_MODEL
    try:
        validate_address(base_url)
    except FieldError as error:
        raise InvalidInputError("scoring.address_not_usable", why=error.message) from None
    if not model:
        raise InvalidInputError("scoring.no_model_chosen")
    if base_url == OPENAI_URL and not settings.OPENAI_API_KEY:
        raise InvalidInputError("scoring.no_api_key")
    return {"base_url": base_url, "model": model}


def check_connection(study: Study, name: str) -> None:
    """
    Raises
    ------
    InvalidInputError
        When the study has no such connection: another study's sounds the same as none.
    """
    usable = ModelConnection.objects.usable_in(study)
    if name and not usable.filter(name=name).exists():
        raise no_connection(name, usable)


def no_connection(name: str, usable: QuerySet[ModelConnection]) -> InvalidInputError:
    known = [*usable.values_list("name", flat=True)] or Reason("words.none_yet")
    return InvalidInputError("scoring.no_such_connection", name=name, known=known)


def _by_connection(name: str, given: dict[str, Any]) -> dict[str, Any]:
    connection = ModelConnection.objects.filter(name=name, is_active=True).first()
    if connection is None:
        raise no_connection(name, ModelConnection.objects.filter(is_active=True, study=None))
    if given.pop("base_url", ""):
        raise InvalidInputError("scoring.connection_and_address")
    model = given.pop("model", "") or connection.model
    own = {name: getattr(connection, name) for name in FROM_CONNECTION if given.get(name) is None}
    found = {"connection": connection.name, "base_url": connection.base_url.rstrip("/"), "model": model}
    return found | {name: value for name, value in own.items() if value is not None}


def chosen(given: Any) -> dict[str, Any]:
    """Without what was left open; None means "do not send it" for the two parameters of a request."""
    return {name: value for name, value in given.items() if value is not None or name in ("temperature", "max_tokens")}


def wrong_parameters(error: ValidationError) -> InvalidInputError:
    """What a person is told about parameters that do not fit."""
    mistakes = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return InvalidInputError("scoring.parameters_wrong", reasons=mistakes, mistakes="; ".join(mistakes))

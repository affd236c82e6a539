"""What decides a run's scores: λ, who reads the explanations, and for a language model all that it is told.

Resolved once, when a run starts, and stored with it: a run that is resumed uses what it began with. Keys of
model servers are no parameters; they stay in the environment.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.prompts import (
    DEFAULT_VARIANT,
    Template,
    TemplateError,
    Variant,
    built_in,
    parse_template,
)
from annotation_platform.scoring.models import Scorer
from annotation_platform.studies.models import Study

OPENAI_URL = "https://api.openai.com/v1"


class Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    mixture: float = Field(default=0.0, ge=0, le=1, alias="lambda")

    def stored(self) -> dict[str, Any]:
        """As kept with the run."""
        return self.model_dump(mode="json", by_alias=True)

    def deciding(self) -> dict[str, Any]:
        """The part that decides the scores, which is what signatures are made of."""
        return self.stored()


class RecordedParameters(Parameters):
    pass


class DistilledParameters(Parameters):
    artefact: str = Field(description="SHA-256 of the trained rescaler.")


class PromptTemplate(BaseModel):
    """The template as it was when the run started: a researcher may edit the study's own later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    signature: str
    leaking: bool = False

    @classmethod
    def of(cls, template: Template) -> "PromptTemplate":
        return cls(id=template.id, text=template.text, signature=template.signature, leaking=template.leaking)

    def parse(self) -> Template:
        return parse_template(self.text, template_id=self.id)


class ModelParameters(Parameters):
    """For a language model behind an OpenAI-compatible address."""

    model: str = Field(min_length=1)
    base_url: str
    template: PromptTemplate
    temperature: float | None = Field(default=0.0, ge=0, le=2, description="None: not sent.")
    max_tokens: int | None = Field(default=512, ge=1, description="None: not sent.")
    concurrency: int = Field(default=8, ge=1, le=256)
    timeout: float = Field(default=60.0, gt=0, description="Seconds for one attempt.")
    retries: int = Field(default=6, ge=0, le=20)
    price_in: float | None = Field(default=None, ge=0, description="US dollars for a million prompt tokens.")
    price_out: float | None = Field(default=None, ge=0, description="US dollars for a million tokens of replies.")

    def deciding(self) -> dict[str, Any]:
        pace = {"concurrency", "timeout", "retries", "price_in", "price_out"}
        return {name: value for name, value in self.stored().items() if name not in pace}


def resolve_parameters(*, study: Study, scorer: str, given: Mapping[str, Any]) -> Parameters:
    """Everything that the scorer needs, from what was asked for, the study's settings and the environment.

    Raises
    ------
    InvalidInputError
        When something is missing, unknown or out of range; the message names it.
    """
    chosen = {
        name: value for name, value in given.items() if value is not None or name in ("temperature", "max_tokens")
    }
    try:
        if scorer == Scorer.RECORDED:
            return RecordedParameters(**chosen)
        if scorer == Scorer.DISTILLED:
            return DistilledParameters(artefact=_artefact_signature(), **chosen)
        if scorer == Scorer.OPENAI:
            return _model_parameters(study, chosen)
    except ValidationError as error:
        mistakes = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise InvalidInputError(f"The run's parameters are not right. {'; '.join(mistakes)}.", mistakes) from None
    raise InvalidInputError(f"There is no scorer “{scorer}”. Choose one of: {', '.join(Scorer.values)}.")


def stored_parameters(*, scorer: str, stored: Mapping[str, Any]) -> Parameters:
    """The parameters that a run was started with."""
    kinds: dict[str, type[Parameters]] = {
        Scorer.RECORDED: RecordedParameters,
        Scorer.DISTILLED: DistilledParameters,
        Scorer.OPENAI: ModelParameters,
    }
    return kinds[scorer](**stored)


def _model_parameters(study: Study, chosen: dict[str, Any]) -> ModelParameters:
    variant = chosen.pop("variant", None)
    base_url = (chosen.pop("base_url", "") or settings.OPENAI_BASE_URL or OPENAI_URL).rstrip("/")
    model = chosen.pop("model", "") or settings.OPENAI_MODEL
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInputError(f"The model server's address “{base_url}” is no http(s) address.")
    if parts.username or parts.password:
        raise InvalidInputError("The model server's address holds a password. Put the key into OPENAI_API_KEY instead.")
    if not model:
        raise InvalidInputError("No language model is chosen. Name one with the run, or set OPENAI_MODEL.")
    if base_url == OPENAI_URL and not settings.OPENAI_API_KEY:
        raise InvalidInputError(
            "OPENAI_API_KEY is not set, and api.openai.com needs a key. Set it, or set OPENAI_BASE_URL to your "
            "own model server."
        )
    template = PromptTemplate.of(_template(study, variant))
    return ModelParameters(model=model, base_url=base_url, template=template, **chosen)


def _template(study: Study, variant: str | None) -> Template:
    """A variant that was asked for, else the study's own template, else the platform's default."""
    try:
        if variant is None and study.prompt_template.strip():
            return parse_template(study.prompt_template, template_id=f"{study.slug}'s own")
        return built_in(Variant(variant or DEFAULT_VARIANT))
    except TemplateError as error:
        raise InvalidInputError(str(error)) from None
    except ValueError:
        known = ", ".join(Variant)
        raise InvalidInputError(f"There is no prompt variant “{variant}”. Choose one of: {known}.") from None


def _artefact_signature() -> str:
    from annotation_platform.core.methods.distilled import ARTEFACT  # numpy: only where a run starts

    return sha256(ARTEFACT.read_bytes()).hexdigest()

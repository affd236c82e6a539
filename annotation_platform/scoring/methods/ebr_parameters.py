"""What decides the scores of explanation-based rescaling: λ, who reads the explanations, and the prompt."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

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
from annotation_platform.scoring.parameters import ModelCall, Parameters, chosen, server_and_model, wrong_parameters
from annotation_platform.studies.models import Study


class EbrParameters(Parameters):
    mixture: float = Field(default=0.0, ge=0, le=1, alias="lambda")


class RecordedParameters(EbrParameters):
    pass


class DistilledParameters(EbrParameters):
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


class ModelParameters(EbrParameters, ModelCall):
    """For a language model behind an OpenAI-compatible address."""

    template: PromptTemplate


KINDS: Mapping[str, type[EbrParameters]] = {
    Scorer.DISTILLED: DistilledParameters,
    Scorer.OPENAI: ModelParameters,
    Scorer.RECORDED: RecordedParameters,
}


def resolve(*, study: Study, scorer: str, given: Mapping[str, Any]) -> EbrParameters:
    """Everything that the scorer needs, from what was asked for, the study's settings and the environment.

    Raises
    ------
    InvalidInputError
        When something is missing, unknown or out of range; the message names it.
    """
    if scorer not in KINDS:
        raise InvalidInputError(f"There is no scorer “{scorer}”. Choose one of: {', '.join(KINDS)}.")
    found = chosen(given)
    if scorer == Scorer.DISTILLED:
        found["artefact"] = _artefact_signature()
    elif scorer == Scorer.OPENAI:
        template = _template(study, found.pop("variant", None))
        found |= server_and_model(found) | {"template": PromptTemplate.of(template)}
    try:
        return KINDS[scorer](**found)
    except ValidationError as error:
        raise wrong_parameters(error) from None


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

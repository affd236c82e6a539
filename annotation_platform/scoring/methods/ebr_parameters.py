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
from annotation_platform.scoring.methods.own_rescalers import own_rescalers
from annotation_platform.scoring.models import Scorer
from annotation_platform.scoring.parameters import ModelCall, Parameters, chosen, server_and_model, wrong_parameters
from annotation_platform.studies.models import Study


class EbrParameters(Parameters):
    mixture: float = Field(default=0.0, ge=0, le=1, alias="lambda")


class RecordedParameters(EbrParameters):
    pass


class DistilledParameters(EbrParameters):
    artefact: str = Field(description="SHA-256 of the rescaler that comes with the platform.")
    own: dict[str, str] = Field(
        default_factory=dict, description="SHA-256 of the study's own rescaler, by aspect, where it takes its place."
    )

    def stored(self) -> dict[str, Any]:
        return {name: value for name, value in super().stored().items() if value or name != "own"}


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


class HybridParameters(ModelParameters):
    """For a language model that is asked about a chosen share of the judgments, and a rescaler that learns the rest."""

    paid_share: float = Field(default=0.1, gt=0, le=1, description="Of the explained judgments, sent at most.")
    tolerance: float = Field(
        default=0.0, ge=0, le=100, description="Points; a smaller expected error is not worth sending."
    )
    choice_seed: int = Field(default=0, ge=0)


KINDS: Mapping[str, type[EbrParameters]] = {
    Scorer.DISTILLED: DistilledParameters,
    Scorer.OPENAI: ModelParameters,
    Scorer.HYBRID: HybridParameters,
    Scorer.RECORDED: RecordedParameters,
}


def resolve(*, study: Study, scorer: str, given: Mapping[str, Any]) -> EbrParameters:
    """Everything that the scorer needs, from what was asked for, the study's settings and the environment.

    Raises
    ------
    InvalidInputError
        When something is missing, unknown or out of range; the message names it.
    """
    found = chosen(given)
    if scorer == Scorer.DISTILLED:
        wanted = str(found.pop("rescaler", ""))
        found |= {"artefact": _artefact_signature(), "own": own_rescalers(study, wanted) if wanted else {}}
    elif scorer in (Scorer.OPENAI, Scorer.HYBRID):
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
        raise InvalidInputError(error.reason) from None
    except ValueError:
        raise InvalidInputError("scoring.no_prompt_variant", variant=variant, known=[*Variant]) from None


def _artefact_signature() -> str:
    from annotation_platform.core.methods.distilled import ARTEFACT  # numpy: only where a run starts

    return sha256(ARTEFACT.read_bytes()).hexdigest()

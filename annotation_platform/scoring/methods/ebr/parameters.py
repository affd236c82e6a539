"""What decides the scores of explanation-based rescaling: λ, who reads the explanations, and the prompt."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.ebr.prompts import (
    DEFAULT_VARIANT,
    Template,
    TemplateError,
    Variant,
    built_in,
    parse_template,
)
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoring.methods.ebr.own_rescalers import OWN, own_rescalers, usable_rescalers
from annotation_platform.scoring.models import ScoringSettings
from annotation_platform.scoring.options import Ask
from annotation_platform.scoring.parameters import ModelCall, Parameters, chosen, server_and_model
from annotation_platform.studies.models import Study

VARIANTS = {
    Variant.LABEL_ARTICLE: _("Label, explanation and article"),
    Variant.LABEL: _("Label and explanation"),
    Variant.EXPLANATION: _("Explanation alone"),
    Variant.QUESTION: _("Label, explanation, article and question"),
    Variant.QUESTION_ANSWER: _("All of that and the answer (leaking: the model may judge the answer itself)"),
}


def variants_in(study: Study) -> dict[str, Any]:
    own = (("", gettext("The study's own")),) if ScoringSettings.of(study).prompt_template.strip() else ()
    return {"choices": (*own, *((str(variant), gettext(words)) for variant, words in VARIANTS.items()))}


def rescalers_in(study: Study) -> dict[str, Any] | None:
    rows = usable_rescalers(study).values_list("pk", "aspect", "created_at")
    told = gettext("Number %(number)s: %(aspect)s, trained on %(day)s")
    own = tuple((str(pk), told % {"number": pk, "aspect": aspect, "day": f"{at:%Y-%m-%d}"}) for pk, aspect, at in rows)
    newest = gettext("The study's own, the newest for each aspect")
    which = (("", gettext("The platform's")), (OWN, newest), *own)
    return {"choices": which} if own else None


class EbrParameters(Parameters):
    """Explanation-based rescaling."""

    mixture: Annotated[float, Ask()] = Field(
        default=0.0,
        ge=0,
        le=1,
        alias="lambda",
        title=_("λ, the share of the annotator's mean for the label"),
        description=_("0 takes each explanation's own score (f), 1 the annotator's mean for the label (g)."),
    )


class RecordedParameters(EbrParameters):
    pass


class DistilledParameters(EbrParameters):
    """By a rescaler: the platform's or one that was trained for the study."""

    rescaler: Annotated[str, Ask(usual=_("the platform's"), in_study=rescalers_in)] = Field(
        default="",
        exclude=True,
        title=_("Rescaler"),
        description=_("“own”, the study's newest for each aspect, or the number of one of them."),
    )
    artefact: str = Field(title=_("SHA-256 of the model that comes with the platform"))
    own: dict[str, str] = Field(
        default_factory=dict,
        title=_("SHA-256 of the study's own rescaler"),
        description=_("By aspect, where it takes the place of the platform's."),
    )

    def stored(self) -> dict[str, Any]:
        return {name: value for name, value in super().stored().items() if value or name != "own"}


class PromptTemplate(BaseModel):
    """The template as it was when the run started: a researcher may edit the study's own later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(title=_("Prompt"))
    text: str = Field(title=_("Text of the prompt"))
    signature: str = Field(title=_("Signature of the prompt"))
    leaking: bool = Field(default=False, title=_("Prompt shows the answer (leaking)"))

    @classmethod
    def of(cls, template: Template) -> "PromptTemplate":
        return cls(id=template.id, text=template.text, signature=template.signature, leaking=template.leaking)

    def parse(self) -> Template:
        return parse_template(self.text, template_id=self.id)


class ModelParameters(ModelCall, EbrParameters):
    """By a language model that reads each explanation."""

    variant: Annotated[Variant | None, Ask(choices=VARIANTS, in_study=variants_in)] = Field(
        default=None, exclude=True, title=_("What the model is shown")
    )
    template: PromptTemplate


class HybridParameters(ModelParameters):
    """By a language model for a chosen share of the judgments, and a rescaler that learns the rest."""

    paid_share: Annotated[float, Ask()] = Field(
        default=0.1,
        gt=0,
        le=1,
        title=_("Share of the judgments to send, at most"),
        description=_("Of the explained ones, 0 to 1: those whose score can change most go to the language model."),
    )
    tolerance: Annotated[float, Ask()] = Field(
        default=0.0,
        ge=0,
        le=100,
        title=_("Expected error not worth sending, in points"),
        description=_("Judgments expected to be wrong by no more than this are not sent."),
    )
    choice_seed: Annotated[int, Ask(is_rare=True)] = Field(
        default=0, ge=0, title=_("Seed of the choice"), description=_("Draws which judgments are sent.")
    )

    @property
    def share_asked(self) -> float:
        return self.paid_share


def resolve(kind: type[Parameters], *, study: Study, given: Mapping[str, Any]) -> Parameters:
    """Everything that the scorer needs, from what was asked for, the study's settings and the environment.

    Raises
    ------
    InvalidInputError
        When something is missing, unknown or out of range; the message names it.
    """
    found = chosen(kind, given)
    if issubclass(kind, DistilledParameters):
        wanted = str(found.pop("rescaler", ""))
        found |= {"artefact": _artefact_signature(), "own": own_rescalers(study, wanted) if wanted else {}}
    elif issubclass(kind, ModelParameters):
        template = _template(study, found.pop("variant", None))
        found |= server_and_model(found) | {"template": PromptTemplate.of(template)}
    return kind.checked(**found)


def _template(study: Study, variant: str | None) -> Template:
    """A variant that was asked for, else the study's own template, else the platform's default."""
    try:
        own = ScoringSettings.of(study).prompt_template
        if variant is None and own.strip():
            return parse_template(own, template_id=f"{study.slug}'s own")
        return built_in(Variant(variant or DEFAULT_VARIANT))
    except TemplateError as error:
        raise InvalidInputError(error.reason) from None
    except ValueError:
        raise InvalidInputError("scoring.no_prompt_variant", variant=variant, known=[*Variant]) from None


def _artefact_signature() -> str:
    from annotation_platform.core.methods.distilled.rescaler import ARTEFACT  # numpy: only where a run starts

    return sha256(ARTEFACT.read_bytes()).hexdigest()

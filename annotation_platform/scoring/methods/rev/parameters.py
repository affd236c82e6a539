"""What decides a run of REV: the evaluator with its weights, and what it is measured against."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from django.conf import settings
from pydantic import Field, field_validator

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes.parts import Part
from annotation_platform.scoring.methods.answers import GivenAnswer
from annotation_platform.scoring.options import Ask
from annotation_platform.scoring.parameters import Parameters, chosen
from annotation_platform.studies.models import Study

DECLARATIVE, INFERENCE = "declarative", "inference"


def models_folder() -> Path:
    """Where packaged models are unpacked, and where evaluators that are trained here are looked for."""
    return Path(settings.DATA_DIR) / "models"


def evaluators_in(study: Study) -> dict[str, Any]:
    """The models to choose from are those at hand, none without the optional extra."""
    from annotation_platform.core.methods.rev.language_models import missing_extra
    from annotation_platform.core.methods.rev.sources import known_sources

    models = tuple((name, name) for name in known_sources(models_folder()))
    missing = missing_extra()
    return {"choices": models} | ({"help": in_language(missing)} if missing else {})


class RevParameters(Parameters):
    """An evaluator of rationales; needs requirements-models.txt."""

    evaluator: Annotated[str, Ask(usual=_("the first at hand"), in_study=evaluators_in)] = Field(
        min_length=1,
        title=_("Evaluator"),
        description=_(
            "A small language model on this machine; a folder, a GGUF file or a hub's name at the command "
            "line. One that was trained on good rationales does better."
        ),
    )
    weights: str = Field(
        title=_("Weights of the evaluator"), description=_("Tells them from others of a model of the same name.")
    )
    is_trained: bool | None = Field(
        default=None,
        title=_("Evaluator trained on rationales"),
        description=_("None: an older run, not known."),
    )
    baseline: Annotated[str, Ask(usual=_("declarative: question and answer as one sentence"))] = Field(
        default=DECLARATIVE,
        title=_("Vacuous rationale"),
        description=_(
            "declarative, inference (premise: the document, label: the answer, hypothesis: the question), or a "
            "template such as: {question} {answer}."
        ),
    )
    per: Annotated[
        Literal["token", "answer"], Ask(choices={"token": _("mean of its tokens"), "answer": _("as a whole")})
    ] = Field(default="token", title=_("Likelihood of an answer"))
    dtype: Annotated[
        Literal["float32", "bfloat16"],
        Ask(choices={"float32": "float32", "bfloat16": _("bfloat16: half the memory, less exact")}, is_rare=True),
    ] = Field(default="float32", title=_("Number format of the evaluator"))
    simulations: Annotated[bool, Ask()] = Field(
        default=True,
        title=_("Also LAS and RQ"),
        description=_("The evaluator answers each question itself: a few more readings of each rationale."),
    )

    @field_validator("baseline")
    @classmethod
    def _is_baseline(cls, value: str) -> str:
        if value not in (DECLARATIVE, INFERENCE) and "{answer}" not in value:
            raise ValueError(f"is neither {DECLARATIVE} nor {INFERENCE}, nor a template with {{answer}} in it")
        return value


def resolve_rev(given: Mapping[str, Any]) -> RevParameters:
    """The parameters of a new run; the first model at hand where none is named.

    Raises
    ------
    InvalidInputError
        The optional extra is missing, there is no such model, or a parameter is wrong.
    """
    from annotation_platform.core.methods.rev.language_models import ModelError
    from annotation_platform.core.methods.rev.sources import find_source, known_sources

    found = chosen(RevParameters, given)
    try:
        name = found.pop("evaluator", "") or next(iter(known_sources(models_folder())), "")
        source = find_source(name, models_folder())
        own = {"evaluator": source.name, "weights": source.identity, "is_trained": source.is_trained}
        return RevParameters.checked(**found | own)
    except ModelError as error:
        raise InvalidInputError(error.reason) from None


def parts_read(baseline: str) -> tuple[Part, ...]:
    """What the vacuous rationales are made of beside questions and answers."""
    return ("article",) if baseline == INFERENCE else ()


def vacuous_of(answers: Sequence[GivenAnswer], baseline: str) -> list[str]:
    """The vacuous rationale of each answer.

    Raises
    ------
    InvalidInputError
        There are no words for a label of an inference.
    """
    from annotation_platform.core.methods.rev.vacuous import VacuousError, of_answers, of_inference

    try:
        if baseline == DECLARATIVE:
            return of_answers([each.item.question for each in answers], [each.answer.text for each in answers])
        if baseline == INFERENCE:
            return [
                of_inference(_premise(each.item), each.item.question, each.answer.text.strip().lower())
                for each in answers
            ]
    except VacuousError as error:
        raise InvalidInputError(error.reason) from None
    return [
        baseline.replace("{question}", each.item.question).replace("{answer}", each.answer.text) for each in answers
    ]


def _premise(item: ItemTexts) -> str:
    return " ".join(item.article.sentences) if item.article else ""

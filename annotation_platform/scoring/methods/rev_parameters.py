"""What decides a run of REV: the evaluator with its weights, and what it is measured against."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from pydantic import Field, ValidationError, field_validator

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.methods.answers import GivenAnswer, documents_of
from annotation_platform.scoring.methods.contract import Option, OptionKind
from annotation_platform.scoring.parameters import Parameters, chosen, wrong_parameters

DECLARATIVE, INFERENCE = "declarative", "inference"


class RevParameters(Parameters):
    evaluator: str = Field(min_length=1)
    weights: str = Field(description="Tells the evaluator's weights from others of the same name.")
    is_trained: bool | None = Field(default=None, description="On rationales. None: an older run, not known.")
    baseline: str = Field(
        default=DECLARATIVE,
        description="declarative: question and answer as one sentence. inference: premise (the document), label (the "
        "answer), hypothesis (the question) by template. Anything else: a template with {question} and {answer}.",
    )
    per: Literal["token", "answer"] = "token"
    dtype: Literal["float32", "bfloat16"] = "float32"
    simulations: bool = Field(default=True, description="Whether to let the evaluator answer, for LAS and RQ.")

    @field_validator("baseline")
    @classmethod
    def _is_baseline(cls, value: str) -> str:
        if value not in (DECLARATIVE, INFERENCE) and "{answer}" not in value:
            raise ValueError(f"is neither {DECLARATIVE} nor {INFERENCE}, nor a template with {{answer}} in it")
        return value


def models_folder() -> Path:
    """Where packaged models are unpacked, and where evaluators that are trained here are looked for."""
    return Path(settings.DATA_DIR) / "models"


def resolve_rev(given: Mapping[str, Any]) -> RevParameters:
    """The parameters of a new run; the first model at hand where none is named.

    Raises
    ------
    InvalidInputError
        The optional extra is missing, there is no such model, or a parameter is wrong.
    """
    from annotation_platform.core.methods.rev.language_models import ModelError
    from annotation_platform.core.methods.rev.sources import find_source, known_sources

    found = chosen(given)
    try:
        name = found.pop("evaluator", "") or next(iter(known_sources(models_folder())), "")
        source = find_source(name, models_folder())
        own = {"evaluator": source.name, "weights": source.identity, "is_trained": source.is_trained}
        return RevParameters(**found | own)
    except ModelError as error:
        raise InvalidInputError(error.reason) from None
    except ValidationError as error:
        raise wrong_parameters(error) from None


def rev_options() -> tuple[Option, ...]:
    """What people may set; the models to choose from are those at hand, none without the optional extra."""
    from annotation_platform.core.methods.rev.language_models import missing_extra
    from annotation_platform.core.methods.rev.sources import known_sources

    missing = missing_extra()
    models = tuple((name, name) for name in known_sources(models_folder()))
    return (
        Option(
            "evaluator",
            "Evaluator",
            OptionKind.CHOICE,
            models,
            missing or "A small language model on this machine. One that was trained on good rationales does better.",
        ),
        Option(
            "baseline",
            "Vacuous rationale",
            OptionKind.TEXT,
            help="declarative, inference, or a template such as: {question} {answer}.",
            usual="declarative: question and answer as one sentence",
        ),
        Option(
            "per",
            "Likelihood of an answer",
            OptionKind.CHOICE,
            (("token", "mean of its tokens"), ("answer", "as a whole")),
        ),
        Option(
            "simulations",
            "Also LAS and RQ",
            OptionKind.YES_NO,
            help="The evaluator answers each question itself: a few more readings of each rationale.",
            usual="yes",
        ),
        Option(
            "dtype",
            "Numbers of the evaluator",
            OptionKind.CHOICE,
            (("float32", "float32"), ("bfloat16", "bfloat16: half the memory, less exact")),
            is_rare=True,
        ),
    )


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
            return of_answers([each.question for each in answers], [each.answer for each in answers])
        if baseline == INFERENCE:
            premises = documents_of(answers)
            return [
                of_inference(premises.get(each.article_id, ""), each.question, each.answer.strip().lower())
                for each in answers
            ]
    except VacuousError as error:
        raise InvalidInputError(error.reason) from None
    return [baseline.replace("{question}", each.question).replace("{answer}", each.answer) for each in answers]

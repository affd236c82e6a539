"""What decides the labels of language-model raters: how the scheme is put to them, and by which model."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotation_platform.core.methods.judging import Asking, Calling, Format, ReplyForm
from annotation_platform.core.schemes.languages import LANGUAGES
from annotation_platform.scoring.methods.contract import Option, OptionKind
from annotation_platform.scoring.methods.model_options import model_options
from annotation_platform.scoring.parameters import ModelCall, chosen, server_and_model, wrong_parameters
from annotation_platform.studies.models import Study


class AskingParameters(BaseModel):
    """How a scheme is put to a model; see :class:`~annotation_platform.core.methods.judging.Asking`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Format = Format.VERBATIM
    calling: Calling = Calling.COMPOUND
    examples: int | None = Field(default=None, ge=0, le=20)
    form: ReplyForm = ReplyForm.LINES
    explain: bool = False
    order_seed: int = Field(default=0, ge=0)
    language: str = LANGUAGES[0]

    def asking(self) -> Asking:
        return Asking(
            format=self.format,
            calling=self.calling,
            examples=self.examples,
            form=self.form,
            explain=self.explain,
            seed=self.order_seed,
            language=self.language,
        )


class JudgeParameters(ModelCall):
    """Of a run that judges by aspect."""

    asking: AskingParameters = AskingParameters()
    repetitions: int = Field(default=1, ge=1, le=100)
    second_reading: bool = Field(default=True, description="Whether the model reads what the rules cannot.")


class MateParameters(JudgeParameters):
    """Of an LLM-MATE run; every aspect is asked by itself."""

    weights_from: str = Field(default="", description="Slug of the study whose judgments the weights are fitted on.")
    reference: str = Field(default="", description="The system whose answers ROUGE compares with; empty: the best.")
    language_model: str = Field(default="", description="Of perplexity and BERTScore: an installed model's name.")
    held_out_seed: int = Field(default=0, ge=0)


Given = TypeVar("Given", bound=JudgeParameters)
ASKING = tuple(AskingParameters.model_fields)


def resolve_judge(kind: type[Given], *, study: Study, given: Mapping[str, Any]) -> Given:
    """The parameters of a run that asks a model by aspect, from what was given, the study and the environment.

    Raises
    ------
    InvalidInputError
        When something is missing, unknown or out of range.
    """
    found = chosen(given)
    language = study.corpus.language if study.corpus.language in LANGUAGES else LANGUAGES[0]
    asking = {"language": language} | {name: found.pop(name) for name in ASKING if name in found}
    call = server_and_model(found)
    try:
        return kind(**found, **call, asking=asking)
    except ValidationError as error:
        raise wrong_parameters(error) from None


def judge_options(study: Study) -> tuple[Option, ...]:
    """What a person may set of how the scheme is put to the model."""
    n_examples = len(study.scheme().examples)
    return (
        Option(
            "format",
            "Prompt",
            OptionKind.CHOICE,
            (
                (Format.VERBATIM, "Verbatim: the guidelines and worked examples that people see"),
                (Format.SIMPLE, "Simple: the aspects with their labels"),
                (Format.AVERAGED, "Averaged: the vote over six wordings (six times the bill)"),
            ),
        ),
        Option(
            "examples",
            "Worked examples",
            OptionKind.WHOLE,
            help=f"How many of the scheme's {n_examples} are shown, from the first.",
            usual="all in the verbatim prompt, else none",
        ),
        Option(
            "form",
            "Form of the reply",
            OptionKind.CHOICE,
            ((ReplyForm.LINES, "One line for each aspect"), (ReplyForm.JSON, "JSON, by schema where the server can")),
        ),
        Option("explain", "Ask for reasons too", OptionKind.YES_NO, usual="no"),
        Option(
            "second_reading",
            "Let the model read replies that the rules cannot",
            OptionKind.YES_NO,
            help="What that leaves unread waits for a person.",
            usual="yes",
        ),
        Option(
            "language",
            "Language of the prompt",
            OptionKind.CHOICE,
            (("", "The corpus's"), *((language, language) for language in LANGUAGES)),
        ),
        Option(
            "order_seed",
            "Seed of the order",
            OptionKind.WHOLE,
            help="Of the shuffled and the paraphrased wording of the averaged prompt.",
            usual="0",
            is_rare=True,
        ),
        *model_options(study),
    )


def single_calling() -> Option:
    return Option(
        "calling",
        "Calls",
        OptionKind.CHOICE,
        (
            (Calling.COMPOUND, "Compound: all aspects in one call"),
            (Calling.SINGLE, "Single: one call for each aspect, so that no label leans on another"),
        ),
    )


def repetitions_option(usual: str = "1") -> Option:
    return Option(
        "repetitions",
        "Repetitions",
        OptionKind.WHOLE,
        help="How often each prompt is asked; worth it where the temperature is above 0.",
        usual=usual,
    )

"""What decides the labels of language-model raters: how the scheme is put to them, and by which model."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field

from annotation_platform.core.methods.judging import Calling, Format, JudgeFormat, ReplyForm
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes.languages import LANGUAGES
from annotation_platform.scoring.options import Ask
from annotation_platform.scoring.parameters import ModelCall, chosen, server_and_model
from annotation_platform.studies.models import Study


def examples_in(study: Study) -> dict[str, Any]:
    told = gettext("How many of the scheme's %(count)s are shown, from the first.")
    return {"help": told % {"count": len(study.scheme().examples)}}


def languages_in(study: Study) -> dict[str, Any]:
    return {"choices": (("", gettext("The corpus's")), *((language, language) for language in LANGUAGES))}


class AskingParameters(BaseModel):
    """How a scheme is put to a model; see :class:`~annotation_platform.core.methods.judging.JudgeFormat`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calling: Annotated[
        Calling,
        Ask(
            choices={
                Calling.COMPOUND: _("Compound: all aspects in one call"),
                Calling.SINGLE: _("Single: one call for each aspect, so that no label leans on another"),
            }
        ),
    ] = Field(default=Calling.COMPOUND, title=_("Aspects in a call"))
    format: Annotated[
        Format,
        Ask(
            choices={
                Format.VERBATIM: _("Verbatim: the guidelines and worked examples that people see"),
                Format.SIMPLE: _("Simple: the aspects with their labels"),
                Format.AVERAGED: _("Averaged: the vote over six wordings (six times the bill)"),
            }
        ),
    ] = Field(default=Format.VERBATIM, title=_("Kind of prompt"))
    examples: Annotated[int | None, Ask(usual=_("all in the verbatim prompt, else none"), in_study=examples_in)] = (
        Field(default=None, ge=0, le=20, title=_("Worked examples shown"), description=_("From the scheme's first."))
    )
    form: Annotated[
        ReplyForm,
        Ask(
            choices={
                ReplyForm.LINES: _("One line for each aspect"),
                ReplyForm.JSON: _("JSON, by schema where the server can"),
            }
        ),
    ] = Field(default=ReplyForm.LINES, title=_("Form of the reply"))
    explain: Annotated[bool, Ask()] = Field(
        default=False,
        title=_("Ask for reasons too"),
        description=_("Where the scheme has a text for them; they are kept with the reply."),
    )
    order_seed: Annotated[int, Ask(is_rare=True)] = Field(
        default=0,
        ge=0,
        title=_("Seed of shuffled and paraphrased prompts"),
        description=_("Of two of the six wordings of the averaged prompt."),
    )
    language: Annotated[
        str, Ask(choices={each: each for each in LANGUAGES}, usual=_("that of the corpus"), in_study=languages_in)
    ] = Field(default=LANGUAGES[0], title=_("Language of the prompt"))

    def asking(self) -> JudgeFormat:
        return JudgeFormat(
            format=self.format,
            calling=self.calling,
            examples=self.examples,
            form=self.form,
            explain=self.explain,
            seed=self.order_seed,
            language=self.language,
        )


class JudgeParameters(ModelCall):
    """Raters by aspect."""

    asking: AskingParameters = AskingParameters()
    repetitions: Annotated[int, Ask()] = Field(
        default=1,
        ge=1,
        le=100,
        title=_("Times that each prompt is asked"),
        description=_("More than once is worth it where the temperature is above 0."),
    )
    second_reading: Annotated[bool, Ask()] = Field(
        default=True,
        title=_("Let the model read replies that the rules cannot"),
        description=_("What that leaves unread waits for a person."),
    )

    @property
    def times_asked(self) -> int:
        return self.repetitions


Given = TypeVar("Given", bound=JudgeParameters)
ASKING = tuple(AskingParameters.model_fields)


def resolve_judge(kind: type[Given], *, study: Study, given: Mapping[str, Any]) -> Given:
    """The parameters of a run that asks a model by aspect, from what was given, the study and the environment.

    Raises
    ------
    InvalidInputError
        When something is missing, unknown or out of range.
    """
    found = chosen(kind, given)
    language = study.corpus.language if study.corpus.language in LANGUAGES else LANGUAGES[0]
    asking = {"language": language} | {name: found.pop(name) for name in ASKING if name in found}
    call = server_and_model(found)
    return kind.checked(**found, **call, asking=asking)

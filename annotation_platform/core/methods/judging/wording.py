"""The words around a scheme's own, from the versioned files templates/judge_v1_LANGUAGE.toml."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from annotation_platform.core.methods.messages import normalise
from annotation_platform.core.schemes.languages import LANGUAGES

VERSION = "judge_v1"
_FOLDER = Path(__file__).parent / "templates"

Text = Annotated[str, AfterValidator(normalise)]
Texts = dict[str, Text]


class _Entries(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Frame(_Entries):
    """How one format puts its introduction and its criteria: one or more wordings of each."""

    intro: tuple[Text, ...]
    criterion: tuple[Text, ...]


class Wording(_Entries):
    """The entries of one language's file; what each is for is said there."""

    system: Text
    not_applicable: Text
    parts: Texts
    notes: Texts
    conditions: Texts
    joints: dict[str, str]
    reply: Texts
    second_reading: Texts
    simple: Frame
    paraphrased: Frame
    verbose: Frame
    verbatim: Frame


@cache
def wording(language: str) -> Wording:
    """The words of a language, English where there is no file for it."""
    name = f"{VERSION}_{language if language in LANGUAGES else LANGUAGES[0]}.toml"
    return Wording.model_validate(tomllib.loads((_FOLDER / name).read_text(encoding="utf-8")))

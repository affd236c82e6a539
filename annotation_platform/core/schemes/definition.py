"""The scheme: what a judge is shown, what is asked, on which scale, under which condition.

A scheme is data: one YAML file, checked into one frozen type. The form, its validation, the numbers behind the
labels, the rescaler's pairing of label and explanation, and the export's columns all come from here. Texts
may be written per language (``{en: …, ja: …}``); :func:`localise` picks one before the type is built.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
LANGUAGES = ("en", "ja")


class Level(StrEnum):
    """Level of measurement (Stevens); it decides which agreement statistics make sense."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Choice(Frozen):
    """One point of a scale. ``number`` is its value on the scale; nominal choices need none."""

    key: Key
    label: str = Field(min_length=1)
    description: str = ""
    number: float | None = None


class Scale(Frozen):
    """The choices of an aspect, in the order shown, their level of measurement, and which end is better."""

    level: Level
    better: Literal["high", "low"] | None = None
    choices: tuple[Choice, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _check(self) -> Self:
        keys = [choice.key for choice in self.choices]
        if doubled := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"the choice key {doubled[0]!r} is there twice")
        numbers = [choice.number for choice in self.choices]
        if self.level is not Level.NOMINAL and None in numbers:
            raise ValueError(f"an {self.level} scale needs a number for every choice")
        given = [number for number in numbers if number is not None]
        if len(set(given)) != len(given):
            raise ValueError("two choices have the same number")
        if self.better and len(given) != len(self.choices):
            raise ValueError("'better' needs a number for every choice")
        return self

    def choice(self, key: str) -> Choice:
        """The choice with this key.

        Raises
        ------
        KeyError
            When the scale has no such choice.
        """
        for choice in self.choices:
            if choice.key == key:
                return choice
        raise KeyError(key)

    @property
    def best(self) -> Choice | None:
        """The choice at the better end, or None when the scale has no better end."""
        if self.better is None:
            return None
        pick = max if self.better == "high" else min
        return pick(self.choices, key=lambda choice: choice.number or 0.0)


class Condition(Frozen):
    """Holds when the named aspect has one of these choices."""

    aspect: Key
    is_: tuple[Key, ...] = Field(alias="is", min_length=1)

    def holds(self, values: Mapping[str, Any]) -> bool:
        return values.get(self.aspect) in self.is_


class _Aspect(Frozen):
    key: Key
    title: str = Field(min_length=1)
    help: str = ""
    required: bool = True
    shown_when: Condition | None = None


class ChoiceAspect(_Aspect):
    """One choice of a scale."""

    kind: Literal["choice"]
    scale: Scale


class TextAspect(_Aspect):
    """Free text in the annotator's own words."""

    kind: Literal["text"]
    placeholder: str = ""
    min_length: int = Field(default=1, ge=1)
    max_length: int = Field(default=5_000, ge=1, le=20_000)


class SentencesAspect(_Aspect):
    """Numbers of sentences of the document; an empty list is the explicit answer "none"."""

    kind: Literal["sentences"]
    none_label: str = "None"


Aspect = Annotated[ChoiceAspect | TextAspect | SentencesAspect, Field(discriminator="kind")]


class Rescaling(Frozen):
    """Which aspect's labels are rescaled from which aspect's explanation."""

    aspect: Key
    explained_by: Key


class WorkedExample(Frozen):
    """A judged example in the instructions."""

    title: str = Field(min_length=1)
    sentences: tuple[str, ...] = ()
    anchor: int | None = Field(default=None, ge=1)
    question: str = ""
    answer: str = ""
    values: Mapping[str, Any]
    comment: str = ""


class Scheme(Frozen):
    """A whole task. See the module's docstring."""

    key: Key
    title: str = Field(min_length=1)
    description: str = ""
    shown: tuple[Literal["article", "question", "answer"], ...] = Field(min_length=1)
    aspects: tuple[Aspect, ...] = Field(min_length=1)
    rescale: tuple[Rescaling, ...] = ()
    guidelines: str = ""
    examples: tuple[WorkedExample, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        seen: dict[str, ChoiceAspect | TextAspect | SentencesAspect] = {}
        for aspect in self.aspects:
            if aspect.key in seen:
                raise ValueError(f"the aspect key {aspect.key!r} is there twice")
            if aspect.shown_when:
                _check_condition(aspect.key, aspect.shown_when, seen)
            if isinstance(aspect, SentencesAspect) and "article" not in self.shown:
                raise ValueError(f"the aspect {aspect.key!r} cites sentences, but no article is shown")
            seen[aspect.key] = aspect
        for rescaling in self.rescale:
            rated, explanation = seen.get(rescaling.aspect), seen.get(rescaling.explained_by)
            if not isinstance(rated, ChoiceAspect) or rated.scale.level is Level.NOMINAL:
                raise ValueError(f"rescale: {rescaling.aspect!r} is no aspect with an ordered scale")
            if rated.scale.better is None:
                raise ValueError(f"rescale: the scale of {rescaling.aspect!r} must say which end is better")
            if not isinstance(explanation, TextAspect):
                raise ValueError(f"rescale: {rescaling.explained_by!r} is no text aspect")
        return self

    def aspect(self, key: str) -> "ChoiceAspect | TextAspect | SentencesAspect":
        """The aspect with this key.

        Raises
        ------
        KeyError
            When the scheme has no such aspect.
        """
        for aspect in self.aspects:
            if aspect.key == key:
                return aspect
        raise KeyError(key)

    @property
    def choice_aspects(self) -> tuple[ChoiceAspect, ...]:
        return tuple(aspect for aspect in self.aspects if isinstance(aspect, ChoiceAspect))


def _check_condition(
    key: str, condition: Condition, earlier: Mapping[str, ChoiceAspect | TextAspect | SentencesAspect]
) -> None:
    asked = earlier.get(condition.aspect)
    if not isinstance(asked, ChoiceAspect):
        raise ValueError(f"the condition of {key!r} asks for {condition.aspect!r}, which is no choice aspect above it")
    known = {choice.key for choice in asked.scale.choices}
    if unknown := [choice for choice in condition.is_ if choice not in known]:
        raise ValueError(f"the condition of {key!r} asks for {unknown[0]!r}; {condition.aspect!r} has {sorted(known)}")


def localise(data: Any, language: str) -> Any:
    """Replace every ``{en: …, ja: …}`` in plain data by its text in one language, English where it is missing.

    Raises
    ------
    ValueError
        When a text has neither the language nor English.
    """
    if isinstance(data, dict):
        if data and set(data) <= set(LANGUAGES):
            if (text := data.get(language, data.get("en"))) is None:
                raise ValueError(f"a text in several languages needs at least 'en': {data}")
            return text
        return {key: localise(value, language) for key, value in data.items()}
    if isinstance(data, list):
        return [localise(value, language) for value in data]
    return data

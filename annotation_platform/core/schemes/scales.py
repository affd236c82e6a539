"""Scales: the points that a rating can take, their level of measurement, and which of them is best."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.mistakes import KEY_PATTERN, POINT_PATTERN, Mistake, refuse


class Frozen(BaseModel):
    """What all parts of a scheme have. The line under a field is its description in the JSON Schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


Key = Annotated[str, Field(pattern=KEY_PATTERN)]
"""Names an aspect."""
Point = Annotated[str, Field(pattern=POINT_PATTERN)]
"""Names a choice: a word, or a number as it is written on a numeric scale."""


class Level(StrEnum):
    """Level of measurement (Stevens); it decides which agreement statistics make sense."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


class Choice(Frozen):
    """One point of a scale, or one of several choices."""

    key: Point
    """Names the choice in stored judgments and exports; never shown."""
    label: str = Field(min_length=1)
    """What the annotator reads."""
    description: str = ""
    """A few words beside the label."""
    number: float | None = Field(default=None, allow_inf_nan=False)
    """Its value on the scale; nominal choices need none."""


class Scale(Frozen):
    """The choices of an aspect, in the order shown, their level of measurement, and what is better.

    Either an end is ``better``, or the number ``best`` is and others are worse the farther they lie from it
    (a balance such as −1 too short … 0 right … 1 too long). On a nominal scale a choice without a number
    ("not applicable") stands outside of better and worse.
    """

    level: Level
    """Nominal, ordinal, interval or ratio: which statistics make sense."""
    better: Literal["high", "low"] | None = None
    """Which end of the numbers is better."""
    best: float | None = Field(default=None, allow_inf_nan=False)
    """The number that is best, when it is no end."""
    choices: tuple[Choice, ...] = Field(min_length=2)
    """In the order shown."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse(self._mistakes())
        return self

    def _mistakes(self) -> Iterator[Mistake]:
        yield from doubled_keys(self.choices)
        numbers = [choice.number for choice in self.choices]
        for index, number in enumerate(numbers):
            if number is None and self.level is not Level.NOMINAL:
                yield ("choices", index), Reason("scheme.choice_without_number", level=self.level.value)
            elif number is not None and number in numbers[:index]:
                yield ("choices", index, "number"), Reason("scheme.number_twice", number=number)
            if number is not None and number < 0 and self.level is Level.RATIO:
                yield ("choices", index, "number"), Reason("scheme.ratio_below_zero", number=number)
        given = [number for number in numbers if number is not None]
        if self.better and self.best is not None:
            yield ("best",), Reason("scheme.better_and_best")
        if self.better and len(given) < 2:
            yield ("better",), Reason("scheme.needs_numbers")
        if self.best is not None and self.best not in given:
            yield ("best",), Reason("scheme.best_is_no_choice", number=self.best)

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
    def is_ordered_by_worth(self) -> bool:
        """Whether the scale says what is better."""
        return self.better is not None or self.best is not None

    def worth(self, choice: Choice) -> float | None:
        """How good a choice is, for comparing choices of this scale: higher is better, in units of its numbers.

        ``number`` when high is better, ``-number`` when low is, ``-|number - best|`` when a number is best; None
        when the scale does not say what is better, or the choice has no number.
        """
        if choice.number is None or not self.is_ordered_by_worth:
            return None
        if self.best is not None:
            return -abs(choice.number - self.best)
        return choice.number if self.better == "high" else -choice.number

    @property
    def best_choice(self) -> Choice | None:
        """The best choice, or None when the scale does not say what is better."""
        worths = [(worth, choice) for choice in self.choices if (worth := self.worth(choice)) is not None]
        return max(worths, key=lambda pair: pair[0])[1] if worths else None


class Keyed(Protocol):
    """What has a key of its own in a list."""

    @property
    def key(self) -> str: ...


def doubled_keys(choices: Sequence[Keyed], *, field: str = "choices") -> Iterator[Mistake]:
    """The choices whose key one before them has already; ``field`` is where they stand."""
    keys = [choice.key for choice in choices]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            yield (field, index, "key"), Reason("scheme.choice_twice", key=key)

"""Aspects: the questions that a scheme asks, one class a kind.

A kind is *rated* when it has a scale (choice, stars, yes_no, range), and *labelled* when each unit gets exactly one
label (the rated ones, item_choice and best_of): agreement is measured on labels. The others are texts, sentences,
several choices at once, and spans of text.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import cycle
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.conditions import NONE, Condition
from annotation_platform.core.schemes.mistakes import Mistake, refuse
from annotation_platform.core.schemes.scales import Choice, Frozen, Key, Level, Point, Scale, doubled_keys

MOST_POINTS = 201  # of a numeric range
MOST_SPANS = 500  # that one answer can have
MarkedPart = Literal["question", "answer", "rationale", "article", "documents", "reference_answers"]
CitedPart = Literal["documents", "conversation"]
Colour = Literal["red", "blue", "green", "purple", "orange", "teal", "pink", "yellow", "grey"]
COLOURS: tuple[Colour, ...] = get_args(Colour)
CHOICE_LETTERS = "abcdefghijklmnopqrstuvwxyz"
FORCED = "forced"
TIE = "tie"
CANNOT_JUDGE = "cannot_judge"
CANNOT_JUDGE_REASON = "cannot_judge.reason"
CONDITIONS = ("shown_when", "required_when", "at_least_one_when")


class _Aspect(Frozen):
    """What all kinds have."""

    key: Key
    """Names the aspect in conditions, stored judgments and exports; never shown."""
    title: str = Field(min_length=1)
    """The question, as the annotator reads it."""
    help: str = ""
    """One line under the title."""
    guidelines: str = ""
    """More about this aspect, in Markdown, a key away."""
    per: Literal["item", "candidate"] = "item"
    """Asked once for the item, or for each candidate of a group."""
    required: bool = True
    """False: it may be left open."""
    required_when: Condition | None = None
    """Required just when this holds; otherwise it may be left open."""
    shown_when: Condition | None = None
    """Shown just when this holds; a hidden aspect is neither required nor stored."""


class ChoiceAspect(_Aspect):
    """One choice of a scale whose points have labels."""

    kind: Literal["choice"]
    scale: Scale
    """Its choices, and what is better."""
    display: Literal["list", "row"] = "list"
    """Below each other, or side by side (Likert)."""


class StarsAspect(_Aspect):
    """One star or more: an ordinal scale on which more is better."""

    kind: Literal["stars"]
    points: int = Field(default=5, ge=2, le=10)
    """How many stars there are."""
    labels: dict[int, str] = {}
    """Words for some of them: number of stars to text."""

    @cached_property
    def scale(self) -> Scale:
        numbers = range(1, self.points + 1)
        return Scale(
            level=Level.ORDINAL,
            better="high",
            choices=tuple(Choice(key=str(n), label=self.labels.get(n) or str(n), number=n) for n in numbers),
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        strange = sorted(set(self.labels) - set(range(1, self.points + 1)))
        points = self.points
        refuse((("labels", str(star)), Reason("scheme.no_star", star=star, points=points)) for star in strange)
        return self


class YesNoAspect(_Aspect):
    """Yes or no, and "not applicable" when that has a label: a nominal scale, of which one end may be better."""

    kind: Literal["yes_no"]
    better: Literal["yes", "no"] | None = None
    """Which of the two is better, if one is."""
    yes: str = Field(default="Yes", min_length=1)
    """Another word for yes."""
    no: str = Field(default="No", min_length=1)
    """Another word for no."""
    not_applicable: str = ""
    """The label of a third choice, "na"; without it there is none."""

    @cached_property
    def scale(self) -> Scale:
        neither = (Choice(key="na", label=self.not_applicable),) if self.not_applicable else ()
        return Scale(
            level=Level.NOMINAL,
            better=None if self.better is None else "high" if self.better == "yes" else "low",
            choices=(
                Choice(key="yes", label=self.yes, number=1),
                Choice(key="no", label=self.no, number=0),
                *neither,
            ),
        )


class RangeAspect(_Aspect):
    """A number from ``low`` to ``high`` in steps."""

    kind: Literal["range"]
    low: float = Field(allow_inf_nan=False)
    """The smallest number."""
    high: float = Field(allow_inf_nan=False)
    """The largest number."""
    step: float = Field(default=1, gt=0, allow_inf_nan=False)
    """From one number to the next."""
    level: Literal[Level.ORDINAL, Level.INTERVAL, Level.RATIO] = Level.INTERVAL
    """Level of measurement."""
    better: Literal["high", "low"] | None = None
    """Which end is better."""
    best: float | None = Field(default=None, allow_inf_nan=False)
    """The number that is best, when it is no end."""
    labels: dict[float, str] = {}
    """Words for some of the numbers: number to text."""

    @cached_property
    def scale(self) -> Scale:
        return Scale(
            level=self.level,
            better=self.better,
            best=self.best,
            choices=tuple(Choice(key=f"{n:g}", label=self.labels.get(n) or f"{n:g}", number=n) for n in self._numbers),
        )

    @property
    def _numbers(self) -> list[float]:
        return [round(self.low + index * self.step, 9) + 0.0 for index in range(self._steps + 1)]

    @property
    def _steps(self) -> int:
        return round((self.high - self.low) / self.step)

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse(self._mistakes())
        _ = self.scale  # its own check says what is wrong with better and best
        return self

    def _mistakes(self) -> Iterator[Mistake]:
        if self.high <= self.low:
            yield ("high",), Reason("scheme.high_not_above_low", low=self.low)
        elif self._steps >= MOST_POINTS:
            yield ("step",), Reason("scheme.too_many_points", count=self._steps + 1, most=MOST_POINTS)
        elif abs(self.low + self._steps * self.step - self.high) > 1e-9:
            yield ("step",), Reason("scheme.steps_do_not_meet", step=self.step, low=self.low, high=self.high)
        elif any(float(f"{number:g}") != number for number in self._numbers):
            yield ("step",), Reason("scheme.too_many_digits")
        else:
            for number in sorted(set(self.labels) - set(self._numbers)):
                yield ("labels", f"{number:g}"), Reason("scheme.no_point_of_range", number=number)


class ItemChoiceAspect(_Aspect):
    """One of the item's own choices (a, b, …), or none of them when that has a label."""

    kind: Literal["item_choice"]
    none_label: str = ""
    """The label of the choice "none of them"; without it there is no such choice."""

    def keys(self, count: int) -> list[str]:
        """What can be chosen for an item with ``count`` choices."""
        return [*CHOICE_LETTERS[:count], *([NONE] if self.none_label else [])]


class BestOfAspect(_Aspect):
    """The best candidate of the group."""

    kind: Literal["best_of"]
    forced_label: str = ""
    """Words the mark "none is acceptable, but if I must choose"; without it there is no such mark."""
    tie_label: str = ""
    """The label of the choice "they are equally good"; without it one must be chosen."""

    def keys(self, count: int) -> list[str]:
        """What can be chosen among ``count`` candidates: their numbers, and a tie where there may be one."""
        return [*map(str, range(1, count + 1)), *([TIE] if self.tie_label else [])]


class SeveralAspect(_Aspect):
    """Any number of a list of choices."""

    kind: Literal["several"]
    choices: tuple[Choice, ...] = Field(min_length=2)
    """In the order shown."""
    none_label: str = ""
    """The label of the answer "none of them"; without it at least one must be chosen."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        taken = (index for index, choice in enumerate(self.choices) if choice.key == NONE)
        reason = Reason("scheme.none_taken", key=NONE)
        refuse([*doubled_keys(self.choices), *((("choices", index, "key"), reason) for index in taken)])
        return self


class TextAspect(_Aspect):
    """Free text in the annotator's own words."""

    kind: Literal["text"]
    placeholder: str = ""
    """Stands in the empty field."""
    min_length: int = Field(default=1, ge=1)
    """The fewest characters."""
    max_length: int = Field(default=5_000, ge=1, le=20_000)
    """The most characters."""
    explains: tuple[Key, ...] = ()
    """The keys of the aspects whose labels it gives reasons for."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.max_length < self.min_length:
            refuse([(("max_length",), Reason("scheme.longest_below_shortest", least=self.min_length))])
        return self


class SentencesAspect(_Aspect):
    """Sentences of the documents or of the conversation; an empty list is the explicit answer "none"."""

    kind: Literal["sentences"]
    cites: tuple[CitedPart, ...] = Field(default=("documents",), min_length=1)
    """Where they stand: in the document and the reference documents, or in the turns of the conversation."""
    none_label: str = "None"
    """The label of the answer "none"; when it is empty, at least one sentence must be cited."""
    at_least_one_when: Condition | None = None
    """While this holds, at least one sentence must be cited."""


class SpanLabel(Frozen):
    """A label that marked words can have."""

    key: Point
    """Names the label in stored judgments and exports; never shown."""
    label: str = Field(min_length=1)
    """What the annotator reads."""
    description: str = ""
    """A few words beside the label."""
    colour: Colour | None = None
    """What its marks are tinted with; without it, the first colour of the list that no label has."""


class SpansAspect(_Aspect):
    """Words marked in the texts, each span with a label; an empty list is the explicit answer "none"."""

    kind: Literal["spans"]
    marks: tuple[MarkedPart, ...] = Field(default=("answer",), min_length=1)
    """The parts whose text can be marked."""
    labels: tuple[SpanLabel, ...] = Field(min_length=1, max_length=9)
    """In the order shown."""
    min_spans: int = Field(default=1, ge=1, le=MOST_SPANS)
    """The fewest spans, unless the answer is "none"."""
    max_spans: int = Field(default=MOST_SPANS, ge=1, le=MOST_SPANS)
    """The most spans."""
    notes: bool = False
    """True: a few words can be written about each span."""
    none_label: str = "Nothing to mark"
    """The label of the answer "none"; when it is empty, something must be marked."""

    @cached_property
    def colours(self) -> dict[str, Colour]:
        """The colour of each label, by its key."""
        given = [label.colour for label in self.labels]
        free: Iterator[Colour] = cycle([colour for colour in COLOURS if colour not in given])
        return {each.key: next(free) if each.colour is None else each.colour for each in self.labels}

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse(self._mistakes())
        return self

    def _mistakes(self) -> Iterator[Mistake]:
        yield from doubled_keys(self.labels, field="labels")
        for index, label in enumerate(self.labels):
            if label.key == NONE:
                yield ("labels", index, "key"), Reason("scheme.none_taken", key=NONE)
        for index, part in enumerate(self.marks):
            if part in self.marks[:index]:
                yield ("marks", index), Reason("scheme.marked_twice", part=part)
        if self.max_spans < self.min_spans:
            yield ("max_spans",), Reason("scheme.most_below_fewest", least=self.min_spans)


RatedAspect = ChoiceAspect | StarsAspect | YesNoAspect | RangeAspect
LabelledAspect = RatedAspect | ItemChoiceAspect | BestOfAspect
Aspect = Annotated[
    LabelledAspect | SeveralAspect | TextAspect | SentencesAspect | SpansAspect, Field(discriminator="kind")
]


def points_of(aspect: Any) -> dict[str, float | None] | None:
    """Choice key → number of what can be said to an aspect; None where that depends on the item."""
    if isinstance(aspect, RatedAspect):
        return {choice.key: choice.number for choice in aspect.scale.choices}
    if isinstance(aspect, SeveralAspect):
        none: dict[str, float | None] = {NONE: None} if aspect.none_label else {}
        return {choice.key: choice.number for choice in aspect.choices} | none
    if isinstance(aspect, SentencesAspect):
        return {NONE: None}
    if isinstance(aspect, SpansAspect):
        return dict.fromkeys([*(label.key for label in aspect.labels), NONE])
    return {} if isinstance(aspect, TextAspect) else None

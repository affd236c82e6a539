"""The scheme: what a judge is shown, what is asked, on which scale, under which condition.

A scheme is data: one YAML file, checked into one frozen type. The form, its validation, the numbers behind the
labels, the pairing of label and explanation, and the export's columns all come from here. Texts may be written per
language (``{en: …, ja: …}``); one is picked before the type is built (languages.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import (
    CONDITIONS,
    FORCED,
    Aspect,
    BestOfAspect,
    LabelledAspect,
    RatedAspect,
    SentencesAspect,
    SpansAspect,
    points_of,
)
from annotation_platform.core.schemes.conditions import holds
from annotation_platform.core.schemes.mistakes import refuse
from annotation_platform.core.schemes.parts import Composite, Part, Rescaling, Shown, as_shown
from annotation_platform.core.schemes.rules import mistakes_between_parts
from annotation_platform.core.schemes.scales import Frozen, Key
from annotation_platform.core.schemes.spans import named_texts
from annotation_platform.core.turns import Conversation, SpokenTurn, as_turns, conversation_of


class ExampleDocument(Frozen):
    """A reference document of a worked example."""

    title: str = ""
    """Its heading."""
    sentences: tuple[str, ...] = Field(min_length=1)
    """Its text, sentence by sentence."""


class WorkedExample(Frozen):
    """A judged example in the instructions, made of the parts that the scheme shows."""

    title: str = Field(min_length=1)
    """What it is an example of."""
    sentences: tuple[str, ...] = ()
    """The document, sentence by sentence."""
    documents: tuple[ExampleDocument, ...] = ()
    """The reference documents R1, R2, …"""
    anchor: int | None = Field(default=None, ge=1)
    """The number of the sentence that raised the question."""
    question: str = ""
    """The question."""
    choices: tuple[str, ...] = ()
    """The choices of a multiple-choice question."""
    answer: str = ""
    """The answer."""
    rationale: str = ""
    """The explanation that came with the answer."""
    reference_answers: tuple[str, ...] = ()
    """Answers known to be right."""
    candidates: tuple[str, ...] = ()
    """The answers of a group."""
    values: Mapping[str, Any]
    """How it is judged: an aspect's key (for the second candidate: key.2) to what is said to it."""
    comment: str = ""
    """Why it is judged so."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.anchor is not None and self.anchor > len(self.sentences):
            refuse([(("anchor",), Reason("scheme.no_anchor", number=self.anchor, count=len(self.sentences)))])
        return self

    @property
    def shape(self) -> "ItemShape":
        return ItemShape(
            sentences=len(self.sentences),
            documents=tuple(len(document.sentences) for document in self.documents),
            choices=len(self.choices),
            candidates=len(self.candidates),
            texts=tuple((name, len(text)) for name, text in self.texts.items()),
            turns=conversation_of(
                as_turns("user", (), self.question),
                as_turns("assistant", (), self.answer),
                [as_turns("assistant", (), text) for text in self.candidates],
                language="",
            ),
        )

    @property
    def texts(self) -> dict[str, str]:
        """The texts that can be marked, by their names."""
        alone = {"question": self.question, "answer": self.answer, "rationale": self.rationale}
        return named_texts(
            alone, self.candidates, self.sentences, [each.sentences for each in self.documents], self.reference_answers
        )


@dataclass(frozen=True)
class ItemShape:
    """How much of everything an item has: all that a judgment's check needs to know of it.

    ``sentences`` is 0 when the document's text is withheld; ``documents`` has the number of sentences of each
    reference document; ``texts`` the length of each text that can be marked, in code points by the text's name
    (spans.py; a candidate's answer is ``answer.2``), and is empty where nobody marks anything. ``turns`` are those of
    the conversation whose sentences can be cited, and may be left out where nobody cites any.
    """

    sentences: int = 0
    documents: tuple[int, ...] = ()
    choices: int = 0
    candidates: int = 0
    texts: tuple[tuple[str, int], ...] = ()
    turns: Conversation = field(default=(), compare=False)

    def turns_for(self, candidate: int) -> tuple[SpokenTurn, ...]:
        """The turns that an aspect of the item (0) or of a candidate can cite."""
        own = self.turns[candidate] if 0 < candidate < len(self.turns) else ()
        return (*self.turns[0], *own) if self.turns else ()


@dataclass(frozen=True)
class Slot:
    """Where one value of a judgment goes: an aspect, of the item (``candidate`` 0) or of one candidate (from 1).

    ``key`` names it in forms, drafts, stored judgments and exports: ``remark``, or ``rating.2``.
    """

    aspect: Aspect
    candidate: int = 0

    @cached_property
    def key(self) -> str:
        return f"{self.aspect.key}.{self.candidate}" if self.candidate else self.aspect.key

    @cached_property
    def forced_key(self) -> str | None:
        """Where the mark "none is acceptable" goes, beside the choice of the best candidate."""
        has_mark = isinstance(self.aspect, BestOfAspect) and self.aspect.forced_label
        return f"{self.aspect.key}.{FORCED}" if has_mark else None


class Scheme(Frozen):
    """A whole task: what a judge is shown, and what is asked."""

    key: Key
    """Names the task; its versions have numbers."""
    title: str = Field(min_length=1)
    """Its name on pages."""
    description: str = ""
    """What it is about, in a sentence or two."""
    shown: tuple[Annotated[Shown, BeforeValidator(as_shown, json_schema_input_type=Part | Shown)], ...] = Field(
        min_length=1
    )
    """The parts of an item that the judge sees, in order."""
    aspects: tuple[Aspect, ...] = Field(min_length=1)
    """What is asked, in order."""
    judgments_per_item: int = Field(default=5, ge=1, le=100)
    """How many people judge each item, unless the study says otherwise."""
    cannot_judge: str = ""
    """Words the answer "I cannot judge this item", which asks for a reason; without it there is no such answer."""
    rescale: tuple[Rescaling, ...] = ()
    """Labels that are rescaled from explanations (EBR)."""
    composites: tuple[Composite, ...] = ()
    """Scores made of several aspects (LLM-MATE)."""
    guidelines: str = ""
    """The instructions, in Markdown."""
    examples: tuple[WorkedExample, ...] = ()
    """Worked examples, shown with the instructions."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse(
            mistakes_between_parts(
                shown=[shown.part for shown in self.shown],
                aspects=self.aspects,
                rescalings=self.rescale,
                composites=self.composites,
                has_cannot_judge=bool(self.cannot_judge),
            )
        )
        return self

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, which works out anew what follows from its parts."""
        copy = super().model_copy(update=update, deep=deep)
        for name in [name for name, each in vars(type(self)).items() if isinstance(each, cached_property)]:
            vars(copy).pop(name, None)
        return copy

    def aspect(self, key: str) -> Aspect:
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

    @cached_property
    def parts(self) -> dict[str, str]:
        """What is shown, in order, with the heading that the scheme gives it ("": the page's own)."""
        return {shown.part: shown.title for shown in self.shown}

    @property
    def judges_candidates(self) -> bool:
        """Whether an item is a group of candidates judged together, rather than one answer."""
        return "candidates" in self.parts

    @property
    def rated_aspects(self) -> tuple[RatedAspect, ...]:
        return tuple(aspect for aspect in self.aspects if isinstance(aspect, RatedAspect))

    @property
    def labelled_aspects(self) -> tuple[LabelledAspect, ...]:
        """The aspects in which each unit gets one label: what agreement is measured on."""
        return tuple(aspect for aspect in self.aspects if isinstance(aspect, LabelledAspect))

    @property
    def sentences_aspects(self) -> tuple[SentencesAspect, ...]:
        return tuple(aspect for aspect in self.aspects if isinstance(aspect, SentencesAspect))

    @cached_property
    def cited_parts(self) -> frozenset[str]:
        """Where sentences are cited: in documents, in the conversation."""
        return frozenset(part for aspect in self.sentences_aspects for part in aspect.cites)

    @property
    def cites_conversation(self) -> bool:
        return "conversation" in self.cited_parts

    @property
    def parts_of_conversation(self) -> set[str]:
        """The parts of an item whose turns can be cited; empty where no aspect cites any."""
        return {part for part in ("question", "answer", "candidates") if part in self.parts and self.cites_conversation}

    @property
    def spans_aspects(self) -> tuple[SpansAspect, ...]:
        return tuple(aspect for aspect in self.aspects if isinstance(aspect, SpansAspect))

    @property
    def marked_parts(self) -> set[str]:
        """The parts of an item whose texts are marked; the answers of a group are its candidates."""
        marked = {part for aspect in self.spans_aspects for part in aspect.marks}
        return {"candidates" if part == "answer" and self.judges_candidates else part for part in marked}

    def explained_by(self, key: str) -> tuple[LabelledAspect, ...]:
        """The aspects whose labels the text aspect with this key gives reasons for."""
        text = self.aspect(key)
        keys = {*getattr(text, "explains", ()), *(r.aspect for r in self.rescale if r.explained_by == key)}
        return tuple(aspect for aspect in self.labelled_aspects if aspect.key in keys)

    def slots(self, shape: ItemShape) -> tuple[Slot, ...]:
        """Every place for a value, in the order asked; those per candidate go candidate by candidate."""
        if (known := self._slots.get(shape.candidates)) is None:
            known = self._slots[shape.candidates] = tuple(self._slots_beside(shape.candidates))
        return known

    @cached_property
    def _slots(self) -> dict[int, tuple[Slot, ...]]:
        """The slots by the number of candidates, as far as they were asked for."""
        return {}

    def _slots_beside(self, candidates: int) -> Iterator[Slot]:
        group = [aspect for aspect in self.aspects if aspect.per == "candidate"]
        for aspect in self.aspects:
            if aspect.per == "item":
                yield Slot(aspect)
            elif aspect is group[0]:
                yield from (Slot(each, candidate) for candidate in range(1, candidates + 1) for each in group)

    def shown_slots(self, shape: ItemShape, values: Mapping[str, Any]) -> Iterator[Slot]:
        """The slots whose condition holds, in order; one that is hidden hides those that ask for it."""
        visible: dict[str, Any] = {}
        for slot in self.slots(shape):
            if self.holds(slot, "shown_when", visible):
                visible[slot.key] = values.get(slot.key)
                yield slot

    def holds(self, slot: Slot, name: str, values: Mapping[str, Any]) -> bool:
        """Whether a condition of a slot's aspect (``shown_when``, …) holds for the values of visible slots.

        A condition that is not there holds for ``shown_when`` and for nothing else.
        """
        plain = self.condition(slot.aspect.key, name)
        if plain is None:
            return name == "shown_when"
        return holds(plain, seen_from(slot, values))

    def is_required(self, slot: Slot, values: Mapping[str, Any]) -> bool:
        """Whether a visible slot must be filled, given the values of visible slots."""
        if slot.aspect.required_when is None:
            return slot.aspect.required
        return self.holds(slot, "required_when", values)

    def condition(self, key: str, name: str) -> dict[str, Any] | None:
        """A condition of an aspect in plain form, as pages get it; None when it has none."""
        return self._conditions.get((key, name))

    @cached_property
    def _conditions(self) -> dict[tuple[str, str], dict[str, Any]]:
        points = {aspect.key: points_of(aspect) for aspect in self.aspects}
        return {
            (aspect.key, name): condition.plain(points)
            for aspect in self.aspects
            for name in CONDITIONS
            if (condition := getattr(aspect, name, None)) is not None
        }


def seen_from(slot: Slot, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a slot's conditions are about, by aspect: the item's, and those of its own candidate."""
    suffix = f".{slot.candidate}"
    seen = {key: value for key, value in values.items() if "." not in key}
    if slot.candidate:
        seen |= {key.removesuffix(suffix): value for key, value in values.items() if key.endswith(suffix)}
    return seen

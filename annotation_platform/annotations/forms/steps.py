"""The numbered steps of the page: each slot of the scheme with its field, its conditions and what stands in it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from annotation_platform.annotations.forms.guidelines import as_html
from annotation_platform.annotations.forms.options import Option, options_of
from annotation_platform.annotations.forms.values import PREFIX
from annotation_platform.core.citations import SentenceReference, SentenceReferenceError
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    RangeAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    Slot,
    SpansAspect,
    StarsAspect,
    TextAspect,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON, CONDITIONS
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.typed_values import read_sentences, said_in
from annotation_platform.core.turns import SpokenTurn, Turn

MOST_BUTTONS = 11  # points of a range that stand side by side; a longer one is a slider


@dataclass(frozen=True)
class StepLabel:
    """A label of marked words. ``sign`` tells it where there is no room for words; it is also its key."""

    key: str
    label: str
    description: str
    colour: str
    sign: str


@dataclass(frozen=True)
class Step:
    """One slot on the page, with what its field holds and what is wrong with it.

    ``number`` counts the steps that are shown, those of each candidate alike; None for one that its condition hides.
    ``place`` is that in the scheme's order, in which conditions are settled.
    ``letter`` is that of the candidate it is asked about. ``conditions`` are JSON, for static/annotate.js.
    """

    number: int | None
    place: int
    slot: Slot
    value: str
    error: str
    options: tuple[Option, ...]
    conditions: Mapping[str, str]
    is_required: bool
    is_forced: bool
    letter: str
    gets_hints: bool

    @property
    def aspect(self) -> Aspect:
        return self.slot.aspect

    @property
    def name(self) -> str:
        return PREFIX + self.slot.key

    @property
    def forced_name(self) -> str:
        return PREFIX + (self.slot.forced_key or "")

    @property
    def focus_id(self) -> str:
        """The first field of the step."""
        return f"{self.name}-1"

    @property
    def look(self) -> str:
        """How its field looks, which is also the class that static/annotate.css knows it by."""
        if isinstance(self.aspect, RangeAspect):
            return "points" if len(self.options) <= MOST_BUTTONS else "slider"
        looks = {"choice": getattr(self.aspect, "display", ""), "yes_no": "list", "item_choice": "letters"}
        return looks.get(self.aspect.kind, self.aspect.kind)

    @property
    def template(self) -> str:
        own = self.look in ("several", "slider", "text", "sentences", "spans")
        return f"annotations/fields/{self.look if own else 'options'}.html"

    @property
    def is_none(self) -> bool:
        """Whether the explicit "none" of a list is ticked."""
        return isinstance(self.aspect, SentencesAspect | SeveralAspect | SpansAspect) and self.value == NONE

    @property
    def cites(self) -> str:
        """Where the sentences stand that can be cited, for static/annotate_citing.js."""
        return " ".join(self.aspect.cites) if isinstance(self.aspect, SentencesAspect) else ""

    @property
    def cites_documents(self) -> bool:
        return isinstance(self.aspect, SentencesAspect) and "documents" in self.aspect.cites

    @property
    def marks(self) -> str:
        """The parts whose words can be marked, for static/annotate_spans.js."""
        return " ".join(self.aspect.marks) if isinstance(self.aspect, SpansAspect) else ""

    @property
    def span_labels(self) -> list[StepLabel]:
        """The labels that marked words can have."""
        if not isinstance(self.aspect, SpansAspect):
            return []
        colours = self.aspect.colours
        return [
            StepLabel(each.key, each.label, each.description, colours[each.key], str(place))
            for place, each in enumerate(self.aspect.labels, start=1)
        ]

    @property
    def chosen(self) -> list[str]:
        """The keys chosen of several."""
        return [key.strip() for key in self.value.split(",")]

    @property
    def guidelines(self) -> SafeString:
        return as_html(self.aspect.guidelines)

    @property
    def words(self) -> list[tuple[str, str]]:
        """The points that have a label of their own, where the field shows numbers or stars."""
        has_points = isinstance(self.aspect, RangeAspect | StarsAspect)
        return [(option.key.replace("-", "−"), option.what) for option in self.options if has_points and option.what]

    @property
    def described_by(self) -> str:
        parts = (
            ("help", self.aspect.help),
            ("words", self.words),
            ("error", self.error),
            ("counter", isinstance(self.aspect, TextAspect)),
        )
        return " ".join(f"{self.name}-{part}" for part, is_there in parts if is_there)


@dataclass(frozen=True)
class Card:
    """A candidate with the steps that are asked about it."""

    number: int
    letter: str
    text: str
    turns: tuple[Turn, ...]
    spoken: tuple[SpokenTurn, ...]
    cited: frozenset[SentenceReference]
    """Of its turns, what the page shows as cited when it opens."""
    steps: tuple[Step, ...]

    @property
    def cites(self) -> bool:
        """Whether sentences of its turns can be cited."""
        return any("conversation" in step.cites.split() for step in self.steps)


@dataclass(frozen=True)
class CannotJudge:
    """The answer that takes the place of all steps."""

    label: str
    is_chosen: bool
    reason: str
    error: str

    name = PREFIX + CANNOT_JUDGE
    reason_name = PREFIX + CANNOT_JUDGE_REASON


@dataclass(frozen=True)
class Form:
    """The steps of a page: those of the item, and between them the candidates with their own.

    Which candidate is best is asked below them all, even where the scheme has it above what it asks of each: nobody
    can choose among answers that they have not seen.
    """

    before: tuple[Step, ...]
    cards: tuple[Card, ...]
    after: tuple[Step, ...]
    cannot_judge: CannotJudge | None = None
    """Where the scheme allows that answer."""
    other_errors: tuple[str, ...] = ()
    """What is wrong with fields that the page does not have."""

    @property
    def steps(self) -> list[Step]:
        """In the order in which they stand on the page."""
        return [*self.before, *(step for card in self.cards for step in card.steps), *self.after]


def build_form(
    scheme: Scheme,
    material: ItemTexts,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    *,
    gives_hints: bool = False,
) -> Form:
    """The scheme's slots as the steps of the page, candidates in the order in which they are shown."""
    errors = errors or {}
    slots = list(scheme.slots(material.shape))
    said = said_in(slots, typed)
    visible = {slot.key: said.get(slot.key) for slot in scheme.shown_slots(material.shape, said)}
    before, of_cards, after = _parts_of_page(slots)
    shown = (slot.aspect.key for slot in (*before, *of_cards, *after) if slot.key in visible)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(shown), start=1)}
    places = {slot.key: place for place, slot in enumerate(slots)}

    def step(slot: Slot) -> Step:
        return Step(
            number=numbers[slot.aspect.key] if slot.key in visible else None,
            place=places[slot.key],
            slot=slot,
            value=typed.get(slot.key, ""),
            error=errors.get(slot.key, ""),
            options=options_of(scheme, slot.aspect, material),
            conditions=_conditions(scheme, slot.aspect.key),
            is_required=scheme.is_required(slot, visible),
            is_forced=bool(slot.forced_key and typed.get(slot.forced_key)),
            letter=material.letters.get(slot.candidate, ""),
            gets_hints=gives_hints and slot.aspect.kind == "text" and bool(scheme.explained_by(slot.aspect.key)),
        )

    return Form(
        before=tuple(step(slot) for slot in before),
        cards=tuple(
            Card(
                *(each.number, letter, each.text, each.turns, material.conversation[each.number]),
                frozenset(cited_in(scheme, material, typed, candidate=each.number)),
                tuple(step(slot) for slot in of_cards if slot.candidate == each.number),
            )
            for each, letter in zip(material.candidates, material.letters.values(), strict=False)
        ),
        after=tuple(step(slot) for slot in after),
        cannot_judge=_cannot_judge(scheme, typed, errors),
        other_errors=tuple(errors[key] for key in errors if key not in {CANNOT_JUDGE, *(slot.key for slot in slots)}),
    )


def _parts_of_page(slots: Sequence[Slot]) -> tuple[list[Slot], list[Slot], list[Slot]]:
    """What stands before the candidates, on their cards, and after them, where the choice of the best stands, too."""
    first = next((index for index, slot in enumerate(slots) if slot.candidate), 0)
    first = next((index for index, slot in enumerate(slots[:first]) if isinstance(slot.aspect, BestOfAspect)), first)
    of_cards = [slot for slot in slots if slot.candidate]
    return list(slots[:first]), of_cards, [slot for slot in slots[first:] if not slot.candidate]


def _cannot_judge(scheme: Scheme, typed: Mapping[str, str], errors: Mapping[str, str]) -> CannotJudge | None:
    if not scheme.cannot_judge:
        return None
    return CannotJudge(
        label=scheme.cannot_judge,
        is_chosen=bool(typed.get(CANNOT_JUDGE)),
        reason=typed.get(CANNOT_JUDGE_REASON, ""),
        error=errors.get(CANNOT_JUDGE, ""),
    )


def cited_in(
    scheme: Scheme, material: ItemTexts, typed: Mapping[str, Any], *, candidate: int | None = None
) -> set[SentenceReference]:
    """The sentences that the page shows as cited when it opens; by what is asked of one candidate, if it is named."""
    cited: set[SentenceReference] = set()
    for slot in scheme.slots(material.shape):
        if isinstance(slot.aspect, SentencesAspect) and candidate in (None, slot.candidate):
            text, has_article = typed.get(slot.key, ""), "article" in scheme.parts
            try:
                cited.update(read_sentences(text, slot, material.shape, has_article=has_article))
            except SentenceReferenceError:
                continue
    return cited


def _conditions(scheme: Scheme, key: str) -> dict[str, str]:
    plain = {name: scheme.condition(key, name) for name in CONDITIONS}
    return {name: json.dumps(condition) for name, condition in plain.items() if condition is not None}

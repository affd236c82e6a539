"""What checked values of a judgment hold: labels, cited sentences, marked spans, and the numbers of candidates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation_platform.core.citations import document_and_number
from annotation_platform.core.schemes.aspects import (
    TIE,
    BestOfAspect,
    ItemChoiceAspect,
    RatedAspect,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
)
from annotation_platform.core.schemes.definition import ItemShape, Scheme, Slot
from annotation_platform.core.schemes.spans import Span


@dataclass(frozen=True)
class Label:
    """A label given to an aspect, and the number that its scale puts behind it (None where there is none).

    ``candidate`` is 0 for the item as a whole.
    """

    aspect: str
    candidate: int
    choice: str
    number: float | None


@dataclass(frozen=True)
class Citation:
    """A sentence that a judgment cites.

    ``document``: 0 for the article, the reference document's number, or that of a turn beyond ``core.citations.TURNS``.
    """

    aspect: str
    candidate: int
    document: int
    number: int


def labels_given(scheme: Scheme, values: Mapping[str, Any], shape: ItemShape) -> list[Label]:
    """The labels of checked values, one for each choice made, with the numbers of their scales."""
    return [label for slot in scheme.slots(shape) if slot.key in values for label in _labels(slot, values[slot.key])]


def citations(scheme: Scheme, values: Mapping[str, Any], shape: ItemShape) -> list[Citation]:
    """Every sentence cited in checked values."""
    return [
        Citation(slot.aspect.key, slot.candidate, *document_and_number(reference))
        for slot in scheme.slots(shape)
        if isinstance(slot.aspect, SentencesAspect)
        for reference in values.get(slot.key, ())
    ]


def spans_given(scheme: Scheme, values: Mapping[str, Any], shape: ItemShape) -> list[Span]:
    """Every span marked in checked values."""
    return [
        Span(slot.aspect.key, slot.candidate, **span)
        for slot in scheme.slots(shape)
        if isinstance(slot.aspect, SpansAspect)
        for span in values.get(slot.key, ())
    ]


def renumber_candidates(scheme: Scheme, values: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """Checked values with other candidate numbers (old → new), in slot keys and in the choice of the best one."""
    best = {aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)}
    renumbered = {}
    for key, value in values.items():
        name, _, suffix = key.partition(".")
        if suffix.isdecimal():
            key = f"{name}.{numbers[int(suffix)]}"
        renumbered[key] = str(numbers[int(value)]) if key in best and value != TIE else value
    return renumbered


def _labels(slot: Slot, value: Any) -> Iterator[Label]:
    aspect, candidate = slot.aspect, slot.candidate
    if isinstance(aspect, RatedAspect):
        yield Label(aspect.key, candidate, value, aspect.scale.choice(value).number)
    elif isinstance(aspect, ItemChoiceAspect | BestOfAspect):
        yield Label(aspect.key, candidate, value, None)
    elif isinstance(aspect, SeveralAspect):
        numbers = {choice.key: choice.number for choice in aspect.choices}
        yield from (Label(aspect.key, candidate, key, numbers[key]) for key in value)

"""The instructions: guidelines, and worked examples as the page would show them, with how they were judged."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from annotation_platform.annotations.forms.guidelines import as_html
from annotation_platform.annotations.forms.options import Option, options_of
from annotation_platform.annotations.forms.steps import cited_in
from annotation_platform.annotations.forms.values import typed_from_values
from annotation_platform.core.citations import SentenceReference
from annotation_platform.core.items import ItemTexts, texts_of_example
from annotation_platform.core.schemes import (
    BestOfAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    Slot,
    SpansAspect,
    TextAspect,
)
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.definition import WorkedExample
from annotation_platform.core.schemes.spans import in_words as spans_in_words
from annotation_platform.core.turns import SpokenTurn


@dataclass(frozen=True)
class ExampleStep:
    """How a worked example judged one aspect."""

    title: str
    value: str


@dataclass(frozen=True)
class ExampleCandidate:
    letter: str
    text: str
    spoken: tuple[SpokenTurn, ...]
    cited: frozenset[SentenceReference]
    steps: tuple[ExampleStep, ...]


@dataclass(frozen=True)
class Example:
    """A worked example as the instructions show it."""

    example: WorkedExample
    material: ItemTexts
    cited: frozenset[SentenceReference]
    candidates: tuple[ExampleCandidate, ...]
    steps: tuple[ExampleStep, ...]
    """Those about the item as a whole."""


@dataclass(frozen=True)
class Instructions:
    guidelines: SafeString
    aspects: tuple[tuple[str, SafeString], ...]
    """Title and guidelines of the aspects that have some."""
    examples: tuple[Example, ...]


def instructions(scheme: Scheme) -> Instructions:
    """The guidelines of a scheme and of its aspects, and its worked examples."""
    return Instructions(
        as_html(scheme.guidelines),
        tuple((aspect.title, as_html(aspect.guidelines)) for aspect in scheme.aspects if aspect.guidelines),
        tuple(_example(scheme, example) for example in scheme.examples),
    )


def _example(scheme: Scheme, example: WorkedExample) -> Example:
    material = texts_of_example(example, scheme.parts)
    typed = typed_from_values(scheme, example.values)

    def judged(candidate: int) -> tuple[ExampleStep, ...]:
        slots = (slot for slot in scheme.slots(material.shape) if slot.candidate == candidate and slot.key in typed)
        return tuple(ExampleStep(slot.aspect.title, in_words(scheme, slot, material, typed)) for slot in slots)

    return Example(
        example,
        material,
        frozenset(cited_in(scheme, material, typed)),
        tuple(
            ExampleCandidate(
                *(letter, each.text, material.conversation[each.number]),
                frozenset(cited_in(scheme, material, typed, candidate=each.number)),
                judged(each.number),
            )
            for each, letter in zip(material.candidates, material.letters.values(), strict=False)
        ),
        judged(0),
    )


def in_words(scheme: Scheme, slot: Slot, material: ItemTexts, typed: Mapping[str, str]) -> str:
    """What was said to a slot, in the words of its choices."""
    aspect, value = slot.aspect, typed[slot.key]
    if isinstance(aspect, TextAspect):
        return value
    if isinstance(aspect, SentencesAspect | SeveralAspect | SpansAspect) and value == NONE:
        return aspect.none_label
    if isinstance(aspect, SpansAspect):
        return spans_in_words(aspect, json.loads(value), material.named, slot.candidate)
    words = {option.key: _option_in_words(option) for option in options_of(scheme, aspect, material)}
    if isinstance(aspect, SeveralAspect):
        return "; ".join(words.get(key, key) for key in value.split(", "))
    said = words.get(value, value)
    if isinstance(aspect, BestOfAspect) and typed.get(slot.forced_key or ""):
        return f"{said} ({aspect.forced_label})"
    return said


def _option_in_words(option: Option) -> str:
    return f"{option.label}: {option.what}" if option.what else option.label

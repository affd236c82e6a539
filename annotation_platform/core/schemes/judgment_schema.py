"""The JSON Schema of a judgment: the fields of the form, as ``check_judgment`` takes them from a program.

What depends on the item (how many sentences, candidates and choices it has) and on other answers (conditions) only
the check can tell; it answers field by field.
"""

from typing import Any

from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
    TextAspect,
)
from annotation_platform.core.schemes.aspects import (
    CANNOT_JUDGE,
    CANNOT_JUDGE_REASON,
    CHOICE_LETTERS,
    FORCED,
    TIE,
)
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.spans import MOST_OF_NOTE

MARKS = [True, "yes", ""]


def judgment_schema(scheme: Scheme) -> dict[str, Any]:
    """The schema (draft 2020-12) of the values of one judgment.

    An aspect that is asked of each candidate has a field for each: ``rating.1``, ``rating.2``, …
    """
    properties: dict[str, Any] = {}
    patterns: dict[str, Any] = {}
    required = []
    for aspect in scheme.aspects:
        value = {"title": aspect.title, **({"description": aspect.help} if aspect.help else {}), **_value(aspect)}
        if aspect.per == "candidate":
            patterns[rf"^{aspect.key}\.[1-9][0-9]*$"] = value
            continue
        properties[aspect.key] = value
        if isinstance(aspect, BestOfAspect) and aspect.forced_label:
            properties[f"{aspect.key}.{FORCED}"] = {"title": aspect.forced_label, "enum": MARKS}
        if aspect.required and not (aspect.required_when or aspect.shown_when or scheme.cannot_judge):
            required.append(aspect.key)
    if scheme.cannot_judge:
        properties[CANNOT_JUDGE] = {"title": scheme.cannot_judge, "enum": MARKS}
        properties[CANNOT_JUDGE_REASON] = {"type": "string", "maxLength": 5_000}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": scheme.title,
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "required": required,
        "additionalProperties": False,
    }


def _value(aspect: Aspect) -> dict[str, Any]:
    """What may be said to an aspect; an empty text leaves it open."""
    open_ = [] if aspect.required and not aspect.shown_when else [""]
    if isinstance(aspect, RatedAspect):
        choices = [(choice.key, choice.label) for choice in aspect.scale.choices]
    elif isinstance(aspect, SeveralAspect):
        keys = [choice.key for choice in aspect.choices] + ([NONE] if aspect.none_label else [])
        return {"type": "array", "items": {"enum": keys}, "uniqueItems": True}
    elif isinstance(aspect, SpansAspect):
        spans = {"type": "array", "items": _span(aspect), "maxItems": aspect.max_spans}
        return {"anyOf": [spans, {"type": "string", "description": "The same list as JSON, or none"}]}
    elif isinstance(aspect, ItemChoiceAspect):
        letters = [(letter, letter) for letter in CHOICE_LETTERS]
        choices = letters + ([(NONE, aspect.none_label)] if aspect.none_label else [])
    elif isinstance(aspect, BestOfAspect):
        tie = [{"const": TIE, "title": aspect.tie_label}] if aspect.tie_label else []
        return {"anyOf": [{"type": "string", "pattern": "^[1-9][0-9]*$"}, *tie, *({"const": each} for each in open_)]}
    elif isinstance(aspect, SentencesAspect):
        numbers = {"type": "array", "items": {"type": ["integer", "string"]}}
        return {"anyOf": [numbers, {"type": "string", "description": "As one types them: 3, 5-7"}]}
    else:
        assert isinstance(aspect, TextAspect)
        return {"type": "string", "maxLength": aspect.max_length}
    return {"oneOf": [{"const": key, "title": label} for key, label in choices] + [{"const": each} for each in open_]}


def _span(aspect: SpansAspect) -> dict[str, Any]:
    """A marked span; positions count code points of the text, and the end is the first one behind the span."""
    fields: dict[str, Any] = {
        "text": {"type": "string", "description": "The text's name: answer, question, article, R1, reference_answer.1"},
        "start": {"type": "integer", "minimum": 0},
        "end": {"type": "integer", "minimum": 1},
        "label": {"oneOf": [{"const": label.key, "title": label.label} for label in aspect.labels]},
    }
    note = {"note": {"type": "string", "maxLength": MOST_OF_NOTE}} if aspect.notes else {}
    return {"type": "object", "properties": fields | note, "required": [*fields], "additionalProperties": False}

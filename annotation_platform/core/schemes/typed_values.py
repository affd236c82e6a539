"""What people type, or a form sends, for one slot: lists of keys, of sentences and of marked spans."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation_platform.core.citations import (
    Citable,
    SentenceReference,
    parse_sentence_references,
    says_none,
    says_nothing,
)
from annotation_platform.core.schemes.aspects import SentencesAspect, SeveralAspect, SpansAspect, TextAspect
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.definition import ItemShape, Slot

_BLANK = " \t\r\n\u3000,;、，.。"  # what says nothing by itself


def said_in(slots: Sequence[Slot], raw: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, with typed lists as lists, so that conditions see the same before and after the check."""
    said = dict(raw)
    for slot in slots:
        if isinstance(slot.aspect, SeveralAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = typed_keys(raw[slot.key])
        elif isinstance(slot.aspect, SpansAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = typed_spans(raw[slot.key])
        elif isinstance(slot.aspect, SentencesAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = _cited(raw[slot.key])
        elif isinstance(slot.aspect, TextAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = raw[slot.key].strip()
    return said


def typed_keys(text: str) -> list[str] | None:
    """``a, c`` as a list; the word none as an empty one; None when nothing was typed."""
    keys = [key.strip() for key in text.split(",") if key.strip()]
    return None if not keys else [] if keys == [NONE] else keys


def _cited(text: str) -> list[str] | None:
    """What was typed as a list of sentences, as far as conditions ask: nothing, none, or some."""
    if says_nothing(text):
        return None
    return [] if says_none(text) else [text]


def typed_spans(text: str) -> Any:
    """Marked spans as a form sends them; the word none as an empty list, None for nothing."""
    typed = text.strip(_BLANK)
    if not typed:
        return None
    if typed.lower() == NONE:
        return []
    try:
        return json.loads(typed)
    except (ValueError, RecursionError):
        return typed


def citable(slot: Slot, shape: ItemShape, *, has_article: bool) -> Citable:
    """What an aspect that cites sentences can cite of an item."""
    assert isinstance(slot.aspect, SentencesAspect)
    has_documents, has_turns = ("documents" in slot.aspect.cites, "conversation" in slot.aspect.cites)
    return Citable(
        count=shape.sentences if has_article and has_documents else None,
        documents=shape.documents if has_documents else (),
        turns=shape.turns_for(slot.candidate) if has_turns else (),
    )


def read_sentences(text: str, slot: Slot, shape: ItemShape, *, has_article: bool) -> list[SentenceReference]:
    """Typed sentence references of an item; errors as in :func:`parse_sentence_references`."""
    return parse_sentence_references(text, citable(slot, shape, has_article=has_article))


def plain_text(text: str) -> str:
    """A text with its line ends unified and outer space gone."""
    return text.replace("\r\n", "\n").replace("\x00", "").strip()

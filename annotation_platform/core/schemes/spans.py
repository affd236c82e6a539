"""Marked spans of text: the names of an item's texts, and the one form in which spans are stored.

A stored span is ``{"text": "answer", "start": 4, "end": 11, "label": "contradiction"}``, and ``"note"`` where its
annotator wrote one. ``start`` and ``end`` count Unicode code points of the text exactly as it is stored, from 0;
``end`` is the first one behind the span. Spans may overlap; a list of them is sorted by text, start, end and label.

The names of texts are ``question``, ``answer`` (in an aspect asked of each candidate: that candidate's), ``rationale``,
``article``, ``R1``, ``R2``, … (the reference documents) and ``reference_answer.1``, … . The text of a document is its
sentences with one line end between two of them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from annotation_platform.core.errors import CodedError
from annotation_platform.core.schemes.aspects import SpansAspect

MOST_OF_NOTE = 1_000  # characters
BETWEEN_SENTENCES = "\n"
_NAMES = {"documents": re.compile(r"R[1-9]\d{0,2}"), "reference_answers": re.compile(r"reference_answer\.[1-9]\d{0,3}")}
_FIELDS = {"text", "start", "end", "label"}


@dataclass(frozen=True, order=True)
class Span:
    """A span that a judgment marks. ``candidate`` is 0 for an aspect of the item as a whole."""

    aspect: str
    candidate: int
    text: str
    start: int
    end: int
    label: str
    note: str = ""


def document_text(sentences: Sequence[str]) -> str:
    """The text of a document, in which its spans are counted."""
    return BETWEEN_SENTENCES.join(sentences)


def named_texts(
    alone: Mapping[str, str],
    candidates: Sequence[str],
    article: Sequence[str],
    documents: Sequence[Sequence[str]],
    reference_answers: Sequence[str],
) -> dict[str, str]:
    """The texts of an item by their names; empty ones are left out, since nothing in them can be marked.

    ``alone`` are question, answer and rationale; article and documents come as their sentences. A candidate's answer
    is called ``answer.2`` here.
    """
    texts = {
        **alone,
        **{name_in_shape("answer", number): text for number, text in enumerate(candidates, start=1)},
        "article": document_text(article),
        **{f"R{number}": document_text(each) for number, each in enumerate(documents, start=1)},
        **{f"reference_answer.{number}": text for number, text in enumerate(reference_answers, start=1)},
    }
    return {name: text for name, text in texts.items() if text}


def part_of(name: str) -> str:
    """The part of a scheme that a text with this name belongs to; the name itself where no part has several texts."""
    return next((part for part, pattern in _NAMES.items() if pattern.fullmatch(name)), name)


def name_in_shape(name: str, candidate: int) -> str:
    """Under which name the text's length stands in an item's shape."""
    return f"{name}.{candidate}" if candidate else name


def read_spans(
    aspect: SpansAspect, raw: Any, lengths: Mapping[str, int], *, candidate: int = 0
) -> list[dict[str, Any]]:
    """Spans as a program or a form sends them (a list, or the same as JSON), checked and sorted.

    How many there must be is not looked at.

    Parameters
    ----------
    aspect : SpansAspect
    raw : list of mapping, or str
    lengths : mapping of str to int
        Code points of each text of the item; empty where they are unknown, then any span is within its text.
    candidate : int
        Whose answer is marked; 0 for the item.

    Raises
    ------
    CodedError
        Says which span is wrong (the first is number 1), and how.
    """
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            raise CodedError("judgment.no_list_of_spans") from None
    if not isinstance(raw, list | tuple):
        raise CodedError("judgment.no_list_of_spans")
    read = [_span(aspect, number, each, lengths, candidate) for number, each in enumerate(raw, start=1)]
    read.sort(key=_order)
    for before, after in pairwise(read):
        if _order(before) == _order(after):
            raise CodedError("judgment.span_twice", text=before["text"], start=before["start"], end=before["end"])
    return read


def labels_of(value: Any) -> list[Any]:
    """What conditions see of spans, checked or as they were sent: their labels, each once."""
    if not isinstance(value, list | tuple):
        return []
    labels = (each.get("label") for each in value if isinstance(each, Mapping))
    return list(dict.fromkeys(label for label in labels if isinstance(label, str)))


def in_words(
    aspect: SpansAspect, spans: Sequence[Mapping[str, Any]], texts: Mapping[str, str] | None = None, candidate: int = 0
) -> str:
    """Marked spans for people to read: each label with the words, or without the item's ``texts`` with the place."""
    labels = {label.key: label.label for label in aspect.labels}
    told = []
    for span in spans:
        text = (texts or {}).get(name_in_shape(span["text"], candidate))
        place = f"{span['text']} {span['start']}–{span['end']}"
        words = place if text is None else f"“{text[span['start'] : span['end']]}”"
        note = f" ({span['note']})" if span.get("note") else ""
        told.append(f"{labels.get(span['label'], span['label'])}: {words}{note}")
    return "; ".join(told) or aspect.none_label


def _order(span: Mapping[str, Any]) -> tuple[str, int, int, str]:
    return span["text"], span["start"], span["end"], span["label"]


def _span(aspect: SpansAspect, number: int, said: Any, lengths: Mapping[str, int], candidate: int) -> dict[str, Any]:
    if not isinstance(said, Mapping) or not said.keys() >= _FIELDS or said.keys() - _FIELDS - {"note"}:
        raise CodedError("judgment.no_span", number=number)
    name, start, end, label = (said[field] for field in ("text", "start", "end", "label"))
    if any(not isinstance(place, int) or isinstance(place, bool) for place in (start, end)):
        raise CodedError("judgment.no_span", number=number)
    if label not in (known := [each.key for each in aspect.labels]):
        raise CodedError("judgment.span_label", number=number, label=str(label)[:40], labels=known)
    length = lengths.get(name_in_shape(name, candidate)) if isinstance(name, str) else None
    if not isinstance(name, str) or part_of(name) not in aspect.marks or (lengths and length is None):
        raise CodedError("judgment.span_text", number=number, text=str(name)[:40])
    if start >= end:
        raise CodedError("judgment.span_empty", number=number, start=start, end=end)
    if start < 0 or (length is not None and end > length):
        raise CodedError("judgment.span_outside", number=number, text=name, start=start, end=end, length=length or 0)
    return {"text": name, "start": start, "end": end, "label": label, **_note(aspect, number, said.get("note"))}


def _note(aspect: SpansAspect, number: int, note: Any) -> dict[str, str]:
    if note is None or note == "":
        return {}
    if not isinstance(note, str) or not aspect.notes:
        raise CodedError("judgment.span_note", number=number)
    text = note.replace("\r\n", "\n").replace("\x00", "").strip()
    if len(text) > MOST_OF_NOTE:
        raise CodedError("judgment.span_note_long", number=number, length=len(text), most=MOST_OF_NOTE)
    return {"note": text} if text else {}

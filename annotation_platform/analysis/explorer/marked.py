"""The texts that a judgment marks, with its marks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.marked_text import ShownSpan
from annotation_platform.core.schemes import Scheme, SpansAspect
from annotation_platform.core.schemes.spans import Span, name_in_shape, part_of
from annotation_platform.core.turns import PlacedTurn, placed_turns


@dataclass(frozen=True)
class MarkedText:
    """A text under the aspect that it was marked under; ``labels`` are sign, colour and words of those in it.

    ``turns`` are there where it is a conversation and all that is marked are words of its turns.
    """

    title: str
    name: str
    text: str
    spans: tuple[ShownSpan, ...]
    labels: tuple[tuple[str, str, str], ...]
    turns: tuple[PlacedTurn, ...] = ()
    is_judged: bool = False


def marked_texts(scheme: Scheme, material: ItemTexts, values: Mapping[str, Any]) -> Iterator[MarkedText]:
    """Each text in which something is marked; what is not within its text any more is left out."""
    for slot in scheme.slots(material.shape):
        said = values.get(slot.key)
        if not isinstance(slot.aspect, SpansAspect) or not isinstance(said, list):
            continue
        spans = [Span(slot.aspect.key, slot.candidate, **span) for span in said]
        for name in dict.fromkeys(span.text for span in spans):
            text = material.named.get(name_in_shape(name, slot.candidate), "")
            mine = [span for span in spans if span.text == name and span.end <= len(text)]
            if mine:
                marked = _marked(slot.aspect, _told(name, material, slot.candidate), text, mine)
                turns = _turns(name, material, slot.candidate, text)
                yield replace(marked, turns=turns if _are_in(turns, mine) else (), is_judged=name == "answer")


def _turns(name: str, material: ItemTexts, candidate: int, text: str) -> tuple[PlacedTurn, ...]:
    if name == "question":
        return placed_turns(material.turns, text) if material.turns else ()
    said = next((each.turns for each in material.answers if name == "answer" and each.number == candidate), ())
    return placed_turns(said, text, is_reply=True) if said else ()


def _are_in(turns: tuple[PlacedTurn, ...], spans: list[Span]) -> bool:
    """Whether each span has words of a turn; one of an older page may have none but those that say whose it is."""
    pieces = [piece for each in turns for piece in each.pieces]
    return all(any(span.start < piece.end and piece.start < span.end for piece in pieces) for span in spans)


def _told(name: str, material: ItemTexts, candidate: int) -> str:
    names = {"article": _("Document"), "question": _("Question"), "answer": _("Answer"), "rationale": _("Explanation")}
    if candidate:
        return _("Answer %(number)s") % {"number": candidate}
    if part_of(name) == "reference_answers":
        return _("Reference answer %(number)s") % {"number": name.partition(".")[2]}
    return names.get(name, name)


def _marked(aspect: SpansAspect, told: str, text: str, spans: list[Span]) -> MarkedText:
    labels = {label.key: (str(place), label.label) for place, label in enumerate(aspect.labels, start=1)}
    known = [span for span in spans if span.label in labels]
    shown = tuple(
        ShownSpan(
            span.start,
            span.end,
            aspect.colours[span.label],
            labels[span.label][0],
            ": ".join(filter(None, [labels[span.label][1], span.note])),
        )
        for span in known
    )
    used = {span.label for span in known}
    legend = tuple((*labels[key][:1], aspect.colours[key], labels[key][1]) for key in labels if key in used)
    return MarkedText(aspect.title, told, text, shown, legend)

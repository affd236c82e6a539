"""The texts that a judgment marks, with its marks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.marked_text import ShownSpan
from annotation_platform.core.schemes import Scheme, SpansAspect
from annotation_platform.core.schemes.spans import Span, name_in_shape, part_of


@dataclass(frozen=True)
class MarkedText:
    """A text under the aspect that it was marked under; ``labels`` are sign, colour and words of those in it."""

    title: str
    name: str
    text: str
    spans: tuple[ShownSpan, ...]
    labels: tuple[tuple[str, str, str], ...]


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
                yield _marked(slot.aspect, _told(name, material, slot.candidate), text, mine)


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

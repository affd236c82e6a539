"""Spans that overlap, laid out to be shown: a lane for each span below the text, and the text cut where one begins or
ends. static/marked_texts.js draws the same in the browser.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class ShownSpan:
    """A span as it is drawn: its place in code points, its colour, and the short sign that tells its label."""

    start: int
    end: int
    colour: str
    sign: str
    told: str = ""
    """What is said of it where there is room: its label, and who marked it."""


@dataclass(frozen=True)
class Cover:
    """A span over a piece of text: its lane from 0, and whether it begins with this piece."""

    span: ShownSpan
    lane: int
    begins: bool


@dataclass(frozen=True)
class Segment:
    """A piece of text that no span begins or ends in, under the spans that cover it; the highest lane comes first."""

    text: str
    covers: tuple[Cover, ...]


def lanes(spans: Sequence[tuple[int, int]]) -> list[int]:
    """A lane for each span, so that no two in one lane overlap; each span gets the lowest that is free.

    Parameters
    ----------
    spans : sequence of (start, end)

    Examples
    --------
    >>> lanes([(0, 5), (3, 9), (5, 7)])
    [0, 1, 0]
    """
    found = [0] * len(spans)
    ends: list[int] = []
    for index in sorted(range(len(spans)), key=lambda each: (spans[each][0], -spans[each][1], each)):
        start, end = spans[index]
        lane = next((lane for lane, last in enumerate(ends) if last <= start), len(ends))
        ends[lane : lane + 1] = [end]
        found[index] = lane
    return found


def segments(text: str, spans: Sequence[ShownSpan], *, start: int = 0) -> Iterator[Segment]:
    """A text cut at the ends of its spans.

    Parameters
    ----------
    text : str
        The whole text, or a piece of it.
    spans : sequence of ShownSpan
        Those of the whole text.
    start : int
        Where the piece begins in the whole text.
    """
    placed = list(zip(spans, lanes([(span.start, span.end) for span in spans]), strict=True))
    end = start + len(text)
    ends = {place for span in spans for place in (span.start, span.end) if start < place < end}
    cuts = sorted({start, end} | ends)
    for first, last in pairwise(cuts):
        covering = ((span, lane) for span, lane in placed if span.start < last and span.end > first)
        over = [Cover(span, lane, span.start == first) for span, lane in covering]
        over.sort(key=lambda cover: -cover.lane)
        yield Segment(text[first - start : last - start], tuple(over))

"""Conversations on pages: turns with roles, the calls of tools folded, and of a long one the earlier turns, too."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template

from annotation_platform.core.citations import TURNS, SentenceReference
from annotation_platform.core.items import Sentence, numbered
from annotation_platform.core.marked_text import ShownSpan
from annotation_platform.core.turns import Piece, PlacedTurn, SpokenTurn, ToolCall, Turn, placed_turns

register = template.Library()

MOST_SHOWN = 6  # turns that stand there unfolded
LAST_SHOWN = 4  # of a longer conversation


@dataclass(frozen=True)
class ShownTurn:
    """A turn, and where its sentences can be cited its name and these; where its words can be marked, their places."""

    turn: Turn
    name: str = ""
    numbered: tuple[Sentence, ...] = ()
    said: Piece | None = None
    calls: tuple[Piece, ...] = ()
    is_apart: bool = False
    """Whether it is no part of the text whose words can be marked."""

    anchor = None  # no sentence of a turn has raised the question


@register.inclusion_tag("annotations/_turns.html")
def conversation(turns: Iterable[Turn], language: str = "", *, is_judged: bool = False) -> dict[str, Any]:
    """Turns in their order; those to judge are all shown, and say whose they are where somebody else is among them."""
    return _shown([ShownTurn(each) for each in turns], language, is_judged)


@register.inclusion_tag("annotations/_turns.html")
def spoken(
    turns: Iterable[SpokenTurn],
    language: str = "",
    *,
    cited: Collection[SentenceReference] = (),
    can_cite: bool = False,
    is_judged: bool = False,
) -> dict[str, Any]:
    """The same sentence by sentence, with the names by which they are cited; ``can_cite``: on this page."""
    shown = [ShownTurn(each.turn, each.name, numbered(TURNS + each.number, each.sentences)) for each in turns]
    context = _shown(shown, language, is_judged)
    in_earlier = {sentence.reference for each in context["earlier"] for sentence in each.numbered}
    return context | {"cited": cited, "cites": can_cite, "is_open": not in_earlier.isdisjoint(cited)}


@register.filter
def beside(calls: Sequence[ToolCall], pieces: Sequence[Piece]) -> list[tuple[ToolCall, Piece]]:
    """Each call of a turn with its place in the one text."""
    return list(zip(calls, pieces, strict=True))


@register.simple_tag
def placed(turns: Sequence[Turn], text: str, *, is_reply: bool = False) -> tuple[PlacedTurn, ...]:
    """Turns with the places of their words in their one text; empty where that is no text of theirs."""
    return placed_turns(turns, text, is_reply=is_reply) if turns else ()


@register.inclusion_tag("annotations/_markable_turns.html")
def markable_turns(
    turns: Iterable[PlacedTurn],
    language: str = "",
    *,
    name: str,
    part: str,
    heading: str,
    number: int = 0,
    is_judged: bool = False,
) -> dict[str, Any]:
    """Turns whose words can be marked, as those of the one text that they are."""
    context = _shown([_with_places(each) for each in turns], language, is_judged)
    return context | {"name": name, "part": part, "heading": heading, "number": number}


@register.inclusion_tag("annotations/_turns.html")
def marked_turns(turns: Iterable[PlacedTurn], spans: Sequence[ShownSpan], *, is_judged: bool = False) -> dict[str, Any]:
    """Turns with spans of their one text drawn over their words; what is folded is open where there are any."""
    context = _shown([_with_places(each) for each in turns], "", is_judged)
    marked = [
        (shown, piece)
        for shown in (*context["earlier"], *context["turns"])
        for piece in (shown.said, *shown.calls)
        if piece and any(span.start < piece.end and piece.start < span.end for span in spans)
    ]
    is_open = any(shown in context["earlier"] for shown, _ in marked)
    return context | {"spans": spans, "is_open": is_open, "open_pieces": [piece for _, piece in marked]}


def _with_places(placed: PlacedTurn) -> ShownTurn:
    return ShownTurn(placed.turn, said=placed.said, calls=placed.calls, is_apart=not placed.pieces)


def _shown(turns: Sequence[ShownTurn], language: str, is_judged: bool) -> dict[str, Any]:
    last = len(turns) if is_judged or len(turns) <= MOST_SHOWN else LAST_SHOWN
    return {
        "earlier": turns[: len(turns) - last],
        "turns": turns[len(turns) - last :],
        "language": language,
        "material": {"language": language},  # as _sentences.html has it
        "is_judged": is_judged,
        "with_roles": not is_judged or any(each.turn.role != "assistant" for each in turns),
    }

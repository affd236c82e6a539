"""Conversations on pages: turns with roles, the calls of tools folded, and of a long one the earlier turns, too."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template

from annotation_platform.core.citations import TURNS, SentenceReference
from annotation_platform.core.items import Sentence, numbered
from annotation_platform.core.turns import SpokenTurn, Turn

register = template.Library()

MOST_SHOWN = 6  # turns that stand there unfolded
LAST_SHOWN = 4  # of a longer conversation


@dataclass(frozen=True)
class ShownTurn:
    """A turn, and where its sentences can be cited its name and these."""

    turn: Turn
    name: str = ""
    numbered: tuple[Sentence, ...] = ()

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

"""Conversations on pages: turns with roles, the calls of tools folded, and of a long one the earlier turns, too."""

from collections.abc import Sequence
from typing import Any

from django import template

from annotation_platform.core.turns import Turn

register = template.Library()

MOST_SHOWN = 6  # turns that stand there unfolded
LAST_SHOWN = 4  # of a longer conversation


@register.inclusion_tag("annotations/_turns.html")
def conversation(turns: Sequence[Turn], language: str = "", *, is_judged: bool = False) -> dict[str, Any]:
    """Turns in their order; those to judge are all shown, and say whose they are where somebody else is among them."""
    last = len(turns) if is_judged or len(turns) <= MOST_SHOWN else LAST_SHOWN
    return {
        "earlier": turns[: len(turns) - last],
        "turns": turns[len(turns) - last :],
        "language": language,
        "is_judged": is_judged,
        "with_roles": not is_judged or any(each.role != "assistant" for each in turns),
    }

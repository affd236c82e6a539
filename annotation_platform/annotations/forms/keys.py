"""The keys of the question page: what each does there, and which are left to choose with.

The page's script (static/annotate_keys.js) does what is named here; a key whose part of the page is missing is
neither listed nor taken.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import BestOfAspect, ItemChoiceAspect, Scheme
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS

_OWN_KEY = re.compile("-?[0-9]|10")
NONE_KEY = "0"  # chooses "none of them", or the box below the choices


@dataclass(frozen=True)
class Command:
    """What some keys do, as the page's list of keys shows it."""

    keys: tuple[str, ...]
    what: str
    joined_by: str = ""


def cites_documents(scheme: Scheme, material: ItemTexts) -> bool:
    """Whether sentences of the item's documents can be cited."""
    return material.has_documents and "documents" in scheme.cited_parts


def cites(scheme: Scheme, material: ItemTexts) -> bool:
    """Whether sentences can be cited: of the item's documents, or of its conversation."""
    return scheme.cites_conversation or cites_documents(scheme, material)


def commands(scheme: Scheme, material: ItemTexts) -> list[Command]:
    """The keys that do something on the page of this item."""
    has_letters = bool(free_letters(scheme, material)) and any(
        isinstance(aspect, ItemChoiceAspect | BestOfAspect) for aspect in scheme.aspects
    )
    marks = bool(scheme.spans_aspects)
    listed = [
        (True, Command(("1", "9"), _("choose in the marked step; then the next open one is marked"), "…")),
        (_has_negatives(scheme), Command(("-", "1"), _("a number below zero: the minus, then the digit"))),
        (has_letters, Command(("a", "b"), _("choose by letter in steps that show letters"), "…")),
        (True, Command((NONE_KEY,), _("none of them, or the box below the choices"))),
        (True, Command(("n", "p"), _("next, previous step"))),
        (True, Command((",", "."), _("previous, next question of the task"))),
        (bool(material.candidates), Command(("⇧ n", "⇧ p"), _("next, previous answer"))),
        (material.has_documents, Command(("d",), _("to the document and back"))),
        (material.is_long, Command(("/",), _("search the documents"))),
        (cites(scheme, material), Command(("j", "k"), _("next, previous sentence"))),
        (cites(scheme, material), Command(("c", "↵"), _("cite the sentence, or drop it"), _("or"))),
        (marks, Command(("m",), _("to the text whose words are marked"))),
        (marks, Command(("←", "→"), _("in that text: the word before, the next word"))),
        (marks, Command(("⇧", "←", "→"), _("in that text: more words, or fewer"))),
        (True, Command(("Tab",), _("go to the next field"))),
        (True, Command(("i",), _("instructions"))),
        (True, Command(("?",), _("these keys"))),
        (True, Command(("Ctrl", "↵"), _("submit, also while typing"))),
        (True, Command(("Esc",), _("close what is open, leave a field"))),
    ]
    return [command for is_there, command in listed if is_there]


def free_letters(scheme: Scheme, material: ItemTexts) -> str:
    """Letters to choose with, or none at all where a key of the page is among those that choosing would need."""
    taken = {"n", "p", "i"}
    if material.has_documents:
        taken.add("d")
    if cites(scheme, material):
        taken |= {"j", "k", "c"}
    if scheme.spans_aspects:
        taken.add("m")
    needed = CHOICE_LETTERS[: max(len(material.choices), len(material.candidates))]
    return "" if taken & set(needed) else needed


def number_keys(points: Sequence[str]) -> list[str]:
    """The key of each choice: its own number where these are whole numbers up to ten, else its place in the row.

    A number below zero is typed as it is written, the minus before the digit. Ten has the key 0; on a scale from 0 to
    10, which needs that for its zero, none.
    """
    if all(_OWN_KEY.fullmatch(point) for point in points):
        ten = "" if "0" in points else "0"
        return [ten if point == "10" else point for point in points]
    return [str(place) if place < 10 else "" for place in range(1, len(points) + 1)]


def _has_negatives(scheme: Scheme) -> bool:
    """Whether some number is chosen by the minus and a digit."""
    scales = ([choice.key for choice in aspect.scale.choices] for aspect in scheme.rated_aspects)
    return any(key.startswith("-") for points in scales for key in number_keys(points))

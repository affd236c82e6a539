"""What can be chosen in a step, with its words and its keys."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import ngettext

from annotation_platform.annotations.forms.keys import NONE_KEY, free_letters, number_keys
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    RangeAspect,
    RatedAspect,
    Scheme,
    SeveralAspect,
    StarsAspect,
)
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS, TIE
from annotation_platform.core.schemes.conditions import NONE


@dataclass(frozen=True)
class Option:
    """One choice of a step. ``what`` describes it; ``is_data`` when that is a text of the item."""

    key: str
    label: str
    what: str = ""
    is_data: bool = False
    hotkeys: tuple[str, ...] = ()
    """The keys that choose it; the first is shown."""

    @property
    def hotkey(self) -> str:
        return self.hotkeys[0] if self.hotkeys else ""

    @property
    def shows_hotkey(self) -> bool:
        """Not beside a number on a scale, which is its own key."""
        return self.hotkey != "" and (self.is_data or self.hotkey.replace("-", "−") != self.label)


def options_of(scheme: Scheme, aspect: Aspect, material: ItemTexts) -> tuple[Option, ...]:
    """The choices of an aspect for one item, in the order shown; none for texts and sentences."""
    if isinstance(aspect, ItemChoiceAspect):
        return tuple(_of_item(scheme, aspect, material))
    if isinstance(aspect, BestOfAspect):
        hotkeys = _hotkeys(free_letters(scheme, material), len(material.letters))
        letters = tuple(
            Option(str(number), letter, hotkeys=keys)
            for (number, letter), keys in zip(material.letters.items(), hotkeys, strict=True)
        )
        return (*letters, *_tie(aspect, len(letters)))
    if isinstance(aspect, SeveralAspect):
        places = number_keys(["point"] * len(aspect.choices))  # by place: keys that look like numbers are no scale
        return tuple(
            Option(choice.key, choice.label, choice.description, hotkeys=(place,) if place else ())
            for choice, place in zip(aspect.choices, places, strict=True)
        )
    return tuple(_of_scale(aspect)) if isinstance(aspect, RatedAspect) else ()


def _tie(aspect: BestOfAspect, candidates: int) -> Iterator[Option]:
    if aspect.tie_label:
        place = str(candidates + 1)
        yield Option(TIE, aspect.tie_label, hotkeys=(place,) if candidates < 9 else ())


def _of_item(scheme: Scheme, aspect: ItemChoiceAspect, material: ItemTexts) -> Iterator[Option]:
    hotkeys = _hotkeys(free_letters(scheme, material), len(material.choices))
    for letter, text, keys in zip(CHOICE_LETTERS, material.choices, hotkeys, strict=False):
        yield Option(letter, letter, text, is_data=True, hotkeys=keys)
    if aspect.none_label:
        yield Option(NONE, aspect.none_label, hotkeys=(NONE_KEY,))


def _of_scale(aspect: RatedAspect) -> Iterator[Option]:
    choices = aspect.scale.choices
    for choice, place in zip(choices, number_keys([choice.key for choice in choices]), strict=True):
        label, what = choice.label, choice.description
        if isinstance(aspect, RangeAspect):
            label, what = choice.key.replace("-", "−"), "" if choice.label == choice.key else choice.label
        elif isinstance(aspect, StarsAspect):
            stars = int(choice.key)
            label = ngettext("%(count)s star", "%(count)s stars", stars) % {"count": stars}
            what = "" if choice.label == choice.key else choice.label
        yield Option(choice.key, label, what, hotkeys=(place,) if place else ())


def _hotkeys(letters: str, count: int) -> list[tuple[str, ...]]:
    """For each of so many lettered choices its letter, where letters are free, and its place."""
    places = number_keys(["letter"] * count)
    return [tuple(filter(None, (letters[index : index + 1], place))) for index, place in enumerate(places)]

"""Values as people and other programs write them, read as a scheme's form would send them."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from math import isfinite
from typing import Any

from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    RatedAspect,
    SentencesAspect,
    SeveralAspect,
    TextAspect,
    YesNoAspect,
    build_scheme,
)
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.core.schemes.languages import LANGUAGES

NONE = "none"
TIES = (TIE, "tie (bothbad)", "bothbad", "both bad", "draw")  # two bad answers are equally good, too
NOT_APPLICABLE = ("n/a", "not applicable", "該当なし")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
COMPACT = {12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}  # by digits; milliseconds would be before 2002 or from 2286
SECONDS_FROM, MILLISECONDS_FROM = 1e8, 1e11  # numbers since 1970; eight digits are a day (20240531)
EXACT_BELOW = 2**53  # whole numbers that a float tells apart
DECIMAL_COMMA = re.compile(r"\s*[-+]?(?![1-9]\d{0,2},\d{3}\s*$)\d+,\d+\s*", re.ASCII)
_LETTER = re.compile(r"\(?([a-z])[).:]?")


class Spelling:
    """How the choices of a scheme may be written: by key, by label in any language, or by number; case is nothing."""

    def __init__(self, definition: Mapping[str, Any]) -> None:
        self._definition = dict(definition)

    @cached_property
    def _choices(self) -> dict[str, dict[str, str]]:
        """Aspect's key → what may be written → the choice's key. A key is stronger than a label."""
        written: dict[str, dict[str, str]] = {}
        for language in LANGUAGES:
            for aspect in build_scheme(self._definition, language).aspects:
                known = written.setdefault(aspect.key, {})
                for choice in _choices_of(aspect):
                    known.setdefault(choice.label.casefold(), choice.key)
                if tie_label := getattr(aspect, "tie_label", ""):
                    known |= {tie_label.casefold(): TIE, **dict.fromkeys(TIES, TIE)}
                if none_label := getattr(aspect, "none_label", ""):
                    known.setdefault(none_label.casefold(), NONE)
        for aspect in build_scheme(self._definition).aspects:
            if isinstance(aspect, YesNoAspect) and aspect.not_applicable:
                written[aspect.key] |= dict.fromkeys(NOT_APPLICABLE, "na")
            written[aspect.key] |= {choice.key.casefold(): choice.key for choice in _choices_of(aspect)}
        return written

    def read(self, aspect: Aspect, written: Any, choices: list[str]) -> Any:
        """What was written to an aspect of an item with these choices, as the form would send it.

        What cannot be understood is returned as it is, for the scheme's own check to say what there is.
        """
        if isinstance(written, str):
            written = written.strip()
        if written in ("", None):
            return None
        if isinstance(aspect, TextAspect):
            return plain_text(written)
        if isinstance(aspect, SentencesAspect):
            return self._sentences(aspect, written)
        if isinstance(aspect, SeveralAspect):
            return [self._choice(aspect, each) for each in list_of(written, ",")] or written
        if isinstance(aspect, ItemChoiceAspect):
            return self._item_choice(aspect, written, choices)
        if isinstance(aspect, BestOfAspect):
            return self._choices[aspect.key].get(
                as_written(written), written if isinstance(written, str) else as_written(written)
            )
        return self._choice(aspect, written) if isinstance(aspect, RatedAspect) else written

    def _choice(self, aspect: Aspect, written: Any) -> Any:
        known = self._choices[aspect.key]
        if not isinstance(written, bool) and (key := known.get(as_written(written))) is not None:
            return key
        if (number := number_of(written)) is not None:
            return next((choice.key for choice in _choices_of(aspect) if choice.number == number), written)
        return written

    def _item_choice(self, aspect: Aspect, written: Any, choices: list[str]) -> Any:
        text = plain_text(written).casefold()
        texts = [choice.strip().casefold() for choice in choices]
        if text in texts:
            return chr(ord("a") + texts.index(text))
        if text == NONE or self._choices[aspect.key].get(text) == NONE:
            return NONE
        letter = _LETTER.fullmatch(text)
        return letter[1] if letter else written

    def _sentences(self, aspect: Aspect, written: Any) -> Any:
        if isinstance(written, str):
            listed = list_of(written, ",") if written.startswith("[") else None
            if self._choices[aspect.key].get(written.casefold()) == NONE:
                return []
            return written if listed is None else ", ".join(map(str, listed)) or []
        return plain_text(written) if isinstance(written, int | float) else written


def _choices_of(aspect: Aspect) -> Any:
    if isinstance(aspect, RatedAspect):
        return aspect.scale.choices
    return aspect.choices if isinstance(aspect, SeveralAspect) else ()


def plain_text(value: Any) -> str:
    """A value as a text that reads back as the same one; a whole number is written without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT_BELOW:
        return str(int(value))
    return str(value)


def as_written(value: Any) -> str:
    """A value as text, in which 1, 1.0 and "1" are the same, and so are letters of either case."""
    return plain_text(value).strip().casefold()


def number_of(written: Any) -> float | None:
    """A number, or a text that is one; true and false are 1 and 0. Infinity and NaN are none.

    A comma before decimals is read as a point, except where it could part thousands: nobody can tell.
    """
    if isinstance(written, str):
        written = {"true": 1, "false": 0}.get(written.casefold(), written)
    if isinstance(written, str) and DECIMAL_COMMA.fullmatch(written):
        written = written.replace(",", ".")
    try:
        number = float(written)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def moment_of(written: Any) -> datetime | None:
    """A time in ISO 8601 (``2024-05-31T09:30:00Z``) or in digits alone (``20240531093000``), without a zone in UTC, or
    seconds or milliseconds since 1970.

    None where it is no such time.
    """
    number = number_of(written) or 0
    try:
        if form := COMPACT.get(len(digits := plain_text(written).strip())):
            with suppress(ValueError):
                return datetime.strptime(digits, form).replace(tzinfo=UTC)
        if number >= SECONDS_FROM:
            return datetime.fromtimestamp(number / 1_000 if number >= MILLISECONDS_FROM else number, UTC)
        at = datetime.fromisoformat(str(written).strip().removesuffix(" UTC"))
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def list_of(written: Any, *separators: str) -> list[Any]:
    """A list in one cell: a list, JSON, as Python or numpy print it, or texts with a separator between."""
    if isinstance(written, list):
        return written
    text = str(written).strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            listed = json.loads(text)
        except ValueError:
            if not _QUOTED.sub("", text).strip("[], \r\n\t"):
                return [_unescaped(single or double) for single, double in _QUOTED.findall(text)]
        else:
            return listed if isinstance(listed, list) else [text]
    separator = next((each for each in separators if each in text), None)
    parts = text.split(separator) if separator else [text]
    return [part.strip() for part in parts if part.strip()]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)

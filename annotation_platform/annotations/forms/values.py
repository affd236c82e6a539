"""The three shapes of a judgment: *sent* (the fields of the page's form), *typed* (slot key to the text of its
field, as drafts keep it) and *checked* (``core.schemes.check_judgment``).

Typed is what the page's script has too (static/annotate.js, ``typed``): a list is written as people type it,
``3, 5-7`` or ``a, c``, marked spans are JSON, and the explicit "none" is the word.
"""

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import QueryDict

from annotation_platform.core.citations import format_sentence_references
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    RangeAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON, FORCED
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.migration import EARLIER
from annotation_platform.core.text import typed_number

PREFIX = "aspect-"
KEPT = "kept-"  # before what has no field any more, which the form carries along
NONE_BOX = f"-{NONE}"  # the box beside a list of sentences or choices
_CANNOT_JUDGE = (CANNOT_JUDGE, CANNOT_JUDGE_REASON)
_SLOT = re.compile(rf"(?:{EARLIER}){{0,20}}[-a-z0-9_.]{{1,80}}")
MOST_SECONDS = 24 * 3600.0


def typed_from_sent(scheme: Scheme, sent: QueryDict) -> dict[str, str]:
    """The fields of the page's form as typed; a ticked "none" beside an empty field is the word itself."""
    typed = {}
    for key in _keys_sent(sent):
        if (aspect := _aspect_of(scheme, key)) is not None and (text := _typed(aspect, key, sent)):
            typed[key] = text
    return typed | _cannot_judge_typed(scheme, {key: sent.get(PREFIX + key, "") for key in _CANNOT_JUDGE})


def contradictions(scheme: Scheme, sent: QueryDict) -> dict[str, Reason]:
    """Lists with something in them while "none" is ticked (a browser without JavaScript lets them)."""
    return {
        key: Reason(
            "annotations.cited_and_none" if isinstance(aspect, SentencesAspect) else "annotations.chose_and_none",
            none=aspect.none_label,
        )
        for key in _keys_sent(sent)
        if isinstance(aspect := _aspect_of(scheme, key), SentencesAspect | SeveralAspect | SpansAspect)
        and "".join(sent.getlist(PREFIX + key)).strip()
        and sent.get(PREFIX + key + NONE_BOX)
    }


def unknown_fields(scheme: Scheme, sent: QueryDict) -> list[tuple[str, str]]:
    """What was typed into fields that the scheme no longer has, so that it can be shown and copied."""
    strange = [key for key in _keys_sent(sent) if _aspect_of(scheme, key) is None]
    fields = ((key, ", ".join(sent.getlist(PREFIX + key))) for key in strange)
    own = _CANNOT_JUDGE if scheme.cannot_judge else ()
    return [(key, text) for key, text in fields if text.strip() and key not in own]


def without_place(scheme: Scheme, typed: Mapping[str, str]) -> list[tuple[str, str]]:
    """The same of what was carried over from an earlier version of the scheme."""
    own = _CANNOT_JUDGE if scheme.cannot_judge else ()
    return [(key, text) for key, text in typed.items() if key not in own and _aspect_of(scheme, key) is None]


def kept_in(sent: QueryDict) -> dict[str, str]:
    """What a form carries along, as typed: texts of fields that the scheme had in an earlier version, so that they are
    shown until the question is submitted.
    """
    keys = [name.removeprefix(KEPT) for name in sent if name.startswith(KEPT)]
    return {key: _plain("".join(sent.getlist(KEPT + key))) for key in keys if _SLOT.fullmatch(key)}


def typed_from_values(scheme: Scheme, values: Mapping[str, Any]) -> dict[str, str]:
    """Typed or checked values as typed ones; those that do not fit the scheme (any more) are left out."""
    typed = {}
    for key, value in values.items():
        aspect = _aspect_of(scheme, key)
        if isinstance(aspect, SpansAspect) and isinstance(value, list):
            value = json.dumps(value, ensure_ascii=False) if value else NONE
        elif isinstance(value, list):
            value = (", ".join(value) if isinstance(aspect, SeveralAspect) else _as_written(value)) or NONE
        elif value is True:
            value = "1"
        if aspect is not None and isinstance(value, str):
            typed[key] = value
    return typed | _cannot_judge_typed(scheme, values)


def seconds_from(text: str) -> float | None:
    """The time on task that the page measured; None when it says nothing believable."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return min(seconds, MOST_SECONDS) if math.isfinite(seconds) and seconds >= 0 else None


def uuid_from(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def version_from(text: str) -> int:
    return typed_number(text, most=2**31 - 1) or 0


def _cannot_judge_typed(scheme: Scheme, said: Mapping[str, Any]) -> dict[str, str]:
    """The mark "I cannot judge this" and its reason, as far as they were said."""
    if not scheme.cannot_judge:
        return {}
    reason = _plain(str(said.get(CANNOT_JUDGE_REASON) or ""))
    typed = {CANNOT_JUDGE: "1" if said.get(CANNOT_JUDGE) else "", CANNOT_JUDGE_REASON: reason}
    return {key: text for key, text in typed.items() if text}


def _keys_sent(sent: QueryDict) -> list[str]:
    """The slot keys that fields were sent for, each once."""
    names = (name.removeprefix(PREFIX).removesuffix(NONE_BOX) for name in sent if name.startswith(PREFIX))
    return list(dict.fromkeys(names))


def _aspect_of(scheme: Scheme, key: str) -> Aspect | None:
    """The aspect that a slot's key belongs to, or the key of a mark beside it; None when the scheme has none."""
    name, dot, part = key.partition(".")
    aspect = next((each for each in scheme.aspects if each.key == name), None)
    if aspect is None:
        return None
    if part == FORCED:
        fits = isinstance(aspect, BestOfAspect) and aspect.forced_label != ""
    elif aspect.per == "candidate":
        fits = re.fullmatch(r"[1-9][0-9]{0,3}", part) is not None
    else:
        fits = not dot
    return aspect if fits else None


def _typed(aspect: Aspect, key: str, sent: QueryDict) -> str:
    text = (", " if isinstance(aspect, SeveralAspect) else "").join(sent.getlist(PREFIX + key))
    text = _plain(text)
    has_none = isinstance(aspect, SentencesAspect | SeveralAspect | SpansAspect)
    if has_none and not text.strip() and sent.get(PREFIX + key + NONE_BOX):
        return NONE
    return _as_point(text) if isinstance(aspect, RangeAspect) else text


def _plain(text: str) -> str:
    """Without carriage returns, and what PostgreSQL takes of no text."""
    return text.replace("\r\n", "\n").replace("\x00", "")


def _as_point(text: str) -> str:
    """A number as the scale writes it: ``0.50`` and ``０．５`` are ``0.5``; what is no number stays as it is."""
    try:
        number = float(unicodedata.normalize("NFKC", text).replace("−", "-").strip())
    except ValueError:
        return text
    return f"{number + 0.0:g}" if math.isfinite(number) else text


def _as_written(references: list[Any]) -> str:
    try:
        return format_sentence_references(references)
    except (TypeError, ValueError):
        return ""

"""The form of what a check accepts: a field for each aspect that can be compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation_platform.core.qualification import LEFT_OPEN, choices_of, comparable_slots
from annotation_platform.core.schemes import ItemShape, Scheme, SeveralAspect, Slot
from annotation_platform.core.schemes.conditions import NONE


@dataclass(frozen=True)
class AcceptedField:
    """One aspect: its choices as (key, label, whether it is accepted), or the sentences as typed."""

    name: str
    title: str
    choices: list[tuple[str, str, bool]] | None
    typed: str
    error: str = ""


def accepted_fields(
    scheme: Scheme, shape: ItemShape, raw: Mapping[str, Any], errors: Mapping[str, str] | None = None
) -> list[AcceptedField]:
    """The fields. ``raw``: slot key → what is accepted, stored or as it was sent."""
    return [
        AcceptedField(
            f"accepted-{slot.key}",
            _title(slot),
            _choices(slot, shape, raw.get(slot.key)),
            _typed(raw.get(slot.key)),
            (errors or {}).get(slot.key, ""),
        )
        for slot in comparable_slots(scheme, shape)
    ]


def sent_accepted(scheme: Scheme, shape: ItemShape, sent: QueryDict) -> dict[str, Any]:
    """What was sent: slot key → chosen keys, or typed sentences; what nobody filled in is absent."""
    found: dict[str, Any] = {}
    for slot in comparable_slots(scheme, shape):
        given = sent.getlist(f"accepted-{slot.key}")
        if choices_of(slot, shape) is None:
            found[slot.key] = given[0] if given else ""
        elif given:
            found[slot.key] = [] if given == [NONE] and isinstance(slot.aspect, SeveralAspect) else given
    return found


def _title(slot: Slot) -> str:
    if not slot.candidate:
        return slot.aspect.title
    return _("%(aspect)s, candidate %(number)s") % {"aspect": slot.aspect.title, "number": slot.candidate}


def _choices(slot: Slot, shape: ItemShape, accepted: Any) -> list[tuple[str, str, bool]] | None:
    keys = choices_of(slot, shape)
    if keys is None:
        return None
    scale = getattr(slot.aspect, "scale", None)
    known = getattr(slot.aspect, "choices", None) or getattr(scale, "choices", None) or ()
    labels = {choice.key: choice.label for choice in known}
    is_set = isinstance(slot.aspect, SeveralAspect)
    extra = (NONE, _("None of them")) if is_set else (LEFT_OPEN, _("Nothing said"))
    pairs = [(key, labels.get(key, key)) for key in keys] + [extra]
    return [(key, label, _is_chosen(key, accepted)) for key, label in pairs]


def _is_chosen(key: str, accepted: Any) -> bool:
    return accepted is not None and (key in accepted or (accepted == [] and key == NONE))


def _typed(accepted: Any) -> str:
    if accepted is None or isinstance(accepted, str):
        return accepted or ""
    if any(isinstance(each, dict) for each in accepted):
        return json.dumps(accepted, ensure_ascii=False)
    return ", ".join(map(str, accepted)) or NONE

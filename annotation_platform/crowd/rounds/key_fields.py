"""The form of one item's accepted answers: a field for each aspect that can be compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation_platform.annotations.forms.as_seen import title_of
from annotation_platform.annotations.forms.options import Option, options_of
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.qualification import LEFT_OPEN, comparable_slots
from annotation_platform.core.schemes import Scheme, SentencesAspect, SeveralAspect, Slot, SpansAspect
from annotation_platform.core.schemes.conditions import NONE


@dataclass(frozen=True)
class KeyField:
    """One aspect: its choices, each with whether it is accepted, or the sentences as typed."""

    name: str
    slot: Slot
    title: str
    options: list[tuple[Option, bool]]
    typed: str
    is_set: bool
    error: str = ""


def key_fields(
    scheme: Scheme, material: ItemTexts, raw: Mapping[str, Any], errors: Mapping[str, str] | None = None
) -> list[KeyField]:
    """The fields of an item. ``raw``: slot key → what is accepted, stored or as it was sent."""
    fields = []
    for slot in comparable_slots(scheme, material.shape):
        accepted = raw.get(slot.key)
        is_text = isinstance(slot.aspect, SentencesAspect | SpansAspect)
        fields.append(
            KeyField(
                f"accepted-{slot.key}",
                slot,
                title_of(slot, material),
                []
                if is_text
                else [(option, _is_chosen(option, accepted)) for option in _options(scheme, slot, material)],
                typed(accepted) if is_text else "",
                is_set=isinstance(slot.aspect, SentencesAspect | SpansAspect | SeveralAspect),
                error=(errors or {}).get(slot.key, ""),
            )
        )
    return fields


def sent_key(scheme: Scheme, material: ItemTexts, sent: QueryDict) -> dict[str, Any]:
    """What was sent, slot key → chosen keys or typed sentences; what nobody filled in is absent."""
    found: dict[str, Any] = {}
    for slot in comparable_slots(scheme, material.shape):
        given = sent.getlist(f"accepted-{slot.key}")
        if isinstance(slot.aspect, SentencesAspect | SpansAspect):
            found[slot.key] = given[0] if given else ""
        elif given:
            found[slot.key] = [] if given == [NONE] and isinstance(slot.aspect, SeveralAspect) else given
    return found


def _options(scheme: Scheme, slot: Slot, material: ItemTexts) -> list[Option]:
    options = list(options_of(scheme, slot.aspect, material))
    is_set = isinstance(slot.aspect, SeveralAspect)
    extra = Option(NONE, _("None of them")) if is_set else Option(LEFT_OPEN, _("Nothing said"))
    return [*options, extra]


def _is_chosen(option: Option, accepted: Any) -> bool:
    return accepted is not None and (option.key in accepted or (accepted == [] and option.key == NONE))


def typed(accepted: Any) -> str:
    """Accepted sentences as people type them, accepted spans as JSON."""
    if accepted is None or isinstance(accepted, str):
        return accepted or ""
    if any(isinstance(each, dict) for each in accepted):
        return json.dumps(accepted, ensure_ascii=False)
    return ", ".join(map(str, accepted)) or NONE

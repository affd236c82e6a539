"""Judgments and decisions in the scheme's words, without who gave them and which system wrote an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation_platform.annotations.forms.instructions import in_words
from annotation_platform.annotations.forms.values import typed_from_values
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import Scheme, TextAspect, cannot_judge
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE_REASON


@dataclass(frozen=True)
class Said:
    """One word on an item: labels as title and words, explanations as title and text."""

    name: str
    labels: list[tuple[str, str]]
    texts: list[tuple[str, str]]
    note: str = ""


def said(name: str, scheme: Scheme, material: ItemTexts, values: Mapping[str, Any], note: str = "") -> Said:
    """What checked values say. Candidates go by the letters under which ``material`` shows them."""
    typed = typed_from_values(scheme, values)
    found = Said(name, [], [], note)
    if cannot_judge(values):
        found.labels.append((scheme.cannot_judge or _("Cannot judge"), str(values.get(CANNOT_JUDGE_REASON, ""))))
        return found
    letters = {each.number: chr(ord("A") + place) for place, each in enumerate(material.answers) if each.number}
    for slot in scheme.slots(material.shape):
        if slot.key not in typed:
            continue
        letter = letters.get(slot.candidate)
        title = f"{letter}: {slot.aspect.title}" if letter else slot.aspect.title
        part = found.texts if isinstance(slot.aspect, TextAspect) else found.labels
        part.append((title, in_words(scheme, slot, material, typed)))
    return found

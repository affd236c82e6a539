"""What is remarkable about the texts of a judgment: those that say nothing new, and those that give orders."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from annotation_platform.annotations.hints import assess
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.injection import Suspicion, suspicions
from annotation_platform.core.methods.vacuousness import ExplanationAssessment
from annotation_platform.core.schemes import Scheme, TextAspect


class Remarks(NamedTuple):
    """By the key of the slot that a text stands in."""

    vacuous: dict[str, ExplanationAssessment]
    suspicious: dict[str, tuple[Suspicion, ...]]


def remarks_on(scheme: Scheme, material: ItemTexts, values: Mapping[str, Any]) -> Remarks:
    """Which texts of a judgment's values a person should look at, and why."""
    slots = [slot for slot in scheme.slots(material.shape) if isinstance(slot.aspect, TextAspect)]
    texts = {slot.key: text for slot in slots if isinstance(text := values.get(slot.key), str)}
    assessed = {slot.key: assess(scheme, slot, material, texts) for slot in slots if slot.key in texts}
    return Remarks(
        {key: found for key, found in assessed.items() if found is not None},
        {key: found for key, text in texts.items() if (found := suspicions(text))},
    )

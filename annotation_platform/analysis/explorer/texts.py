"""What is remarkable about the texts of a judgment: those that say nothing new, and those that give orders."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from annotation_platform.annotations.hints import assess
from annotation_platform.annotations.material import Material
from annotation_platform.core.methods.injection import Suspicion, suspicions
from annotation_platform.core.methods.vacuousness import ExplanationAssessment
from annotation_platform.core.schemes import Scheme, TextAspect

Answer = tuple[int, str, str]  # candidate's number, text, rationale


class Remarks(NamedTuple):
    """By the key of the slot that a text stands in."""

    vacuous: dict[str, ExplanationAssessment]
    suspicious: dict[str, tuple[Suspicion, ...]]


def remarks_on(scheme: Scheme, material: Material, values: Mapping[str, Any]) -> Remarks:
    """Which texts of a judgment's values a person should look at, and why."""
    slots = [slot for slot in scheme.slots(material.shape) if isinstance(slot.aspect, TextAspect)]
    texts = {slot.key: text for slot in slots if isinstance(text := values.get(slot.key), str)}
    assessed = {slot.key: assess(scheme, slot, material, texts) for slot in slots if slot.key in texts}
    return Remarks(
        {key: found for key, found in assessed.items() if found is not None},
        {key: found for key, text in texts.items() if (found := suspicions(text))},
    )


def judged_material(
    scheme: Scheme,
    answers: Iterable[Answer],
    *,
    question: str,
    choices: Iterable[str],
    reference_answers: Iterable[str],
    language: str,
) -> Material:
    """What was judged, without documents: the texts that an explanation may only repeat."""
    given = list(answers)
    alone = given[0] if given and not scheme.judges_candidates else None
    return Material(
        parts=scheme.parts,
        language=language,
        question=question,
        choices=tuple(choices),
        answer=alone[1] if alone else "",
        rationale=alone[2] if alone else "",
        reference_answers=tuple(reference_answers),
        candidates={} if alone else {number: text for number, text, _ in given},
    )

"""What was judged too late, in the words of the study's scheme, as on the pages where other work is decided about."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation_platform.annotations.forms.as_seen import as_seen, title_of
from annotation_platform.annotations.forms.instructions import in_words as slot_in_words
from annotation_platform.annotations.forms.values import typed_from_values
from annotation_platform.annotations.models import LateJudgment
from annotation_platform.core.schemes import Scheme, cannot_judge
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE_REASON
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item


class LateInWords(NamedTuple):
    """A late judgment with each aspect's title and what was said. ``cannot``: why they could not judge the item."""

    judgment: LateJudgment
    lines: list[tuple[str, str]]
    cannot: str


def in_words(judgments: Sequence[LateJudgment], scheme: Scheme) -> list[LateInWords]:
    """Late judgments in words of a scheme; what it does not know is left as it was sent."""
    items = Item.every.filter(pk__in={each.item_id for each in judgments})
    texts = {each.id: each for each in item_texts(items, scheme.parts)}
    found = []
    for each in judgments:
        material = as_seen(texts[each.item_id], each.annotator)
        values: dict[str, Any] = each.values
        if cannot_judge(values):
            found.append(LateInWords(each, [], str(values.get(CANNOT_JUDGE_REASON, ""))))
            continue
        typed = typed_from_values(scheme, dict(values))
        slots = [slot for slot in scheme.slots(material.shape) if slot.key in typed]
        lines = [(title_of(slot, material), slot_in_words(scheme, slot, material, typed)) for slot in slots]
        found.append(LateInWords(each, lines, ""))
    return found

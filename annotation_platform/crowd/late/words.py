"""What was judged too late, in the words of its scheme, as on the pages where other work is decided about."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation_platform.annotations.forms.as_seen import as_seen, title_of
from annotation_platform.annotations.forms.instructions import in_words as slot_in_words
from annotation_platform.annotations.forms.values import typed_from_values
from annotation_platform.annotations.models import LateJudgment
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import cannot_judge
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE_REASON
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item


class LateInWords(NamedTuple):
    """A late judgment with each aspect's title and what was said. ``cannot``: why they could not judge the item."""

    judgment: LateJudgment
    lines: list[tuple[str, str]]
    cannot: str


def in_words(judgments: Sequence[LateJudgment], language: str) -> list[LateInWords]:
    """Late judgments in the words of the versions of the scheme under which they were given."""
    texts: dict[tuple[int, int], ItemTexts] = {}
    for version in {each.scheme_version for each in judgments}:
        given = {each.item_id for each in judgments if each.scheme_version_id == version.pk}
        found = item_texts(Item.every.filter(pk__in=given), version.scheme().parts)
        texts |= {(version.pk, each.id): each for each in found}
    return [_in_words(each, texts[each.scheme_version_id, each.item_id], language) for each in judgments]


def _in_words(late: LateJudgment, texts: ItemTexts, language: str) -> LateInWords:
    values: dict[str, Any] = late.values
    if cannot_judge(values):
        return LateInWords(late, [], str(values.get(CANNOT_JUDGE_REASON, "")))
    scheme, material = late.scheme_version.scheme(language), as_seen(texts, late.annotator)
    typed = typed_from_values(scheme, values)
    slots = [slot for slot in scheme.slots(material.shape) if slot.key in typed]
    lines = [(title_of(slot, material), slot_in_words(scheme, slot, material, typed)) for slot in slots]
    return LateInWords(late, lines, "")

"""What somebody said in an attempt, in words, beside what was accepted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation_platform.annotations.forms.as_seen import as_seen, title_of
from annotation_platform.annotations.forms.instructions import in_words
from annotation_platform.annotations.forms.values import typed_from_values
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.qualification import LEFT_OPEN, Match
from annotation_platform.core.schemes import (
    Scheme,
    SentencesAspect,
    SeveralAspect,
    Slot,
    SpansAspect,
    TextAspect,
    cannot_judge,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE_REASON
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.spans import in_words as spans_in_words
from annotation_platform.crowd.rounds.measuring import judgments_in, matched
from annotation_platform.crowd.rounds.models import Attempt
from annotation_platform.crowd.rounds.selectors import RoundItem, items_of
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item


@dataclass(frozen=True)
class ComparedAspect:
    """One aspect: what was said, what is accepted ("" for what is not compared), and whether that matches."""

    title: str
    said: str
    accepted: str
    matches: bool | None


@dataclass(frozen=True)
class ComparedItem:
    """One item of an attempt. ``cannot``: why they could not judge it, when they said so."""

    item: RoundItem
    material: ItemTexts
    judgment: Annotation | None
    lines: list[ComparedAspect]
    match: Match | None
    note: str
    cannot: str = ""


def compared_items(attempt: Attempt, language: str = "en") -> list[ComparedItem]:
    """The items of an attempt with what was said about each, in words of a language of the scheme."""
    scheme = attempt.round.study.scheme(language)
    judgments = judgments_in(attempt)
    notes = dict(attempt.item_notes.values_list("item", "text"))
    texts = _texts(attempt, scheme)
    found = []
    for each in items_of(attempt.round):
        judgment = judgments.get(each.item.pk)
        key = each.key if each.key and each.key.accepted else None
        match = matched(attempt.round, key, judgment) if key else None
        values: Mapping[str, Any] = judgment.values if judgment else {}
        material = texts[each.item.pk]
        cannot = str(values.get(CANNOT_JUDGE_REASON, "")) if cannot_judge(values) else ""
        lines = _lines(scheme, material, {} if cannot else values, key.accepted if key else {}, match)
        found.append(ComparedItem(each, material, judgment, lines, match, notes.get(each.item.pk, ""), cannot))
    return found


def accepted_in_words(scheme: Scheme, slot: Slot, material: ItemTexts, accepted: list[Any]) -> str:
    """What is accepted in a slot, in the words of its choices; sets as one list."""
    if isinstance(slot.aspect, SentencesAspect | SeveralAspect):
        typed = ", ".join(map(str, accepted)) or NONE
        return in_words(scheme, slot, material, {slot.key: typed}) or NONE
    if isinstance(slot.aspect, SpansAspect):
        return spans_in_words(slot.aspect, accepted, material.named, slot.candidate) or NONE
    words = (in_words(scheme, slot, material, {slot.key: each}) for each in accepted if each != LEFT_OPEN)
    return " / ".join([*words, *(["–"] if LEFT_OPEN in accepted else [])])


def _lines(
    scheme: Scheme,
    material: ItemTexts,
    values: Mapping[str, Any],
    accepted: Mapping[str, list[Any]],
    match: Match | None,
) -> list[ComparedAspect]:
    typed = typed_from_values(scheme, dict(values))
    lines = []
    for slot in scheme.slots(material.shape):
        if slot.key not in typed and slot.key not in accepted:
            continue
        said = in_words(scheme, slot, material, typed) if slot.key in typed else ""
        is_compared = slot.key in accepted and not isinstance(slot.aspect, TextAspect)
        wanted = accepted_in_words(scheme, slot, material, accepted[slot.key]) if is_compared else ""
        was_compared = match is not None and slot.key in (*match.matched, *match.missed)
        matches = slot.key in match.matched if match is not None and is_compared and was_compared else None
        lines.append(ComparedAspect(title_of(slot, material), said, wanted, matches))
    return lines


def _texts(attempt: Attempt, scheme: Scheme) -> dict[int, ItemTexts]:
    """The texts of a round's items as this person saw them, by the items' keys."""
    found = item_texts(Item.objects.filter(study=attempt.round.study_id), scheme.parts)
    return {each.id: as_seen(each, attempt.annotator) for each in found}

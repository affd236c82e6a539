"""An item as one annotator saw it: its candidates in their order, under their letters."""

from dataclasses import replace

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import Slot
from annotation_platform.studies.models import Member
from annotation_platform.studies.selectors import presentation_order


def as_seen(texts: ItemTexts, annotator: Member | None) -> ItemTexts:
    """An item's texts with the candidates in the order, and so under the letters, that somebody saw."""
    if annotator is None or not texts.candidates:
        return texts
    answers = {each.number: each for each in texts.candidates}
    order = presentation_order(item_id=texts.id, member_id=annotator.pk, count=len(answers))
    return replace(texts, answers=tuple(answers[number] for number in order))


def title_of(slot: Slot, material: ItemTexts) -> str:
    """The title of a slot's aspect, with the letter of its candidate."""
    return f"{material.letters.get(slot.candidate, '')}: {slot.aspect.title}" if slot.candidate else slot.aspect.title

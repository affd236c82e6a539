"""Counting what is pasted into explanations: the length, and nothing of the text."""

from annotation_platform.annotations.selectors import HeldAssignment, item_at
from annotation_platform.crowd.monitor.models import Paste

MOST_CHARACTERS = 1_000_000
MOST_PASTES = 50  # of one person in one item
LONGEST_SLOT = 60


def note_paste(held: HeldAssignment, *, position: int, slot: str, characters: int) -> None:
    """Count a paste into a field of text; one that cannot be is left out without a word, since nobody waits for it.

    Raises
    ------
    NotThereError
        When the task has no such item.
    """
    item = item_at(held.assignment, position)
    scheme = held.assignment.hit.batch.study.scheme()
    texts = {aspect.key for aspect in scheme.aspects if aspect.kind == "text"}
    is_known = slot.partition(".")[0] in texts and len(slot) <= LONGEST_SLOT
    if is_known and 1 <= characters <= MOST_CHARACTERS:
        mine = Paste.objects.filter(member=held.annotator, item=item)
        if mine.count() < MOST_PASTES:
            Paste.objects.create(member=held.annotator, item=item, slot=slot, characters=characters)

"""Counting what is pasted into explanations: the length, and nothing of the text."""

from django.db.models import Case, Value, When

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.selectors import HeldAssignment, item_at
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.crowd.monitor.models import Paste
from annotation_platform.studies.models import SchemeVersion, Study

MOST_CHARACTERS = 1_000_000
MOST_PASTES = 50  # of one person in one item
LONGEST_SLOT = 60


def note_paste(held: HeldAssignment, *, position: int, slot: str, characters: int, scheme_signature: str = "") -> None:
    """Count a paste into a field of text; one that cannot be is left out without a word, since nobody waits for it.

    So is one into a form that was made from another version of the scheme, whose field may have another key: its
    ``scheme_signature``, where it says so.

    Raises
    ------
    NotThereError
        When the task has no such item.
    """
    item = item_at(held.assignment, position)
    study = held.assignment.hit.batch.study
    if scheme_signature and scheme_signature != study.scheme_version.signature:
        return
    scheme = study.scheme()
    texts = {aspect.key for aspect in scheme.aspects if aspect.kind == "text"}
    is_known = slot.partition(".")[0] in texts and len(slot) <= LONGEST_SLOT
    if is_known and 1 <= characters <= MOST_CHARACTERS:
        mine = Paste.objects.filter(member=held.annotator, item=item)
        if mine.count() < MOST_PASTES:
            Paste.objects.create(member=held.annotator, item=item, slot=slot, characters=characters)


def carry_pastes(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Have what was pasted into a field stand beside what its judgments say under its new key; what was pasted into one
    that is gone, and whose key another one has now, is forgotten.

    A follower of ``annotations.scheme_following``.
    """
    pastes = Paste.objects.filter(item__study=study)
    slots = pastes.order_by().values_list("slot", flat=True).distinct()
    carried = {slot: changes.slot(slot) for slot in slots}
    others = {aspect.key for aspect in version.scheme().aspects}
    gone = [slot for slot, new in carried.items() if new is None and slot.partition(".")[0] in others]
    pastes.filter(slot__in=gone).delete()
    renamed = {slot: new for slot, new in carried.items() if new not in (None, slot)}
    if renamed:
        new_slot = Case(*(When(slot=old, then=Value(new)) for old, new in renamed.items()))
        pastes.filter(slot__in=renamed).update(slot=new_slot)

"""Hints that were shown beside an explanation."""

from django.db.models import Case, Value, When
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.models import Hint
from annotation_platform.core.schemes import Slot
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.studies.models import Item, Member, SchemeVersion, Study
from annotation_platform.studies.services import change_study


def log_hint(*, annotator: Member, item: Item, slot: Slot, text: str, reason: str, score: float) -> bool:
    """Log that a hint is shown; False when it must not be, because the annotator has dismissed one there already."""
    earlier = Hint.objects.filter(annotator=annotator, item=item, aspect=slot.aspect.key, candidate=slot.candidate)
    last = earlier.last()
    if last is not None and last.dismissed_at is not None:
        return False
    if last is None or last.text != text:  # the same text after another pause is the same hint
        earlier.create(
            annotator=annotator,
            item=item,
            aspect=slot.aspect.key,
            candidate=slot.candidate,
            text=text,
            reason=reason,
            score=score,
        )
    return True


def dismiss_hint(*, annotator: Member, item: Item, slot: Slot) -> None:
    """Note that the annotator finds the explanation fine; no hint is given there again."""
    shown = Hint.objects.filter(annotator=annotator, item=item, aspect=slot.aspect.key, candidate=slot.candidate)
    if (last := shown.last()) is not None:  # those before it were answered by another text
        shown.filter(pk=last.pk, dismissed_at=None).update(dismissed_at=timezone.now())


def switch_hints(*, study: Study, on: bool, actor: Actor) -> None:
    """Give hints in a study from now on, or no more; those shown before stay in its log."""
    change_study(study=study, gives_hints=on, actor=actor)


def carry_hints(study: Study, version: SchemeVersion, changes: SchemeChanges) -> None:
    """Have hints stand by the new key of their field, so that one that was dismissed is not given again; those of a
    field that is gone, and whose key another one has now, by none.
    """
    hints = Hint.objects.filter(item__study=study)
    others = {aspect.key for aspect in version.scheme().aspects}
    keys = hints.order_by().values_list("aspect", flat=True).distinct()
    carried = {key: changes.slot(key) or ("" if key in others else key) for key in keys}
    renamed = {old: new for old, new in carried.items() if old != new}
    if renamed:
        new_key = Case(*(When(aspect=old, then=Value(new)) for old, new in renamed.items()))
        hints.filter(aspect__in=renamed).update(aspect=new_key)

"""Hints that were shown beside an explanation."""

from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.models import Hint
from annotation_platform.core.schemes import Slot
from annotation_platform.studies.models import Item, Member, Study
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

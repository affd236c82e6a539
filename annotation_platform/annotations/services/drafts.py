"""Drafts: what somebody has typed and not submitted yet."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import InvalidJudgmentError, ItemShape, Scheme, check_judgment
from annotation_platform.studies.models import Item, Member
from annotation_platform.studies.selectors import item_shape

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)  # of the clock that numbers drafts
DRAFT_LIMIT = 200_000  # characters; a paste far beyond any explanation is still kept, a flood is not


class DraftConflictError(ConflictError):
    """Another tab or device saved this question since the page was loaded. ``current`` is its draft."""

    def __init__(self, current: Draft) -> None:
        self.current = current
        super().__init__("annotations.draft_changed_elsewhere")


def save_draft(*, annotator: Member, item: Item, values: Mapping[str, Any], seconds: float, version: int) -> Draft:
    """Keep what somebody has typed so far. ``version`` is the draft's version that the page had (0: none).

    Raises
    ------
    DraftConflictError
        When the stored draft is newer than ``version`` and says something else.
    InvalidInputError
        When it is larger than any honest draft.
    """
    if sum(len(str(value)) for value in values.values()) > DRAFT_LIMIT:
        raise InvalidInputError("annotations.draft_too_long", limit=DRAFT_LIMIT)
    fields = {"values": dict(values), "seconds": seconds}
    with transaction.atomic():
        changed = Draft.objects.filter(annotator=annotator, item=item, version=version).update(
            **fields, version=F("version") + 1, updated_at=timezone.now()
        )
        if changed:
            return Draft(annotator=annotator, item=item, version=version + 1, **fields)
        first = {**fields, "version": _first_version(annotator, item)}
        draft, is_new = Draft.objects.get_or_create(annotator=annotator, item=item, defaults=first)
    if not is_new and draft.values != fields["values"]:
        raise DraftConflictError(draft)
    return draft


def _first_version(annotator: Member, item: Item) -> int:
    """Of a new draft: beyond those of drafts that went when they were submitted or dropped, or a tab that still has
    such a number would take this one for its own. Beside a judgment it is the clock in seconds: nobody saves faster."""
    if not Annotation.given.filter(annotator=annotator, item=item).exists():
        return 1
    return int((timezone.now() - _BEGIN).total_seconds())


def forget_repetition(
    *,
    annotator: Member,
    item: Item,
    scheme: Scheme,
    values: Mapping[str, Any],
    submitted: Mapping[str, Any],
    version: int,
) -> bool:
    """Forget the draft (up to ``version``) of somebody whose form says what they have submitted; False if it does not.

    So a draft beside a judgment that counts is always a change of it that is not submitted yet.
    """
    if not says(scheme, values, item_shape(item, scheme), submitted):
        return False
    drafts = Draft.objects.filter(annotator=annotator, item=item)
    if drafts.filter(version__gt=version).exists():
        return False
    drafts.delete()
    return True


def says(scheme: Scheme, typed: Mapping[str, Any], shape: ItemShape, values: Mapping[str, Any]) -> bool:
    """Whether what was typed is the judgment with these values."""
    try:
        return check_judgment(scheme, typed, shape) == values
    except InvalidJudgmentError:
        return False

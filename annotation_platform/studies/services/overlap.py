"""How many people judge each item: changing it while batches are open.

The places of open batches are added and removed piece by piece, so that others can write meanwhile. Each piece goes by
the overlap that the study has at that moment, so whatever is changed at once, or broken off and done again, comes to
the same end. ``Study.evening_at`` is set from the new overlap to the last piece; the sweep goes on with what a killed
process left.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, F, Max, Model, OuterRef, QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.rows import stale_before
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Hit, Study
from annotation_platform.studies.opening_rules import check_places
from annotation_platform.studies.services.changing import change_study
from annotation_platform.studies.services.making import MOST_OVERLAP

HITS_AT_ONCE = 100


@dataclass(frozen=True)
class OverlapChange:
    """What a new overlap did to the open batches; ``wider`` HITs keep more places than that, since they are used."""

    added: int
    removed: int
    wider: int


def change_overlap(
    *, study: Study, overlap: int, actor: Actor, and_with_it: Callable[[], None] = lambda: None
) -> OverlapChange:
    """How many people judge each item: of the batches that are open, and of those opened from now on.

    A higher overlap adds places to each HIT that has fewer. A lower one removes places that nobody has taken, and
    about which nothing was ever judged or written; others stay. ``and_with_it`` is called in the transaction that
    decides it, with the study locked, before rules are asked: all of it is stored, or nothing.

    Raises
    ------
    InvalidInputError
        When no study can have this overlap.
    OpeningRefusedError
        When a rule keeps places from being added, such as a budget; then nothing is changed.
    DatabaseBusyError
        When others write all the time; the sweep then does what is left.
    """
    if not 1 <= overlap <= MOST_OVERLAP:
        raise InvalidInputError("studies.overlap_wrong", most=MOST_OVERLAP)
    marked = in_short_transaction(partial(_set_overlap, study, overlap, actor, and_with_it))
    return _even_out(study, marked)


def even_out_left_behind() -> None:
    """Go on where a killed process was changing an overlap."""
    for study in Study.objects.exclude(evening_at=None):
        if is_overlap_unfinished(study):
            _even_out(study, study.evening_at)


def places_to_add(study: Study, overlap: int) -> int:
    """How many places the open batches of a study lack to an overlap."""
    narrow = _open_hits(study).annotate(places=Count("assignments")).filter(places__lt=overlap)
    return sum(overlap - places for places in narrow.values_list("places", flat=True))


def is_overlap_unfinished(study: Study) -> bool:
    """Whether a change of the study's overlap was broken off, and waits for the sweep."""
    return study.evening_at is not None and study.evening_at < stale_before()


def _set_overlap(study: Study, overlap: int, actor: Actor, and_with_it: Callable[[], None]) -> datetime:
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # none while a batch is being opened: open_batch
    and_with_it()
    check_places(study, places_to_add(study, overlap))
    change_study(study=study, overlap=overlap, actor=actor)
    return _mark(study)


def _even_out(study: Study, marked: datetime | None) -> OverlapChange:
    """Give every HIT that takes people as many places as the study's overlap, as far as they are free."""
    added = removed = 0
    hits = list(_open_hits(study).order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(hits), HITS_AT_ONCE):
        some = hits[first : first + HITS_AT_ONCE]
        marked, more, fewer = in_short_transaction(partial(_even_out_some, study, some))
        added, removed = added + more, removed + fewer
    Study.objects.filter(pk=study.pk, evening_at=marked).update(evening_at=None)  # else another change is under way
    wider = _open_hits(study).annotate(places=Count("assignments")).filter(places__gt=study.overlap).count()
    return OverlapChange(added, removed, wider)


def _even_out_some(study: Study, hits: Sequence[int]) -> tuple[datetime, int, int]:
    """Add and remove places of some HITs; return when, how many were added, and how many removed."""
    overlap = Study.objects.select_for_update(no_key=True).get(pk=study.pk).overlap
    marked = _mark(study)
    open_ones = _open_hits(study).filter(pk__in=hits).annotate(places=Count("assignments"))
    removed = _remove_places(dict(open_ones.filter(places__gt=overlap).values_list("pk", F("places") - overlap)))
    added = _add_places(open_ones.filter(places__lt=overlap).annotate(last_place=Max("assignments__place")), overlap)
    return marked, added, removed


def _mark(study: Study) -> datetime:
    now = timezone.now()
    Study.objects.filter(pk=study.pk).update(evening_at=now)
    return now


def _open_hits(study: Study) -> QuerySet[Hit]:
    """The HITs of the batches that go on taking people."""
    return Hit.objects.filter(batch__study=study, batch__state=BatchState.OPEN, batch__finishing_since=None).order_by()


def _add_places(narrow: QuerySet[Any], overlap: int) -> int:
    new = [
        Assignment(hit_id=hit, place=(last or 0) + number)
        for hit, places, last in narrow.values_list("pk", "places", "last_place")
        for number in range(1, overlap - places + 1)
    ]
    Assignment.objects.bulk_create(new)
    return len(new)


def _remove_places(too_many: dict[int, int]) -> int:
    """Lock the free places of HITs that have too many, the last first, and remove as many as are too many."""
    if not too_many:
        return 0
    history = [Exists(rows.filter(assignment=OuterRef("pk"))) for rows in _what_refers_to_places()]
    free = Assignment.objects.filter(
        *(~each for each in history), state=AssignmentState.OPEN, hit__in=too_many
    ).select_for_update(of=("self",) if connection.features.has_select_for_update_of else ())
    doomed = []
    for pk, hit in free.order_by("hit_id", "-place").values_list("pk", "hit_id"):
        if too_many[hit] > 0:
            too_many[hit] -= 1
            doomed.append(pk)
    return Assignment.objects.filter(pk__in=doomed).delete()[0]


def _what_refers_to_places() -> Iterable[QuerySet[Model]]:
    """The judgments and words that hang on places; apps above this one own them."""
    return [relation.related_model._default_manager.all() for relation in Assignment._meta.related_objects]

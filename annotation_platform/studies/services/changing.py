"""Changing a study while it runs: its name, overlap and time limit; archiving it and bringing it back."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, F, Max, Model, OuterRef, QuerySet
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Hit, Study
from annotation_platform.studies.services.opening import ROWS_AT_ONCE
from annotation_platform.studies.services.places import MOST_MINUTES

MOST_OVERLAP = 100


@dataclass(frozen=True)
class OverlapChange:
    """What a new overlap did to the open batches; ``wider`` HITs keep more places than that, since they are used."""

    added: int
    removed: int
    wider: int


def rename_study(*, study: Study, name: str) -> None:
    """Give a study another name; its address stays, so that links to it go on working."""
    name = " ".join(name.split())
    if not name or len(name) > 200:
        raise InvalidInputError("studies.name_wrong")
    try:
        with transaction.atomic():
            Study.objects.filter(pk=study.pk).update(name=name)
    except IntegrityError:
        raise InvalidInputError("studies.name_taken", name=name) from None
    study.refresh_from_db(fields=["name"])


def archive_study(*, study: Study) -> None:
    """Take a study out of the lists. Nobody gets a task of it; who has one can finish it."""
    Study.objects.filter(pk=study.pk, archived_at=None).update(archived_at=timezone.now())
    study.refresh_from_db(fields=["archived_at"])


def restore_study(*, study: Study) -> None:
    """Bring a study back as it was when it was archived."""
    Study.objects.filter(pk=study.pk).update(archived_at=None)
    study.refresh_from_db(fields=["archived_at"])


def change_time_limit(*, study: Study, minutes: int) -> None:
    """How long places are reserved that are taken from now on; running leases stay as they are."""
    if not 1 <= minutes <= MOST_MINUTES:
        raise InvalidInputError("studies.time_limit_wrong", most=MOST_MINUTES)
    Study.objects.filter(pk=study.pk).update(time_limit_minutes=minutes)
    study.refresh_from_db(fields=["time_limit_minutes"])


@transaction.atomic
def change_overlap(*, study: Study, overlap: int) -> OverlapChange:
    """How many people judge each item: of the batches that are open, and of those opened from now on.

    A higher overlap adds places to each HIT that has fewer. A lower one removes places that nobody has taken, and
    about which nothing was ever judged or written; others stay.
    """
    if not 1 <= overlap <= MOST_OVERLAP:
        raise InvalidInputError("studies.overlap_wrong", most=MOST_OVERLAP)
    # One change at a time, and none while a batch is being opened (see open_batch).
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    Study.objects.filter(pk=study.pk).update(overlap=overlap)
    study.refresh_from_db(fields=["overlap"])
    removed = _remove_places(study)
    added = _add_places(study)
    wider = _open_hits(study).filter(places__gt=overlap).count()
    return OverlapChange(added, removed, wider)


def _open_hits(study: Study) -> QuerySet[Any]:
    """The HITs of the batches that go on taking people, with how many places each has."""
    open_ones = Hit.objects.filter(batch__study=study, batch__state=BatchState.OPEN, batch__finishing_since=None)
    return open_ones.order_by().annotate(places=Count("assignments"), last_place=Max("assignments__place"))


def _add_places(study: Study) -> int:
    narrow = _open_hits(study).filter(places__lt=study.overlap).values_list("pk", "places", "last_place")
    new = [
        Assignment(hit_id=hit, place=(last or 0) + number)
        for hit, places, last in narrow
        for number in range(1, study.overlap - places + 1)
    ]
    Assignment.objects.bulk_create(new, batch_size=ROWS_AT_ONCE)
    return len(new)


def _remove_places(study: Study) -> int:
    """Lock the free places of HITs that have too many, the last first, and remove as many as are too many."""
    too_many = dict(_open_hits(study).filter(places__gt=study.overlap).values_list("pk", F("places") - study.overlap))
    history = [Exists(rows.filter(assignment=OuterRef("pk"))) for rows in _what_refers_to_places()]
    free = Assignment.objects.filter(
        *(~each for each in history),
        state=AssignmentState.OPEN,
        hit__batch__study=study,
        hit__batch__state=BatchState.OPEN,
        hit__batch__finishing_since=None,
    ).select_for_update(
        of=("self",) if connection.features.has_select_for_update_of else (),
    )
    doomed = []
    for pk, hit in free.order_by("hit_id", "-place").values_list("pk", "hit_id"):
        if too_many.get(hit, 0) > 0:
            too_many[hit] -= 1
            doomed.append(pk)
    return sum(Assignment.objects.filter(pk__in=some).delete()[0] for some in _chunks(doomed))


def _what_refers_to_places() -> list[QuerySet[Model]]:
    """The judgments and words that hang on places; apps above this one own them."""
    return [relation.related_model._default_manager.all() for relation in Assignment._meta.related_objects]


def _chunks(keys: list[int]) -> Iterable[list[int]]:
    return (keys[first : first + ROWS_AT_ONCE] for first in range(0, len(keys), ROWS_AT_ONCE))

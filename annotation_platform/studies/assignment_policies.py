"""Which free place an annotator gets next. A policy is a function; a study names the one it goes by."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import random

from django.db import connection
from django.db.models import Count, QuerySet

from annotation_platform.studies.models import Assignment, AssignmentPolicy, Candidate, Member

NEAR = 100

Policy = Callable[["QuerySet[Assignment]", Member], Iterable[Assignment]]


def in_order(free: QuerySet[Assignment], annotator: Member) -> Iterable[Assignment]:
    """HIT by HIT: the first one is filled by as many people as the overlap before the next one is begun."""
    return _first(free.order_by("hit__batch__number", "hit__position", "place"))


def breadth_first(free: QuerySet[Assignment], annotator: Member) -> Iterable[Assignment]:
    """Every HIT of a batch gets its first judgments before any gets its second."""
    return _first(free.order_by("hit__batch__number", "place", "hit__position"))


def balanced(free: QuerySet[Assignment], annotator: Member) -> Iterator[Assignment]:
    """Of the next 100 free places, breadth first, those whose systems this annotator has judged least; else by chance.

    So nobody judges one system only, and no system is judged by a few people only.
    """
    near = list(free.order_by("hit__batch__number", "place", "hit__position")[:NEAR])
    systems: dict[int, list[int]] = {}
    of_near = Candidate.objects.filter(item__hit__in={place.hit_id for place in near})
    for hit, system in of_near.values_list("item__hit", "answer__system"):
        systems.setdefault(hit, []).append(system)
    mine = Candidate.objects.filter(item__hit__assignments__annotator=annotator)
    had = Counter(dict(mine.values_list("answer__system").annotate(Count("pk"))))

    def burden(place: Assignment) -> tuple[float, float]:
        of_hit = systems.get(place.hit_id, [])
        return sum(had[system] for system in of_hit) / max(len(of_hit), 1), random()

    yield from sorted(near, key=burden)


POLICIES: dict[str, Policy] = {
    AssignmentPolicy.IN_ORDER: in_order,
    AssignmentPolicy.BREADTH_FIRST: breadth_first,
    AssignmentPolicy.BALANCED: balanced,
}


def _first(free: QuerySet[Assignment]) -> Iterable[Assignment]:
    """The first place that nobody else is just taking."""
    return free.select_for_update(
        skip_locked=connection.features.has_select_for_update_skip_locked,
        of=("self",) if connection.features.has_select_for_update_of else (),
    )[:1]

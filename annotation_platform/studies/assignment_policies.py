"""Which free place an annotator gets next. A policy is a function; a study names the one it goes by."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import random

from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation_platform.studies.models import Assignment, AssignmentPolicy, Batch, BatchState, Candidate, Member

NEAR = 100

Policy = Callable[["QuerySet[Assignment]", Member], Iterable[Assignment]]


def in_order(free: QuerySet[Assignment], annotator: Member) -> Iterator[Assignment]:
    """Depth first, HIT by HIT: the first one is filled by as many people as the overlap before the next is begun."""
    for of_batch in _by_batch(free, annotator):
        yield from _first(of_batch.order_by("hit__position", "place"))


def breadth_first(free: QuerySet[Assignment], annotator: Member) -> Iterator[Assignment]:
    """Every HIT of a batch gets its first judgments before any gets its second."""
    for of_batch in _by_batch(free, annotator):
        for level in _levels(of_batch, annotator):
            yield from _first(level.order_by("hit__position"))


def balanced(free: QuerySet[Assignment], annotator: Member) -> Iterator[Assignment]:
    """Of the next 100 free places, breadth first, those whose systems this annotator has judged least; else by chance.

    So nobody judges one system only, and no system is judged by a few people only.
    """
    near = list(_near(free, annotator))
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


def sampled(free: QuerySet[Assignment], annotator: Member) -> Iterator[Assignment]:
    """HIT by HIT in an order that chance decided when the HITs were made, the same for all annotators.

    So what is judged of a batch that closes before it is full is a random part of it. Of a drawn batch, each judged
    HIT then had its own probability times the same share, as estimates assume that weigh by probabilities: a HIT that
    had a high one must not come earlier for it, or it would count twice.
    """
    for of_batch in _by_batch(free, annotator):
        yield from _first(of_batch.order_by("hit__turn", "place"))


POLICIES: dict[str, Policy] = {
    AssignmentPolicy.IN_ORDER: in_order,
    AssignmentPolicy.BREADTH_FIRST: breadth_first,
    AssignmentPolicy.BALANCED: balanced,
    AssignmentPolicy.EVEN: balanced,  # that nobody gets far more is a rule: eligibility_rules.far_ahead
    AssignmentPolicy.SAMPLED: sampled,
}


def _by_batch(free: QuerySet[Assignment], annotator: Member) -> Iterator[QuerySet[Assignment]]:
    """The free places of one batch after the other.

    Of a hundred thousand free places all would be sorted to find the first one of a study; those of a batch are read
    in their order, along the index of its HITs, and only until one is found.
    """
    batches = Batch.objects.filter(study=annotator.study_id, state=BatchState.OPEN, finishing_since=None)
    batches = batches.order_by("number")
    found = batches.values_list("pk", "number").first()
    while found is not None:
        batch, number = found
        yield free.filter(hit__batch=batch)
        has_some = Exists(free.filter(hit__batch=OuterRef("pk")))
        found = batches.filter(has_some, number__gt=number).values_list("pk", "number").first()


def _levels(of_batch: QuerySet[Assignment], annotator: Member) -> Iterator[QuerySet[Assignment]]:
    """The free places of a batch by their number, the lowest first; those left of a higher overlap come together."""
    for number in range(1, annotator.study.overlap + 1):
        yield of_batch.filter(place=number)
    yield of_batch.filter(place__gt=annotator.study.overlap)


def _near(free: QuerySet[Assignment], annotator: Member) -> Iterable[Assignment]:
    near: list[Assignment] = []
    for of_batch in _by_batch(free, annotator):
        for level in _levels(of_batch, annotator):
            near += level.order_by("hit__position")[: NEAR - len(near)]
            if len(near) == NEAR:
                return near
    return near


def _first(free: QuerySet[Assignment]) -> Iterable[Assignment]:
    """The first place that nobody else is just taking."""
    return free.select_for_update(
        skip_locked=connection.features.has_select_for_update_skip_locked,
        of=("self",) if connection.features.has_select_for_update_of else (),
    )[:1]

"""Which free place an annotator gets next. A policy is a function; a study names the one it goes by."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import choices, random
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation_platform.studies.models import Assignment, AssignmentPolicy, Batch, Candidate, Hit, Member

NEAR = 100


class Choice(NamedTuple):
    """A place to give, and with which probability it was chosen of all; None where chance did not decide."""

    place: Assignment
    chance: float | None = None


Policy = Callable[["QuerySet[Assignment]", Member], Iterable[Choice]]


def in_order(free: QuerySet[Assignment], annotator: Member) -> Iterator[Choice]:
    """Depth first, HIT by HIT: the first one is filled by as many people as the overlap before the next is begun."""
    for of_batch in _by_batch(free, annotator):
        yield from map(Choice, _first(of_batch.order_by("hit__position", "place")))


def breadth_first(free: QuerySet[Assignment], annotator: Member) -> Iterator[Choice]:
    """Every HIT of a batch gets its first judgments before any gets its second."""
    for of_batch in _by_batch(free, annotator):
        for place in _levels(of_batch):
            yield from map(Choice, _first(of_batch.filter(place=place).order_by("hit__position")))


def balanced(free: QuerySet[Assignment], annotator: Member) -> Iterator[Choice]:
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

    yield from map(Choice, sorted(near, key=burden))


def sampled(free: QuerySet[Assignment], annotator: Member) -> Iterator[Choice]:
    """A HIT by chance of all that this annotator could get, each in proportion to the probability of its draw.

    A HIT that was not drawn counts as certain. The chance that is told is that of the HIT among all of these, so
    that a batch which closes before it is full is still a sample of which is known how it came about.
    """
    hits = Hit.objects.filter(Exists(free.filter(hit=OuterRef("pk"))), batch__study=annotator.study_id)
    weights = {pk: 1.0 if drawn is None else drawn for pk, drawn in hits.order_by().values_list("pk", "probability")}
    while weights:
        (hit,) = choices(list(weights), weights=list(weights.values()))
        chance = weights[hit] / sum(weights.values())
        yield from (Choice(place, chance) for place in _first(free.filter(hit=hit).order_by("place")))
        del weights[hit]


POLICIES: dict[str, Policy] = {
    AssignmentPolicy.IN_ORDER: in_order,
    AssignmentPolicy.BREADTH_FIRST: breadth_first,
    AssignmentPolicy.BALANCED: balanced,
    AssignmentPolicy.SAMPLED: sampled,
}


def _by_batch(free: QuerySet[Assignment], annotator: Member) -> Iterator[QuerySet[Assignment]]:
    """The free places of one batch after the other.

    Of a hundred thousand free places all are sorted to find the first one of a study; those of a batch are read in
    their order, along the index of its HITs, and only until one is found.
    """
    batches = Batch.objects.filter(Exists(free.filter(hit__batch=OuterRef("pk"))), study=annotator.study_id)
    last = 0
    while (found := batches.filter(number__gt=last).order_by("number").values_list("pk", "number").first()) is not None:
        batch, last = found
        yield free.filter(hit__batch=batch)


def _levels(of_batch: QuerySet[Assignment]) -> Iterator[int]:
    """The numbers of a batch's free places, the lowest first; one after the other, as they are asked for."""
    last = 0
    while (
        found := of_batch.filter(place__gt=last).order_by("place").values_list("place", flat=True).first()
    ) is not None:
        yield found
        last = found


def _near(free: QuerySet[Assignment], annotator: Member) -> Iterable[Assignment]:
    near: list[Assignment] = []
    for of_batch in _by_batch(free, annotator):
        for place in _levels(of_batch):
            near += of_batch.filter(place=place).order_by("hit__position")[: NEAR - len(near)]
            if len(near) == NEAR:
                return near
    return near


def _first(free: QuerySet[Assignment]) -> Iterable[Assignment]:
    """The first place that nobody else is just taking."""
    return free.select_for_update(
        skip_locked=connection.features.has_select_for_update_skip_locked,
        of=("self",) if connection.features.has_select_for_update_of else (),
    )[:1]

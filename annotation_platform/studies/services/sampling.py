"""Drawing a batch: HITs by chance from all that people do not have yet, each with a probability that is kept.

Later estimates weigh judgments by these probabilities, so all that they rest on is decided before anybody judges, and
stored in the transaction that moves the HITs.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan, sqrt
from typing import Any

from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.signature import signature
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.models import Batch, BatchState, Draw, DrawRule, Hit, Study

LEAST_FLOOR = 0.1
ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class Uncertainty:
    """How uncertain a scoring run is about HITs: the sum of the expected squared distances of what is judged in each.

    HITs that are not there are ones about which it says nothing. Its unit does not matter.
    """

    run: int
    run_signature: str
    measure: str
    of_hit: Mapping[int, float]


def tasks_to_draw_from(study: Study) -> QuerySet[Hit]:
    """The HITs of drafts that are not drawn themselves, in their order."""
    left = Hit.objects.filter(batch__study=study, batch__state=BatchState.DRAFT, batch__draw=None)
    return left.order_by("batch__number", "position")


def chances_of_tasks(hits: Sequence[int], tasks: int, floor: float, uncertainty: Uncertainty | None) -> list[float]:
    """The probability of each of these HITs to be among so many drawn ones; without an uncertainty the same for all.

    They are in proportion to the root of a HIT's uncertainty: its items are judged together, so the HIT is drawn.

    Raises
    ------
    InvalidInputError
        When so many cannot be drawn, or no draw has such a floor.
    """
    from annotation_platform.core.statistics.chances import chances  # numpy: only where it is needed

    if not hits:
        raise InvalidInputError("studies.nothing_to_draw")
    if not 1 <= tasks <= len(hits):
        raise InvalidInputError("studies.draw_size_wrong", most=len(hits))
    if not LEAST_FLOOR <= floor <= 1:
        raise InvalidInputError("studies.draw_floor_wrong", least=round(100 * LEAST_FLOOR))
    known: Mapping[int, float] = {} if uncertainty is None else uncertainty.of_hit
    spreads = [sqrt(known[hit]) if hit in known else nan for hit in hits]
    found: list[float] = chances(spreads, tasks, floor=1.0 if uncertainty is None else floor).tolist()
    return found


def draw_batch(
    *,
    study: Study,
    tasks: int,
    floor: float = 1.0,
    uncertainty: Uncertainty | None = None,
    seed: str = "",
    and_then: Callable[[Batch, Sequence[int]], None] = lambda batch, sources: None,
    actor: Actor,
) -> Batch:
    """Make a draft batch of so many HITs that are drawn from all that are left, by chance or by a run's uncertainty.

    Drafts that lose their last HIT go.

    Parameters
    ----------
    floor
        The part of each probability that is the same for all, so that nothing is left out for certain.
    seed
        Decides the draw; by default one that nobody knows before.
    and_then
        Called in the same transaction with the new batch and the keys of those that its HITs come from.

    Raises
    ------
    InvalidInputError
        When so many cannot be drawn, or no draw has such a floor.
    DatabaseBusyError
        When others write all the time.
    """
    rule = DrawRule.RANDOM if uncertainty is None else DrawRule.UNCERTAINTY
    decided: dict[str, Any] = {
        "rule": rule.value,
        "drawn": tasks,
        "floor": 1.0 if uncertainty is None else floor,
        "run": uncertainty and uncertainty.run,
        "run_signature": uncertainty.run_signature if uncertainty else "",
        "measure": uncertainty.measure if uncertainty else "",
        "seed": seed or secrets.token_hex(16),
    }
    batch: Batch = in_short_transaction(partial(_draw, study, decided, uncertainty, and_then, actor))
    return batch


def _draw(
    study: Study,
    decided: Mapping[str, Any],
    uncertainty: Uncertainty | None,
    and_then: Callable[[Batch, Sequence[int]], None],
    actor: Actor,
) -> Batch:
    from annotation_platform.core.statistics.chances import draw

    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # no other draw, and no opening, at the same time
    left = dict(tasks_to_draw_from(study).values_list("pk", "batch_id"))
    hits = list(left)
    probabilities = chances_of_tasks(hits, decided["drawn"], decided["floor"], uncertainty)
    chosen = [(hits[place], probabilities[place]) for place in draw(probabilities, seed=decided["seed"]).tolist()]
    sources = sorted({left[pk] for pk, _ in chosen})
    number = (study.batches.aggregate(last=Max("number"))["last"] or 0) + 1
    batch = Batch.objects.create(study=study, number=number)
    _move(chosen, batch)
    Draw.objects.create(
        batch=batch,
        frame=len(hits),
        signature=signature({**decided, "probabilities": dict(zip(map(str, hits), probabilities, strict=True))}),
        drawn_at=timezone.now(),
        **decided,
    )
    and_then(batch, sources)
    study.batches.filter(pk__in=sources, hits=None).delete()
    change = {name: (None, decided[name]) for name in ("rule", "drawn", "floor", "run")}
    record(actor, Verb.BATCH_DRAWN, batch, study=study, change=change | {"frame": (None, len(hits))})
    return batch


def _move(chosen: Sequence[tuple[int, float]], batch: Batch) -> None:
    """Put HITs into a batch in this order, each with its probability."""
    for first in range(0, len(chosen), ROWS_AT_ONCE):
        some = dict(chosen[first : first + ROWS_AT_ONCE])
        hits = Hit.objects.in_bulk(some)
        for position, (pk, probability) in enumerate(some.items(), start=first + 1):
            hits[pk].batch, hits[pk].position, hits[pk].probability = batch, position, probability
        Hit.objects.bulk_update(hits.values(), ["batch", "position", "probability"])

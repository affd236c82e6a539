"""Giving people tasks that are drawn by chance, or by how uncertain a run is about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from annotation_platform.accounts.actors import Actor
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.uncertainty import UncertainRun, uncertainty_of
from annotation_platform.studies.models import Batch, Study
from annotation_platform.studies.services import chances_of_tasks, draw_batch, open_batch, tasks_to_draw_from

CERTAIN = 1 - 1e-9


def draw_and_open(
    *, study: Study, tasks: int, source: UncertainRun | None = None, floor: float = 1.0, seed: str = "", actor: Actor
) -> Batch:
    """Draw so many tasks of those that people do not have yet into a new batch, and open it.

    Without a ``source`` all tasks have the same chance. Runs cover the new batch as they covered where its tasks were.
    The ``seed`` decides the draw; by default it is one that nobody knows before.
    An opening that is broken off leaves the batch as a draft, which can be opened later.

    Raises
    ------
    InvalidInputError
        When so many cannot be drawn, no draw has such a floor, or the run is never uncertain.
    DatabaseBusyError
        When others write all the time.
    """
    uncertainty = None if source is None else uncertainty_of(study, source)
    batch = draw_batch(
        study=study,
        tasks=tasks,
        floor=floor,
        uncertainty=uncertainty,
        seed=seed,
        and_then=_go_with_tasks,
        actor=actor,
    )
    open_batch(batch=batch, actor=actor)
    return batch


@dataclass(frozen=True)
class DrawPlan:
    """What a draw would do: of ``left`` tasks, how many ``items`` are to be expected, and each task's chance (0 to 1).

    ``certain`` tasks are drawn in any case.
    """

    left: int
    items: int
    least: float
    most: float
    certain: int


def plan_draw(*, study: Study, tasks: int, source: UncertainRun | None = None, floor: float = 1.0) -> DrawPlan:
    """What :func:`draw_and_open` would do with the same.

    Raises
    ------
    InvalidInputError
        As it would.
    """
    counted = Count("items", filter=Q(items__is_check=False))
    items = dict(tasks_to_draw_from(study).order_by().values_list("pk").annotate(n=counted))
    uncertainty = uncertainty_of(study, source) if source else None
    chances = chances_of_tasks(list(items), tasks, floor, uncertainty)
    return DrawPlan(
        left=len(items),
        items=round(sum(chance * count for chance, count in zip(chances, items.values(), strict=True))),
        least=min(chances),
        most=max(chances),
        certain=sum(chance >= CERTAIN for chance in chances),
    )


def _go_with_tasks(batch: Batch, sources: Sequence[int]) -> None:
    """Let the runs that cover batches cover the new one, too, into which tasks of theirs were moved."""
    covers = ScoringRun.batches.through
    runs = covers._default_manager.filter(batch__in=sources).order_by().values_list("scoringrun_id", flat=True)
    covers._default_manager.bulk_create(covers(scoringrun_id=run, batch_id=batch.pk) for run in list(runs.distinct()))

"""Giving people tasks that are drawn by chance, or by how uncertain a run is about them."""

from collections.abc import Sequence

from annotation_platform.accounts.actors import Actor
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.uncertainty import UncertainRun, uncertainty_of
from annotation_platform.studies.models import Batch, Study
from annotation_platform.studies.services import draw_batch, open_batch


def draw_and_open(
    *, study: Study, tasks: int, source: UncertainRun | None = None, floor: float = 1.0, actor: Actor
) -> Batch:
    """Draw so many tasks of those that people do not have yet into a new batch, and open it.

    Without a ``source`` all tasks have the same chance. Runs cover the new batch as they covered where its tasks were.
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
        study=study, tasks=tasks, floor=floor, uncertainty=uncertainty, and_then=_go_with_tasks, actor=actor
    )
    open_batch(batch=batch, actor=actor)
    return batch


def _go_with_tasks(batch: Batch, sources: Sequence[int]) -> None:
    """Let the runs that cover batches cover the new one, too, into which tasks of theirs were moved."""
    covers = ScoringRun.batches.through
    runs = covers._default_manager.filter(batch__in=sources).order_by().values_list("scoringrun_id", flat=True)
    covers._default_manager.bulk_create(covers(scoringrun_id=run, batch_id=batch.pk) for run in list(runs.distinct()))

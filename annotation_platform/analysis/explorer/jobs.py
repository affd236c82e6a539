"""Writing the explorer's rows as a long job, found to be due by what a study's data say."""

from annotation_platform.analysis.models import ExplorationJob
from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_exploration
from annotation_platform.analysis.snapshots.jobs import is_settled
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.heartbeat import Heartbeat


def find_unexplored() -> None:
    """Bring the explorer up wherever it is behind the newest snapshot or the newest labels of a model."""
    for study_id in studies_awaiting_exploration():
        if not is_settled(ExplorationJob.objects.filter(study=study_id).first(), study_id):
            ExplorationJob.objects.create(study_id=study_id, heartbeat_at=None)


def _explore(job: ExplorationJob, heartbeat: Heartbeat) -> None:
    # numpy and the readers of texts are for the worker; entry points import this module.
    from annotation_platform.analysis.explorer.indexing import index_items

    index_items(study=job.study)


EXPLORATIONS = JobKind("exploration", ExplorationJob, _explore, find=find_unexplored)

"""Measuring as a long job: found to be due by what a study's data say, so that nobody needs to ask; a person can."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.analysis.models import ExplorationJob, SnapshotJob
from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_snapshot
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.studies.models import Study

KEPT_FOR = timedelta(days=30)


def request_snapshot(*, study: Study, actor: Actor) -> SnapshotJob:
    """Put a study's snapshot into the queue, or give the one that waits there already."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if (waiting := SnapshotJob.objects.filter(study=study, status=JobStatus.PENDING).first()) is not None:
            return waiting
        job = SnapshotJob.objects.create(study=study)
        record(actor, Verb.SNAPSHOT_REQUESTED, job, study=study)
        return job


def failed_snapshot(study: Study) -> SnapshotJob | None:
    """The last measuring of a study, if it failed."""
    last = SnapshotJob.objects.filter(study=study).first()
    return last if last is not None and last.status == JobStatus.FAILED else None


def find_unmeasured() -> None:
    """Ask for a snapshot wherever something has closed or been scored since the last one."""
    for study_id in studies_awaiting_snapshot():
        if not is_settled(SnapshotJob.objects.filter(study=study_id).first(), study_id):
            SnapshotJob.objects.create(study_id=study_id, heartbeat_at=None)  # no message is under way


def forget_old_jobs() -> None:
    """Delete the rows of what was computed long ago, by either kind of job; the figures stay."""
    for jobs in (SnapshotJob.objects.all(), ExplorationJob.objects.all()):
        jobs.filter(status=JobStatus.DONE, finished_at__lt=timezone.now() - KEPT_FOR).delete()


def is_settled(last: SnapshotJob | ExplorationJob | None, study_id: int) -> bool:
    """Whether the last job still stands: it is under way, or failed over the very data that are there now."""
    if last is None or last.is_active:
        return last is not None
    changed_at = _changed_at(study_id)
    return last.status == JobStatus.FAILED and (changed_at is None or last.created_at > changed_at)


def _changed_at(study_id: int) -> datetime | None:
    study = Study.objects.filter(pk=study_id)
    changes = [
        study.aggregate(at=Max(moment))["at"]
        for moment in ("batches__closed_at", "scoring_runs__finished_at", "snapshots__measured_at")
    ]
    return max((moment for moment in changes if moment), default=None)


def _measure(job: SnapshotJob, heartbeat: Heartbeat) -> None:
    take_snapshot(study=job.study)


SNAPSHOTS = JobKind("snapshot", SnapshotJob, _measure, find=find_unmeasured, followed_by="exploration")

"""A release keeps its study, and the batches that it froze."""

from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Release
from annotation_platform.studies.models import Batch, Study


def keeps_what_is_frozen(study: Study, batch: Batch | None) -> Reason | None:
    """No study is deleted, and no batch opened again, that a release rests on, unless the release was withdrawn."""
    releases = Release.objects.filter(study=study, status=JobStatus.DONE, withdrawn_at=None)
    if batch is not None:
        releases = releases.filter(frozen_at__gte=batch.closed_at) if batch.closed_at else releases.none()
    release = releases.order_by("number").first()
    if release is None:
        return None
    if batch is None:
        return Reason("releases.study_is_frozen", number=release.number)
    return Reason("releases.batch_is_frozen", batch=batch.number, number=release.number)

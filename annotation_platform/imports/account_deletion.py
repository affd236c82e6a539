"""What becomes of somebody's uploads when their account is deleted."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import before_deletion
from annotation_platform.accounts.models import User
from annotation_platform.imports.drafts import discard_job
from annotation_platform.imports.models import ImportJob, Upload
from annotation_platform.imports.uploads import give_up_upload


@before_deletion
def discard_uploads(*, user: User, actor: Actor) -> None:
    """Forget their uploads with all files.

    Raises
    ------
    ImportJobActiveError
        While one of them is being checked or imported.
    """
    for upload in Upload.objects.filter(owner=user):
        give_up_upload(upload=upload, actor=actor)
    for job in ImportJob.objects.filter(owner=user):
        discard_job(job=job, actor=actor)

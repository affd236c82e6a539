"""What becomes of somebody's rights to download releases when their account is deleted."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import before_deletion
from annotation_platform.accounts.models import User
from annotation_platform.releases.models import DownloadRight


@before_deletion
def forget_rights(*, user: User, actor: Actor) -> None:
    """Forget whom they were given to; that there were any stays in the studies' histories."""
    DownloadRight.objects.filter(email=user.email.lower()).delete()

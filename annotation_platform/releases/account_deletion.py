"""What becomes of somebody's rights to download releases when their account is deleted."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import before_deletion
from annotation_platform.accounts.models import User
from annotation_platform.releases.models import DownloadRight


@before_deletion
def forget_rights(*, user: User, actor: Actor) -> None:
    """Forget those given to an address that is theirs; that there were any stays in the studies' histories.

    An address that they never confirmed may be somebody else's, whose rights stay.
    """
    DownloadRight.objects.naming(user).delete()

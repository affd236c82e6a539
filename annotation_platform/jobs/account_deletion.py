"""What becomes of somebody's mail when their account is deleted."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import before_deletion
from annotation_platform.accounts.models import User
from annotation_platform.jobs.models import OutgoingMail


@before_deletion
def forget_mail(*, user: User, actor: Actor) -> None:
    """Forget what was sent, or was to be sent, to their address."""
    mails = OutgoingMail.objects.values_list("pk", "recipients").iterator()
    OutgoingMail.objects.filter(pk__in=[pk for pk, recipients in mails if user.email in recipients]).delete()

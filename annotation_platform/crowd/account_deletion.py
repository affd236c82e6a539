"""What becomes of what this app knows about somebody when their account is deleted."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import before_deletion
from annotation_platform.accounts.models import User
from annotation_platform.crowd.providers.vault.forgetting import tell_forgotten
from annotation_platform.crowd.providers.vault.models import ProviderIdentity
from annotation_platform.crowd.takeout.models import Takeout
from annotation_platform.crowd.takeout.services import forget
from annotation_platform.studies.models import Study


@before_deletion
def forget_identities(*, user: User, actor: Actor) -> None:
    """Forget who they are on other platforms. What they agreed to and how their visits ended stays a pseudonym's."""
    identities = ProviderIdentity.objects.filter(user=user)
    studies = list(Study.objects.filter(pk__in=identities.values("study")))
    identities.delete()
    for study in studies:
        tell_forgotten(study)


@before_deletion
def forget_takeouts(*, user: User, actor: Actor) -> None:
    """Remove the files that were made of their own data."""
    for takeout in Takeout.objects.filter(user=user):
        forget(takeout)

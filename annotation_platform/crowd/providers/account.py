"""*Account*: somebody with an e-mail address, who comes by the link in a mail or signs in."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation_platform.accounts.models import GUEST_DOMAIN
from annotation_platform.crowd.providers.contract import Provider, Standing
from annotation_platform.studies.models import Member, Role, Study


def standing(study: Study) -> Standing:
    people = study.members.filter(role=Role.ANNOTATOR, user__isnull=False)
    return Standing(
        people.exclude(user__email__endswith=f"@{GUEST_DOMAIN}").count(), True, _("by mail from the people page")
    )


def brought(members: Sequence[Member]) -> set[int]:
    return {member.pk for member in members if member.user is not None and not member.user.is_guest}


ACCOUNT = Provider(
    key="account",
    title=gettext_lazy("Account"),
    about=gettext_lazy("Invited by e-mail: the link in the mail opens the study once, without a password."),
    page="people",
    standing=standing,
    brought=brought,
)

"""*Link*: an invitation for one or for many, by which somebody joins with a name and no account."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation_platform.accounts.models import GUEST_DOMAIN
from annotation_platform.crowd.providers.contract import Provider, Standing
from annotation_platform.studies.models import Member, Role, Study


def standing(study: Study) -> Standing:
    invitations = study.invitations.filter(role=Role.ANNOTATOR)
    count = invitations.open().count()
    people = study.members.filter(
        role=Role.ANNOTATOR, user__email__endswith=f"@{GUEST_DOMAIN}", invitation__isnull=False
    )
    uses = sum(invitations.values_list("uses", flat=True))
    links = ngettext("%(count)s open link", "%(count)s open links", count) % {"count": count}
    used = ngettext("used once", "used %(count)s times", uses) % {"count": uses}
    return Standing(people.count(), count > 0, _("%(links)s; %(used)s") % {"links": links, "used": used})


def brought(members: Sequence[Member]) -> set[int]:
    return {
        member.pk for member in members if member.invitation_id is not None and member.user and member.user.is_guest
    }


LINK = Provider(
    key="link",
    title=gettext_lazy("Link"),
    about=gettext_lazy(
        "Whoever follows an invitation joins with a name. No account, no password; a personal link leads back."
    ),
    page="people",
    standing=standing,
    brought=brought,
)

"""*Link*: an invitation for one or for many, by which somebody joins with a name and no account."""

from collections.abc import Sequence

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
    note = f"{count} open link{'' if count == 1 else 's'}; used {'once' if uses == 1 else f'{uses} times'}"
    return Standing(people.count(), count > 0, note)


def brought(members: Sequence[Member]) -> set[int]:
    return {
        member.pk for member in members if member.invitation_id is not None and member.user and member.user.is_guest
    }


LINK = Provider(
    key="link",
    title="Link",
    about="Whoever follows an invitation joins with a name. No account, no password; a personal link leads back.",
    page="people",
    standing=standing,
    brought=brought,
)

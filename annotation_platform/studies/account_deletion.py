"""What becomes of somebody's memberships when their account is deleted."""

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import before_deletion
from annotation_platform.accounts.events import keep_pseudonym, record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError
from annotation_platform.studies.models import Invitation, Member, Role, Study
from annotation_platform.studies.services.members import admins_who_sign_in, take_leave


class OnlyAdminError(ConflictError):
    """Studies would be left without an admin."""


@before_deletion
def leave_studies(*, user: User, actor: Actor) -> None:
    """Leave every study, as somebody whose judgments stay and who cannot be let in again.

    Raises
    ------
    OnlyAdminError
        When nobody else is admin of one of them.
    """
    mine = Study.every.filter(members__user=user, members__role=Role.ADMIN).order_by("pk")
    list(mine.select_for_update(no_key=True, of=("self",)).values_list("pk"))  # no other admin leaves meanwhile
    others = admins_who_sign_in().filter(study=OuterRef("study")).exclude(user=user)
    alone = Member.objects.filter(~Exists(others), user=user, role=Role.ADMIN).select_related("study")
    if names := [member.study.name for member in alone.order_by("study__name")]:
        raise OnlyAdminError("studies.only_admin", studies=names)
    theirs = Member.objects.filter(Q(user=user) | Q(former_user=user)).select_related("study").order_by("pk")
    # Whoever begins a round holds their row in the study that it is of, and is in the round afterwards.
    list(theirs.filter(study__qualifies_for=None).select_for_update(no_key=True, of=("self",)))
    members = list(theirs)
    take_leave(members, actor)
    for member in members:
        removed_at = member.removed_at or timezone.now()
        Member.objects.filter(pk=member.pk).update(user=None, former_user=None, removed_at=removed_at)
        record(actor, Verb.MEMBER_ACCOUNT_DELETED, member, study=member.study)
        keep_pseudonym(user.pk, member.study, member.pseudonym)
    Invitation.objects.filter(note=user.email).update(note="")

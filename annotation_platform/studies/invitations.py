"""Invitations: a signed link that lets whoever follows it, with an account of their own, into a study."""

from dataclasses import dataclass
from datetime import timedelta

from django.core import signing
from django.db import IntegrityError, transaction

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import add_member

SALT = "study-invitation"
VALID_FOR = timedelta(days=30)


class InvitationError(InvalidInputError):
    """The link is damaged, too old, or its study is gone."""


@dataclass(frozen=True)
class Invitation:
    study: Study
    role: Role


def make_invitation(*, study: Study, role: Role) -> str:
    """A token for a link; it needs no row, and changing it by a letter makes it void."""
    return signing.dumps({"study": study.pk, "role": role.value}, salt=SALT, compress=True)


def read_invitation(*, token: str) -> Invitation:
    """What a token invites to.

    Raises
    ------
    InvitationError
        When it is not one of ours, is older than `VALID_FOR`, or its study is gone.
    """
    try:
        content = signing.loads(token, salt=SALT, max_age=VALID_FOR)
        return Invitation(Study.objects.get(pk=content["study"]), Role(content["role"]))
    except signing.SignatureExpired:
        raise InvitationError("This invitation is too old. Ask for a new one.") from None
    except (signing.BadSignature, Study.DoesNotExist):
        raise InvitationError("This invitation is not valid. Copy the whole link, or ask for a new one.") from None


def accept_invitation(*, token: str, user: User) -> Member:
    """The user's membership: a new one, or the one they have, whose role stays as it is."""
    invitation = read_invitation(token=token)
    try:
        with transaction.atomic():
            return add_member(study=invitation.study, user=user, role=invitation.role)
    except IntegrityError:
        return Member.objects.get(study=invitation.study, user=user)

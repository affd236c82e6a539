"""Invitations: a link that lets whoever follows it into a study, until it is used up, too old, or revoked."""

from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Invitation, Member, Role, Study
from annotation_platform.studies.services import add_member

SALT, MAIL_SALT = "study-invitation", "study-invitation-by-mail"
VALID_FOR = timedelta(days=30)
LONGEST_DAYS = 365
MOST_USES = 100_000
MAIL_VALID_FOR = timedelta(days=3)


class InvitationError(InvalidInputError):
    """The link is damaged, too old, used up or revoked, or its study is gone."""


@transaction.atomic
def create_invitation(
    *,
    study: Study,
    role: Role,
    max_uses: int | None = None,
    valid_for: timedelta = VALID_FOR,
    note: str = "",
    actor: Actor,
) -> Invitation:
    """A new way in; without ``max_uses`` for as many as come.

    Raises
    ------
    InvalidInputError
        When annotators are invited to a study that is archived: nobody would get a task. When anybody is invited to
        a round: people come into it by the study that it qualifies for.
    """
    if study.is_round:
        raise InvalidInputError("studies.rounds_invite_nobody")
    if role == Role.ANNOTATOR and Study.every.filter(pk=study.pk).exclude(archived_at=None).exists():
        raise InvalidInputError("studies.archived_has_no_tasks")
    invitation = Invitation.objects.create(
        study=study,
        role=role,
        created_by_id=actor.user_id,
        max_uses=max_uses,
        expires_at=timezone.now() + valid_for,
        note=note,
    )
    change = {"role": (None, str(role)), "max_uses": (None, max_uses), "expires_at": (None, invitation.expires_at)}
    record(actor, Verb.MEMBER_INVITED, invitation, study=study, change=change)
    return invitation


def token_of(invitation: Invitation) -> str:
    """What its link ends in. It is signed, not stored: a copy of the database lets nobody in."""
    return signing.Signer(salt=SALT).sign(str(invitation.pk))


def read_invitation(*, token: str) -> Invitation:
    """What a token invites to, while it does.

    Raises
    ------
    InvitationError
        When it is not one of ours, or lets nobody in any more.
    """
    try:
        key = signing.Signer(salt=SALT).unsign(token)
    except signing.BadSignature:
        raise InvitationError("studies.invitation_not_valid") from None
    invitation = Invitation.objects.select_related("study__scheme_version").filter(pk=key).first()
    if invitation is None:
        raise InvitationError("studies.invitation_not_valid")
    check_open(invitation)
    return invitation


def check_open(invitation: Invitation) -> None:
    """
    Raises
    ------
    InvitationError
        When it lets nobody in any more, with the reason.
    """
    match invitation.state:
        case "revoked":
            raise InvitationError("studies.invitation_withdrawn")
        case "used up":
            raise InvitationError("studies.invitation_used_up")
        case "expired":
            raise InvitationError("studies.invitation_too_old")


@transaction.atomic
def accept_invitation(*, invitation: Invitation, user: User, actor: Actor) -> Member:
    """The user's membership: a new one, or the one they have, whose role stays as it is.

    The place is taken by a conditional update of the row, so that a link for one never lets two in.

    Raises
    ------
    InvitationError
        When somebody was faster, or the user was removed from the study.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=invitation.study_id)
    if member := study.members.filter(user=user).first():
        return member
    if study.members.filter(former_user=user).exists():
        raise InvitationError("studies.no_longer_a_member")
    if not Invitation.objects.open().filter(pk=invitation.pk).update(uses=F("uses") + 1):
        invitation.refresh_from_db()
        check_open(invitation)
    return add_member(study=study, user=user, role=invitation.role, invitation=invitation, actor=actor)


@transaction.atomic
def join_as_guest(*, invitation: Invitation, name: str, actor: Actor) -> Member:
    """Somebody new who gives a name only, and is an annotator from now on."""
    user = User.objects.create_guest(name)
    record(actor.signed_in_as(user.pk), Verb.ACCOUNT_CREATED, user)
    return accept_invitation(invitation=invitation, user=user, actor=actor.signed_in_as(user.pk))


@dataclass(frozen=True)
class MailedLink:
    """What a link sent by mail says: which invitation, and whose address it reached."""

    invitation: Invitation
    email: str
    seen: str
    """When the address had last signed in as the link was made: it signs in until that is done again."""


def mail_token(invitation: Invitation, email: str, *, valid_for: timedelta = MAIL_VALID_FOR) -> str:
    """What a mailed link ends in; it signs in once, and works so long."""
    until = (timezone.now() + valid_for).timestamp()
    content = {"invitation": invitation.pk, "email": email.lower(), "until": until, "seen": _last_seen(email.lower())}
    return signing.dumps(content, salt=MAIL_SALT, compress=True)


def read_mailed(*, token: str) -> MailedLink:
    """
    Raises
    ------
    InvitationError
        When it is not one of ours, is too old, or its invitation is gone.
    """
    try:
        content = signing.loads(token, salt=MAIL_SALT)
        invitation = Invitation.objects.select_related("study__scheme_version").get(pk=content["invitation"])
        mailed = MailedLink(invitation, content["email"], content["seen"])
        is_too_old = content["until"] < timezone.now().timestamp()
    except (signing.BadSignature, Invitation.DoesNotExist, KeyError):
        raise InvitationError("studies.link_not_valid") from None
    if is_too_old:
        raise InvitationError("studies.link_too_old")
    return mailed


def check_signs_in(mailed: MailedLink) -> None:
    """
    Raises
    ------
    InvitationError
        When its address has signed in since it was sent. If its reader is not in the study yet, it still lets them in
        once they have signed in again.
    """
    if _last_seen(mailed.email) == mailed.seen:
        return
    of_address = Q(user__email=mailed.email) | Q(former_user__email=mailed.email)
    if mailed.invitation.study.members.filter(of_address).exists():
        raise InvitationError("studies.link_used")
    raise InvitationError("studies.link_signs_in_no_more", email=mailed.email)


def _last_seen(email: str) -> str:
    seen = User.objects.filter(email=email).values_list("last_login", flat=True).first()
    return seen.isoformat() if seen else ""


def mail_way_in(*, invitation: Invitation, email: str, link: str) -> None:
    """Send the link that proves the address and lets its reader in without a password."""
    name = _in_a_line(invitation.study)
    send_mail(
        _("Your way into “{study}”").format(study=name),
        "\n\n".join(
            (
                _("Follow this link to take part in “{study}”. No password is needed.").format(study=name),
                link,
                _("The link is yours alone and works for {days} days. If you did not ask for it, do nothing.").format(
                    days=MAIL_VALID_FOR.days
                ),
            )
        ),
        settings.DEFAULT_FROM_EMAIL,
        [email],
    )


@transaction.atomic
def mail_invitation(*, invitation: Invitation, email: str, link: str, actor: Actor) -> None:
    """Send the invitation itself to somebody: in the language that they chose, or else that of who invites them."""
    name, until = _in_a_line(invitation.study), f"{invitation.expires_at:%Y-%m-%d, %H:%M} UTC"
    chosen = User.objects.filter(email=email.lower()).values_list("language", flat=True).first()
    with override(chosen or get_language()):
        role = invitation.get_role_display().lower()
        works = (
            _("The link works until {until}. It opens the study without a password, once.")
            if invitation.role == Role.ANNOTATOR
            else _("The link works until {until}.")
        )
        send_mail(
            _("Invitation to “{study}”").format(study=name),
            "\n\n".join(
                (
                    _("You are invited to the study “{study}” as {role}.").format(study=name, role=role),
                    link,
                    works.format(until=until),
                )
            ),
            settings.DEFAULT_FROM_EMAIL,
            [email],
        )
    record(actor, Verb.MEMBER_INVITATION_MAILED, invitation, study=invitation.study)


def _in_a_line(study: Study) -> str:
    """Its name, which may be older than the rule that it has no line breaks; no mail takes any in its subject."""
    return " ".join(study.name.split())


@transaction.atomic
def enter_by_mail(*, mailed: MailedLink, actor: Actor) -> Member:
    """The membership of whoever holds the address; an account is made for it when there is none.

    Raises
    ------
    InvitationError
        When the link signs in no more, or the account may not be entered without its password.
    """
    user = User.objects.select_for_update().filter(email=mailed.email).first()
    check_signs_in(mailed)
    if user is None:
        user = User.objects.create_user(mailed.email)
        record(actor.signed_in_as(user.pk), Verb.ACCOUNT_CREATED, user)
    if user.is_staff or not user.is_active or mailed.invitation.role != Role.ANNOTATOR:
        raise InvitationError("studies.password_needed")
    _confirm_address(user)
    User.objects.filter(pk=user.pk).update(last_login=timezone.now())  # after which the link signs in no more
    return accept_invitation(invitation=mailed.invitation, user=user, actor=actor.signed_in_as(user.pk))


def _confirm_address(user: User) -> None:
    """The mail has reached its address. A password that was set before anybody had proved it may be a stranger's."""
    address, is_new = EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"primary": True})
    if not address.verified:
        if not is_new and settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            user.set_unusable_password()
            user.save(update_fields=["password"])
        EmailAddress.objects.filter(pk=address.pk).update(verified=True)

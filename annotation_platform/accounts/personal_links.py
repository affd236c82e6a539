"""Personal links: how somebody without a password comes back. Whoever has the link is that person."""

import secrets

from django.core import signing
from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError

SALT = "personal-link"


class PersonalLinkError(InvalidInputError):
    """The link is damaged or was replaced, or its account is signed in to in another way."""


def may_have_link(user: User) -> bool:
    """Only those who have no password to sign in with, and no power over the platform."""
    return not user.has_usable_password() and not user.is_staff


def link_token(user: User, *, renew: bool = False, actor: Actor) -> str:
    """What the user's personal link ends in; a renewed one makes the old link void."""
    if not user.link_key or renew:
        user.link_key = secrets.token_urlsafe(16)
        with transaction.atomic():
            user.save(update_fields=["link_key"])
            record(actor, Verb.ACCOUNT_LINK_RENEWED, user)
    return signing.Signer(salt=SALT).sign(f"{user.pk}.{user.link_key}")


def user_of_link(token: str) -> User:
    """
    Raises
    ------
    PersonalLinkError
        When it opens no account (any more).
    """
    try:
        pk, _dot, key = signing.Signer(salt=SALT).unsign(token).partition(".")
    except signing.BadSignature:
        pk = key = ""
    user = User.objects.filter(pk=pk, link_key=key, is_active=True).first() if key else None
    if user is None or not may_have_link(user):
        raise PersonalLinkError("accounts.link_not_valid")
    return user

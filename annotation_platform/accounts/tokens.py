"""Tokens of the API: shown once when they are made, kept as a hash, and void when they are revoked or too old."""

import secrets
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import StudyNamed, record
from annotation_platform.accounts.models import ApiToken, ApiTokenQuerySet, User
from annotation_platform.accounts.scopes import NAMES
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError

BEGINNING = "ap"
LONGEST_DAYS = 3_650
LONGEST_NAME = 80
MOST_TOKENS = 100  # of one owner that are in force
NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def create_token(
    *,
    user: User,
    name: str,
    scopes: Collection[str],
    days: int | None = None,
    study: StudyNamed | None = None,
    actor: Actor,
) -> tuple[ApiToken, str]:
    """A new token, and what it is: the only time that anybody sees it.

    Parameters
    ----------
    user
        Whose rights it has.
    days
        How long it is in force; None: until it is revoked.
    study
        The study whose service account ``user`` is; its settings show the token.

    Raises
    ------
    InvalidInputError
        When it has no name, no scope or an unknown one, an impossible number of days, or the owner has very many.
    """
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or "\x00" in name:
        raise InvalidInputError("accounts.token_name_wrong", most=LONGEST_NAME)
    if not scopes or any(scope not in NAMES for scope in scopes):
        raise InvalidInputError("accounts.token_scopes_wrong", known=NAMES)
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise InvalidInputError("accounts.token_days_wrong", most=LONGEST_DAYS)
    if in_force(user).count() >= MOST_TOKENS:
        raise InvalidInputError("accounts.too_many_tokens", most=MOST_TOKENS)
    prefix = secrets.token_hex(4)
    secret = f"{BEGINNING}_{prefix}_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(
        user=user,
        study=study.pk if study else None,
        name=name,
        prefix=prefix,
        digest=_digest(secret),
        scopes=sorted({str(scope) for scope in scopes}),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    change = {"name": (None, name), "scopes": (None, ", ".join(token.scopes)), "expires_at": (None, token.expires_at)}
    record(actor, Verb.TOKEN_CREATED, token, study=study, change=change)
    return token, secret


@transaction.atomic
def revoke_token(*, token: ApiToken, study: StudyNamed | None = None, actor: Actor) -> None:
    """Make a token void at once; doing it twice does no harm."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor, Verb.TOKEN_REVOKED, token, study=study, change={"name": (token.name, None)})
    token.refresh_from_db()


def in_force(user: User) -> ApiTokenQuerySet:
    """A user's tokens that open something."""
    return ApiToken.objects.in_force().filter(user=user)


def token_of(secret: str) -> ApiToken | None:
    """The token in force that this is, with its owner; None where it is none, or its owner may not sign in."""
    if not secret.startswith(f"{BEGINNING}_"):
        return None
    found = ApiToken.objects.in_force().select_related("user").filter(digest=_digest(secret), user__is_active=True)
    token = found.first()
    if token is not None:
        _note_use(token)
    return token


def _note_use(token: ApiToken) -> None:
    """At most once a minute, so that reading does not become writing."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - NOTED_EVERY:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()

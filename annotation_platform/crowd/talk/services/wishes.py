"""Which mails somebody wants."""

from django.core import signing
from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.talk.models import MailWishes

_links = signing.Signer(salt="crowd.talk.mail")


@transaction.atomic
def wish_for_mail(*, user: User, messages: bool, announcements: bool, actor: Actor) -> None:
    """Keep which mails somebody wants."""
    wishes = {"wants_messages": messages, "wants_announcements": announcements}
    MailWishes.objects.update_or_create(user=user, defaults=wishes)
    change = {field: (None, value) for field, value in wishes.items()}
    record(actor, Verb.ACCOUNT_CHANGED, user, change=change)


def mail_wishes_of(user: User) -> MailWishes:
    """What somebody wants; until they say so, what is usual."""
    return MailWishes.objects.filter(user=user).first() or MailWishes(user=user)


def stop_token(user: User) -> str:
    """What the link in a mail ends in that stops further ones, also for who is not signed in."""
    return _links.sign(str(user.pk))


def user_of_stop_token(token: str) -> User:
    """Whose mails a link stops.

    Raises
    ------
    NotThereError
        When the link is none of ours, or its account is gone.
    """
    try:
        user = User.objects.filter(pk=int(_links.unsign(token))).first()
    except signing.BadSignature:
        user = None
    if user is None:
        raise NotThereError("crowd.stop_link_wrong")
    return user

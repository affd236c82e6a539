"""Deleting accounts: who somebody was goes, what they judged stays under their pseudonyms."""

from typing import Protocol

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import forget_person, record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError


class Parting(Protocol):
    """What an app does with its rows of somebody whose account is about to go; it may refuse with a domain error."""

    def __call__(self, *, user: User, actor: Actor) -> None: ...


_partings: list[Parting] = []


def before_deletion(parting: Parting) -> Parting:
    """Have this done first, in the same transaction; apps above have theirs in ``account_deletion.py``."""
    _partings.append(parting)
    return parting


@transaction.atomic
def delete_account(*, user: User, actor: Actor) -> None:
    """Delete an account with its name, addresses, sessions, links and all else that says who it was.

    Judgments, memberships and events stay, under the pseudonym that the person had in each study.

    Raises
    ------
    DomainError
        When an app refuses: somebody who is the only admin of a study hands it over first.
    """
    for parting in _partings:
        parting(user=user, actor=actor)
    record(actor, Verb.ACCOUNT_DELETED, user)
    forget_person(user.pk)
    _end_sessions(user)
    LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)).delete()
    user.delete()


def delete_own_account(*, user: User, typed_name: str, actor: Actor) -> None:
    """The same for the person themselves, who types how the pages call them.

    Raises
    ------
    InvalidInputError
        When something else was typed.
    """
    if typed_name.strip().casefold() != user.shown_name.strip().casefold():
        raise InvalidInputError("accounts.typed_name_differs")
    delete_account(user=user, actor=actor)


def _end_sessions(user: User) -> None:
    """Sessions do not say in a column whose they are, so all of them are looked at."""
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()

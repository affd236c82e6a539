"""Who did what, on what, when, from where: one row for each thing that was done, in the transaction that did it."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from django.db import connection, models
from django.db.transaction import TransactionManagementError

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb

Change = Mapping[str, tuple[Any, Any]]
"""Field → what it was, what it is."""


class StudyNamed(Protocol):
    """A study, as far as events know of one: apps below it cannot import it."""

    @property
    def pk(self) -> Any: ...

    @property
    def slug(self) -> Any: ...


class Follower(Protocol):
    """What follows an event: called in its transaction with the row that something was done to."""

    def __call__(self, subject: models.Model, study: StudyNamed, /) -> None: ...


_followers: dict[Verb, dict[str, Follower]] = {}


def add_follower(name: str, verb: Verb, follower: Follower) -> None:
    """Have a follower called from now on after each event of a study with this verb; one of the same name is replaced.

    Whoever did it waits for it, so it is quick; what it raises undoes what was done, so it raises nothing.
    """
    _followers.setdefault(verb, {})[name] = follower


class StudyName(NamedTuple):
    """The same without the study's row."""

    pk: int
    slug: str


def record(
    actor: Actor, verb: Verb, subject: models.Model, *, study: StudyNamed | None = None, change: Change | None = None
) -> None:
    """Write down what was done; the only way to. Call it where the rows are changed, in the same transaction.

    Parameters
    ----------
    actor, verb
        Who did what.
    subject
        The row that it was done to, with its key.
    study
        The study in whose history it belongs.
    change
        What it changed: plain values and times, never what an annotator wrote, and no secret.

    Raises
    ------
    TransactionManagementError
        Outside a transaction, where the event could stay without the deed, or the deed without the event.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError(f"“{verb}” is recorded outside the transaction that does it.")
    Event(
        actor_kind=actor.kind,
        user_id=actor.user_id,
        via=actor.via,
        address=actor.address,
        verb=verb,
        topic=verb.topic,
        subject_type=subject._meta.label_lower,
        subject_id=subject.pk,
        study=study.pk if study else None,
        study_slug=study.slug if study else "",
        change={field: list(values) for field, values in (change or {}).items()},
    ).save(force_insert=True)
    if study is not None:
        for follower in _followers.get(verb, {}).values():
            follower(subject, study)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The fields whose values differ, as a change."""
    return {field: (before.get(field), value) for field, value in after.items() if before.get(field) != value}


def keep_pseudonym(user_id: int, study: StudyNamed, pseudonym: str) -> None:
    """Write into a person's events of a study how it knows them, before :func:`forget_person`."""
    Event.objects.filter(user=user_id, study=study.pk).update(name=pseudonym)


def forget_person(user_id: int) -> None:
    """Take a person out of their events: whose account, and from where."""
    Event.objects.filter(user=user_id).update(user=None, address=None)

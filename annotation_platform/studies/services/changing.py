"""Changing a study while it runs: its name and time limit; archiving it and bringing it back."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import AssignmentPolicy, Study
from annotation_platform.studies.services.claiming import MOST_MINUTES

MOST_TASKS = 100_000


def change_study(*, study: Study, actor: Actor, **fields: Any) -> None:
    """Store new values of a study's fields, which have been checked, and what they were before."""
    with transaction.atomic():
        before = Study.every.select_for_update(no_key=True).filter(pk=study.pk).values(*fields).get()
        if change := differences(before, fields):
            Study.every.filter(pk=study.pk).update(**fields)
            record(actor, Verb.STUDY_CHANGED, study, study=study, change=change)
    study.refresh_from_db(fields=list(fields))


def rename_study(*, study: Study, name: str, actor: Actor) -> None:
    """Give a study another name; its address stays, so that links to it go on working."""
    name = " ".join(name.split())
    if not name or len(name) > 200:
        raise InvalidInputError("studies.name_wrong")
    try:
        change_study(study=study, name=name, actor=actor)
    except IntegrityError:
        raise InvalidInputError("studies.name_taken", name=name) from None


@transaction.atomic
def archive_study(*, study: Study, actor: Actor) -> None:
    """Take a study out of the lists. Nobody gets a task of it; who has one can finish it."""
    if Study.objects.filter(pk=study.pk, archived_at=None).update(archived_at=timezone.now()):
        record(actor, Verb.STUDY_ARCHIVED, study, study=study)
    study.refresh_from_db(fields=["archived_at"])


@transaction.atomic
def restore_study(*, study: Study, actor: Actor) -> None:
    """Bring a study back as it was when it was archived."""
    if Study.objects.filter(pk=study.pk).exclude(archived_at=None).update(archived_at=None):
        record(actor, Verb.STUDY_RESTORED, study, study=study)
    study.refresh_from_db(fields=["archived_at"])


def change_time_limit(*, study: Study, minutes: int, actor: Actor) -> None:
    """How long places are reserved that are taken from now on; running leases stay as they are."""
    if not 1 <= minutes <= MOST_MINUTES:
        raise InvalidInputError("studies.time_limit_wrong", most=MOST_MINUTES)
    change_study(study=study, time_limit_minutes=minutes, actor=actor)


def set_limits(
    *, study: Study, policy: AssignmentPolicy, most_tasks: int | None, most_tasks_a_day: int | None, actor: Actor
) -> None:
    """Which task an annotator gets next, and how many one person may have; None: any number.

    Raises
    ------
    InvalidInputError
        When a number is not from 1 to 100,000.
    """
    if any(most is not None and not 1 <= most <= MOST_TASKS for most in (most_tasks, most_tasks_a_day)):
        raise InvalidInputError("studies.most_tasks_wrong", most=MOST_TASKS)
    change_study(
        study=study,
        assignment_policy=policy,
        most_tasks=most_tasks,
        most_tasks_a_day=most_tasks_a_day,
        actor=actor,
    )


def declare_random_parts(*, study: Study, judged: bool, scored: bool, actor: Actor) -> None:
    """Say that what people judged, or the batches that a language model rescaled, are a random part of all.

    Estimates rest on it where the platform did not draw the part itself; who said so, and when, stays in the history.
    """
    now = timezone.now()
    change_study(
        study=study,
        judged_declared_at=(study.judged_declared_at or now) if judged else None,
        scored_declared_at=(study.scored_declared_at or now) if scored else None,
        actor=actor,
    )


def set_welcome(*, study: Study, about: str, task_minutes: int | None, pay: str, actor: Actor) -> None:
    """What invited people read before they join."""
    change_study(study=study, about=about, task_minutes=task_minutes, pay=pay, actor=actor)

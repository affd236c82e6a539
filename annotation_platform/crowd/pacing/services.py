"""Releasing batches: by the clock and through the gates, or by a person; and how a study is paced."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.held_scheme import hold_scheme
from annotation_platform.crowd.pacing.gates import verdicts_of
from annotation_platform.crowd.pacing.limits import AGREEMENT, limits_without_aspect
from annotation_platform.crowd.pacing.models import BatchRelease, Bound, Pacing
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Batch, BatchState, Member, Study
from annotation_platform.studies.opening_rules import OpeningRefusedError
from annotation_platform.studies.services import open_batch, reason_for_people

logger = logging.getLogger(__name__)

MOST_BATCHES, MOST_HOURS = 100, 24 * 90
LOOK_AGAIN = timedelta(minutes=1)  # after what held batches back


_PACING = CompiledQuery(lambda study: Pacing.objects.select_related("study").filter(study=study))


def pacing_of(study: Study) -> Pacing:
    """How a study is paced; one that nobody has set is off."""
    return _PACING.first(study.pk) or Pacing(study=study)


@transaction.atomic
def set_pacing(
    *,
    study: Study,
    is_on: bool,
    batches_at_once: int,
    every_hours: int,
    limits: Mapping[str, float],
    bound: str = Bound.VALUE,
    actor: Actor,
    made_under: str = "",
) -> Pacing:
    """Change how a study is paced. What is due by it is due from the last release on, the first one at once.

    Limits on aspects that the scheme does not have any more go. ``made_under``: the signature of the scheme's version
    that a form was made from.

    Raises
    ------
    InvalidInputError
        When a number is none that a study can have.
    ConflictError
        See :func:`hold_scheme`.
    """
    if not 1 <= batches_at_once <= MOST_BATCHES or not 1 <= every_hours <= MOST_HOURS:
        raise InvalidInputError("crowd.pacing_wrong", batches=MOST_BATCHES, hours=MOST_HOURS)
    if bound not in Bound.values:
        raise InvalidInputError("crowd.no_bound")
    hold_scheme(study, made_under=made_under)
    pacing, _ = Pacing.objects.get_or_create(study=study)
    gone = {AGREEMENT + key for key in limits_without_aspect(study, limits)}
    fields: dict[str, Any] = {
        "is_on": is_on,
        "batches_at_once": batches_at_once,
        "every_hours": every_hours,
        "limits": {key: limit for key, limit in limits.items() if key not in gone},
        "bound": str(bound),
    }
    if change := differences({name: getattr(pacing, name) for name in fields}, fields):
        last = BatchRelease.objects.filter(study=study).aggregate(last=Max("released_at"))["last"]
        due = timezone.now() if last is None else max(last + timedelta(hours=every_hours), timezone.now())
        again = {"next_at": due if is_on else None, "looked_at": None}
        Pacing.objects.filter(pk=pacing.pk).update(**fields, **again, held_since=None, held_because=[])
        record(actor, Verb.STUDY_PACING_CHANGED, pacing, study=study, change=change)
    return pacing_of(study)


def release_due(*, actor: Actor) -> list[BatchRelease]:
    """Release what is due in every study, or note what holds it back; a chore of the sweep."""
    released = []
    for pacing in _due().select_related("study__scheme_version"):
        try:
            if (release := _release_or_hold(pacing, actor)) is not None:
                released.append(release)
        except DomainError as error:  # somebody opened a batch at this moment: the next sweep looks again
            logger.warning("%s released nothing: %s", pacing, error)
    return released


def release_now(*, study: Study, member: Member, because: str, after: int, actor: Actor) -> BatchRelease:
    """Release the next batches whatever the clock and the gates say, for a reason that stays with it.

    ``after``: the number of the last release that the person saw, so that two who do this at once do it once.

    Raises
    ------
    InvalidInputError
        When there is no reason, or no batch is left to release.
    ConflictError
        When others were released meanwhile.
    """
    because = reason_for_people(because)
    pacing = pacing_of(study)
    held = [each.reason for each in verdicts_of(pacing) if each.holds_back]
    now = timezone.now()
    try:
        with transaction.atomic():
            _hold_study(pacing)
            if pacing.is_on:
                again = now + timedelta(hours=pacing.every_hours)
                Pacing.objects.filter(pk=pacing.pk).update(next_at=again, held_since=None, held_because=[])
            return _release(
                pacing, after + 1, actor, released_at=now, released_by=member, because=because, held_because=held
            )
    except IntegrityError:
        raise ConflictError("crowd.released_meanwhile") from None


def _due() -> QuerySet[Pacing]:
    now = timezone.now()
    left = Batch.objects.filter(study=OuterRef("study"), state=BatchState.DRAFT)
    rested = Q(looked_at=None) | Q(held_since=None) | Q(looked_at__lt=now - LOOK_AGAIN)
    shown = Q(study__archived_at=None, study__arriving_at=None)
    return Pacing.objects.filter(shown, rested, Exists(left), is_on=True, next_at__lte=now)


def _release_or_hold(pacing: Pacing, actor: Actor) -> BatchRelease | None:
    if held := [each.reason for each in verdicts_of(pacing) if each.holds_back]:
        _hold(pacing, held, actor)
        return None
    due, now = pacing.next_at, timezone.now()
    try:
        with transaction.atomic():
            _hold_study(pacing)
            if not _is_ours(pacing, due, now):
                return None  # another worker was faster, or somebody changed it or archived the study
            last = BatchRelease.objects.filter(study=pacing.study).aggregate(last=Max("number"))["last"] or 0
            return _release(pacing, last + 1, actor, released_at=now, due_at=due)
    except OpeningRefusedError as refused:
        _hold(pacing, [refused.reason], actor)
        return None


def _is_ours(pacing: Pacing, due: datetime | None, now: datetime) -> bool:
    """Whether this process is the one that releases what was due then; it moves the clock on."""
    every = timedelta(hours=pacing.every_hours)
    again = max(due + every, now) if due and due + every > now else now + every
    same = Pacing.objects.filter(pk=pacing.pk, is_on=True, next_at=due, study__archived_at=None)
    return bool(same.update(next_at=again, held_since=None, held_because=[], looked_at=now))


def _release(pacing: Pacing, number: int, actor: Actor, **about: Any) -> BatchRelease:
    """Open the next batches; in the transaction that moves the clock, so that a killed process has done nothing."""
    study = pacing.study
    drafts = study.batches.filter(state=BatchState.DRAFT).order_by("number")[: pacing.batches_at_once]
    batches = list(drafts.select_related("study"))
    if not batches:
        raise InvalidInputError("crowd.nothing_to_release")
    numbers = [batch.number for batch in batches]
    release = BatchRelease.objects.create(study=study, number=number, batches=numbers, **about)
    for batch in batches:
        open_batch(batch=batch, actor=actor)
    change = {"batches": (None, ", ".join(map(str, numbers))), "because": (None, release.because)}
    record(actor, Verb.BATCH_RELEASED, batches[0], study=study, change=change)
    return release


def _hold_study(pacing: Pacing) -> None:
    """Lock the study before its pacing and its batches, as a migration of its scheme and a cutting of batches do."""
    Study.every.select_for_update(no_key=True).filter(pk=pacing.study_id).first()


def _hold(pacing: Pacing, because: list[Reason], actor: Actor) -> None:
    now = timezone.now()
    same = Pacing.objects.filter(pk=pacing.pk, is_on=True, next_at=pacing.next_at)
    with transaction.atomic():
        _hold_study(pacing)
        if same.filter(held_since=None).update(held_since=now):
            change = {"because": (None, " ".join(because))}
            record(actor, Verb.BATCH_HELD_BACK, pacing, study=pacing.study, change=change)
        same.update(held_because=because, looked_at=now)

"""Mixing checks into the tasks of draft batches."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from django.db.models import Count, F

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.checks.choosing import Candidate as Choosable
from annotation_platform.crowd.checks.choosing import Placing, Task, choose
from annotation_platform.crowd.checks.models import Check, CheckRule, Placement
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.models import Assignment, Batch, BatchState, Candidate, Hit, Item, Study

FAR = 10_000  # beyond any position of an item
PLACED_AT_ONCE = 100


class Mixed(NamedTuple):
    """What came of it: tasks that got a check, those of them about another document, and all tasks looked at."""

    checks: int
    elsewhere: int
    tasks: int


def mix_in(*, study: Study, actor: Actor) -> Mixed:
    """Mix checks into all draft batches of a study, piece by piece; doing it again adds none twice.

    Raises
    ------
    InvalidInputError
        When the study has no check in use, or no draft batch.
    DatabaseBusyError
        When others write all the time.
    """
    if not (checks := _in_use(study)):
        raise InvalidInputError("crowd.no_check_in_use")
    drafts = list(study.batches.filter(state=BatchState.DRAFT).order_by("number"))
    if not drafts:
        raise InvalidInputError("crowd.no_draft_for_checks")
    every = CheckRule.objects.filter(study=study).values_list("every", flat=True).first() or 5
    found = [_mix_into(batch, checks, every, actor) for batch in drafts]
    return Mixed(*(sum(column) for column in zip(*found, strict=True)))


def mix_before_opening(batch: Batch, actor: Actor) -> None:
    """Mix checks into a draft that is about to open, where the study's rule says that this is done by itself."""
    rule = CheckRule.objects.filter(study=batch.study_id, mixes_by_itself=True).first()
    if rule is not None and (checks := _in_use(batch.study)):
        _mix_into(batch, checks, rule.every, actor)


def _in_use(study: Study) -> list[Check]:
    """Without those that accept nothing any more since the scheme migrated: nobody would be checked by them."""
    checks = study.checks.filter(retired_at=None).exclude(accepted={})
    return list(checks.select_related("question").prefetch_related("answers"))


def _mix_into(batch: Batch, checks: Sequence[Check], every: int, actor: Actor) -> Mixed:
    """Mix checks into the tasks of one draft; a mixing that was broken off goes on with the tasks that are left."""
    tasks = _tasks_of(batch)
    by_key = {check.pk: check for check in checks}
    choosable = [
        Choosable(
            check.pk,
            check.question.article_id,
            check.question_id,
            frozenset(each.answer_id for each in check.answers.all()),
        )
        for check in checks
    ]
    used = dict(Placement.objects.filter(check_item__in=by_key).values_list("check_item").annotate(Count("pk")))
    placings = list(choose(tasks, choosable, every=every, used=used, seed=f"checks {batch.study_id}"))
    placed: list[Placing] = []
    for first in range(0, len(placings), PLACED_AT_ONCE):
        some = placings[first : first + PLACED_AT_ONCE]
        placed += in_short_transaction(partial(_place_some, batch, some, by_key, actor))
    return Mixed(len(placed), sum(each.is_elsewhere for each in placed), len(tasks))


def _place_some(
    batch: Batch, placings: Sequence[Placing], by_key: Mapping[int, Check], actor: Actor
) -> Sequence[Placing]:
    """Place checks, unless the batch has opened meanwhile, or somebody else has placed one in the same task."""
    if not Batch.objects.select_for_update(no_key=True).filter(pk=batch.pk, state=BatchState.DRAFT).exists():
        return []
    tasks = [placing.task for placing in placings]
    checked = set(Item.every.filter(hit__in=tasks, is_check=True).values_list("hit", flat=True))
    placed = [placing for placing in placings if placing.task not in checked]
    for placing in placed:
        _place(batch.study_id, placing, by_key[placing.check])
    if placed:
        change = {"batch": (None, batch.number), "checks": (0, len(placed))}
        record(actor, Verb.CHECKS_MIXED_IN, batch, study=batch.study, change=change)
    return placed


def _tasks_of(batch: Batch) -> list[Task]:
    """The batch's tasks that nobody has had, in their order."""
    had = Assignment.objects.filter(hit__batch=batch, annotator__isnull=False).values("hit")
    hits = Hit.objects.filter(batch=batch).exclude(pk__in=had).order_by("position")
    items: dict[int, list[Item]] = {}
    for item in Item.every.filter(hit__batch=batch):
        items.setdefault(item.hit_id, []).append(item)
    answers: dict[int, set[int]] = {}
    for hit, answer in Candidate.every.filter(item__hit__batch=batch).values_list("item__hit", "answer"):
        answers.setdefault(hit, set()).add(answer)
    return [
        Task(
            hit.pk,
            hit.article_id,
            frozenset(item.question_id for item in items.get(hit.pk, [])),
            frozenset(answers.get(hit.pk, ())),
            len(items.get(hit.pk, [])),
            any(item.is_check for item in items.get(hit.pk, [])),
        )
        for hit in hits
    ]


def _place(study_id: int, placing: Placing, check: Check) -> None:
    """Make room at the position, in two steps since each position is there once, and put the check there."""
    later = Item.every.filter(hit=placing.task, position__gte=placing.position)
    moved = list(later.values_list("pk", flat=True))
    later.update(position=F("position") + FAR)
    Item.every.filter(pk__in=moved).update(position=F("position") - FAR + 1)
    item = Item.every.create(
        study_id=study_id,
        hit_id=placing.task,
        question_id=check.question_id,
        position=placing.position,
        is_check=True,
    )
    Candidate.every.bulk_create(
        Candidate(item=item, study_id=study_id, answer_id=each.answer_id, number=each.number, is_check=True)
        for each in check.answers.all()
    )
    Placement.objects.create(check_item=check, item=item)

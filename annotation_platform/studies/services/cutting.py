"""Cutting what is not released yet into batches of so many items."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from django.db.models import Count

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.models import Batch, BatchState, Hit, Study
from annotation_platform.studies.services.sampling import tasks_to_draw_from

ROWS_AT_ONCE = 500
MOST_ITEMS = 1_000_000


def cut_batches(*, study: Study, items: int, actor: Actor) -> list[Batch]:
    """Cut the tasks of all drafts that were not drawn by chance into drafts of at most so many items, in their order.

    A task stays whole: one that has more items is a batch of its own. Cut in the same way already, they stay as they
    are; otherwise the drafts get the numbers of those that were there, and further ones.

    Raises
    ------
    InvalidInputError
        When there is no such number of items, or nothing is left to cut.
    DatabaseBusyError
        When others write all the time.
    """
    if not 1 <= items <= MOST_ITEMS:
        raise InvalidInputError("studies.batch_size_wrong", most=MOST_ITEMS)
    batches: list[Batch] = in_short_transaction(partial(_cut, study, items, actor))
    return batches


def _cut(study: Study, items: int, actor: Actor) -> list[Batch]:
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # no draw, and no opening, at the same time
    left = tasks_to_draw_from(study).annotate(size=Count("items")).values_list("pk", "batch_id", "size")
    tasks = list(left)
    if not tasks:
        raise InvalidInputError("studies.nothing_to_cut")
    wanted = list(_groups(((pk, size) for pk, _, size in tasks), items))
    drafts = study.batches.filter(state=BatchState.DRAFT, draw=None)
    there: dict[int, list[int]] = {}
    for pk, batch, _ in tasks:
        there.setdefault(batch, []).append(pk)
    if wanted == list(there.values()):
        return list(drafts.order_by("number"))
    numbers = set(study.batches.values_list("number", flat=True))
    before = sorted(drafts.values_list("number", flat=True))
    made = _moved(study, wanted, after=max(numbers))
    drafts.filter(hits=None).delete()
    free = (number for number in range(before[0], max(numbers) + len(made) + 1) if number not in numbers - {*before})
    for new, number in zip(made, free, strict=False):
        Batch.objects.filter(pk=new.pk).update(number=number)  # lower than its own, and no longer anybody's
        new.number = number
    change = {"batches": (len(before), len(made)), "items": (None, items)}
    record(actor, Verb.BATCH_CUT, study, study=study, change=change)
    return made


def _groups(tasks: Iterable[tuple[int, int]], items: int) -> Iterator[list[int]]:
    """Keys of tasks, each with its size, in order, together as long as they have no more items than that."""
    group: list[int] = []
    together = 0
    for pk, size in tasks:
        if group and together + size > items:
            yield group
            group, together = [], 0
        group.append(pk)
        together += size
    yield group


def _moved(study: Study, wanted: list[list[int]], *, after: int) -> list[Batch]:
    """New drafts with these tasks, numbered from there on."""
    made = Batch.objects.bulk_create(
        (Batch(study=study, number=number) for number, _ in enumerate(wanted, start=after + 1)), batch_size=ROWS_AT_ONCE
    )
    places = (
        (pk, batch, position)
        for batch, group in zip(made, wanted, strict=True)
        for position, pk in enumerate(group, start=1)
    )
    while some := list(islice(places, ROWS_AT_ONCE)):
        hits = Hit.objects.in_bulk([pk for pk, _, _ in some])
        for pk, batch, position in some:
            hits[pk].batch, hits[pk].position = batch, position
        Hit.objects.bulk_update(hits.values(), ["batch", "position"])
    return made

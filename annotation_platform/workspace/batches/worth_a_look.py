"""What a researcher may want to look at in a batch: the monitor's signs about its judgments, with their evidence.

The rules are those of docs/reference/watching-and-reviewing.md. None of them says that anybody did anything wrong.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import Scheme
from annotation_platform.crowd.monitor import reading, signs
from annotation_platform.crowd.monitor.models import Sign
from annotation_platform.crowd.monitor.selectors import ShownSign, with_evidence
from annotation_platform.crowd.monitor.signs import FoundSign, Labelled, Timed
from annotation_platform.studies.models import Batch, Member

MOST_READ = 20_000  # judgments of a batch; beyond that the hints are about the first of them


@dataclass(frozen=True)
class WorthALook:
    """The hints about a batch, beside how much of it they are about."""

    signs: list[ShownSign]
    judgments: int
    is_cut: bool
    median_task_seconds: float | None
    """Of the tasks with a time on task."""


class _Judged(NamedTuple):
    member: int
    item: int
    annotation: int
    assignment: int
    seconds: float | None
    values: dict[str, Any]


def worth_a_look(batch: Batch, scheme: Scheme) -> WorthALook:
    """What stands out in the judgments of a batch that count at the moment."""
    judgments = Annotation.objects.current().filter(item__hit__batch=batch).order_by("pk")
    columns = ("annotator_id", "item_id", "pk", "assignment_id", "seconds", "values")
    read = [_Judged(*row) for row in judgments.values_list(*columns)[: MOST_READ + 1]]
    if is_cut := len(read) > MOST_READ:
        judgments = judgments.filter(pk__lt=read.pop().annotation)
    by_task: defaultdict[int, float] = defaultdict(float)
    for each in read:
        if each.seconds is not None:
            by_task[each.assignment] += each.seconds
    labels = list(reading.labelled(judgments, scheme)) if read else []
    return WorthALook(
        signs=_shown(batch, list(_found(read, labels, scheme))),
        judgments=len(read),
        is_cut=is_cut,
        median_task_seconds=median(by_task.values()) if by_task else None,
    )


def _found(read: Sequence[_Judged], labels: Sequence[Labelled], scheme: Scheme) -> Iterator[FoundSign]:
    yield from signs.hasty(
        Timed(each.member, each.item, each.annotation, each.seconds) for each in read if each.seconds is not None
    )
    yield from signs.one_label(labels, {aspect.key: aspect.title for aspect in scheme.aspects})
    rows = ((each.member, each.item, each.annotation, each.values) for each in read)
    explained = list(reading.explanations(rows, scheme))
    yield from signs.copied(explained)
    yield from signs.repeated(explained)


def _shown(batch: Batch, found: list[FoundSign]) -> list[ShownSign]:
    people = Member.objects.in_bulk({each.member for each in found})
    rows = [
        Sign(member=people[each.member], kind=each.kind, words=each.words, evidence=each.evidence) for each in found
    ]
    return with_evidence(sorted(rows, key=lambda sign: sign.member.pseudonym), study=batch.study_id)

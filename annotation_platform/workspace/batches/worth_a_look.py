"""What a researcher may want to look at in a batch: the monitor's signs about its judgments, with their evidence.

The rules are those of docs/reference/watching-and-reviewing.md. None of them says that anybody did anything wrong.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from django.db.models import QuerySet

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import Scheme
from annotation_platform.crowd.monitor import reading, signs
from annotation_platform.crowd.monitor.models import Sign
from annotation_platform.crowd.monitor.selectors import ShownSign, with_evidence
from annotation_platform.crowd.monitor.signs import Found
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


def worth_a_look(batch: Batch, scheme: Scheme) -> WorthALook:
    """What stands out in the judgments of a batch that count at the moment."""
    judgments = Annotation.objects.current().filter(item__hit__batch=batch).order_by("pk")
    timed = list(judgments.values_list("pk", "assignment_id", "seconds")[: MOST_READ + 1])
    if is_cut := len(timed) > MOST_READ:
        judgments = judgments.filter(pk__lt=timed.pop()[0])
    by_task: defaultdict[int, float] = defaultdict(float)
    for _, assignment, seconds in timed:
        if seconds is not None:
            by_task[assignment] += seconds
    return WorthALook(
        signs=_shown(batch, list(_found(judgments, scheme))),
        judgments=len(timed),
        is_cut=is_cut,
        median_task_seconds=median(by_task.values()) if by_task else None,
    )


def _found(judgments: QuerySet[Annotation], scheme: Scheme) -> Iterator[Found]:
    explained = list(reading.explained(judgments, scheme, at_most=MOST_READ))
    yield from signs.hasty(reading.timed(judgments))
    yield from signs.one_label(
        list(reading.labelled(judgments, scheme)), {aspect.key: aspect.title for aspect in scheme.aspects}
    )
    yield from signs.copied(explained)
    yield from signs.repeated(explained)


def _shown(batch: Batch, found: list[Found]) -> list[ShownSign]:
    people = Member.objects.in_bulk({each.member for each in found})
    rows = [
        Sign(member=people[each.member], kind=each.kind, words=each.words, evidence=each.evidence) for each in found
    ]
    return with_evidence(sorted(rows, key=lambda sign: sign.member.pseudonym), study=batch.study_id)

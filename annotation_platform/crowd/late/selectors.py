"""What was submitted too late and waits for a decision."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, QuerySet

from annotation_platform.annotations.models import Annotation, LateJudgment
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Assignment, Hit, Item, Member, Study

WAITING = LateJudgment.State.WAITING


@dataclass(frozen=True)
class LateWork:
    """Somebody's late judgments in one HIT. ``free``: how many of its places nobody holds."""

    hit: Hit
    annotator: Member
    late: int
    judged: int
    items: int
    free: int
    submitted_at: datetime

    @property
    def is_whole(self) -> bool:
        return self.judged == self.items


def late_work(study: Study) -> list[LateWork]:
    """What waits in a study, the oldest first."""
    rows = (
        LateJudgment.objects.filter(item__study=study, state=WAITING)
        .order_by()
        .values_list("item__hit", "annotator")
        .annotate(late=Count("pk"), last=Max("submitted_at"))
        .order_by("last")
    )
    found = list(rows)
    hits = Hit.objects.select_related("article", "batch").in_bulk({hit for hit, *_ in found})
    people = Member.objects.in_bulk({annotator for _, annotator, *_ in found})
    return [_of(hits[hit], people[annotator], late, last) for hit, annotator, late, last in found]


def late_work_in(study: Study, hit: int, annotator: int) -> tuple[Hit, Member]:
    """Which task of a study, and whose work in it, is to be decided about.

    Raises
    ------
    NotThereError
        When the study has no such task or member.
    """
    member = study.members.select_related("study__scheme_version").filter(pk=annotator).first()
    found = Hit.objects.select_related("batch__study").filter(pk=hit, batch__study=study).first()
    if member is None or found is None:
        raise NotThereError("crowd.no_late_work")
    return found, member


def count_late_work(study: Study) -> int:
    """How many annotators' tasks wait."""
    waiting = LateJudgment.objects.filter(item__study=study, state=WAITING)
    return waiting.order_by().values("item__hit", "annotator").distinct().count()


def decided(study: Study) -> QuerySet[LateJudgment]:
    """What was decided last, each HIT of an annotator once."""
    rows = LateJudgment.objects.filter(
        item__study=study, state__in=[LateJudgment.State.ACCEPTED, LateJudgment.State.DECLINED]
    )
    last = rows.order_by().values("item__hit", "annotator").annotate(last=Max("pk")).values("last")
    return (
        LateJudgment.objects.filter(pk__in=last).select_related("item__hit__batch", "annotator").order_by("-decided_at")
    )


def _of(hit: Hit, annotator: Member, late: int, last: datetime) -> LateWork:
    judged = Annotation.given.filter(item__hit=hit, annotator=annotator).values("item")
    too_late = LateJudgment.objects.filter(annotator=annotator, state=WAITING).values("item")
    items = Item.every.filter(hit=hit)
    return LateWork(
        hit=hit,
        annotator=annotator,
        late=late,
        judged=(items.filter(pk__in=judged) | items.filter(pk__in=too_late)).distinct().count(),
        items=items.count(),
        free=Assignment.objects.unheld().filter(hit=hit).count(),
        submitted_at=last,
    )

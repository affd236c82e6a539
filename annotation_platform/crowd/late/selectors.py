"""What was submitted too late and waits for a decision."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

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
    return [late_work_of(row) for row in waiting_work(study)]


def waiting_work(study: Study) -> QuerySet[LateJudgment]:
    """The first waiting judgment of each annotator and HIT, with the counts of :class:`LateWork` beside it."""
    waiting = LateJudgment.objects.filter(state=WAITING)
    same = waiting.filter(item__hit=OuterRef("item__hit"), annotator=OuterRef("annotator"))
    items = Item.every.filter(hit=OuterRef("item__hit"))
    person = OuterRef(OuterRef("annotator"))
    judged = Exists(Annotation.given.filter(item=OuterRef("pk"), annotator=person))
    too_late = Exists(waiting.filter(item=OuterRef("pk"), annotator=person))
    return (
        waiting.filter(~Exists(same.filter(pk__lt=OuterRef("pk"))), item__study=study)
        .select_related("item__hit__article", "item__hit__batch", "annotator")
        .annotate(
            late=_count(same),
            last=Subquery(same.order_by("-submitted_at").values("submitted_at")[:1]),
            judged=_count(items.filter(judged | too_late)),
            items=_count(items),
            free=_count(Assignment.objects.unheld().filter(hit=OuterRef("item__hit"))),
        )
        .order_by("pk")
    )


def late_work_of(row: Any) -> LateWork:
    """The work of which :func:`waiting_work` gives the first judgment."""
    counts = {name: getattr(row, name) for name in ("late", "judged", "items", "free")}
    return LateWork(hit=row.item.hit, annotator=row.annotator, submitted_at=row.last, **counts)


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


def _count(rows: QuerySet[Any]) -> Coalesce:
    return Coalesce(
        Subquery(rows.order_by().annotate(one=Value(1)).values("one").annotate(n=Count("pk")).values("n")), 0
    )

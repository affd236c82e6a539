"""The table of the monitor, a page of it at a time, and one annotator's signs with their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Max, Q, QuerySet

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.monitor.columns import PROVIDERS, Column
from annotation_platform.crowd.monitor.models import AnnotatorFigures, MonitorJob, Sign, Watch
from annotation_platform.studies.models import Assignment, AssignmentState, Item, Member, Role, Study

PER_PAGE = 50
SORTS: dict[str, str] = {
    "name": "pseudonym",
    "done": "figures__done",
    "last": "figures__last_at",
    "time": "figures__seconds",
    "agreement": "figures__agreement",
    "signs": "figures__signs",
}
"""What can be sorted by; all but the name as the last measurement found it."""


@dataclass(frozen=True)
class AnnotatorLine:
    """An annotator: what they hold and have done at this moment, and the figures of the last measurement."""

    member: Member
    held: Assignment | None
    done: int
    last_at: datetime | None
    figures: AnnotatorFigures | None
    more: list[str]


@dataclass(frozen=True)
class AnnotatorTable:
    lines: list[AnnotatorLine]
    titles: list[str]
    page: Page[Member]
    watch: Watch | None
    failure: MonitorJob | None


def annotators(study: Study, *, sort: str, needs_look: bool = False, at_work: bool = False) -> QuerySet[Member]:
    """The annotators of a study. ``sort``: a key of ``SORTS``, with ``-`` in front for the other direction."""
    found = study.members.filter(role=Role.ANNOTATOR, removed_at=None)
    if needs_look:
        found = found.filter(figures__signs__gt=0)
    if at_work:
        places = Assignment.objects.filter(hit__batch__study=study).at_work()
        found = found.filter(pk__in=places.values("annotator"))
    column = F(SORTS.get(sort.removeprefix("-"), "pseudonym"))
    order = column.desc(nulls_last=True) if sort.startswith("-") else column.asc(nulls_last=True)
    return found.select_related("figures").order_by(order, "pseudonym")


def table(study: Study, rows: QuerySet[Member], page: str | None) -> AnnotatorTable:
    """A page of annotators with what they do at this moment; as many queries for two thousand as for two."""
    shown = Paginator(rows, PER_PAGE).get_page(page)
    members = list(shown)
    held = {
        each.annotator_id: each
        for each in Assignment.objects.filter(annotator__in=members, state=AssignmentState.CLAIMED)
        .select_related("hit__article", "hit__batch")
        .order_by("claimed_at")
    }
    submitted = Assignment.objects.filter(annotator__in=members, state=AssignmentState.SUBMITTED).order_by()
    done = {
        member: (count, last)
        for member, count, last in submitted.values_list("annotator").annotate(n=Count("pk"), at=Max("submitted_at"))
    }
    drafts = Draft.objects.filter(annotator__in=members).order_by().values_list("annotator")
    typed = dict(drafts.annotate(at=Max("updated_at")))
    columns = [column for provider in PROVIDERS if (column := provider(study, members)) is not None]
    lines = [
        _line(each, held.get(each.pk), done.get(each.pk, (0, None)), typed.get(each.pk), columns) for each in members
    ]
    watch = Watch.objects.filter(study=study).first()
    return AnnotatorTable(lines, [each.title for each in columns], shown, watch, last_failure(study))


def _line(
    member: Member,
    held: Assignment | None,
    done: tuple[int, datetime | None],
    typed: datetime | None,
    columns: Sequence[Column],
) -> AnnotatorLine:
    count, submitted_at = done
    seen = [at for at in (submitted_at, typed, held.claimed_at if held else None) if at is not None]
    figures = getattr(member, "figures", None)
    more = [each.cells.get(member.pk, "–") for each in columns]
    return AnnotatorLine(member, held, count, max(seen, default=None), figures, more)


def last_failure(study: Study) -> MonitorJob | None:
    """The measurement that failed last, when none has ended well since."""
    return MonitorJob.objects.filter(study=study, status=MonitorJob.Status.FAILED).first()


@dataclass(frozen=True)
class Case:
    """One piece of evidence: the item, what was counted, and two texts beside each other where there are two."""

    item: Item | None
    said: str
    text: str
    beside: str
    whose: str
    annotation: Annotation | None


@dataclass(frozen=True)
class ShownSign:
    sign: Sign
    cases: list[Case]


def annotator_in(study: Study, pk: int) -> Member:
    """An annotator of a study.

    Raises
    ------
    NotThereError
        When it has no such annotator.
    """
    found = study.members.filter(pk=pk, role=Role.ANNOTATOR).select_related("study", "figures").first()
    if found is None:
        raise NotThereError("studies.no_member")
    return found


def signs_of(member: Member) -> list[ShownSign]:
    """An annotator's signs with their evidence."""
    return with_evidence(list(Sign.objects.filter(member=member).select_related("member")), study=member.study_id)


def with_evidence(signs: Sequence[Sign], *, study: int) -> list[ShownSign]:
    """Signs with their evidence, which is read now: what was judged anew since shows as it is."""
    evidence = [case for sign in signs for case in sign.evidence]
    keys = {case[name] for case in evidence for name in ("annotation", "other") if name in case}
    annotations = {
        each.pk: each
        for each in Annotation.objects.filter(pk__in=keys, item__study=study).select_related(
            "annotator", "item__question", "item__hit__batch"
        )
    }
    asked = Q(pk__in={case["item"] for case in evidence if "item" in case}, study=study)
    items = {each.pk: each for each in Item.objects.filter(asked).select_related("question", "hit__batch")}
    return [ShownSign(sign, [_case(case, annotations, items) for case in sign.evidence]) for sign in signs]


def _case(case: dict[str, Any], annotations: dict[int, Annotation], items: dict[int, Item]) -> Case:
    own, other = annotations.get(case.get("annotation", 0)), annotations.get(case.get("other", 0))
    slot = case.get("slot", "")
    item = own.item if own else items.get(case.get("item", 0))
    return Case(
        item,
        case.get("said", ""),
        str(own.values.get(slot, "")) if own else "",
        str(other.values.get(slot, "")) if other else "",
        other.annotator.pseudonym if other else "",
        own,
    )

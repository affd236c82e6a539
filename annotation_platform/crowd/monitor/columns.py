"""The columns of the monitor that other topics give: each provider is asked once for the annotators on the page.

A topic joins by adding its provider to ``PROVIDERS``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation_platform.crowd.checks.models import CheckResult
from annotation_platform.crowd.monitor.models import AnnotatorFigures
from annotation_platform.crowd.pay.money import told
from annotation_platform.crowd.review.models import Review, Verdict
from annotation_platform.studies.models import Member, Study


@dataclass(frozen=True)
class Column:
    """A title, and what stands under it for each annotator by their key; nothing for who is absent."""

    title: str
    cells: Mapping[int, str]


Provider = Callable[[Study, Sequence[Member]], Column | None]


def adjudicated(study: Study, members: Sequence[Member]) -> Column | None:
    """How often each one's labels are those that adjudicators agreed on."""
    rows = AnnotatorFigures.objects.filter(member__in=members, adjudicated__isnull=False)
    cells = {row.member_id: f"{row.adjudicated:.0%} (n = {row.adjudicated_n:,})" for row in rows}
    return Column(_("Adjudicated labels met"), cells) if cells else None


def hinted(study: Study, members: Sequence[Member]) -> Column | None:
    """How many items had an explanation that said little, by the hints that were shown."""
    rows = AnnotatorFigures.objects.filter(member__in=members, hinted__gt=0)
    cells = {row.member_id: _of(row.hinted, row.judgments) for row in rows}
    return Column(_("Hinted: says little"), cells) if study.gives_hints and cells else None


def reviewed(study: Study, members: Sequence[Member]) -> Column | None:
    """How many tasks were approved and rejected."""
    rejected = Q(verdict=Verdict.REJECTED)
    rows = Review.objects.filter(annotator__in=members).order_by().values_list("annotator")
    counted = rows.annotate(approved=Count("pk", filter=~rejected), rejected=Count("pk", filter=rejected))
    cells = {member: f"{approved:,} / {refused:,}" for member, approved, refused in counted}
    return Column(_("Approved / rejected"), cells) if cells else None


def checked(study: Study, members: Sequence[Member]) -> Column | None:
    """How many attention and gold checks each one passed."""
    rows = CheckResult.objects.filter(annotator__in=members, is_repeated=False, check_item__retired_at=None).order_by()
    counted = rows.values_list("annotator").annotate(passed=Count("pk", filter=Q(passed=True)), n=Count("pk"))
    cells = {member: _of(passed, n) for member, passed, n in counted}
    return Column(_("Checks passed"), cells) if cells else None


def paid(study: Study, members: Sequence[Member]) -> Column | None:
    """What an hour of each one's work pays by the time on task, without bonuses."""
    rows = AnnotatorFigures.objects.filter(member__in=members, hourly__isnull=False)
    language = get_language() or "en"
    cells = {row.member_id: told(row.hourly, row.currency, language) for row in rows if row.hourly is not None}
    return Column(_("Pay for an hour"), cells) if cells else None


def _of(part: int, whole: int) -> str:
    return _("%(part)s of %(whole)s") % {"part": f"{part:,}", "whole": f"{whole:,}"}


PROVIDERS: tuple[Provider, ...] = (paid, checked, adjudicated, hinted, reviewed)

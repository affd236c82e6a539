"""The snapshots that were taken of a study, and two of them beside each other."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import override
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.charts.page import download
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.sections.history import comparison
from annotation_platform.analysis.snapshots.words import headline_words

ON_A_PAGE = 25


@login_required
@require_safe
def snapshots(request: PageRequest, slug: str) -> HttpResponse:
    """Every snapshot, the newest first; two can be chosen to be compared."""
    page = figure_page(request, slug, "snapshots")
    listed = Paginator(comparison.snapshots_of(page.study), ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(each, headline_words(each.head.headline.aspects)) for each in listed]
    return render(request, "analysis/sections/history.html", page.context | {"listed": rows, "page_of": listed})


@login_required
@require_safe
def compare_snapshots(request: PageRequest, slug: str) -> HttpResponse:
    """What differs between two snapshots, figure by figure; with ``as=csv`` the figures as a file."""
    page = figure_page(request, slug, "snapshots")
    then, now = (comparison.snapshot_for(page.study, request.GET.get(key)) for key in ("then", "now"))
    if then.measured_at > now.measured_at:
        then, now = now, then
    both = {each.aspect for each in then.head.aspects}
    aspects = [each for each in now.head.aspects if each.aspect in both]
    chosen = request.GET.get("aspect") or (aspects[0].aspect if aspects else "")
    if chosen and request.GET.get("as") == "csv":
        with override(settings.LANGUAGE_CODE):  # a file is the same whoever loads it
            content = comparison.compared_table(then, now, chosen).csv()
        return download(content, "text/csv; charset=utf-8", f"{slug}-{then.pk}-{now.pk}-{chosen}.csv")
    page.context |= {
        "then": then,
        "now": now,
        "differs": comparison.what_differs(then, now),
        "headline": comparison.headline_table(then, now),
        "figures": comparison.compared_table(then, now, chosen) if chosen else None,
        "compared_aspects": aspects,
        "chosen": chosen,
    }
    return render(request, "analysis/sections/comparison.html", page.context)


urlpatterns = [
    path("agreement/snapshots/", snapshots, name="agreement_snapshots"),
    path("agreement/snapshots/compare/", compare_snapshots, name="compare_snapshots"),
]

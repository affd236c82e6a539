"""The page of marked words."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.spans.figures import SPANS


@login_required
@require_safe
def spans(request: PageRequest, slug: str) -> HttpResponse:
    """Agreement on marked words, and what is marked."""
    page = figure_page(request, slug, "spans")
    if page.aspect:
        asked, found = page.tables("marked-agreement", "marked-labels")
        page.context.update(tables=found, marked=asked.section(SPANS) if asked.has(SPANS) else None)
    return render(request, "analysis/sections/spans.html", page.context)


TAB = Tab("spans", _("Marked words"), "agreement_spans", is_for=lambda scheme: bool(scheme.spans_aspects))
urlpatterns = [path("agreement/marked/", spans, name="agreement_spans")]

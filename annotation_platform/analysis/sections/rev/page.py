"""The page of REV runs: what rationales are worth."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.rev.figures import REV

TABLES = ("rev", "rev-steps", "rev-people")


@login_required
@require_safe
def rationales(request: PageRequest, slug: str) -> HttpResponse:
    """What rationales add, by kind, beside people's judgment of them."""
    page = figure_page(request, slug, "rev")
    if page.aspect:
        asked, found = page.tables(*TABLES)
        section = asked.section(REV) if asked.has(REV) else None
        page.context |= {"tables": found, "section": section}
    return render(request, "analysis/sections/rev.html", page.context)


TAB = Tab("rev", _("Rationales"), "agreement_rationales", is_for=lambda scheme: "rationale" in scheme.parts)
urlpatterns = [path("agreement/rationales/", rationales, name="agreement_rationales")]

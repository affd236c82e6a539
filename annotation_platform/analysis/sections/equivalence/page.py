"""The page of answer-equivalence runs."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.equivalence.figures import EQUIVALENCE

TABLES = (
    "equivalence",
    "equivalence-systems",
    "equivalence-all",
    "equivalence-differences",
    "equivalence-calibration",
    "equivalence-rules",
)


@login_required
@require_safe
def equivalence(request: PageRequest, slug: str) -> HttpResponse:
    """The classifier's verdicts beside people's."""
    page = figure_page(request, slug, "equivalence")
    if page.aspect:
        asked, found = page.tables(*TABLES)
        section = asked.section(EQUIVALENCE) if asked.has(EQUIVALENCE) else None
        page.context |= {"tables": found, "section": section}
    return render(request, "analysis/sections/equivalence.html", page.context)


TAB = Tab(
    "equivalence",
    _("Answer equivalence"),
    "agreement_equivalence",
    is_for=lambda scheme: "reference_answers" in scheme.parts,
)
urlpatterns = [path("agreement/equivalence/", equivalence, name="agreement_equivalence")]

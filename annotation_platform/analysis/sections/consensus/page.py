"""The page of consensus labels."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.consensus.figures import CONSENSUS
from annotation_platform.analysis.sections.consensus.tables import TABLES, consensus_of
from annotation_platform.analysis.tables.words import units_called


@login_required
@require_safe
def consensus(request: PageRequest, slug: str) -> HttpResponse:
    page = figure_page(request, slug, "consensus")
    if page.aspect:
        asked, found = page.tables(*TABLES)
        page.context |= {"tables": found, "compared": found.get("consensus-ways"), "is_known": asked.has(CONSENSUS)}
        if page.context["is_known"]:
            page.context["units"] = units_called(consensus_of(asked).unit)
        if uncertain := found.get("uncertain"):
            lines = zip(uncertain.rows, uncertain.all_lines, strict=True)
            page.context["uncertain"] = [(row.item, row.text, line) for row, line in lines]
    return render(request, "analysis/sections/consensus.html", page.context)


TAB = Tab("consensus", _("Consensus"), "agreement_consensus", of_aspect=True)
urlpatterns = [path("agreement/consensus/", consensus, name="agreement_consensus")]

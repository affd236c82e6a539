"""The page that says which system is better."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.systems.drawn_tables import has_weighed
from annotation_platform.analysis.tables.others import with_others

TABLES = ("strengths", "wins", "preference-effects", "differences-drawn", "ranks", "differences")


@login_required
@require_safe
def ranking(request: PageRequest, slug: str) -> HttpResponse:
    """Ranks of the systems and each two of them: strengths where people chose the best answer, means elsewhere."""
    page = figure_page(request, slug, "ranking")
    if page.aspect:
        asked, found = page.tables(*TABLES)
        page.context |= with_others(asked, found) | {"has_weighed": has_weighed(found)}
    return render(request, "analysis/sections/ranking.html", page.context)


TAB = Tab("ranking", _("Ranking"), "agreement_ranking", of_aspect=True)
urlpatterns = [path("agreement/ranking/", ranking, name="agreement_ranking")]

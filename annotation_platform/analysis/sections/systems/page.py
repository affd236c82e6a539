"""The page of the systems whose answers were judged."""

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


@login_required
@require_safe
def systems(request: PageRequest, slug: str) -> HttpResponse:
    """The systems whose answers were judged: labels and means."""
    page = figure_page(request, slug, "systems")
    if page.aspect:
        asked, found = page.tables("means-drawn", "means-aspects", "means-system", "labels-system")
        page.context |= with_others(asked, found) | {"has_weighed": has_weighed(found)}
    return render(request, "analysis/sections/systems.html", page.context)


TAB = Tab("systems", _("Systems"), "agreement_systems", of_aspect=True)
urlpatterns = [path("agreement/systems/", systems, name="agreement_systems")]

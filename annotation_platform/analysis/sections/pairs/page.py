"""The page of every pair of annotators, and of two of them side by side."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.pairs.figures import PAIRS_ALL, PAIRS_COHEN_KAPPA
from annotation_platform.analysis.sections.pairs.pair import annotators_in_pairs, chosen_pair, partners
from annotation_platform.analysis.tables.base import SETTINGS


@login_required
@require_safe
def pairs(request: PageRequest, slug: str) -> HttpResponse:
    """Every pair of annotators, and two of them side by side; each part answers htmx by itself."""
    page = figure_page(request, slug, "pairs")
    target = request.htmx.target if request.htmx else None
    if not page.aspect:
        return render(request, "analysis/sections/pairs.html", page.context)
    names = [target] if target in ("pairs", "pair") else ["changes", "pairs", "pair"]
    asked, found = page.tables(*names)
    context: dict[str, Any] = page.context | {"tables": found}
    context |= {
        "setting": asked.setting,
        "settings": {key: gettext(name) for key, name in SETTINGS.items()},
        "is_known": asked.has(PAIRS_COHEN_KAPPA if asked.head.is_nominal else PAIRS_ALL),
    }
    if "pair" in found:
        pair = chosen_pair(asked)
        one = request.GET.get("of") or pair[0]
        context |= {"one": one, "other": pair[pair[0] == one], "partners": partners(asked, one)}
        context["everybody"] = annotators_in_pairs(asked)
    return render(request, "analysis/sections/pairs.html" + (f"#{target}" if len(names) == 1 else ""), context)


TAB = Tab("pairs", _("Pairs"), "agreement_pairs", of_aspect=True)
urlpatterns = [path("agreement/pairs/", pairs, name="agreement_pairs")]

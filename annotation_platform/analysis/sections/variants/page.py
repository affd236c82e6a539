"""Runs side by side: prompt variants, mixtures, class means by annotator, the guard, and two runs compared."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.variants import chosen as runs
from annotation_platform.analysis.sections.variants.figures import VARIANTS

OF_ONE_RUN = ("mixtures", "classes", "own-order")


@login_required
@require_safe
def variants(request: PageRequest, slug: str) -> HttpResponse:
    """Every run that was compared; one of them closely; two against each other. Parts answer htmx by themselves."""
    page = figure_page(request, slug, "variants")
    context = page.context
    if not page.aspect:
        return render(request, "analysis/sections/variants.html", context)
    target = request.htmx.target if request.htmx else None
    names = ("comparison",) if target == "comparison" else ("variants", *OF_ONE_RUN, "comparison")
    asked, found = page.tables(*names)
    context["tables"] = {name.replace("-", "_"): table for name, table in found.items()}
    if asked.has(VARIANTS) and (compared := runs.runs_of(asked)):
        one = runs.chosen_variant(asked) or compared[0]
        known = asked.section(VARIANTS).runs
        mixture = runs.own_mixture(one, runs.part_of(asked, one))
        context |= {
            "runs": {each.key: runs.run_name(known[each.key]) for each in compared},
            "chosen": one.key,
            "chosen_name": runs.run_name(known[one.key]),
            "is_leaking": known[one.key].is_leaking,
            "guard": mixture.guard,
            "sources": runs.sources_of(asked),
            "part": request.GET.get("part", runs.WHOLE),
            "whole": runs.WHOLE,
            "raw": runs.RAW,
        }
        context["first"], context["second"] = runs.compared(asked)
    fragment = f"#{target}" if target in ("runs", "comparison") else ""
    return render(request, f"analysis/sections/variants.html{fragment}", context)


TAB = Tab("variants", _("Variants"), "agreement_variants", of_aspect=True, is_for=lambda scheme: bool(scheme.rescale))
urlpatterns = [path("agreement/variants/", variants, name="agreement_variants")]

"""The page that plans another study from this one."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import FigurePage, figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.planning import tables
from annotation_platform.analysis.sections.planning.figures import PILOT
from annotation_platform.analysis.sections.planning.own import OwnWork, becomes, own_design
from annotation_platform.core.schemes import Scheme

NAMES = ("plan", "plan-curve", "plan-variances")


@login_required
@require_safe
def planning(request: PageRequest, slug: str) -> HttpResponse:
    """The form, and what the design finds and costs; the address keeps what was asked."""
    page = figure_page(request, slug, "planning")
    if page.aspect:
        _plan(page)
    has_mistakes = "form" in page.context and not page.context["form"].is_valid()
    return render(request, "analysis/sections/planning.html", page.context, status=422 if has_mistakes else 200)


def _plan(page: FigurePage) -> None:
    work = OwnWork.of(page.study)
    start = own_design(page.study, work)
    sent = {name: page.request.GET[name] for name in tables.ASKED if name in page.request.GET}
    asked, made = page.tables(*NAMES, **(start | sent))
    if not asked.has(PILOT):
        return
    found = tables.variances_of(asked)
    page.context |= {"is_known": True, "undefined_because": found.undefined_because}
    if found.undefined_because:
        return
    form = tables.form_of(asked)
    page.context |= {
        "form": form,
        "tables": {name.replace("-", "_"): table for name, table in made.items()},
        "pay": work.pay,
        "is_priced": work.is_priced,
        "is_measured": work.time.is_measured,
        "is_rescaled": tables.pilot_of(asked).rescaled is not None,
    }
    if form.is_valid():
        page.context |= {
            "design": form.design,
            "per_task": form.cleaned_data["per_task"],
            "comes_otherwise": tables.comes_otherwise(form.design),
            "becomes": becomes(page.study, form, work.pay),
        }


def _compares_systems(scheme: Scheme) -> bool:
    return bool(scheme.labelled_aspects)


TAB = Tab("planning", _("Plan"), "agreement_planning", of_aspect=True, is_for=_compares_systems)
urlpatterns = [path("agreement/plan/", planning, name="agreement_planning")]

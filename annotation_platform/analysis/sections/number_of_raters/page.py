"""How many raters are needed, and what one more would buy."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.number_of_raters import tables
from annotation_platform.analysis.sections.number_of_raters.figures import NUMBER_OF_RATERS


@login_required
@require_safe
def number_of_raters(request: PageRequest, slug: str) -> HttpResponse:
    """The curve, the answer for the correlation that is wanted, and the money; the address keeps what was asked."""
    page = figure_page(request, slug, "raters")
    if page.aspect:
        asked, found = page.tables("raters", "one-more")
        page.context["tables"] = {name.replace("-", "_"): table for name, table in found.items()}
        if asked.has(NUMBER_OF_RATERS):
            page.context.update(
                wanted=tables.wanted(asked),
                answers=tables.answer(asked),
                measured=tables.figures_of(asked),
                study_items=asked.section(NUMBER_OF_RATERS).study_items,
                model=tables.figures_of(asked).model,
            )
    is_part = request.htmx and request.htmx.target == "raters"
    return render(request, "analysis/sections/number_of_raters.html" + ("#raters" if is_part else ""), page.context)


TAB = Tab("raters", _("Number of raters"), "agreement_raters", of_aspect=True)
urlpatterns = [path("agreement/raters/", number_of_raters, name="agreement_raters")]

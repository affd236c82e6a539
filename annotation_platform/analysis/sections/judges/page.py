"""The judging models of a study: what each agrees, costs and leaves out, and how far it is biased."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.judges.figures import JUDGES
from annotation_platform.analysis.sections.judges.kinds import KINDS


@login_required
@require_safe
def judges(request: PageRequest, slug: str) -> HttpResponse:
    """All judges and all aspects side by side."""
    page = figure_page(request, slug, "judges")
    if page.aspect:
        asked, found = page.tables("judges", *(kind.name for kind in KINDS))
        page.context |= {"side_by_side": found.pop("judges", None), "tables": found}
        page.context["judges"] = asked.section(JUDGES).judges if asked.has(JUDGES) else ()
    return render(request, "analysis/sections/judges.html", page.context)


TAB = Tab("judges", _("Judges"), "agreement_judges", is_for=lambda scheme: bool(scheme.labelled_aspects))
urlpatterns = [path("agreement/judges/", judges, name="agreement_judges")]

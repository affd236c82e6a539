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
from annotation_platform.analysis.sections.human_llm.epsilon import EpsilonForm
from annotation_platform.analysis.sections.judges.alternative import NAME
from annotation_platform.analysis.sections.judges.figures import JUDGES
from annotation_platform.analysis.sections.judges.kinds import KINDS
from annotation_platform.analysis.tables.others import with_others


@login_required
@require_safe
def judges(request: PageRequest, slug: str) -> HttpResponse:
    """All judges and all aspects side by side; the part with the ε that may be set answers htmx by itself."""
    page = figure_page(request, slug, "judges")
    is_part = bool(request.htmx) and request.htmx.target == "instead"
    form = EpsilonForm(request.GET)
    if page.aspect:
        names = (NAME,) if is_part else ("judges", NAME, *(kind.name for kind in KINDS))
        asked, found = page.tables(*names, **form.parameters)
        page.context |= {"side_by_side": found.pop("judges", None), "instead": found.pop(NAME, None)}
        page.context |= with_others(asked, found) | {"form": form}
        page.context["is_known"] = asked.has(JUDGES)
        page.context["judges"] = asked.section(JUDGES).judges if asked.has(JUDGES) else ()
    part = "#instead" if is_part else ""
    status = 200 if form.is_valid() else 422
    return render(request, f"analysis/sections/judges.html{part}", page.context, status=status)


TAB = Tab("judges", _("Judges"), "agreement_judges", is_for=lambda scheme: bool(scheme.labelled_aspects))
urlpatterns = [path("agreement/judges/", judges, name="agreement_judges")]

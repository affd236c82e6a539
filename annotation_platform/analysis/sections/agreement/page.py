"""The first page of the Agreement tab: raw beside rescaled, every coefficient; read from a snapshot."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.standing import standing_of
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.agreement.figures import FLEISS_KAPPA, KRIPPENDORFF_ALPHA
from annotation_platform.analysis.sections.agreement.tables import in_words, level_in_words
from annotation_platform.analysis.sections.history.comparison import before, headline_table, what_differs
from annotation_platform.analysis.sections.pairs.figures import PAIRWISE_TAU
from annotation_platform.studies.selectors import study_for_reader
from workers.tasks import enqueue_snapshot


@login_required
@require_safe
def agreement(request: PageRequest, slug: str) -> HttpResponse:
    """Raw beside rescaled: every coefficient. Where figures are awaited, says to htmx when they have come."""
    page = figure_page(request, slug, "overview")
    if request.htmx and request.htmx.target == "waiting":
        if page.snapshot and not page.context["stale_because"]:
            return HttpResponseClientRefresh()
        return render(request, "analysis/_waiting.html", page.context)
    if page.aspect:
        asked, found = page.tables("aspects", "agreement", "coefficients")
        is_known = asked.has(PAIRWISE_TAU) and asked.has(KRIPPENDORFF_ALPHA)
        kappa = asked.section(FLEISS_KAPPA) if asked.has(FLEISS_KAPPA) else None
        page.context |= {"tables": found, "kappa": kappa, "words": in_words(asked) if is_known else []}
        page.context |= {"standing": standing_of(page.study), "level": level_in_words(asked.head.level)}
        if page.snapshot and (then := before(page.snapshot)) is not None:
            page.context |= {"then": then, "differs": what_differs(then, page.snapshot)}
            page.context["since"] = headline_table(then, page.snapshot)
    return render(request, "analysis/sections/agreement.html", page.context)


@login_required
@require_POST
def refresh_agreement(request: PageRequest, slug: str) -> HttpResponse:
    study = study_for_reader(request.user, slug)
    enqueue_snapshot(study, actor=Actor.of_request(request))
    said = gettext("The figures are computed again; where nothing has changed they stay as they are.")
    messages.success(request, said)
    return redirect("agreement", slug=slug)


TAB = Tab("overview", _("Overview"), "agreement", of_aspect=True)
urlpatterns = [
    path("agreement/", agreement, name="agreement"),
    path("agreement/refresh/", refresh_agreement, name="refresh_agreement"),
]

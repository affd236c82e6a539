"""The page of cited sentences."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.sentences.documents import documents_cited
from annotation_platform.analysis.sections.sentences.figures import SENTENCES
from annotation_platform.analysis.sections.sentences.tables import cited_aspect

TABLES = ("cited-agreement", "cited-sizes", "cited-coverage", "cited-places")


@login_required
@require_safe
def sentences(request: PageRequest, slug: str) -> HttpResponse:
    """Agreement on citations and what is cited; the part with one document answers htmx by itself."""
    page = figure_page(request, slug, "sentences")
    if not page.aspect:
        return render(request, "analysis/sections/sentences.html", page.context)
    asked, found = page.tables(*TABLES)
    is_there = asked.has(SENTENCES)
    cited = cited_aspect(asked) if is_there else None
    aspects = asked.section(SENTENCES) if is_there else None
    page.context.update(tables=found, cited_aspects=aspects, cited=cited)
    if cited is not None:
        places = {name: request.GET.get(name, "") for name in ("article", "after", "before")}
        page.context["documents"] = documents_cited(page.study, cited.aspect, **places)
    is_part = request.htmx and request.htmx.target == "document"
    return render(request, "analysis/sections/sentences.html" + ("#document" if is_part else ""), page.context)


TAB = Tab("sentences", _("Sentences"), "agreement_sentences", is_for=lambda scheme: bool(scheme.sentences_aspects))
urlpatterns = [path("agreement/sentences/", sentences, name="agreement_sentences")]

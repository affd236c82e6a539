"""The pages of the annotators beside each other, and of one of them."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.annotators.words import otherwise_in_words, who_is_far
from annotation_platform.analysis.sections.labels.tables import parts_of
from annotation_platform.analysis.sections.work.figures import WORK
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Study


@login_required
@require_safe
def annotators(request: PageRequest, slug: str) -> HttpResponse:
    """The annotators beside each other: labels, of all items or a part of them; leniency, agreement, time."""
    page = figure_page(request, slug, "annotators")
    if name := request.GET.get("annotator"):
        found_member = page.study.members.filter(pseudonym=name).first()
        if found_member is None:
            raise NotThereError("analysis.no_annotator", name=name)
        address = reverse("agreement_annotator", kwargs={"slug": slug, "pk": found_member.pk})
        return redirect(address + page.context["aspect_query"])
    target = request.htmx.target if request.htmx else None
    if page.aspect:
        names = ["labels-annotator"] if target == "labels" else ["annotators", "labels-annotator", "means-label"]
        asked, found = page.tables(*names)
        page.context |= {
            "labels": found.get("labels-annotator"),
            "people": found.get("annotators"),
            "each": _with_keys(page.study, _names(asked)) if target is None else (),
            "means": found.get("means-label"),
            "parts": parts_of(asked),
            "part": request.GET.get("part", ""),
        }
        if asked.has(ANNOTATORS) and asked.has(WORK):
            page.context |= {"far": who_is_far(asked), "otherwise": otherwise_in_words(asked)}
    return render(
        request, "analysis/sections/annotators.html" + ("#labels" if target == "labels" else ""), page.context
    )


@login_required
@require_safe
def annotator(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One annotator against the others. The address has a key, since an imported name may be any text."""
    page = figure_page(request, slug, "annotators")
    name = page.study.members.filter(pk=pk).values_list("pseudonym", flat=True).first()
    if name is None:
        raise NotThereError("analysis.no_such_annotator")
    if page.snapshot is None:
        raise NotThereError("analysis.no_figures")
    asked, found = page.tables("annotator", "labels-annotator", "annotator-pairs", annotator=name)
    if "annotator" not in found:
        raise NotThereError("analysis.figures_too_old")
    everybody = _with_keys(page.study, _names(asked))
    place = everybody.index((name, pk))
    page.context |= {
        "name": name,
        "tables": found,
        "previous": everybody[place - 1] if place else None,
        "next": everybody[place + 1] if place + 1 < len(everybody) else None,
    }
    return render(request, "analysis/sections/annotator.html", page.context)


def _names(asked: TableRequest) -> list[str]:
    return [each.name for each in asked.section(ANNOTATORS).annotators] if asked.has(ANNOTATORS) else []


def _with_keys(study: Study, names: list[str]) -> list[tuple[str, int]]:
    """Each of these annotators with their key."""
    keys = dict(study.members.values_list("pseudonym", "pk"))
    return [(name, keys[name]) for name in names if name in keys]


TAB = Tab("annotators", _("Annotators"), "agreement_annotators", of_aspect=True)
urlpatterns = [
    path("agreement/annotators/", annotators, name="agreement_annotators"),
    path("agreement/annotators/<int:pk>/", annotator, name="agreement_annotator"),
]

"""The pages of the runs that no model server is needed for: answer equivalence, and rationales (REV)."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page

EQUIVALENCE_TABLES = ("equivalence", "equivalence-systems", "equivalence-calibration", "equivalence-rules")
REV_TABLES = ("rev", "rev-steps", "rev-people")


@login_required
@require_GET
def equivalence(request: PageRequest, slug: str) -> HttpResponse:
    """The classifier's verdicts beside people's."""
    return _page(request, slug, "equivalence", EQUIVALENCE_TABLES)


@login_required
@require_GET
def rationales(request: PageRequest, slug: str) -> HttpResponse:
    """What rationales add, by kind, beside people's judgment of them."""
    return _page(request, slug, "rev", REV_TABLES)


def _page(request: PageRequest, slug: str, name: str, tables: tuple[str, ...]) -> HttpResponse:
    page = figure_page(request, slug, name)
    if page.aspect:
        asked, found = page.tables(*tables, sections=(name,))
        page.context |= {"tables": found, "section": asked.figures.get(name)}
    return render(request, f"analysis/sections/{name}.html", page.context)

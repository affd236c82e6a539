"""The list of items, and one item with everything that was said about it."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.forms import SearchForm
from annotation_platform.analysis.selectors import items as found
from annotation_platform.analysis.views.entry import enter


@login_required
@require_GET
def items(request: PageRequest, slug: str) -> HttpResponse:
    study, context = enter(request, slug)
    form = SearchForm(request.GET)
    asked = form.cleaned_data if form.is_valid() else {"q": "", "system": ""}
    matching = found.search_items(study, query=asked["q"], system=asked["system"])
    page, listed = found.list_items(study, matching, request.GET.get("page"))
    context |= {
        "asked": asked,
        "page_query": "&" + urlencode(asked),
        "page": page,
        "listed": listed,
        "systems": list(study.corpus.systems.values_list("name", flat=True)),
    }
    return render(request, "analysis/items.html" + ("#list" if request.htmx else ""), context)


@login_required
@require_GET
def item(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    study, context = enter(request, slug)
    return render(request, "analysis/item.html", context | {"view": found.view_item(study, pk)})

"""The explorer, and one item with everything that was said about it."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.explorer.forms import SearchForm
from annotation_platform.analysis.explorer.item import view_item
from annotation_platform.analysis.explorer.search import ItemSearch, choices_of, find_items
from annotation_platform.analysis.frame.entry import enter


@login_required
@require_safe
def items(request: PageRequest, slug: str) -> HttpResponse:
    study, context = enter(request, slug)
    form = SearchForm(request.GET)
    form.is_valid()
    asked = ItemSearch(**form.cleaned_data)  # without what was too long to be anything
    choices = choices_of(study)
    context |= {
        "asked": asked,
        "query": urlencode(asked.query),
        "found": find_items(study, asked, choices),
        "choices": choices,
    }
    return render(request, "analysis/items.html" + ("#list" if request.htmx else ""), context)


@login_required
@require_safe
def item(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    study, context = enter(request, slug)
    return render(request, "analysis/item.html", context | {"view": view_item(study, pk)})


urlpatterns = [
    path("items/", items, name="items"),
    path("items/<int:pk>/", item, name="item"),
]

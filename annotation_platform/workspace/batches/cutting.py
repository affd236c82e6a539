"""Cutting what is not released into batches of so many items."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.services import MOST_ITEMS, cut_batches, tasks_to_draw_from
from annotation_platform.workspace.batches.forms import CutForm

USUAL_ITEMS = 20


@login_required
@require_http_methods(["GET", "POST"])
def cut(request: PageRequest, slug: str) -> HttpResponse:
    """How many items a batch is to have; and cutting them."""
    study, context = enter(request, slug)
    typed, refused = str(USUAL_ITEMS), ""
    if request.method == "POST":
        typed, form = request.POST.get("items", ""), CutForm(request.POST)
        try:
            items = form.cleaned_data["items"] if form.is_valid() else 0
            made = cut_batches(study=study, items=items, actor=Actor.of_request(request))
        except InvalidInputError as error:
            refused = in_language(error)
        else:
            told = ngettext("There is %(count)s draft now.", "There are %(count)s drafts now.", len(made))
            messages.success(request, told % {"count": len(made)})
            return redirect("study", slug=slug)
    context |= {"tasks": tasks_to_draw_from(study).count(), "typed": typed, "refused": refused, "most": MOST_ITEMS}
    return render(request, "workspace/cut_batches.html", context, status=422 if refused else 200)

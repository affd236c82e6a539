"""A new scoring run: who, how, and the exact prompt."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.scoring.estimates import MOST_REQUESTS
from annotation_platform.scoring.methods import METHODS, Option, run_method
from annotation_platform.scoring.models import Method
from annotation_platform.scoring.services import resolve_parameters, start_run
from annotation_platform.scoring.typed import read_budget, read_number
from annotation_platform.studies.models import Item, Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue

PROMPTS = 20  # shown at once


@login_required
@require_http_methods(["GET", "POST"])
def new_run(request: PageRequest, slug: str, method: str) -> HttpResponse:
    """Set up a run: who, how, with which prompt. What was typed stays when it cannot be started."""
    study = study_for_reader(request.user, slug)
    assert isinstance(request.user, User)  # login_required
    if method not in METHODS:
        return redirect("scoring", slug=slug)
    how = METHODS[method]
    error = how.obstacle(study) if request.method == "GET" else ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                given, budget = _given(how.options(study), request.POST), read_budget(request.POST.get("budget", ""))
                run = start_run(
                    study=study,
                    scorer=request.POST.get("scorer") or None,
                    method=method,
                    parameters=given,
                    budget=budget,
                    dry_run="try" in request.POST,
                    starter=request.user,
                )
        except DomainError as refused:
            error = in_language(refused)
        else:
            enqueue(run)
            messages.success(request, "The run is in the queue.")
            return redirect("run", slug=slug, pk=run.pk)
    typed = request.POST if request.method == "POST" else request.GET
    usual = study.scorer if study.scorer in how.scorers else str(how.scorers[0])
    options = [(option, typed.get(option.name, option.initial)) for option in how.options(study)]
    rare = [(option, text) for option, text in options if option.is_rare]
    context = {
        "study": study,
        "is_admin": membership(request.user, study).role == Role.ADMIN,
        "method": Method(method),
        "purpose": how.purpose,
        "scorers": [(choice.value, choice.label) for choice in how.scorers],
        "scorer": typed["scorer"] if typed.get("scorer") in how.scorers else usual,
        "options": [each for each in options if each not in rare],
        "rare": rare,
        "rare_for": {who for option, _ in rare for who in option.scorers or how.scorers},
        "is_rare_set": any(text not in ("", option.usual, *dict(option.choices[:1])) for option, text in rare),
        "budget": typed.get("budget", ""),
        "error": error,
        "item_count": study.items.count(),
    }
    return render(request, "scoring/new_run.html", context, status=422 if request.method == "POST" else 200)


@login_required
@require_GET
def preview_prompt(request: PageRequest, slug: str, method: str) -> HttpResponse:
    """The exact messages that a run with these settings would send about one item."""
    study = study_for_reader(request.user, slug)
    assert isinstance(request.user, User)  # login_required
    how = run_method(method)
    context: dict[str, Any] = {"study": study}
    try:
        how.check(study)
        scorer = request.GET.get("scorer") or str(how.scorers[0])
        given = _given(how.options(study), request.GET)
        parameters = resolve_parameters(study=study, method=method, scorer=scorer, given=given, starter=request.user)
        number, item = _item(study, request.GET.get("item") or "1")
        asked = list(how.asked(study=study, parameters=parameters, limit=MOST_REQUESTS, item_id=item.pk))
        context |= {"number": number, "item": item, "count": len(asked), "asked": asked[:PROMPTS]}
    except DomainError as refused:
        context["error"] = in_language(refused)
    return render(request, "scoring/_prompt.html", context)


def _given(options: Iterable[Option], typed: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed for the options that concern the chosen scorer; None for one that was emptied."""
    scorer = typed.get("scorer")
    read = {
        option: option.read(str(typed[option.name]))
        for option in options
        if option.name in typed and (not option.scorers or scorer in option.scorers)
    }
    return {option.name: value for option, value in read.items() if value is not None or option.initial}


def _item(study: Study, typed: str) -> tuple[int, Item]:
    """The study's item at a place, counted from 1, with what it shows."""
    number = read_number(typed)
    items = study.items.order_by("pk").select_related("question").prefetch_related("candidates__answer__system")
    item = items[number - 1 : number].first() if number else None
    if item is None:
        raise InvalidInputError("scoring.no_item", typed=typed[:40], count=items.count())
    return number, item

"""A study's scoring runs: all of them, a new one with the exact prompt, one at work, and two side by side."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, InvalidInputError, NotThereError
from annotation_platform.scoring.comparison import compare_scores, compare_settings
from annotation_platform.scoring.methods import METHODS, Option, run_method
from annotation_platform.scoring.models import ItemLabel, Method, RunStatus, ScoringRun, SuspiciousPassage
from annotation_platform.scoring.selectors import (
    latest_run,
    run_costs,
    run_of,
    runs_of,
    suspicious_passages,
    worker_state,
)
from annotation_platform.scoring.services import (
    choose_run,
    dismiss_suspicion,
    pause_run,
    resolve_parameters,
    resume_run,
    start_run,
)
from annotation_platform.studies.models import Item, Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader
from workers import tasks

ACTIVE = (RunStatus.PENDING, RunStatus.RUNNING)


@login_required
@require_GET
def scoring(request: PageRequest, slug: str) -> HttpResponse:
    """All runs of a study, and which methods a new one may have."""
    study = study_for_reader(request.user, slug)
    runs = list(runs_of(study)[:100])
    used = {method: _used(runs, method) for method in {run.method for run in runs}}
    context = _context(request, study) | {
        "runs": runs,
        "used": {run.pk for run in used.values() if run},
        "methods": [(key, Method(key).label, method.purpose) for key, method in METHODS.items()],
        "is_live": any(run.status in ACTIVE for run in runs),
    }
    template = "scoring/runs.html#runs" if request.htmx else "scoring/runs.html"
    return render(request, template, context)


@login_required
@require_http_methods(["GET", "POST"])
def new_run(request: PageRequest, slug: str, method: str) -> HttpResponse:
    """Set up a run: who, how, with which prompt. What was typed stays when it cannot be started."""
    study = study_for_reader(request.user, slug)
    assert isinstance(request.user, User)  # login_required
    if method not in METHODS:
        return redirect("scoring", slug=slug)
    how, error = METHODS[method], ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                given, budget = _given(how.options(study), request.POST), _budget(request.POST)
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
            error = str(refused)
        else:
            tasks.run_scoring.delay_on_commit(run.pk)
            messages.success(request, "The run is in the queue.")
            return redirect("run", slug=slug, pk=run.pk)
    typed = request.POST if request.method == "POST" else request.GET
    usual = study.scorer if study.scorer in how.scorers else str(how.scorers[0])
    context = _context(request, study) | {
        "method": Method(method),
        "purpose": how.purpose,
        "scorers": [(choice.value, choice.label) for choice in how.scorers],
        "scorer": typed.get("scorer") or usual,
        "options": [(option, typed.get(option.name, "")) for option in how.options(study)],
        "budget": typed.get("budget", ""),
        "error": error,
        "items": _items_to_show(study),
    }
    return render(request, "scoring/new_run.html", context, status=422 if error else 200)


@login_required
@require_GET
def preview_prompt(request: PageRequest, slug: str, method: str) -> HttpResponse:
    """The exact messages that a run with these settings would send about one item."""
    study = study_for_reader(request.user, slug)
    assert isinstance(request.user, User)  # login_required
    how = run_method(method)
    context: dict[str, Any] = {"asked": [], "error": ""}
    try:
        scorer = request.GET.get("scorer") or str(how.scorers[0])
        given = _given(how.options(study), request.GET)
        parameters = resolve_parameters(study=study, method=method, scorer=scorer, given=given, starter=request.user)
        item = request.GET.get("item", "")
        context["asked"] = list(
            how.asked(study=study, parameters=parameters, limit=3, item_id=int(item) if item.isdigit() else None)
        )
    except DomainError as refused:
        context["error"] = str(refused)
    return render(request, "scoring/_prompt.html", context)


@login_required
@require_GET
def run(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One run: how far, what it cost, what could not be read, and what it was told."""
    study = study_for_reader(request.user, slug)
    found = run_of(study, pk)
    titles = {aspect.key: aspect.title for aspect in study.scheme().aspects}
    others = runs_of(study).filter(method=found.method, status=RunStatus.DONE).exclude(pk=pk)
    context = _context(request, study) | {
        "run": found,
        "percent": 100 * found.done // found.total if found.total else 0,
        "is_active": found.status in ACTIVE,
        "unread": found.item_labels.filter(source=ItemLabel.Source.UNREAD).count(),
        "is_used": latest_run(study, method=found.method) == found,
        "costs": run_costs(found) if found.parameters.get("model") else None,
        "suspicious": suspicious_passages(found),
        "counts": [(titles.get(name, name), _flat(counts)) for name, counts in found.counts.items()],
        "settings": compare_settings(found, found),
        "others": list(others[:50]) if found.status == RunStatus.DONE else [],
    }
    template = "scoring/run.html#progress" if request.htmx else "scoring/run.html"
    return render(request, template, context)


@login_required
@require_POST
def change_run(request: PageRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Pause a run, go on with it, or name it as the one that the figures use."""
    study = study_for_reader(request.user, slug)
    found = run_of(study, pk)
    try:
        if action == "pause":
            pause_run(run=found)
            messages.info(request, "The run pauses after the replies that are under way.")
        elif action == "resume":
            resume_run(run=found, budget=_budget(request.POST))
            tasks.run_scoring.delay_on_commit(found.pk)
            messages.success(request, "The run goes on where it stopped; nothing is asked for again.")
        else:
            choose_run(run=found)
            tasks.take_snapshot.delay_on_commit(study.pk)
            messages.success(request, "The study's figures use this run now; they are computed anew.")
    except DomainError as refused:
        messages.error(request, str(refused))
    return redirect("run", slug=slug, pk=pk)


@login_required
@require_POST
def dismiss_passage(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Note that a person has looked at a suspicious passage and found it harmless."""
    study = study_for_reader(request.user, slug)
    passage = SuspiciousPassage.objects.filter(run__study=study, pk=pk).first()
    if passage is None:
        raise NotThereError("This study has no such passage.")
    dismiss_suspicion(passage=passage, member=membership(request.user, study))
    return redirect("run", slug=slug, pk=passage.run_id)


@login_required
@require_GET
def compare_runs(request: PageRequest, slug: str, pk: int, other: int) -> HttpResponse:
    """Two runs of one method side by side."""
    study = study_for_reader(request.user, slug)
    first, second = run_of(study, pk), run_of(study, other)
    if first.method != second.method:
        raise InvalidInputError("Only two runs of the same method can be compared.")
    context = _context(request, study) | {
        "first": first,
        "second": second,
        "settings": compare_settings(first, second),
        "aspects": compare_scores(first, second),
    }
    return render(request, "scoring/compare.html", context)


def _context(request: PageRequest, study: Study) -> dict[str, Any]:
    is_admin = membership(request.user, study).role == Role.ADMIN
    return {"study": study, "is_admin": is_admin, "worker": worker_state()}


def _used(runs: list[ScoringRun], method: str) -> ScoringRun | None:
    """The one whose scores count: the one that was named, else the newest finished."""
    done = [one for one in runs if one.method == method and one.status == RunStatus.DONE]
    return max(done, key=lambda one: (one.is_chosen, one.pk), default=None)


def _given(options: tuple[Option, ...], typed: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed for the options that concern the chosen scorer."""
    scorer = typed.get("scorer")
    read = {
        option.name: option.read(str(typed.get(option.name, "")))
        for option in options
        if not option.scorers or scorer in option.scorers
    }
    return {name: value for name, value in read.items() if value is not None}


def _budget(typed: Mapping[str, Any]) -> Decimal | None:
    text = str(typed.get("budget", "")).strip().removeprefix("$")
    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise InvalidInputError(f"Budget: “{text}” is not an amount of dollars, such as 5 or 0.50.") from None
    if not 0 < amount < 10**8:
        raise InvalidInputError(f"Budget: {text} dollars cannot be spent. Give an amount above 0, or leave it empty.")
    return amount


def _items_to_show(study: Study) -> list[tuple[int, str]]:
    """A few items whose prompt can be looked at."""
    items = Item.objects.filter(hit__batch__study=study).order_by("pk").values_list("pk", "question__text")[:20]
    return [(pk, f"{number}. {text[:80]}") for number, (pk, text) in enumerate(items, start=1)]


def _flat(counts: Any) -> list[tuple[str, Any]]:
    """Nested counts as lines of words and a number."""
    if not isinstance(counts, dict):
        return [("", counts)]
    found: list[tuple[str, Any]] = []
    for name, value in counts.items():
        words = name.replace("_", " ")
        if isinstance(value, dict):
            found += [(f"{words}: {inner}" if inner else words, number) for inner, number in _flat(value)]
        elif value is not None:
            found.append((words, value))
    return found

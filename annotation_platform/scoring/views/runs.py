"""A study's scoring runs: all of them, one at work, and two side by side."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.scoring.bills import attempts_of, expected_in_words, paid_in_words
from annotation_platform.scoring.comparison import compare_scores, compare_settings
from annotation_platform.scoring.failures import failures
from annotation_platform.scoring.forms import read_budget
from annotation_platform.scoring.methods import METHODS, run_method
from annotation_platform.scoring.models import ItemLabel, ScoringRun, SuspiciousPassage
from annotation_platform.scoring.reply_review import asked_by, run_to_read
from annotation_platform.scoring.run_words import counts_in_words
from annotation_platform.scoring.selectors import (
    has_other_prices,
    is_timing_out,
    latest_run,
    models_that_answered,
    run_costs,
    run_of,
    runs_of,
    suspicious_passages,
)
from annotation_platform.scoring.services import (
    choose_run,
    dismiss_suspicion,
    pause_run,
    resume_run,
    stop_run,
)
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue, enqueue_snapshot

ACTIVE = (JobStatus.PENDING, JobStatus.RUNNING)
PASSAGES = 50  # shown at once


@login_required
@require_safe
def scoring(request: PageRequest, slug: str) -> HttpResponse:
    """All runs of a study, and which methods a new one may have."""
    study = study_for_reader(request.user, slug)
    runs = list(runs_of(study)[:100])
    used = {method: _used(runs, method) for method in {run.method for run in runs}}
    context = _context(request, study) | {
        "runs": [(run, paid_in_words(run)) for run in runs],
        "used": {run.pk for run in used.values() if run},
        "methods": [(method, method.obstacle(study)) for method in METHODS],
        "is_live": any(run.status in ACTIVE for run in runs),
    }
    template = "scoring/runs.html#runs" if request.htmx else "scoring/runs.html"
    return render(request, template, context)


@login_required
@require_safe
def run(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One run: how far, what it cost, what could not be read, and what it was told."""
    study = study_for_reader(request.user, slug)
    found = run_of(study, pk)
    titles = {} if found.is_outdated else _titles(study)  # its keys may be those of other aspects by now
    others = runs_of(study).filter(method=found.method, status=JobStatus.DONE, is_outdated=False).exclude(pk=pk)
    context = _context(request, study) | {
        "run": found,
        "percent": 100 * found.done // found.total if found.total else 0,
        "is_active": found.status in ACTIVE,
        "unread": found.item_labels.filter(asked_by(study.scheme()), source=ItemLabel.Source.UNREAD).count(),
        "is_to_read": run_to_read(study, found.method) == found,
        "is_used": latest_run(study, method=found.method) == found,
        "outdated": Reason("scoring.run_outdated") if found.is_outdated else None,
        "has_other_prices": has_other_prices(found),
        "models": models_that_answered(found),
        "paid": paid_in_words(found),
        "is_timing_out": is_timing_out(found),
        "attempts": attempts_of(found),
        "expected": in_language(expected_in_words(found.estimate)) if found.estimate else "",
        "costs": run_costs(found) if found.parameters.get("model") else None,
        "failures": failures(found),
        "suspicious": suspicious_passages(found)[:PASSAGES],
        "suspicious_count": suspicious_passages(found).count(),
        "counts": [_in_words(name, counts, titles) for name, counts in found.counts.items()],
        "settings": compare_settings(found, found),
        "again": urlencode(run_method(found.method).typed(found)),
        "others": list(others[:50]) if found.status == JobStatus.DONE and not found.is_outdated else [],
    }
    template = "scoring/run.html#progress" if request.htmx else "scoring/run.html"
    return render(request, template, context)


@login_required
@require_POST
def change_run(request: PageRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Pause or stop a run, go on with it, or name it as the one that the figures use."""
    study = study_for_reader(request.user, slug)
    found = run_of(study, pk)
    try:
        if action == "pause":
            pause_run(run=found, actor=Actor.of_request(request))
            messages.info(request, _("The run pauses after the replies that are under way."))
        elif action == "stop":
            stop_run(run=found, actor=Actor.of_request(request))
            messages.info(request, _("The run has ended. The replies that it got are kept."))
        elif action == "resume":
            budget = read_budget(request.POST.get("budget", ""))
            is_emptied = "budget" in request.POST and budget is None
            resume_run(run=found, budget=budget, without_budget=is_emptied, actor=Actor.of_request(request))
            enqueue(found)
            messages.success(request, _("The run goes on where it stopped; no reply that it has is asked for again."))
        else:
            choose_run(run=found, actor=Actor.of_request(request))
            enqueue_snapshot(study, actor=Actor.of_request(request))
            messages.success(request, _("The study's figures use this run now; they are computed anew."))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    return redirect("run", slug=slug, pk=pk)


@login_required
@require_POST
def dismiss_passage(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Note that a person has looked at a suspicious passage and found it harmless."""
    study = study_for_reader(request.user, slug)
    passage = SuspiciousPassage.objects.filter(run__study=study, pk=pk).first()
    if passage is None:
        raise NotThereError("scoring.no_passage")
    dismiss_suspicion(passage=passage, member=membership(request.user, study), actor=Actor.of_request(request))
    return redirect("run", slug=slug, pk=passage.run_id)


@login_required
@require_safe
def compare_runs(request: PageRequest, slug: str, pk: int, other: int) -> HttpResponse:
    """Two runs of one method side by side."""
    study = study_for_reader(request.user, slug)
    first, second = run_of(study, pk), run_of(study, other)
    titles = _titles(study)
    context = _context(request, study) | {
        "first": first,
        "second": second,
        "aspects": [(titles.get(one.aspect, one.aspect), one) for one in compare_scores(first, second)],
        "settings": compare_settings(first, second),
    }
    return render(request, "scoring/compare.html", context)


def _context(request: PageRequest, study: Study) -> dict[str, Any]:
    is_admin = membership(request.user, study).role == Role.ADMIN
    return {"study": study, "is_admin": is_admin, "worker": worker_state()}


def _titles(study: Study) -> dict[str, str]:
    return {aspect.key: aspect.title for aspect in study.scheme().aspects}


def _used(runs: list[ScoringRun], method: str) -> ScoringRun | None:
    """The one whose scores count: the one that was named, else the newest finished."""
    done = [one for one in runs if one.method == method and one.status == JobStatus.DONE and not one.is_outdated]
    return max(done, key=lambda one: (one.is_chosen, one.pk), default=None)


def _in_words(name: str, counts: Any, titles: Mapping[str, str]) -> tuple[str, list[tuple[str, Any]]]:
    """What a run counted, under the title of an aspect, its own, or that of a measure (``rev.las`` is LAS)."""
    rest = dict(counts) if isinstance(counts, dict) else counts
    own = rest.pop("title", "") if isinstance(rest, dict) else ""
    measure = name.rpartition(".")[2]
    plain = measure.upper() if measure != name else _(name.replace("_", " ").capitalize())
    return titles.get(name) or own or plain, counts_in_words(rest, titles)

"""A new scoring run: who, how, and the exact prompt."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.core.schemes import Aspect
from annotation_platform.scoring.estimates import MOST_REQUESTS
from annotation_platform.scoring.forms import read_budget, read_number
from annotation_platform.scoring.methods import RunMethod, run_method, scorer_title
from annotation_platform.scoring.models import ScoringRun, ScoringSettings
from annotation_platform.scoring.parameters import WrongParametersError
from annotation_platform.scoring.selectors import item_at_place, offered_scorers
from annotation_platform.scoring.services import resolve_parameters, start_run
from annotation_platform.scoring.wrong_fields import BUDGET, FIELD_OF, NOWHERE, Wrong, read_options, wrong_fields
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue

PROMPTS = 20  # shown at once


@login_required
@require_http_methods(["GET", "POST"])
def new_run(request: PageRequest, slug: str, method: str) -> HttpResponse:
    """Set up a run: who, how, with which prompt. What was typed stays when it cannot be started."""
    study = study_for_reader(request.user, slug)
    assert isinstance(request.user, User)  # login_required
    try:
        how = run_method(method)
    except InvalidInputError:
        return redirect("scoring", slug=slug)
    wrong: Wrong = {NOWHERE: how.obstacle(study)} if request.method == "GET" else {}
    if request.method == "POST":
        started = _start(request, study, how)
        if isinstance(started, ScoringRun):
            enqueue(started)
            messages.success(request, _("The run is in the queue."))
            return redirect("run", slug=slug, pk=started.pk)
        wrong = started
    typed = request.POST if request.method == "POST" else request.GET
    own = ScoringSettings.of(study).scorer
    usual = own if own in how.scorers else str(how.scorers[0])
    told = {name: in_language(words) for name, words in wrong.items()}
    options = [
        (option, typed.get(option.name, option.initial), told.pop(option.name, ""))
        for option in how.options_in(study).values()
    ]
    rare = [each for each in options if each[0].ask.is_rare]
    context = {
        "study": study,
        "is_admin": membership(request.user, study).role == Role.ADMIN,
        "method": how,
        "scorers": [(each, scorer_title(each)) for each in offered_scorers(study, how.scorers)],
        "scorer": typed["scorer"] if typed.get("scorer") in how.scorers else usual,
        "options": [each for each in options if each not in rare],
        "rare": rare,
        "rare_for": {who for option, *_ in rare for who in option.scorers or how.scorers},
        "is_rare_set": any(e or text not in ("", option.usual, *dict(option.choices[:1])) for option, text, e in rare),
        "budget": typed.get("budget", ""),
        "budget_error": told.pop(BUDGET, ""),
        "errors": [words for words in told.values() if words],
        "is_marked": any(name != NOWHERE for name in wrong),
        "item_count": study.items.count(),
        "left_out": _named(study.scheme().spans_aspects) if how.asks_for_labels else "",
    }
    return render(request, "scoring/new_run.html", context, status=422 if request.method == "POST" else 200)


def _named(aspects: Iterable[Aspect]) -> str:
    return _(", ").join(_("“%(title)s”") % {"title": aspect.title} for aspect in aspects)


def _start(request: PageRequest, study: Study, how: RunMethod) -> ScoringRun | Wrong:
    """Start the run that was typed, or say all that is wrong with it."""
    assert isinstance(request.user, User)
    given, wrong = read_options(how.options_in(study).values(), request.POST)
    scorer, budget = request.POST.get("scorer"), None
    try:
        budget = read_budget(request.POST.get("budget", ""))
    except InvalidInputError as refused:
        wrong[BUDGET] = refused.reason
    if not wrong:
        try:
            with transaction.atomic():
                return start_run(
                    study=study,
                    scorer=scorer or None,
                    method=how.name,
                    parameters=given,
                    budget=budget,
                    dry_run="try" in request.POST,
                    actor=Actor.of_request(request),
                )
        except WrongParametersError:
            pass  # told below, with all else
        except DomainError as refused:
            wrong[FIELD_OF.get(refused.reason.code, NOWHERE)] = refused.reason
    found = wrong_fields(
        study=study,
        method=how.name,
        scorer=scorer or str(how.scorers[0]),
        given=given,
        budget=budget,
        starter=request.user,
    )
    return found | wrong


@login_required
@require_safe
def preview_prompt(request: PageRequest, slug: str, method: str) -> HttpResponse:
    """The exact messages that a run with these settings would send about one item."""
    study = study_for_reader(request.user, slug)
    assert isinstance(request.user, User)  # login_required
    how = run_method(method)
    context: dict[str, Any] = {"study": study}
    try:
        how.check(study)
        scorer = request.GET.get("scorer") or str(how.scorers[0])
        given, wrong = read_options(how.options_in(study).values(), request.GET)
        if wrong:
            raise InvalidInputError(next(iter(wrong.values())))
        parameters = resolve_parameters(study=study, method=method, scorer=scorer, given=given, starter=request.user)
        typed = request.GET.get("item") or "1"
        number = read_number(typed)
        item = item_at_place(study, number, typed=typed)
        asked = list(how.asked(study=study, parameters=parameters, limit=MOST_REQUESTS, item_id=item.pk))
        context |= {"number": number, "item": item, "count": len(asked), "asked": asked[:PROMPTS]}
    except DomainError as refused:
        context["error"] = in_language(refused)
    return render(request, "scoring/_prompt.html", context)

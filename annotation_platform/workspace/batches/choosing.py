"""Choosing tasks for people by chance, or by a model's uncertainty: first what it will do, then doing it."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.services import draw_and_open, plan_draw
from annotation_platform.scoring.uncertainty import (
    Measure,
    UncertainRun,
    uncertain_run,
    uncertain_runs,
)
from annotation_platform.studies.models import Study
from annotation_platform.studies.services import tasks_to_draw_from
from annotation_platform.workspace.batches.forms import ChoiceForm

USUAL_TASKS, USUAL_FLOOR = 20, 30


@dataclass(frozen=True)
class Choice:
    """What was asked for: how many tasks, by which run (None: by chance), and the percentage that is for all."""

    tasks: int
    source: UncertainRun | None
    floor: int


@dataclass(frozen=True)
class Plan:
    """What a choice will do, before it is done; chances in percent."""

    choice: Choice
    left: int
    items: int
    least: float
    most: float
    certain: int


@login_required
@require_http_methods(["GET", "POST"])
def choose_tasks(request: PageRequest, slug: str) -> HttpResponse:
    """The form; once it is filled in, what it will do; and the batch, once that was asked for."""
    study, context = enter(request, slug)
    left, runs = tasks_to_draw_from(study).count(), uncertain_runs(study)
    typed: dict[str, Any] = {"n": min(USUAL_TASKS, left), "how": "uncertainty" if runs else "random"}
    typed |= {"run": str(runs[0].run.pk) if runs else "", "floor": USUAL_FLOOR}
    sent = request.POST if request.method == "POST" else request.GET
    plan, refused = None, ""
    if "n" in sent:
        typed |= {name: sent[name] for name in typed if name in sent}
        try:
            choice = _choice(study, ChoiceForm(sent), left)
            if request.method == "POST":
                return _chosen(request, study, choice)
            plan = plan_of(study, choice)
        except InvalidInputError as error:
            refused = in_language(error)
    context |= {"left": left, "runs": [(each, in_words(each)) for each in runs], "typed": typed, "plan": plan}
    context |= {"refused": refused, "source": plan and plan.choice.source and in_words(plan.choice.source)}
    return render(request, "workspace/choose_tasks.html", context, status=422 if refused else 200)


def plan_of(study: Study, choice: Choice) -> Plan:
    """The chances that tasks would have, and how many items are to be expected.

    Raises
    ------
    InvalidInputError
        When it cannot be done, with the reason.
    """
    plan = plan_draw(study=study, tasks=choice.tasks, source=choice.source, floor=choice.floor / 100)
    return Plan(
        choice=choice,
        left=plan.left,
        items=plan.items,
        least=100 * plan.least,
        most=100 * plan.most,
        certain=plan.certain,
    )


def in_words(source: UncertainRun) -> str:
    """A run and what says how uncertain it is, for choosing among them."""
    run = source.run.pk
    if source.measure is Measure.PROBABILITY:
        return gettext("Run %(run)s, answer equivalence: how near its probabilities are to one half") % {"run": run}
    if source.measure is Measure.REPLIES:
        told = {"run": run, "replies": source.replies, "model": source.run.parameters.get("model", "")}
        return gettext("Run %(run)s, judge %(model)s: how far its %(replies)s replies about an item lie apart") % told
    other = source.other.pk if source.other else ""
    return gettext("Runs %(run)s and %(other)s: how far the two judges lie apart") % {"run": run, "other": other}


def _choice(study: Study, form: ChoiceForm, left: int) -> Choice:
    if not left:
        raise InvalidInputError("studies.nothing_to_draw")
    if not form.is_valid():
        raise InvalidInputError("studies.draw_size_wrong", most=left)
    given = form.cleaned_data
    if given["how"] == "random":
        return Choice(given["n"], None, 100)
    if not uncertain_runs(study):
        raise InvalidInputError("scoring.no_uncertainty")
    return Choice(given["n"], uncertain_run(study, given["run"] or 0), given["floor"] or USUAL_FLOOR)


def _chosen(request: PageRequest, study: Study, choice: Choice) -> HttpResponse:
    batch = draw_and_open(
        study=study,
        tasks=choice.tasks,
        source=choice.source,
        floor=choice.floor / 100,
        actor=Actor.of_request(request),
    )
    told = ngettext(
        "%(count)s task was drawn into %(batch)s, which is open: annotators can take its tasks now.",
        "%(count)s tasks were drawn into %(batch)s, which is open: annotators can take its tasks now.",
        choice.tasks,
    )
    messages.success(request, told % {"count": choice.tasks, "batch": batch})
    return redirect("batch", slug=study.slug, number=batch.number)

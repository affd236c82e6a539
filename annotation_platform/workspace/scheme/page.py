"""A study's scheme, edited: what becomes of the judgments made so far, and the step to the new version.

Counting and migrating are jobs of the worker. The page shows the last one of the study: how far it is, what it
counted, that it is done, or why it failed. What was typed for it stands in the editor until the study has it.
"""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import hints
from annotation_platform.annotations.migrating import changes_to, request_migration
from annotation_platform.annotations.selectors import hint_tallies
from annotation_platform.annotations.services import switch_hints
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes.writing import write_scheme
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin
from annotation_platform.workspace.scheme.editor import SchemeDraft, editor_context, pressed_button, sent_text
from annotation_platform.workspace.scheme.standing import COUNT, MIGRATE, Standing
from workers.tasks import enqueue

AS_IT_IS = "as_it_is"
ON, OFF = "on", "off"


@login_required
@require_http_methods(["GET", "POST"])
def edit_scheme(request: PageRequest, slug: str) -> HttpResponse:
    """The editor with the scheme, or how far its migration is; "count" and "migrate" ask the worker for it.

    htmx sends what is typed and gets what that changes; while a migration is under way it asks how far that is. Below,
    the study's hints: their switch, and what came of them.
    """
    study = study_for_admin(request.user, slug)
    if (hints_are := request.POST.get("hints")) in (ON, OFF):
        switch_hints(study=study, on=hints_are == ON, actor=Actor.of_request(request))
        messages.success(request, _("Hints are on now.") if hints_are == ON else _("Hints are off now."))
        return redirect("edit_scheme", slug=slug)
    standing = Standing.of(study)
    context: dict[str, Any] = {"study": study, "is_admin": True, "standing": standing}
    if request.method == "GET" and standing.is_active:
        return _progress(request, context)
    if request.method == "GET" and request.htmx:
        return HttpResponseClientRefresh()  # it has ended; the editor is back
    typed = standing.typed() if request.method == "GET" and AS_IT_IS not in request.GET else None
    if request.method == "POST":
        text, renamings = sent_text(request), request.POST.get("renamings", "").replace("\r\n", "\n")
    elif typed:
        text, renamings = typed.text, typed.renamings
    else:
        text, renamings = write_scheme(study.scheme_version.definition), ""
    draft = SchemeDraft.of(text)
    step = pressed_button(request)
    context |= {"changes": None, "reasons": [], "renamings": renamings, "is_stored": bool(typed)}
    context["is_changed"] = not draft.mistakes and draft.data != study.scheme_version.definition
    if context["is_changed"]:
        try:
            if step in (COUNT, MIGRATE):
                _request(request, study, draft, renamings, step)
                return redirect("edit_scheme", slug=slug)
            context["changes"] = changes_to(study, draft.data, renamings.splitlines())
        except InvalidInputError as error:
            context["reasons"] = lines_in_language(error)
        except ConflictError as error:  # what was typed stays
            context["reasons"] = [in_language(error)]
    context |= {
        **editor_context(draft, request.POST, study.corpus),
        "is_counted": standing.is_counted and standing.is_about(text, renamings),
        "failed": step in (COUNT, MIGRATE),
    }
    if not request.htmx:
        context |= {"hints": _hints(study), "has_older_scores": _has_older_scores(study, standing)}
    template = "workspace/scheme.html" + ("#checked" if request.htmx else "")
    return render(request, template, context, status=422 if context["failed"] else 200)


def _request(request: PageRequest, study: Study, draft: SchemeDraft, renamings: str, wanted: str) -> None:
    job = request_migration(
        study=study,
        text=draft.text,
        renamings=renamings,
        wanted=wanted,
        requested_by=membership(request.user, study, Role.ADMIN),
        actor=Actor.of_request(request),
    )
    enqueue(job)


def _progress(request: PageRequest, context: dict[str, Any]) -> HttpResponse:
    """How far it is; a page that asks for this part of itself again."""
    context["worker"] = worker_state()
    if request.htmx:
        return render(request, "workspace/scheme.html#live", context)
    return render(request, "workspace/scheme.html", context | {"hints": _hints(context["study"])})


def _has_older_scores(study: Study, standing: Standing) -> bool:
    """Whether nothing was scored since the study got this version."""
    if not (standing.is_done and standing.job and standing.counts and study.scheme().rescale):
        return False
    runs = study.scoring_runs.filter(created_at__gt=standing.job.finished_at)
    return bool(standing.counts.judgments) and not runs.exists()


def _hints(study: Study) -> dict[str, Any]:
    """What came of the hints so far."""
    tallies = [(_(hints.IN_SHORT[tally.reason]), tally) for tally in hint_tallies(study)]
    return {"are_possible": hints.are_possible(study.scheme()), "tallies": tallies}

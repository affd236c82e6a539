"""A study's scheme, edited: what becomes of the judgments made so far, and the step to the new version."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import hints
from annotation_platform.annotations.adoption import Adoption, adopt_scheme, changes_to
from annotation_platform.annotations.selectors import hint_tallies
from annotation_platform.annotations.services import switch_hints
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes.writing import write_scheme
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_admin
from annotation_platform.workspace.scheme.editor import SchemeDraft, editor_context, pressed_button, sent_text

COUNT, ADOPT = "count", "adopt"
ON, OFF = "on", "off"


@login_required
@require_http_methods(["GET", "POST"])
def edit_scheme(request: PageRequest, slug: str) -> HttpResponse:
    """The editor with the scheme; to htmx, what changes; on "count", the counts; on "adopt", the new version.

    Below it, the study's hints: their switch, and what came of them.
    """
    study = study_for_admin(request.user, slug)
    if (hints_are := request.POST.get("hints")) in (ON, OFF):
        switch_hints(study=study, on=hints_are == ON)
        messages.success(request, f"Hints are {hints_are} now.")
        return redirect("edit_scheme", slug=slug)
    step = pressed_button(request)
    stored = write_scheme(study.scheme_version.definition)
    draft = SchemeDraft.of(sent_text(request) if request.method == "POST" else stored)
    renamings = request.POST.get("renamings", "").replace("\r\n", "\n")
    is_changed = not draft.mistakes and draft.data != study.scheme_version.definition
    context: dict[str, Any] = {"changes": None, "adoption": None, "reasons": []}
    if is_changed:
        try:
            context |= _look(study, draft, renamings.splitlines(), step)
        except InvalidInputError as error:
            context["reasons"] = lines_in_language(error)
        except ConflictError as error:  # what was typed stays
            context["reasons"] = [in_language(error)]
    if step == ADOPT and context["adoption"]:
        return _adopted(request, study, context["adoption"])
    context |= {
        **editor_context(draft, request.POST, study.corpus),
        "study": study,
        "is_admin": True,
        "renamings": renamings,
        "is_changed": is_changed,
        "failed": step in (COUNT, ADOPT) and not context["adoption"],
    }
    if not request.htmx:
        context["hints"] = _hints(study)
    template = "workspace/scheme.html" + ("#checked" if request.htmx else "")
    return render(request, template, context, status=422 if context["failed"] else 200)


def _look(study: Study, draft: SchemeDraft, renamings: list[str], step: str) -> dict[str, Any]:
    """What would change, and as far as it was asked for, what it does to the judgments."""
    adoption: Adoption | None = None
    if step in (COUNT, ADOPT):
        adoption = adopt_scheme(study=study, definition=draft.data, renamings=renamings, dry_run=step == COUNT)
    changes = adoption.changes if adoption else changes_to(study, draft.data, renamings)
    return {"changes": changes, "adoption": adoption}


def _hints(study: Study) -> dict[str, Any]:
    """What came of the hints so far."""
    tallies = [(hints.IN_SHORT[tally.reason], tally) for tally in hint_tallies(study)]
    return {"are_possible": hints.are_possible(study.scheme()), "tallies": tallies}


def _adopted(request: PageRequest, study: Study, adoption: Adoption) -> HttpResponse:
    counts = " ".join(adoption.lines)
    messages.success(request, f"The study is under {adoption.version} now. {counts}")
    if study.scheme().rescale and adoption.judgments:
        messages.info(request, "Scores made before are those of the old revisions. Have the study scored again.")
    return redirect("study", slug=study.slug)

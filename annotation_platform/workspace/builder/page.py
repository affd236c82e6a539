"""The study builder: a scheme, a corpus, a few numbers, and the study made of them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.permissions import study_creator
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes.loading import preset_text, preset_titles, presets
from annotation_platform.crowd.pay.planned import agree_as_planned
from annotation_platform.jobs.transactions import DatabaseBusyError
from annotation_platform.studies import building
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import fit_of
from annotation_platform.workspace.builder.forms import StudyForm
from annotation_platform.workspace.planning.forms import PlannedWork
from annotation_platform.workspace.scheme.editor import SchemeDraft, editor_context, pressed_button, sent_text

FIRST_PRESET = "ebr"


@login_required
@require_http_methods(["GET", "POST"])
def build_study(request: PageRequest) -> HttpResponse:
    """The page; to htmx, what is to say of the scheme as it stands now; on "create", the study."""
    user = study_creator(request)
    is_sent = request.method == "POST"
    first = request.GET.get("preset")
    draft = SchemeDraft.of(
        sent_text(request) if is_sent else preset_text(first if first in presets() else FIRST_PRESET)
    )
    initial = {
        name: request.GET.get(name) for name in ("corpus", "overlap", "questions_per_hit") if name in request.GET
    }
    form = StudyForm(request.POST if is_sent else None, user=user, initial=initial, label_suffix="")
    planned = PlannedWork(request.POST if is_sent else request.GET)
    reasons: list[str] = []
    is_creation = pressed_button(request) == "create"
    if is_creation and not draft.mistakes and form.is_valid() and planned.is_valid():
        try:
            study = _create(user, draft, form, planned, Actor.of_request(request))
        except InvalidInputError as error:
            reasons = lines_in_language(error)
        except DatabaseBusyError as error:  # what was typed stays
            reasons = [in_language(error)]
        else:
            told = _("“%(study)s” is there, its batches are drafts. Open one when you are ready.") % {"study": study}
            messages.success(request, told)
            return redirect("study", slug=study.slug)
    corpus = form.chosen_corpus
    context: dict[str, Any] = {
        **editor_context(draft, request.POST, corpus),
        "form": form,
        "planned": planned if planned.says_something else None,
        "shows_form_errors": is_creation,
        "reasons": reasons,
        "corpus": corpus,
        "fit": fit_of(corpus, draft.scheme) if corpus and not draft.mistakes else None,
        "presets": preset_titles(),
    }
    template = "workspace/builder.html" + ("#checked" if request.htmx else "")
    return render(request, template, context, status=422 if is_creation else 200)


def _create(user: User, draft: SchemeDraft, form: StudyForm, planned: PlannedWork, actor: Actor) -> Study:
    """With the minutes and the pay of the plan that it was made from, if it was."""
    settings = dict(form.cleaned_data)
    settings["overlap"] = settings["overlap"] or draft.scheme.judgments_per_item
    pay = None
    if planned.says_something:
        settings["task_minutes"], pay = planned.task_minutes, planned.terms

    def agree(study: Study) -> None:
        if pay is not None:
            agree_as_planned(study=study, pay=pay, actor=actor)

    return building.build_study(owner=user, definition=draft.data, actor=actor, and_then=agree, **settings)

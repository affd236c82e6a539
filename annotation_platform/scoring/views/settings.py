"""The page on which researchers choose who reads the explanations when a batch closes, and with which prompt."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html_join
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import DomainError
from annotation_platform.core.methods.ebr.prompts import PLACEHOLDERS, built_in
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoring.forms import read_budget
from annotation_platform.scoring.methods import run_method, scorer_title
from annotation_platform.scoring.models import Method, Scorer, ScoringSettings
from annotation_platform.scoring.options import typed_as
from annotation_platform.scoring.selectors import offered_scorers
from annotation_platform.scoring.services import runs_beyond_budgets, set_scoring, start_run
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue

DESCRIPTIONS: dict[str, str] = {
    Scorer.DISTILLED: _(
        "A small model that comes with the platform: free, at once, nothing leaves the server. English."
    ),
    Scorer.LANGUAGE_MODEL: _("Any OpenAI-compatible server, by one of the platform's model connections."),
    Scorer.HYBRID: _(
        "The language model reads a tenth, chosen where it matters; a small model learns the rest from it."
    ),
    Scorer.RECORDED: _("The replies that came with imported data."),
}


@login_required
@require_http_methods(["GET", "POST"])
def scoring_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose the scorer and the study's own prompt; what was typed stays when it cannot be used."""
    study = study_for_reader(request.user, slug)
    chosen = ScoringSettings.of(study)
    shown = {
        "scorer": chosen.scorer,
        "connection": chosen.connection,
        "budget": typed_as(chosen.budget),
        "prompt_template": chosen.prompt_template,
    }
    error = ""
    if request.method == "POST":
        shown = {name: request.POST.get(name, "") for name in shown}
        try:
            with transaction.atomic():
                set_scoring(
                    study=study,
                    scorer=shown["scorer"],
                    prompt_template=shown["prompt_template"],
                    connection=shown["connection"],
                    budget=read_budget(shown["budget"]),
                    actor=Actor.of_request(request),
                )
                run = start_run(study=study, actor=Actor.of_request(request)) if "score" in request.POST else None
        except DomainError as refused:
            error = in_language(refused)
        else:
            if run is not None:
                enqueue(run)
            saved = gettext("Saved; the scoring is in the queue.") if run else gettext("Saved for the next scoring.")
            messages.success(request, saved)
            if read_budget(shown["budget"]) is not None and (beyond := runs_beyond_budgets(study)):
                messages.warning(request, in_language(beyond))
            return redirect("study" if run else "scoring_settings", slug=slug)
    context = shown | {
        "study": study,
        "is_admin": membership(request.user, study).role == Role.ADMIN,
        "scorers": [
            (each, scorer_title(each), DESCRIPTIONS[each])
            for each in offered_scorers(study, run_method(Method.EBR).scorers)
        ],
        "connections": run_method(Method.EBR).options_in(study)["connection"],
        "default_template": built_in().text,
        "placeholders": format_html_join(
            gettext(", "), "<code>{}</code>", [(f"{{{{ {name} }}}}",) for name in PLACEHOLDERS]
        ),
        "error": error,
        "rescales": bool(study.scheme().rescale),
    }
    return render(request, "scoring/settings.html", context, status=422 if error else 200)

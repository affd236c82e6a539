"""Where a researcher says which languages a study asks for, and where annotators say which ones they read."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.languages.models import RequiredLanguages, StatedLanguages
from annotation_platform.crowd.languages.services import NAMES, require_languages, state_languages
from annotation_platform.crowd.pages import enter
from annotation_platform.studies.selectors import annotator_in


@login_required
@require_http_methods(["GET", "POST"])
def required(request: PageRequest, slug: str) -> HttpResponse:
    """What the study asks of its annotators."""
    study, context = enter(request, slug, "crowd_languages")
    chosen = RequiredLanguages.objects.filter(study=study).values_list("codes", flat=True).first() or []
    refused = ""
    if request.method == "POST":
        chosen = request.POST.getlist("language")
        try:
            require_languages(study=study, codes=chosen, actor=Actor.of_request(request))
        except InvalidInputError as error:
            refused = in_language(error)
        else:
            messages.success(request, _("Saved. It holds for tasks that are taken from now on."))
            return redirect("crowd_languages", slug=slug)
    context |= {"languages": NAMES.items(), "chosen": chosen, "refused": refused}
    return render(request, "crowd/languages/required.html", context, status=422 if refused else 200)


@login_required
@require_http_methods(["GET", "POST"])
def stated(request: PageRequest, slug: str) -> HttpResponse:
    """What an annotator of the study says they read."""
    member = annotator_in(request.user, slug)
    chosen = StatedLanguages.objects.filter(member=member).values_list("codes", flat=True).first() or []
    refused = ""
    if request.method == "POST":
        chosen = request.POST.getlist("language")
        try:
            state_languages(member=member, codes=chosen, actor=Actor.of_request(request))
        except InvalidInputError as error:
            refused = in_language(error)
        else:
            messages.success(request, _("Saved."))
            return redirect("work")
    context = {"study": member.study, "languages": NAMES.items(), "chosen": chosen, "refused": refused}
    return render(request, "crowd/languages/stated.html", context, status=422 if refused else 200)

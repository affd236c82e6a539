"""The researchers' page of a study's consent text."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.consent.forms import ConsentTextForm
from annotation_platform.crowd.consent.selectors import current_text, tally
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.pages import enter


@login_required
@require_http_methods(["GET", "POST"])
def consent_texts(request: HttpRequest, slug: str) -> HttpResponse:
    """The versions with who agreed to them; on POST a new one."""
    study, context = enter(request, slug, "consent_texts")
    current = current_text(study)
    form = ConsentTextForm(request.POST or None, initial=current.texts if current else None, label_suffix="")
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                text = publish_text(study=study, texts=form.cleaned_data, actor=Actor.of_request(request))
            except InvalidInputError as refused:
                form.add_error(None, in_language(refused))
            else:
                said = _("Version %(number)s holds: annotators read it before their next task.")
                messages.success(request, said % {"number": text.number})
                return redirect("consent_texts", slug=slug)
    context |= {"form": form, "current": current, "versions": tally(study)}
    return render(request, "crowd/consent/texts.html", context, status=status)

"""The annotators' page: read, then agree or not."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.consent.selectors import current_text
from annotation_platform.crowd.consent.services import ConsentChangedError, answer
from annotation_platform.crowd.endings import Ending, end_visit
from annotation_platform.studies.selectors import annotator_in


@login_required
@require_http_methods(["GET", "POST"])
def consent(request: PageRequest, slug: str) -> HttpResponse:
    """The newest text. A yes leads on to the tasks; a no leads back to where somebody came from."""
    member = annotator_in(request.user, slug)
    text = current_text(member.study)
    if text is None:
        raise NotThereError("studies.no_study")
    language = text.language(request.LANGUAGE_CODE or "en")
    given = Consent.objects.filter(member=member, text=text, agreed=True).first()
    context = {"study": member.study, "text": text, "shown": text.text(language), "language": language, "given": given}
    if request.method == "GET" or given:
        return render(request, "crowd/consent/read.html", context)
    said = request.POST.get("said", "")
    if said not in ("yes", "no"):
        context["error"] = in_language(Reason("crowd.consent_not_answered"))
        return render(request, "crowd/consent/read.html", context, status=422)
    actor = Actor.of_request(request)
    try:
        if request.POST.get("version") != str(text.number):
            raise ConsentChangedError("crowd.consent_changed")
        answer(member=member, text=text, agreed=said == "yes", language=request.POST.get("language", ""), actor=actor)
    except ConsentChangedError as changed:
        context["error"] = in_language(changed)
        return render(request, "crowd/consent/read.html", context, status=409)
    if said == "yes":
        return redirect("work")
    context["back"] = end_visit(member, Ending.NO_CONSENT, actor=actor)
    return render(request, "crowd/consent/declined.html", context)

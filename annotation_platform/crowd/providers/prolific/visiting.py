"""The annotators' pages of a visit from Prolific: arriving, and going back."""

from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import ConflictError, NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.languages import LANGUAGES
from annotation_platform.crowd.consent.models import ConsentText
from annotation_platform.crowd.consent.selectors import current_text, missing_text
from annotation_platform.crowd.consent.services import ConsentChangedError
from annotation_platform.crowd.endings import Ending, earned_by
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.signing import arrival_of, ticket_for
from annotation_platform.crowd.providers.prolific.visits import (
    Arrival,
    arrive,
    connection_of,
    decline,
    end,
    ending_of,
    known_member,
    open_visit,
    tasks_done,
    way_back,
)
from annotation_platform.studies.eligibility import Moment, refusal
from annotation_platform.studies.models import Member, Role
from annotation_platform.studies.selectors import task_time


class TooManyArrivalsError(ConflictError):
    """So many arrived from one address in a minute that it looks like a program."""


@require_http_methods(["GET", "POST"])
def arriving(request: HttpRequest, token: str) -> HttpResponse:
    """What the study is and what one agrees to; on a yes in, on a no back, with nothing stored of who is new."""
    connection = connection_of(token)
    study, language = connection.study, (get_language() or "en").split("-")[0]
    sent = (request.POST if request.method == "POST" else request.GET).dict()
    arrival = arrival_of(connection, sent, host=request.get_host())
    member = known_member(connection, arrival)
    text = current_text(study) if member is None else missing_text(member)
    context = {
        "study": study,
        "scheme": study.scheme(language if language in LANGUAGES else "en"),
        "time": task_time(study),
        "arrival": arrival,
        "ticket": ticket_for(connection, arrival),
        "wanted": connection.tasks_wanted,
        "comes_back": member is not None,
        "text": text,
        "shown": text.text(language) if text else "",
        "language": text.language(language) if text else "",
    }
    if request.method == "GET":
        return render(request, "crowd/prolific/arriving.html", context)
    said = request.POST.get("said", "")
    if text is not None and said not in ("yes", "no"):
        context["error"] = in_language(Reason("crowd.consent_not_answered"))
        return render(request, "crowd/prolific/arriving.html", context, status=422)
    try:
        if text is not None and request.POST.get("version") != str(text.number):
            raise ConsentChangedError("crowd.consent_changed")
        if text is not None and said == "no":
            return _declined(request, connection, arrival, member, text)
        if not ratelimit.consume(request, action="signup"):
            raise TooManyArrivalsError("studies.too_many_join")
        member = arrive(
            connection=connection,
            arrival=arrival,
            agreed_to=text,
            language=request.POST.get("language", ""),
            actor=Actor.of_request(request),
        )
    except ConsentChangedError as changed:
        context["error"] = in_language(changed)
        return render(request, "crowd/prolific/arriving.html", context, status=409)
    assert member.user is not None
    login(request, member.user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect("work")


def _declined(
    request: HttpRequest, connection: ProlificStudy, arrival: Arrival, member: Member | None, text: ConsentText
) -> HttpResponse:
    """The way back after a no, which is kept of who was here before, in the language in which they read the text."""
    if member is not None:
        language, actor = request.POST.get("language", ""), Actor.of_request(request)
        decline(member=member, arrival=arrival, text=text, language=language, actor=actor)
    context = {"study": connection.study, "back": way_back(connection, Ending.NO_CONSENT)}
    return render(request, "crowd/consent/declined.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def leaving(request: PageRequest, slug: str) -> HttpResponse:
    """How far a visit is, and the way back with its code once it is at its end."""
    member = Member.objects.filter(study__slug=slug, user=request.user.pk, role=Role.ANNOTATOR).first()
    visit = open_visit(member) if member else None
    if member is None or visit is None:
        raise NotThereError("studies.no_study")
    ending = ending_of(visit)
    context: dict[str, Any] = {
        "study": member.study,
        "visit": visit,
        "ending": ending,
        "done": tasks_done(visit),
        "wanted": visit.connection.tasks_wanted,
        "why": refusal(member, Moment.TAKING),
        "earned": earned_by(member),
    }
    if context["why"] is not None:
        context["why"] = in_language(context["why"])
    if request.method == "POST" and ending is not None:
        context["back"] = end(member, ending, Actor.of_request(request))
        context["is_over"] = True
    return render(request, "crowd/prolific/leaving.html", context)


def way_out(member: Member) -> str | None:
    """The page by which somebody from Prolific goes back, also from a round of the study that they came to."""
    who = member.in_main_study()
    return reverse("prolific_leaving", args=[who.study.slug]) if open_visit(who) else None

"""Where a study's scores go back to, one destination with its preview and log, and what is done with it; for admins."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError, NotThereError
from annotation_platform.jobs.rows import ACTIVE
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.scoreback import services
from annotation_platform.scoreback.destinations.registry import DESTINATIONS
from annotation_platform.scoreback.forms import DestinationForm
from annotation_platform.scoreback.models import ScoreDestination
from annotation_platform.scoreback.previewing import preview_of
from annotation_platform.scoreback.scores import traced_candidates
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin
from workers.tasks import enqueue

PER_PAGE = 50
SENDINGS_SHOWN = 5


@login_required
@never_cache
@require_safe
def scores_back(request: PageRequest, slug: str) -> HttpResponse:
    """All programs that scores can go back to, and which of them know traces of the study."""
    study = study_for_admin(request.user, slug)
    there = {each.program: each for each in study.score_destinations.all()}
    rows = [(program, traced_candidates(study, key).count(), there.get(key)) for key, program in DESTINATIONS.items()]
    return render(request, "scoreback/destinations.html", {"study": study, "is_admin": True, "programs": rows})


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def score_destination(request: PageRequest, slug: str, program: str) -> HttpResponse:
    """One destination: setting it up, what would go now, sending it, and the log."""
    study = study_for_admin(request.user, slug)
    if program not in DESTINATIONS:
        raise NotThereError("scoreback.no_destination")
    destination = study.score_destinations.filter(program=program).first()
    sent = request.POST if request.method == "POST" else None
    form = DestinationForm(sent, study=study, program=DESTINATIONS[program], destination=destination)
    if sent is not None and form.is_valid():
        try:
            services.save_destination(
                study=study,
                program=program,
                made_under=request.POST.get("scheme", ""),
                actor=Actor.of_request(request),
                **form.cleaned_data,
            )
        except DomainError as refused:
            if isinstance(refused, ConflictError):  # the aspects that were chosen can be others by now
                form = _with_present_aspects(request, study, program)
            form.add_error(None, in_language(refused))
        else:
            messages.success(request, _("Saved. Nothing is sent before you press the button."))
            return redirect("score_destination", slug=slug, program=program)
    context = _context(request, study, destination) | {"program": DESTINATIONS[program], "form": form}
    if request.htmx:
        return render(request, "scoreback/destination.html#live", context)
    return render(request, "scoreback/destination.html", context, status=422 if form.errors else 200)


def _with_present_aspects(request: PageRequest, study: Study, program: str) -> DestinationForm:
    """What was typed, but for the aspects: those that go by now, after a migration of the scheme."""
    destination = study.score_destinations.filter(program=program).first()
    sent = request.POST.copy()
    sent.setlist("aspects", [] if destination is None else list(destination.aspects))
    return DestinationForm(sent, study=study, program=DESTINATIONS[program], destination=destination)


def _context(request: PageRequest, study: Study, destination: ScoreDestination | None) -> dict[str, Any]:
    context: dict[str, Any] = {"study": study, "is_admin": True, "destination": destination, "worker": worker_state()}
    if destination is None:
        return context
    sendings = list(destination.sendings.select_related("requested_by")[:SENDINGS_SHOWN])
    log = Paginator(destination.scores.all(), PER_PAGE).get_page(request.GET.get("page"))
    is_live = any(each.status in ACTIVE for each in sendings)
    is_unfinished = any(each.status in services.UNFINISHED for each in sendings)
    context |= {"sendings": sendings, "log": log, "is_live": is_live, "is_unfinished": is_unfinished}
    return context if request.htmx else context | {"preview": preview_of(destination)}


@login_required
@require_POST
def change_score_sending(request: PageRequest, slug: str, program: str) -> HttpResponse:
    """Begin to send, go on, stop, or delete the destination."""
    destination = services.destination_of(study_for_admin(request.user, slug), program)
    try:
        said = _do(request, destination, request.POST.get("step", ""))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        messages.success(request, said)
    return redirect("score_destination", slug=slug, program=program)


def _do(request: PageRequest, destination: ScoreDestination, step: str) -> str:
    actor = Actor.of_request(request)
    if step == "send":
        admin = membership(request.user, destination.study, Role.ADMIN)
        enqueue(services.request_sending(destination=destination, requested_by=admin, actor=actor))
        return _("The scores are on their way.")
    if step == "delete":
        services.delete_destination(destination=destination, actor=actor)
        return _("The key and the log are deleted. What was sent stays there.")
    sending = destination.sendings.first()
    if sending is None or step not in ("resume", "stop"):
        raise InvalidInputError("scoreback.no_such_step")
    if step == "stop":
        services.stop_sending(sending=sending, actor=actor)
        return _("Stopped. What was sent stays there.")
    services.resume_sending(sending=sending, actor=actor)
    enqueue(sending)
    return _("It goes on.")

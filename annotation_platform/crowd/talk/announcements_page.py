"""The researchers' page of announcements: what annotators are told, and how many have put it away."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce, end_announcement
from annotation_platform.studies.models import Study

ENDED_PER_PAGE = 20


@login_required
@require_http_methods(["GET", "POST"])
def announcements(request: PageRequest, slug: str) -> HttpResponse:
    """What is shown now, what was, and a form for one more."""
    study, context = enter(request, slug, "crowd_announcements")
    if request.method == "POST":
        text, by_mail, chosen = request.POST.get("text", ""), "by_mail" in request.POST, request.POST.get("audience")
        audience = Audience(chosen) if chosen in Audience.values else Audience.ALL
        actor = Actor.of_request(request)
        try:
            announce(author=context["member"], text=text, audience=audience, by_mail=by_mail, actor=actor)
        except InvalidInputError as error:
            typed = {"text": text, "by_mail": by_mail, "audience": audience}
            context |= {"error": in_language(error), "typed": typed}
            return _page(request, study, context, status=422)
        messages.success(request, _("Announced. Annotators see it from now on."))
        return redirect("crowd_announcements", slug=slug)
    return _page(request, study, context | {"typed": {"audience": Audience.ALL}})


@login_required
@require_POST
def end(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Show an announcement to nobody any more."""
    study, _context = enter(request, slug, "crowd_announcements")
    announcement = study.announcements.filter(pk=pk).first()
    if announcement is None:
        raise NotThereError("crowd.no_announcement")
    end_announcement(announcement=announcement, actor=Actor.of_request(request))
    messages.success(request, _("Nobody sees it any more."))
    return redirect("crowd_announcements", slug=slug)


def _page(request: PageRequest, study: Study, context: dict[str, Any], status: int = 200) -> HttpResponse:
    counted = study.announcements.annotate(
        addressed=Count("receipts"), dismissed=Count("receipts", filter=Q(receipts__dismissed_at__isnull=False))
    )
    ended = Paginator(counted.filter(ended_at__isnull=False).order_by("-ended_at"), ENDED_PER_PAGE)
    context |= {
        "shown": counted.filter(ended_at=None).order_by("-pk"),
        "ended": ended.get_page(request.GET.get("page")),
        "audiences": Audience.choices,
    }
    return render(request, "crowd/talk/announcements.html", context, status=status)

"""Annotators' pages: their messages, words to the researchers of a study, announcements, frequent questions."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.services import send_message_about_study
from annotation_platform.annotations.threads import Thread, mark_read
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.talk import selectors
from annotation_platform.crowd.talk.services.announcements import dismiss_announcement
from annotation_platform.studies.models import Member

THREADS_PER_PAGE = 20


@login_required
@require_safe
def my_messages(request: PageRequest) -> HttpResponse:
    """All threads of a person, those with something unread first."""
    page = Paginator(selectors.threads_of_annotator(request.user), THREADS_PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "threads": selectors.filled(page), "members": list(selectors.annotates(request.user))}
    return render(request, "crowd/talk/my_messages.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def my_study_messages(request: PageRequest, slug: str) -> HttpResponse:
    """What an annotator and the researchers of a study say to each other about no task; open to who left, too."""
    member = selectors.as_annotator_now_or_before(request.user, slug)
    context: dict[str, Any] = {"member": member, "reader": member, "study": member.study, "text": ""}
    status = 200
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            send_message_about_study(annotator=member, author=member, text=text, actor=Actor.of_request(request))
        except InvalidInputError as error:
            context |= {"error": in_language(error), "text": text}
            status = 422
        else:
            if not request.htmx:
                return redirect("my_study_messages", slug=slug)
    context["thread"] = list(Thread(member).words)
    mark_read(context["thread"], member)
    template = "crowd/talk/my_study_messages.html" + ("#thread" if request.htmx else "")
    return render(request, template, context, status=status)


@login_required
@require_POST
def dismiss(request: PageRequest, pk: int) -> HttpResponse:
    """Put an announcement away; what comes back to htmx is nothing, which takes its place."""
    announcement = selectors.announcements_to(request.user).filter(pk=pk).first()
    if announcement is None:
        raise NotThereError("crowd.no_announcement")
    member = Member.objects.get(study=announcement.study_id, user=request.user.pk)
    dismiss_announcement(announcement=announcement, member=member)
    if request.htmx:
        return HttpResponse()
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return redirect(back if is_ours else "work")


@login_required
@require_safe
def faq(request: PageRequest, slug: str) -> HttpResponse:
    """The frequent questions of a study; ``q`` narrows them down."""
    study = selectors.as_annotator_now_or_before(request.user, slug).study
    search = request.GET.get("q", "").strip()
    found = selectors.faq_of(study, get_language() or "", search)
    context = {"study": study, "faq": found, "search": search, "count": study.faq.count()}
    return render(request, "crowd/talk/faq.html" + ("#found" if request.htmx else ""), context)

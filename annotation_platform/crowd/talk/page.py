"""The researchers' inbox: all threads of a study, answered in place."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.services import settle_thread
from annotation_platform.annotations.threads import mark_read
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.talk import selectors
from annotation_platform.crowd.talk.selectors import ThreadRow
from annotation_platform.crowd.talk.services.threads import write_in
from annotation_platform.studies.models import Role

THREADS_PER_PAGE = 20
FILTERS = {"only": ("waiting", "unread"), "about": ("task", "study")}


@login_required
@require_safe
def inbox(request: PageRequest, slug: str) -> HttpResponse:
    """The threads of a study about tasks and about none, those that wait for an answer first."""
    study, context = enter(request, slug, "crowd_messages")
    chosen = {key: request.GET.get(key, "") for key in FILTERS}
    chosen = {key: value if value in FILTERS[key] else "" for key, value in chosen.items()}
    search = request.GET.get("q", "").strip()
    threads = selectors.threads_of_study(study, context["member"], **chosen, search=search)
    page = Paginator(threads, THREADS_PER_PAGE).get_page(request.GET.get("page"))
    rows = selectors.filled(page)
    query = {key: value for key, value in (chosen | {"q": search}).items() if value}
    context |= chosen | {
        "rows": rows,
        "found": page,
        "search": search,
        "query": f"&{urlencode(query)}" if query else "",
        "is_narrowed": bool(query),
        "annotators": study.members.filter(role=Role.ANNOTATOR).order_by("pseudonym"),
        "reader": context["member"],
    }
    response = render(request, "crowd/talk/inbox.html", context)
    mark_read([word for row in rows if row.unread for word in row.words], context["member"])
    return response


@login_required
@require_safe
def write_to(request: PageRequest, slug: str) -> HttpResponse:
    """The thread about the study of the annotator whose pseudonym was chosen."""
    study, _context = enter(request, slug, "crowd_messages")
    name = request.GET.get("name", "").strip()
    member = study.members.filter(role=Role.ANNOTATOR, pseudonym=name).first()
    if member is None:
        messages.error(request, in_language(InvalidInputError("crowd.no_such_annotator", name=name)))
        return redirect("crowd_messages", slug=slug)
    return redirect("crowd_thread", slug=slug, annotator=member.pk, assignment=0)


@login_required
@require_http_methods(["GET", "POST"])
def thread(request: PageRequest, slug: str, annotator: int, assignment: int) -> HttpResponse:
    """One thread, also one that nothing was said in yet; ``assignment`` 0 is about the study."""
    study, context = enter(request, slug, "crowd_messages")
    one = selectors.thread_in(study, annotator, assignment)
    status = 200
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            write_in(one, author=context["member"], text=text, actor=Actor.of_request(request))
        except InvalidInputError as error:
            context |= {"error": in_language(error), "text": text}
            status = 422
        else:
            if not request.htmx:
                return redirect("crowd_thread", slug=slug, annotator=annotator, assignment=assignment)
    words = list(one.words)
    mark_read(words, context["member"])
    waits = sum(each.needs_answer for each in words)
    context |= {"row": ThreadRow(one.annotator, one.assignment, waits, 0, words), "reader": context["member"]}
    return render(request, "crowd/talk/thread.html" + ("#answered" if request.htmx else ""), context, status=status)


@login_required
@require_POST
def settle(request: PageRequest, slug: str, annotator: int, assignment: int) -> HttpResponseRedirect:
    """Let a thread wait no more without an answer, and go back to the list as it was."""
    study, _context = enter(request, slug, "crowd_messages")
    one = selectors.thread_in(study, annotator, assignment)
    settle_thread(annotator=one.annotator, assignment=one.assignment, actor=Actor.of_request(request))
    words = _("The message of %(name)s waits for no answer any more.") % {"name": one.annotator}
    messages.success(request, words)
    return redirect(reverse("crowd_messages", args=[slug]))

"""The monitor: its table, which renews itself, and one annotator with the signs in their work."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.checks.overview import told_left_aside
from annotation_platform.crowd.monitor.jobs import look
from annotation_platform.crowd.monitor.selectors import (
    SORTS,
    annotator_in,
    annotators,
    last_failure,
    signs_of,
    table,
)
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.review.selectors import aside_by_exclusion, in_closed_batches
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.studies import services
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Study
from annotation_platform.studies.protection import why_kept
from workers.tasks import enqueue

POLL_SECONDS = 15
FIRST_POLL_SECONDS = 2  # while the first figures are being computed


@login_required
@require_safe
def monitor(request: PageRequest, slug: str) -> HttpResponse:
    """Everybody with what they do at this moment; asked for by the page itself, the table alone."""
    study, context = enter(request, slug, "monitor")
    sort = request.GET.get("sort", "-signs")
    sort = sort if sort.removeprefix("-") in SORTS else "-signs"
    needs_look, at_work = "look" in request.GET, "work" in request.GET
    _look(study)
    rows = annotators(study, sort=sort, needs_look=needs_look, at_work=at_work)
    page = request.GET.get("page", "1")
    kept = {"sort": sort} | ({"look": "1"} if needs_look else {}) | ({"work": "1"} if at_work else {})
    shown = table(study, rows, page)
    is_measured = shown.watch is not None and shown.watch.measured_at is not None
    worker = None if is_measured else worker_state()
    comes_soon = worker is not None and worker.is_running and shown.failure is None
    context |= {
        "table": shown,
        "sort": sort,
        "needs_look": needs_look,
        "at_work": at_work,
        "kept": urlencode({key: value for key, value in kept.items() if key != "sort"}),
        "pages_query": f"&{urlencode(kept)}",
        "query": urlencode(kept | {"page": page}),
        "poll": FIRST_POLL_SECONDS if comes_soon else POLL_SECONDS,
        "worker": worker,
    }
    return render(request, f"crowd/monitor/monitor.html{'#table' if request.htmx else ''}", context)


@login_required
@require_safe
def watched_annotator(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One annotator: signs with their evidence, and what can be done."""
    return _page(request, slug, pk)


@login_required
@require_POST
def act(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Exclude, readmit, give more time or free the task under way, as the button says that was pressed."""
    study, _ = enter(request, slug, "monitor")
    member = annotator_in(study, pk)
    try:
        messages.success(request, _done(request, member))
    except DomainError as refused:
        return _page(request, slug, pk, error=in_language(refused), because=request.POST.get("because", ""), status=422)
    return redirect("watched_annotator", slug=slug, pk=pk)


def _look(study: Study) -> None:
    if (first := look(study)) is not None:
        enqueue(first)


def _done(request: PageRequest, member: Member) -> str:
    actor, pressed = Actor.of_request(request), request.POST.get("action")
    if pressed == "exclude":
        keep = "keep_work" in request.POST
        services.exclude_member(member=member, because=request.POST.get("because", ""), keep_work=keep, actor=actor)
        return _excluded(member)
    if pressed == "readmit":
        count = services.readmit_member(member=member, actor=actor)
        said = gettext("%(member)s takes part again. Tasks that count again: %(count)s.")
        return " ".join(filter(None, (said % {"member": member, "count": count}, told_left_aside(member))))
    place = _held(member)
    if place is None or pressed not in ("extend", "reopen"):
        raise InvalidInputError("studies.assignment_not_held")
    if pressed == "extend":
        minutes = typed_number(request.POST.get("minutes")) or 0
        services.extend_lease(assignment=place, minutes=minutes, actor=actor)
        return gettext("%(member)s has more time now.") % {"member": member}
    if not services.return_assignment(assignment=place, annotator=member, actor=actor):
        raise InvalidInputError("studies.assignment_not_held")
    return gettext("The task is free again. %(member)s keeps what they typed as drafts.") % {"member": member}


def _excluded(member: Member) -> str:
    """What becomes of the places of somebody's work, also after a second click: those in closed batches are open to
    nobody.
    """
    asides = aside_by_exclusion(member)
    closed = in_closed_batches(asides)
    in_closed = sum(closed.values())
    said = gettext("%(member)s is excluded. Tasks set aside, open to others now: %(count)s.")
    told = said % {"member": member, "count": asides.count() - in_closed}
    if not closed:
        return told
    more = gettext("Tasks set aside in closed batches: %(count)s. Open batch %(numbers)s again to have them judged.")
    said = more % {"count": in_closed, "numbers": ", ".join(map(str, closed))}
    batches = member.study.batches.filter(number__in=closed).order_by("number")
    kept = (why_kept(member.study, batch) for batch in batches)
    return " ".join([told, said, *(in_language(why) for why in kept if why is not None)])


def _held(member: Member) -> Assignment | None:
    """The place that they took last, of those that they have not submitted."""
    claimed = member.assignments.filter(state=AssignmentState.CLAIMED)
    return claimed.select_related("hit__batch__study").order_by("-claimed_at").first()


def _page(
    request: PageRequest, slug: str, pk: int, *, error: str = "", because: str = "", status: int = 200
) -> HttpResponse:
    study, context = enter(request, slug, "monitor")
    member = annotator_in(study, pk)
    _look(study)
    context |= {
        "annotator": member,
        "failure": last_failure(study),
        "figures": getattr(member, "figures", None),
        "signs": signs_of(member),
        "held": _held(member),
        "error": error,
        "because": because,
    }
    return render(request, "crowd/monitor/annotator.html", context, status=status)

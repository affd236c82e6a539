"""The researcher's pages of submitted work: what waits, one piece of it, many approved at once, appeals."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.review import services
from annotation_platform.crowd.review.models import ReviewState
from annotation_platform.crowd.review.selectors import (
    counts_of,
    left_aside,
    reviews_of,
    submission_in,
    waiting_for_review,
    work_on_items,
)
from annotation_platform.studies.models import FINISHED_STATES, Batch, Member, Role, Study
from annotation_platform.studies.protection import why_kept

PER_PAGE = 50


@login_required
@require_safe
def reviews(request: PageRequest, slug: str) -> HttpResponse:
    """The work that stands so, of everybody or of one annotator."""
    study, context = enter(request, slug, "reviews")
    given = request.GET.get("state", "")
    state = ReviewState(given) if given in ReviewState.values else ReviewState.WAITING
    annotator = _annotator(study, request.GET.get("annotator", ""))
    rows: QuerySet[Any] = (
        waiting_for_review(study, annotator=annotator)
        if state == ReviewState.WAITING
        else reviews_of(study, state, annotator=annotator)
    )
    counts = counts_of(study)
    asides = left_aside(study, annotator=annotator)[:PER_PAGE] if state == ReviewState.WAITING else []
    context |= {
        "states": [(each, each.label, counts[each]) for each in ReviewState],
        "state": state,
        "annotator": annotator,
        "annotators": study.members.filter(role=Role.ANNOTATOR).order_by("pseudonym"),
        "rows": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "asides": asides,
        "query": f"&{urlencode({'state': state, 'annotator': annotator.pk if annotator else ''})}",
    }
    return render(request, "crowd/review/reviews.html", context)


@login_required
@require_POST
def approve_many(request: PageRequest, slug: str) -> HttpResponse:
    """Ask with the counts, then approve all that wait, of everybody or of one annotator."""
    study, context = enter(request, slug, "reviews")
    annotator = _annotator(study, request.POST.get("annotator", ""))
    waiting = list(waiting_for_review(study, annotator=annotator))
    confirmed = request.POST.get("confirmed", "")
    back = reverse("reviews", args=[slug])
    if not waiting:
        messages.info(request, _("Nothing waits for review."))
        return redirect(back)
    if confirmed == str(len(waiting)):
        count = services.approve_many(assignments=waiting, by=context["member"], actor=Actor.of_request(request))
        words = ngettext("%(count)s task approved.", "%(count)s tasks approved.", count) % {"count": count}
        messages.success(request, words)
        return redirect(back)
    if (then := typed_number(confirmed)) is not None:
        changed = InvalidInputError("crowd.counts_changed", now=len(waiting), then=then)
        messages.error(request, in_language(changed))
    people = {each.annotator_id for each in waiting}
    context |= {"annotator": annotator, "count": len(waiting), "people": len(people)}
    return render(request, "crowd/review/approve_many.html", context)


@login_required
@require_safe
def review(request: PageRequest, slug: str, pk: int, member: int) -> HttpResponse:
    return _page(request, slug, pk, member)


@login_required
@require_POST
def decide(request: PageRequest, slug: str, pk: int, member: int) -> HttpResponse:
    """Approve, reject, or settle the appeal against a rejection, as the button says that was pressed."""
    study, context = enter(request, slug, "reviews")
    found = submission_in(study, pk, member)
    actor, by = Actor.of_request(request), context["member"]
    because, pressed = request.POST.get("because", ""), request.POST.get("decision", "")
    seen = _seen(request.POST.get("seen", ""))
    try:
        if pressed == "approve":
            if found.aside is not None:
                services.approve_aside(aside=found.aside, by=by, actor=actor)
            else:
                services.check_theirs(found)
                services.approve(assignment=found.assignment, by=by, seen=seen, actor=actor)
            messages.success(request, _("The work is approved."))
        elif pressed == "reject":
            services.check_theirs(found)
            services.reject(assignment=found.assignment, because=because, by=by, seen=seen, actor=actor)
            messages.success(request, _rejected(found.assignment.hit.batch))
        elif pressed in ("accept", "refuse") and found.review is not None:
            counts = services.decide_appeal(
                review=found.review, accept=pressed == "accept", note=because, by=by, actor=actor
            )
            messages.success(request, _settled(accepted=pressed == "accept", counts=counts))
        else:
            raise InvalidInputError("crowd.no_appeal")
    except DomainError as refused:
        return _page(request, slug, pk, member, error=in_language(refused), because=because, status=422)
    return redirect("review", slug=slug, pk=pk, member=member)


def _rejected(batch: Batch) -> str:
    if batch.state not in FINISHED_STATES:
        return _("The work is rejected. It is kept, counts no more, and its place is open again.")
    said = _(
        "The work is rejected. It is kept and counts no more. Batch %(number)s is closed: open it again to have the "
        "task judged by somebody else."
    )
    why = why_kept(batch.study, batch)
    return said % {"number": batch.number} + ("" if why is None else f" {in_language(why)}")


def _settled(*, accepted: bool, counts: bool) -> str:
    if not accepted:
        return _("The appeal is turned down.")
    if counts:
        return _("The appeal is accepted: the work is approved and counts again.")
    return _("The appeal is accepted: the work is approved. It stays aside, since it cannot have its place again.")


def _page(
    request: PageRequest, slug: str, pk: int, member: int, *, error: str = "", because: str = "", status: int = 200
) -> HttpResponse:
    study, context = enter(request, slug, "reviews")
    found = submission_in(study, pk, member)
    work = work_on_items(found, interface_language())
    context |= {
        "submission": found,
        "work": work,
        "seen": max((each.judgment.annotation.created_at for each in work if each.judgment), default=None),
        "error": error,
        "because": because,
    }
    return render(request, "crowd/review/review.html", context, status=status)


def _seen(typed: str) -> datetime | None:
    """When the newest judgment was made on the page from which somebody decides."""
    try:
        seen = parse_datetime(typed)
    except ValueError:
        return None
    return seen if seen is not None and is_aware(seen) else None


def _annotator(study: Study, key: str) -> Member | None:
    return study.members.filter(pk=typed_number(key) or 0, role=Role.ANNOTATOR).first()

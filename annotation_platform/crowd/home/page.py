"""The annotator's home: their studies with what waits, tasks under way, closed and submitted, and the topics' cards."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import forms, selectors
from annotation_platform.crowd.home.cards import cards_of
from annotation_platform.crowd.home.selectors import idle_drafts, offers_for, set_aside_of
from annotation_platform.crowd.review.selectors import states_of
from annotation_platform.studies.models import AssignmentState, in_hand

SUBMITTED_PER_PAGE, SET_ASIDE_SHOWN, LATE_SHOWN = 20, 20, 10


@login_required
@require_safe
def home(request: PageRequest) -> HttpResponse:
    """The annotator's studies with what waits, tasks under way, and those submitted."""
    submitted = selectors.assignments_of(request.user, AssignmentState.SUBMITTED).order_by("-submitted_at", "-pk")
    page = Paginator(submitted, SUBMITTED_PER_PAGE).get_page(request.GET.get("page"))
    states = states_of(page.object_list)
    for each in page:
        each.review_state = states[each.pk]
    held = selectors.assignments_of(request.user, AssignmentState.CLAIMED).order_by("claimed_at")
    under_way = list(held.filter(in_hand()))
    language = forms.interface_language()
    return render(
        request,
        "crowd/home/home.html",
        {
            "studies": offers_for(request.user, language),
            "changes": selectors.changes_of(request.user),
            "late": selectors.late_work_of(request.user)[:LATE_SHOWN],
            "under_way": under_way,
            "unfinished": held.exclude(pk__in=[each.pk for each in under_way]),
            "submitted": page,
            "set_aside": set_aside_of(request.user)[:SET_ASIDE_SHOWN],
            "idle_drafts": idle_drafts(request.user),
            "nothing_in": request.GET.get("nothing"),
            "cards": list(cards_of(request)),
        },
    )

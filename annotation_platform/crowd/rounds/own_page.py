"""The annotator's qualifications: which rounds there are, beginning one, and what came of an attempt."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.annotations.selectors import assignments_of, has_judged_before
from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.crowd.rounds.own_result import own_result
from annotation_platform.crowd.rounds.selectors import own_attempt, own_round, rounds_of
from annotation_platform.studies.models import Assignment, AssignmentState, Role
from annotation_platform.studies.steps import next_step


@login_required
@require_safe
def my_rounds(request: PageRequest) -> HttpResponse:
    """The rounds of the studies that somebody annotates, and how they stand in them."""
    attempts = (
        Attempt.objects.filter(member__user=request.user.pk, member__role=Role.ANNOTATOR)
        .exclude(verdict=Verdict.PENDING, finished_at=None)
        .select_related("round__study__qualifies_for")
        .order_by("-finished_at")
    )
    context = {"own_rounds": rounds_of(request.user), "attempts": attempts}
    return render(request, "crowd/rounds/my_rounds.html", context)


@login_required
@require_POST
def begin(request: PageRequest, pk: int) -> HttpResponse:
    """Begin a round, or go on in it; the first task of all opens with the instructions.

    What the study asks for before its tasks, as consent, comes before those of its rounds too.
    """
    round_, member = own_round(request.user, pk)
    holds_one = Assignment.objects.in_hand().filter(annotator__user=request.user.pk, hit__batch__study=round_.study_id)
    if not holds_one.exists() and (step := next_step(member)):
        return redirect(step)
    try:
        place = services.begin_attempt(round_=round_, member=member, actor=Actor.of_request(request))
    except ConflictError as refused:
        messages.error(request, in_language(refused))
        return redirect("my_rounds")
    if place.annotator is not None and not has_judged_before(place.annotator):
        return redirect("instructions", pk=place.pk)
    task = assignments_of(request.user, AssignmentState.CLAIMED).get(pk=place.pk)
    return redirect("judge", pk=task.pk, position=task.next_position)


@login_required
@require_safe
def my_attempt(request: PageRequest, pk: int) -> HttpResponse:
    """What came of an attempt: the verdict with its notes, and the accepted answers where the round shows them."""
    attempt = own_attempt(request.user, pk)
    round_ = attempt.round
    found = own_result(attempt, interface_language())
    context = {
        "attempt": attempt,
        "round": round_,
        "study": round_.study.qualifies_for,
        "standing": found.standing,
        "items": found.items,
        "shows_answers": found.shows_answers,
    }
    return render(request, "crowd/rounds/my_attempt.html", context)

"""The annotator's way around the questions: taking a task, the instructions, the end, and words to the researcher."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages as notes
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import forms, selectors, services
from annotation_platform.annotations.stops import next_stop
from annotation_platform.annotations.taking import give_back_task, take_task
from annotation_platform.annotations.threads import Thread, mark_read, thread_of_task
from annotation_platform.annotations.views.judge import more_minutes, on_from, why_not
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.eligibility import Moment, NotEligibleError, refusal
from annotation_platform.studies.models import AssignmentState
from annotation_platform.studies.selectors import annotator_in
from annotation_platform.studies.services import NothingToClaimError, lengthen_lease
from annotation_platform.studies.steps import next_step, way_out


@login_required
@require_POST
def take(request: PageRequest, slug: str) -> HttpResponse:
    """Give the annotator an assignment; the first one of all opens with the instructions."""
    member = annotator_in(request.user, slug)
    if not member.assignments.in_hand().exists() and (step := next_step(member)):
        return redirect(step)
    try:
        assignment = take_task(annotator=member, actor=Actor.of_request(request))
    except (NothingToClaimError, NotEligibleError) as refused:
        if member.study.is_round:  # which is none of the studies of that page, where the others say which it was
            notes.error(request, in_language(refused))
            return redirect("my_rounds")
        return redirect(f"{reverse('work')}?nothing={slug}")
    if (stop := next_stop(member)) is not None:
        return redirect(stop)
    if not selectors.has_judged_before(member):
        return redirect("instructions", pk=assignment.pk)
    task = selectors.assignments_of(request.user, AssignmentState.CLAIMED).get(pk=assignment.pk)
    return redirect("judge", pk=task.pk, position=task.next_position)


@login_required
@require_http_methods(["GET", "POST"])
def give_back(request: PageRequest, pk: int) -> HttpResponse:
    """Ask, then free an assignment for somebody else; what was done stays the annotator's, if they take it again."""
    held = selectors.held_assignment(request.user, pk)
    if request.method == "GET":
        task = selectors.assignments_of(request.user, AssignmentState.CLAIMED).filter(pk=pk).first()
        return render(request, "annotations/give_back.html", {"task": task}) if task else redirect("work")
    give_back_task(assignment=held.assignment, annotator=held.annotator, actor=Actor.of_request(request))
    notes.success(request, _("You gave the task back. What you did in it is kept, should you take it again."))
    return redirect("work")


@login_required
@require_POST
def more_time(request: PageRequest, pk: int) -> HttpResponse:
    """Lengthen the annotator's time for a task, as often as the study allows; the answer is how it stands now."""
    held = selectors.held_assignment(request.user, pk, proof=request.POST.get("holder", ""))
    no_more_time = ""
    try:
        lengthen_lease(
            assignment=held.assignment,
            annotator=held.annotator,
            extensions=forms.version_from(request.POST.get("extensions", "")),
            actor=Actor.of_request(request),
        )
    except ConflictError as refused:
        no_more_time = in_language(refused)
    if not request.htmx:
        position = forms.version_from(request.POST.get("position", "")) or 1
        if no_more_time:
            notes.warning(request, no_more_time)
        return redirect("judge", pk=pk, position=position)
    held = selectors.held_assignment(request.user, pk, proof=request.POST.get("holder", ""))
    context = {"held": held, "more_minutes": more_minutes(held), "no_more_time": no_more_time}
    return render(request, "annotations/_lease.html", context)


@login_required
@require_POST
def drop_change(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """Go back to what was submitted for a question, and on to what waits."""
    if selectors.held_assignment(request.user, pk).is_lost:
        return redirect("judge", pk=pk, position=position)  # which says so
    return on_from(
        request, pk, services.drop_change(actor=Actor.of_request(request), assignment_id=pk, position=position)
    )


@login_required
@require_safe
def instructions(request: PageRequest, pk: int) -> HttpResponse:
    """The scheme's guidelines and worked examples: a page of their own, and what the judge page shows on a key."""
    held = selectors.held_assignment(request.user, pk)
    scheme = held.assignment.hit.batch.study.scheme(forms.interface_language())
    context = {"held": held, "scheme": scheme, "instructions": forms.instructions(scheme)}
    return render(request, "annotations/instructions.html" + ("#body" if request.htmx else ""), context)


@login_required
@require_safe
def standing(request: PageRequest, pk: int) -> HttpResponse:
    """How the assignment stands, for the judge page, which asks every now and then and keeps none alive by that."""
    held = selectors.held_assignment(request.user, pk, proof=request.GET.get("holder", ""))
    context = {"held": held, "why_not": why_not(held), "asks_again": True}
    return render(request, "annotations/_standing.html", context)


@login_required
@require_safe
def done(request: PageRequest, pk: int) -> HttpResponse:
    """The task is submitted; the next one is a button away."""
    held = selectors.held_assignment(request.user, pk)
    if held.is_lost and held.annotator.excluded_at is not None:
        return redirect("work")  # which says why
    items = list(selectors.items_of(held))
    is_under_way = held.assignment.state == AssignmentState.CLAIMED
    waits = [item.position for item in items if not item.is_judged or (is_under_way and item.is_changed)]
    if waits or is_under_way:
        return redirect("judge", pk=pk, position=next(iter(waits), 1))
    study = held.assignment.hit.batch.study
    thread = list(Thread(held.annotator, held.assignment).words)
    mark_read(thread, held.annotator)
    may_change = held.is_open and refusal(held.annotator, Moment.SUBMITTING) is None
    context = {
        "held": held,
        "study": study,
        "items": items,
        "may_change": may_change,
        "changed": [item for item in items if item.is_changed] if may_change else [],
        "waiting": selectors.waiting_hits(held.annotator),
        "way_out": way_out(held.annotator),
        "thread": thread,
    }
    return render(request, "annotations/done.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def messages(request: PageRequest, pk: int) -> HttpResponse:
    """The thread of an assignment, for its annotator and the study's researchers."""
    said = request.POST if request.method == "POST" else request.GET
    # A form says whose thread it was made from: meanwhile somebody else may wait for an answer about the same task.
    named = forms.version_from(said.get("annotator", ""))
    thread, member = thread_of_task(request.user, pk, annotator=named)
    assignment = thread.assignment
    assert assignment is not None  # it is a task's
    position = forms.version_from(said.get("position", ""))  # 0: about the task as a whole
    item = selectors.item_at(assignment, position) if position else None
    context: dict[str, Any] = {
        "assignment": assignment,
        "annotator": thread.annotator,
        "reader": member,
        "text": "",
        "asked_on": item,
    }
    status = 200
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            services.send_message(
                assignment=assignment,
                author=member,
                annotator=thread.annotator,
                text=text,
                item=item,
                actor=Actor.of_request(request),
            )
        except InvalidInputError as error:
            context |= {"error": in_language(error), "text": text}
            status = 422
        else:
            if not request.htmx:
                whose = {} if member == thread.annotator else {"annotator": thread.annotator.pk}
                same = urlencode(whose | ({"position": position} if item else {}))
                return redirect(reverse("messages", args=[pk]) + (f"?{same}" if same else ""))
    context["thread"] = list(thread.about(item))
    mark_read(context["thread"], member)
    template = "annotations/messages.html" + ("#thread" if request.htmx else "")
    return render(request, template, context, status=status)

"""A warning, as its annotator reads it before the next task."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.selectors import assignments_of
from annotation_platform.annotations.stops import Note
from annotation_platform.crowd.checks.selectors import unread_warning, warning_for, warnings
from annotation_platform.crowd.checks.services import mark_read
from annotation_platform.studies.models import AssignmentState, Member, in_hand


def note_for(annotator: Member) -> Note | None:
    """The warning that an annotator has not read yet."""
    if (warning := unread_warning(annotator)) is None:
        return None
    return Note(warning.pk, warning.because, reverse("work_note", args=[warning.pk]))


def note_read(annotator: Member, pk: int) -> bool:
    """Note that an annotator read a warning; False when it is none of theirs."""
    if (warning := warnings().filter(annotator=annotator, pk=pk).first()) is None:
        return False
    mark_read(action=warning)
    return True


@login_required
@require_http_methods(["GET", "POST"])
def work_note(request: PageRequest, pk: int) -> HttpResponse:
    """What it says; a button leads on to the task that they hold."""
    warning = warning_for(request.user, pk)
    if request.method == "GET":
        return render(request, "crowd/checks/note.html", {"note": warning, "study": warning.annotator.study})
    mark_read(action=warning)
    task = assignments_of(request.user, AssignmentState.CLAIMED).filter(in_hand(), annotator=warning.annotator).first()
    return redirect("judge", pk=task.pk, position=task.next_position) if task else redirect("work")

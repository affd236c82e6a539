"""One assignment: what its holder judged, more time for them, and freeing it for somebody else."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies import services as studies
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.workspace.assignments.forms import MinutesForm
from annotation_platform.workspace.assignments.judged import AssignmentView, view_assignment
from annotation_platform.workspace.batches.progress import batch_for


@login_required
@require_safe
def assignment(request: PageRequest, slug: str, number: int, pk: int) -> HttpResponse:
    found, context = enter(request, slug)
    batch = batch_for(found, number)
    return render(request, "workspace/assignment.html", context | {"batch": batch, "view": view_assignment(batch, pk)})


@login_required
@require_POST
def extend_lease(request: PageRequest, slug: str, number: int, pk: int) -> HttpResponse:
    view = _view(request, slug, number, pk)
    form = MinutesForm(request.POST)
    if not form.is_valid():
        raise InvalidInputError("workspace.minutes_unread")
    studies.extend_lease(
        assignment=view.assignment, minutes=form.cleaned_data["minutes"], actor=Actor.of_request(request)
    )
    messages.success(request, _("%(name)s has more time now.") % {"name": view.assignment.annotator})
    return redirect("assignment", slug=slug, number=number, pk=pk)


@login_required
@require_POST
def release_assignment(request: PageRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Free an assignment that is held and not submitted, as if its holder had given it back."""
    view = _view(request, slug, number, pk)
    assert view.assignment.annotator is not None  # or it would not be there
    if studies.return_assignment(
        assignment=view.assignment, annotator=view.assignment.annotator, actor=Actor.of_request(request)
    ):
        holder = view.assignment.annotator
        told = _("The assignment is free again. %(name)s keeps what they typed as drafts.") % {"name": holder}
        messages.success(request, told)
    else:
        messages.info(
            request,
            _("Nothing was released: the task is submitted, somebody else has it now, or its batch has closed."),
        )
    return redirect("batch", slug=slug, number=number)


def _view(request: PageRequest, slug: str, number: int, pk: int) -> AssignmentView:
    return view_assignment(batch_for(study_for_reader(request.user, slug), number), pk)

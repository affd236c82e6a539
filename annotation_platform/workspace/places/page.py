"""One place in a task: what its holder judged, more time for them, and freeing it for somebody else."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies import services as studies
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.workspace.batches.progress import batch_for
from annotation_platform.workspace.places.forms import MinutesForm
from annotation_platform.workspace.places.judged import PlaceView, view_place


@login_required
@require_GET
def place(request: PageRequest, slug: str, number: int, pk: int) -> HttpResponse:
    found, context = enter(request, slug)
    batch = batch_for(found, number)
    return render(request, "workspace/place.html", context | {"batch": batch, "view": view_place(batch, pk)})


@login_required
@require_POST
def extend_lease(request: PageRequest, slug: str, number: int, pk: int) -> HttpResponse:
    view = _view(request, slug, number, pk)
    form = MinutesForm(request.POST)
    if not form.is_valid():
        raise InvalidInputError("workspace.minutes_unread")
    studies.extend_lease(assignment=view.place, minutes=form.cleaned_data["minutes"])
    messages.success(request, f"{view.place.annotator} has more time now.")
    return redirect("place", slug=slug, number=number, pk=pk)


@login_required
@require_POST
def release_place(request: PageRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Free a place that is held and not submitted, as if its holder had given it back."""
    view = _view(request, slug, number, pk)
    assert view.place.annotator is not None  # or it would not be there
    if studies.return_assignment(assignment=view.place, annotator=view.place.annotator):
        holder = view.place.annotator
        messages.success(request, f"The assignment is free again. {holder} keeps what they typed as drafts.")
    else:
        messages.info(
            request, "Nothing was released: the task is submitted, somebody else has it now, or its batch has closed."
        )
    return redirect("batch", slug=slug, number=number)


def _view(request: PageRequest, slug: str, number: int, pk: int) -> PlaceView:
    return view_place(batch_for(study_for_reader(request.user, slug), number), pk)

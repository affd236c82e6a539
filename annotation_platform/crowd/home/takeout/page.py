"""A person's own data: where it is, having it made, and the file."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.crowd.home.own_rows import memberships
from annotation_platform.crowd.takeout.models import Takeout
from annotation_platform.crowd.takeout.services import request_takeout
from annotation_platform.jobs.files import finished
from annotation_platform.server.downloads import stored
from annotation_platform.studies.models import Role
from workers.tasks import enqueue


@login_required
@require_safe
def my_data(request: PageRequest) -> HttpResponse:
    """What there is, the file, and the studies that one can leave; asks for its live part while the file is made."""
    user = _user(request)
    context: dict[str, Any] = {"takeout": Takeout.objects.filter(user=user).first()}
    if request.htmx:
        return render(request, "crowd/home/my_data.html#file", context)
    members = memberships(user).filter(role=Role.ANNOTATOR, study__arriving_at=None, study__qualifies_for=None)
    context |= {
        "members": members.filter(user=user).select_related("study").order_by("study__name"),
        "left": members.filter(former_user=user).select_related("study").order_by("study__name"),
    }
    return render(request, "crowd/home/my_data.html", context)


@login_required
@require_POST
def ask_for_my_data(request: PageRequest) -> HttpResponse:
    """Have everything made into a ZIP; the page says when it is there."""
    enqueue(request_takeout(user=_user(request), actor=Actor.of_request(request)))
    return redirect("my_data")


@login_required
@require_safe
def download_my_data(request: PageRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """The file, streamed, to whom it is about."""
    takeout, path = finished(Takeout.objects.filter(user=_user(request)), pk)
    response = stored(request, path, filename=takeout.filename, content_type="application/zip", digest=takeout.sha256)
    response["Cache-Control"] = "private, no-store"
    return response


def _user(request: PageRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user

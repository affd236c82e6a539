"""What a person may download by a right."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.releases.freeze.rights import releases_given_to


@login_required
@require_safe
def given_releases(request: PageRequest) -> HttpResponse:
    """The releases that one was let download, the newest first, with those that were withdrawn."""
    assert isinstance(request.user, User)  # login_required
    given = releases_given_to(request.user).order_by("-frozen_at")
    return render(request, "releases/given.html", {"releases": given})

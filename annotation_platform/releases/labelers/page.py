"""The download of a release as a project of another tool."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.releases.freeze.reading import one, there
from annotation_platform.releases.labelers.taking import sent_for
from annotation_platform.studies.selectors import study_for_reader


@login_required
@require_safe
def for_labeler(request: PageRequest, slug: str, number: int, tool: str) -> HttpResponse:
    """The files of a tool as one ZIP."""
    release = there(one(study_for_reader(request.user, slug), number))
    return sent_for(release, tool, actor=Actor.of_request(request))

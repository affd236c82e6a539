"""The download of a release as a project of another tool."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.releases.freeze import services
from annotation_platform.releases.freeze.archive import stem_of
from annotation_platform.releases.freeze.reading import one, there
from annotation_platform.releases.labelers.tools import TOOLS, zipped_for
from annotation_platform.releases.training.page import MOST_ON_PAGE
from annotation_platform.studies.selectors import study_for_reader


@login_required
@require_safe
def for_labeler(request: PageRequest, slug: str, number: int, tool: str) -> HttpResponse:
    """The files of a tool as one ZIP."""
    release = there(one(study_for_reader(request.user, slug), number))
    if tool not in TOOLS:
        raise NotThereError("releases.no_such_tool", tool=tool, known=[*TOOLS])
    if release.database_state.get("judgments", 0) > MOST_ON_PAGE:
        raise InvalidInputError("releases.too_many_for_a_labeler", most=MOST_ON_PAGE)
    packed = zipped_for(release.folder, tool)
    services.note_download(release=release, actor=Actor.of_request(request))
    answer = HttpResponse(packed, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{stem_of(release)}-{tool}.zip"'
    return answer

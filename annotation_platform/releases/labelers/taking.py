"""A release as a project of another tool, while somebody waits for it."""

from django.http import HttpResponse

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.releases.freeze.archive import stem_of
from annotation_platform.releases.freeze.services import note_download
from annotation_platform.releases.labelers.tools import TOOLS, zipped_for
from annotation_platform.releases.models import Release
from annotation_platform.releases.training.taking import MOST_AT_ONCE


def sent_for(release: Release, tool: str, *, actor: Actor) -> HttpResponse:
    """The files of a tool as one ZIP; that somebody took them is written down.

    Raises
    ------
    NotThereError
        When there is no such tool.
    InvalidInputError
        When the release is too large to wait for, or has no judgment.
    """
    if tool not in TOOLS:
        raise NotThereError("releases.no_such_tool", tool=tool, known=[*TOOLS])
    if release.database_state.get("judgments", 0) > MOST_AT_ONCE:
        raise InvalidInputError("releases.too_many_for_a_labeler", most=MOST_AT_ONCE)
    packed = zipped_for(release.folder, tool)
    note_download(release=release, actor=actor)
    answer = HttpResponse(packed, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{stem_of(release)}-{tool}.zip"'
    return answer

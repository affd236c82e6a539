"""A release for whoever may read its study: finding it, its files, and sending the whole."""

from pathlib import Path

from django.http import HttpResponse, StreamingHttpResponse

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import NotThereError
from annotation_platform.releases.freeze.archive import files_in, stem_of, zip_of
from annotation_platform.releases.freeze.packing import try_again
from annotation_platform.releases.freeze.services import note_download
from annotation_platform.releases.freeze.verify import MANIFEST
from annotation_platform.releases.models import DownloadLink, DownloadRight, Release
from annotation_platform.server.downloads import FileRequest, put_together, stored
from annotation_platform.studies.models import Study

LARGEST = 2**31 - 1  # as numbers are stored


def one(study: Study, number: int) -> Release:
    """
    Raises
    ------
    NotThereError
        When the study has no release of this number.
    """
    found: Release | None = study.releases.filter(number=number).first() if number <= LARGEST else None
    if found is None:
        raise NotThereError("releases.no_release", number=number)
    found.study = study
    return found


def there(release: Release) -> Release:
    """The release, if its files can be read.

    Raises
    ------
    NotThereError
        When it was withdrawn, is not frozen, or its folder is gone.
    """
    if release.withdrawn_at is not None:
        raise NotThereError("releases.withdrawn", because=release.withdrawn_because)
    if not release.is_frozen or not (release.folder / MANIFEST).is_file():
        raise NotThereError("jobs.file_removed")
    return release


def file_in(release: Release, path: str) -> Path:
    """A file of a release by its path in the folder.

    Raises
    ------
    NotThereError
        When there is none.
    """
    if path not in dict(files_in(release.folder)):
        raise NotThereError("jobs.no_file")
    return release.folder / path


def sent(
    request: FileRequest, release: Release, by: DownloadLink | DownloadRight | None = None, *, actor: Actor
) -> HttpResponse | StreamingHttpResponse:
    """The whole as a ZIP file; that somebody took it is written down, also when they go on with what broke off.

    Where its files could not be deflated, it is sent with them as they are, and deflating them is tried again.

    Who only asks how long it is (HEAD) takes nothing.
    """
    answer = put_together(request, zip_of(release), filename=f"{stem_of(release)}.zip", content_type="application/zip")
    if answer.status_code < 400 and request.method == "GET":
        note_download(release=release, by=by, actor=actor)
        try_again(release)
    return answer


def sent_part(
    request: FileRequest, release: Release, path: str, by: DownloadRight | None, *, actor: Actor
) -> HttpResponse | StreamingHttpResponse:
    """One of its files; that somebody took it is written down.

    Raises
    ------
    NotThereError
        When there is none.
    """
    file = file_in(release, path)
    answer = stored(request, file, filename=file.name, content_type="application/octet-stream")
    if answer.status_code < 400 and request.method == "GET":
        note_download(release=release, by=by, file=path, actor=actor)
    return answer

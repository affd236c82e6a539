"""What the export page shows, and the file behind a link."""

from pathlib import Path

from django.db.models import QuerySet

from annotation_platform.core.errors import NotThereError
from annotation_platform.releases.models import Export
from annotation_platform.studies.models import Study

SHOWN = 30


def exports_of(study: Study) -> QuerySet[Export]:
    """The newest exports of a study."""
    return study.exports.select_related("requested_by")[:SHOWN]


def finished_export(study: Study, pk: int) -> tuple[Export, Path]:
    """A finished export of this study and its file.

    Raises
    ------
    NotThereError
        There is none, or its file has been removed.
    """
    export = study.exports.filter(pk=pk, status=Export.Status.DONE).first()
    if export is None:
        raise NotThereError("There is no such export, or it is not finished.")
    if not export.path.is_file():
        raise NotThereError("The file of this export has been removed from the server. Make a new one.")
    return export, export.path

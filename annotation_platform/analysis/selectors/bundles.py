"""What the page of bundles shows, and the file behind a link."""

from pathlib import Path

from django.db.models import QuerySet

from annotation_platform.analysis.models import PaperBundle
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Study

SHOWN = 10


def bundles_of(study: Study) -> QuerySet[PaperBundle]:
    """The newest bundles of a study."""
    return study.paper_bundles.select_related("requested_by", "snapshot", "study").defer("snapshot__head")[:SHOWN]


def finished_bundle(study: Study, pk: int) -> tuple[PaperBundle, Path]:
    """A finished bundle of this study and its file.

    Raises
    ------
    NotThereError
        There is none, or its file has been removed.
    """
    bundle = study.paper_bundles.filter(pk=pk, status=PaperBundle.Status.DONE).first()
    if bundle is None:
        raise NotThereError("There is no such bundle, or it is not finished.")
    if not bundle.path.is_file():
        raise NotThereError("The file of this bundle has been removed from the server. Make a new one.")
    return bundle, bundle.path

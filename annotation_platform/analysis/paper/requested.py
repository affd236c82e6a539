"""What the page of bundles shows."""

from django.db.models import QuerySet

from annotation_platform.analysis.models import PaperBundle
from annotation_platform.studies.models import Study

SHOWN = 10


def bundles_of(study: Study) -> QuerySet[PaperBundle]:
    """The newest bundles of a study."""
    return study.paper_bundles.select_related("requested_by", "snapshot", "study").defer("snapshot__head")[:SHOWN]

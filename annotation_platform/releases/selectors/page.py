"""What the export page shows."""

from django.db.models import QuerySet

from annotation_platform.releases.models import Export
from annotation_platform.studies.models import Study

SHOWN = 30


def exports_of(study: Study) -> QuerySet[Export]:
    """The newest exports of a study."""
    return study.exports.select_related("requested_by")[:SHOWN]

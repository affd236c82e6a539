"""The tables of this app, by what they are about."""

from annotation_platform.analysis.models.bundles import PaperBundle
from annotation_platform.analysis.models.explorer import ArticleCitations, ExploredStudy, ItemFigures, ItemFlag, Seen
from annotation_platform.analysis.models.jobs import ExplorationJob, SnapshotJob
from annotation_platform.analysis.models.snapshots import AgreementSnapshot, SnapshotSection

__all__ = [
    "AgreementSnapshot",
    "ArticleCitations",
    "ExplorationJob",
    "ExploredStudy",
    "ItemFigures",
    "ItemFlag",
    "PaperBundle",
    "Seen",
    "SnapshotJob",
    "SnapshotSection",
]

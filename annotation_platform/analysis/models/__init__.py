"""The tables of this app, by what they are about."""

from annotation_platform.analysis.models.bundles import PaperBundle
from annotation_platform.analysis.models.explorer import (
    AgreementPattern,
    ArticleCitations,
    ExploredStudy,
    ItemFigures,
    ItemFlag,
)
from annotation_platform.analysis.models.jobs import ExplorationJob, SnapshotJob
from annotation_platform.analysis.models.snapshots import AgreementSnapshot, SnapshotSection

__all__ = [
    "AgreementPattern",
    "AgreementSnapshot",
    "ArticleCitations",
    "ExplorationJob",
    "ExploredStudy",
    "ItemFigures",
    "ItemFlag",
    "PaperBundle",
    "SnapshotJob",
    "SnapshotSection",
]

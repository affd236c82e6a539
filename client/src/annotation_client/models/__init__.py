"""What the platform gives, as frozen types. Fields that this version does not know are left out."""

from annotation_client.models.figures import (
    Agreement,
    Figure,
    Figures,
    Run,
    Snapshot,
    SnapshotChanges,
)
from annotation_client.models.imports import (
    ImportColumn,
    ImportPreview,
    ImportRecord,
    UploadRecord,
)
from annotation_client.models.record import (
    Record,
)
from annotation_client.models.releases import (
    Export,
    Finding,
    GivenRelease,
    Link,
    Moved,
    Release,
    ReleaseChanges,
    Right,
)
from annotation_client.models.sent import (
    Delivery,
    ScoreDestination,
    ScorePreview,
    SentScore,
    Webhook,
)
from annotation_client.models.studies import (
    Batch,
    Corpus,
    Excluded,
    Invitation,
    Job,
    Member,
    Migration,
    Readmitted,
    StudyRecord,
    Version,
)
from annotation_client.models.talk import (
    Announcement,
    Message,
    Question,
    Thread,
)

__all__ = [
    "Agreement",
    "Announcement",
    "Batch",
    "Corpus",
    "Delivery",
    "Excluded",
    "Export",
    "Figure",
    "Figures",
    "Finding",
    "GivenRelease",
    "ImportColumn",
    "ImportPreview",
    "ImportRecord",
    "Invitation",
    "Job",
    "Link",
    "Member",
    "Message",
    "Migration",
    "Moved",
    "Question",
    "Readmitted",
    "Record",
    "Release",
    "ReleaseChanges",
    "Right",
    "Run",
    "ScoreDestination",
    "ScorePreview",
    "SentScore",
    "Snapshot",
    "SnapshotChanges",
    "StudyRecord",
    "Thread",
    "UploadRecord",
    "Version",
    "Webhook",
]

"""What a webhook can tell of."""

from enum import StrEnum


class Kind(StrEnum):
    """``subject.what``, as the ``type`` of a message."""

    BATCH_CLOSED = "batch.closed"
    RUN_DONE = "run.done"
    RUN_FAILED = "run.failed"
    SNAPSHOT_TAKEN = "snapshot.taken"
    RELEASE_READY = "release.ready"
    JUDGMENT_SUBMITTED = "judgment.submitted"


TEST = "webhook.test"
LABELS = {
    Kind.BATCH_CLOSED: "A batch closed",
    Kind.RUN_DONE: "A scoring run is done",
    Kind.RUN_FAILED: "A scoring run failed",
    Kind.SNAPSHOT_TAKEN: "Agreement was measured",
    Kind.RELEASE_READY: "A release is ready",
    Kind.JUDGMENT_SUBMITTED: "A judgment was submitted (one message for each)",
}
NAMES = [str(kind) for kind in Kind]
USUAL = [str(kind) for kind in Kind if kind != Kind.JUDGMENT_SUBMITTED]

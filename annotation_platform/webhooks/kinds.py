"""What a webhook can tell of."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _


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
    Kind.BATCH_CLOSED: _("A batch closed"),
    Kind.RUN_DONE: _("A scoring run is done"),
    Kind.RUN_FAILED: _("A scoring run failed"),
    Kind.SNAPSHOT_TAKEN: _("Agreement was measured"),
    Kind.RELEASE_READY: _("A release is ready"),
    Kind.JUDGMENT_SUBMITTED: _("A judgment was submitted (one message for each)"),
}
NAMES = [str(kind) for kind in Kind]
USUAL = [str(kind) for kind in Kind if kind != Kind.JUDGMENT_SUBMITTED]

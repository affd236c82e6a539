"""Everything that writes judgments, by topic: drafts, submitted revisions, hints, words to the researcher."""

from annotation_platform.annotations.services.drafts import DraftConflictError, forget_repetition, save_draft
from annotation_platform.annotations.services.hints import dismiss_hint, log_hint, switch_hints
from annotation_platform.annotations.services.messages import send_message, send_message_about_study, settle_thread
from annotation_platform.annotations.services.storing import store_judgments
from annotation_platform.annotations.services.submitting import (
    AssignmentLostError,
    BatchClosedError,
    SchemeChangedError,
    Submission,
    drop_change,
    submit_judgment,
)

__all__ = [
    "AssignmentLostError",
    "BatchClosedError",
    "DraftConflictError",
    "SchemeChangedError",
    "Submission",
    "dismiss_hint",
    "drop_change",
    "forget_repetition",
    "log_hint",
    "save_draft",
    "send_message",
    "send_message_about_study",
    "settle_thread",
    "store_judgments",
    "submit_judgment",
    "switch_hints",
]

"""What can have been done: the codes of events. Their sentences are made where somebody reads them."""

from enum import StrEnum


class Verb(StrEnum):
    """``topic.what``: the topic is what a list of events is filtered by."""

    ACCOUNT_CREATED = "account.created"
    ACCOUNT_CHANGED = "account.changed"
    ACCOUNT_DELETED = "account.deleted"
    ACCOUNT_LINK_RENEWED = "account.link_renewed"

    CORPUS_CREATED = "corpus.created"

    STUDY_CREATED = "study.created"
    STUDY_CHANGED = "study.changed"
    STUDY_ARCHIVED = "study.archived"
    STUDY_RESTORED = "study.restored"
    STUDY_DELETED = "study.deleted"
    STUDY_MIGRATION_REQUESTED = "study.migration_requested"
    STUDY_SCHEME_MIGRATED = "study.scheme_migrated"

    MEMBER_ADDED = "member.added"
    MEMBER_JOINED = "member.joined"
    MEMBER_ROLE_CHANGED = "member.role_changed"
    MEMBER_REMOVED = "member.removed"
    MEMBER_RESTORED = "member.restored"
    MEMBER_PAUSED = "member.paused"
    MEMBER_RESUMED = "member.resumed"
    MEMBER_EXCLUDED = "member.excluded"
    MEMBER_READMITTED = "member.readmitted"
    MEMBER_ACCOUNT_DELETED = "member.account_deleted"
    MEMBER_INVITED = "member.invited"
    MEMBER_INVITATION_MAILED = "member.invitation_mailed"
    MEMBER_INVITATION_REVOKED = "member.invitation_revoked"

    BATCH_DRAWN = "batch.drawn"
    BATCH_OPENED = "batch.opened"
    BATCH_DEADLINE_CHANGED = "batch.deadline_changed"
    BATCH_FINISHING = "batch.finishing"
    BATCH_KEPT_OPEN = "batch.kept_open"
    BATCH_CLOSED = "batch.closed"
    BATCH_REOPENED = "batch.reopened"

    TASK_TAKEN = "task.taken"
    TASK_GIVEN_BACK = "task.given_back"
    TASK_EXTENDED = "task.extended"
    TASK_SUBMITTED = "task.submitted"
    JUDGMENT_SUBMITTED = "judgment.submitted"
    TASK_CHANGE_DROPPED = "task.change_dropped"
    TASK_SET_ASIDE = "task.set_aside"
    TASK_RESTORED = "task.restored"
    TASK_MESSAGE_SENT = "task.message_sent"

    PAY_TERMS_SET = "pay.terms_set"
    PAY_CREDITED = "pay.credited"
    PAY_BONUS_CREDITED = "pay.bonus_credited"
    PAY_CORRECTED = "pay.corrected"
    PAY_PAYMENT_MADE = "pay.payment_made"
    PAY_PAYMENT_APPROVED = "pay.payment_approved"
    PAY_PAYMENT_CANCELLED = "pay.payment_cancelled"
    PAY_FILE_RECORDED = "pay.file_recorded"
    PAY_LINE_SETTLED = "pay.line_settled"
    PAY_PAYMENT_REVERSED = "pay.payment_reversed"

    RUN_STARTED = "run.started"
    RUN_CHOSEN = "run.chosen"
    RUN_PAUSED = "run.paused"
    RUN_RESUMED = "run.resumed"
    RUN_REPLY_DECIDED = "run.reply_decided"
    RUN_SUSPICION_DISMISSED = "run.suspicion_dismissed"
    CONNECTION_SAVED = "connection.saved"
    CONNECTION_DELETED = "connection.deleted"
    CONNECTION_TRIED = "connection.tried"
    RESCALER_TRAINED = "run.rescaler_trained"

    IMPORT_UPLOADED = "import.uploaded"
    IMPORT_STARTED = "import.started"
    IMPORT_DELETED = "import.deleted"

    SNAPSHOT_REQUESTED = "snapshot.requested"
    BUNDLE_REQUESTED = "bundle.requested"
    EXPORT_REQUESTED = "export.requested"

    @property
    def topic(self) -> str:
        return self.value.partition(".")[0]

"""What can have been done: the codes of events. Their sentences are made where somebody reads them."""

from enum import StrEnum


class Verb(StrEnum):
    """``topic.what``: the topic is what a list of events is filtered by."""

    ACCOUNT_CREATED = "account.created"
    ACCOUNT_CHANGED = "account.changed"
    ACCOUNT_DELETED = "account.deleted"
    ACCOUNT_LINK_RENEWED = "account.link_renewed"
    TOKEN_CREATED = "token.created"
    TOKEN_REVOKED = "token.revoked"

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

    ROUND_MADE = "round.made"
    ROUND_CHANGED = "round.changed"
    ROUND_KEY_CHANGED = "round.key_changed"
    ROUND_OPENED = "round.opened"
    ROUND_ENDED = "round.ended"
    ROUND_BEGUN = "round.begun"
    ROUND_DECIDED = "round.decided"

    SNAPSHOT_REQUESTED = "snapshot.requested"
    BUNDLE_REQUESTED = "bundle.requested"
    EXPORT_REQUESTED = "export.requested"

    RELEASE_REQUESTED = "release.requested"
    RELEASE_SETTLED = "release.settled"
    RELEASE_GIVEN_UP = "release.given_up"
    RELEASE_SHARED = "release.shared"
    RELEASE_LINK_REVOKED = "release.link_revoked"
    RELEASE_DOWNLOADED = "release.downloaded"
    RELEASE_WITHDRAWN = "release.withdrawn"

    @property
    def topic(self) -> str:
        return self.value.partition(".")[0]

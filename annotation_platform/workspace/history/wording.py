"""What the history says of each event, in its reader's language."""

from django.utils.translation import gettext_noop as _

from annotation_platform.accounts.verbs import Verb

SENTENCES: dict[Verb, str] = {
    Verb.ACCOUNT_CREATED: _("{who} got an account."),
    Verb.ACCOUNT_CHANGED: _("{who} changed an account."),
    Verb.ACCOUNT_DELETED: _("{who} deleted an account."),
    Verb.ACCOUNT_LINK_RENEWED: _("{who} made a new personal link."),
    Verb.CORPUS_CREATED: _("{who} stored the corpus."),
    Verb.STUDY_CREATED: _("{who} made the study."),
    Verb.STUDY_CHANGED: _("{who} changed the settings."),
    Verb.STUDY_ARCHIVED: _("{who} archived the study."),
    Verb.STUDY_RESTORED: _("{who} brought the study back."),
    Verb.STUDY_DELETED: _("{who} deleted the study."),
    Verb.STUDY_MIGRATION_REQUESTED: _("{who} asked for another version of the study's scheme."),
    Verb.STUDY_SCHEME_MIGRATED: _("{who} gave the study another version of its scheme."),
    Verb.MEMBER_ADDED: _("{who} added {subject} to the study."),
    Verb.MEMBER_JOINED: _("{who} joined the study."),
    Verb.MEMBER_ROLE_CHANGED: _("{who} gave {subject} another role."),
    Verb.MEMBER_REMOVED: _("{who} removed {subject} from the study."),
    Verb.MEMBER_RESTORED: _("{who} let {subject} in again."),
    Verb.MEMBER_PAUSED: _("{who} paused {subject}."),
    Verb.MEMBER_RESUMED: _("{who} let {subject} take tasks again."),
    Verb.MEMBER_EXCLUDED: _("{who} excluded {subject}."),
    Verb.MEMBER_READMITTED: _("{who} let {subject} take part again."),
    Verb.MEMBER_ACCOUNT_DELETED: _("The account of {subject} was deleted."),
    Verb.MEMBER_INVITED: _("{who} made an invitation."),
    Verb.MEMBER_INVITATION_MAILED: _("{who} sent an invitation by mail."),
    Verb.MEMBER_INVITATION_REVOKED: _("{who} revoked an invitation."),
    Verb.BATCH_DRAWN: _("{who} had the tasks of batch {subject} drawn by chance."),
    Verb.BATCH_OPENED: _("{who} opened batch {subject}."),
    Verb.BATCH_DEADLINE_CHANGED: _("{who} changed the deadline of batch {subject}."),
    Verb.BATCH_FINISHING: _("{who} let batch {subject} close when those at work have finished."),
    Verb.BATCH_KEPT_OPEN: _("{who} kept batch {subject} open."),
    Verb.BATCH_CLOSED: _("{who} closed batch {subject}."),
    Verb.BATCH_REOPENED: _("{who} opened batch {subject} again."),
    Verb.TASK_TAKEN: _("{who} took a task."),
    Verb.TASK_GIVEN_BACK: _("{who} gave a task back."),
    Verb.TASK_EXTENDED: _("{who} gave more time for a task."),
    Verb.TASK_SUBMITTED: _("{who} submitted a task."),
    Verb.TASK_CHANGE_DROPPED: _("{who} dropped a change of a submitted judgment."),
    Verb.TASK_SET_ASIDE: _("{who} set the work in a task aside."),
    Verb.TASK_RESTORED: _("{who} let the work in a task count again."),
    Verb.TASK_MESSAGE_SENT: _("{who} wrote a message about a task."),
    Verb.JUDGMENT_SUBMITTED: _("{who} submitted a judgment."),
    Verb.RUN_STARTED: _("{who} started scoring run {subject}."),
    Verb.RUN_CHOSEN: _("{who} named scoring run {subject} as the one that the figures use."),
    Verb.RUN_PAUSED: _("{who} paused scoring run {subject}."),
    Verb.RUN_RESUMED: _("{who} let scoring run {subject} go on."),
    Verb.RUN_REPLY_DECIDED: _("{who} decided which label a reply gives."),
    Verb.RUN_SUSPICION_DISMISSED: _("{who} found a suspicious passage harmless."),
    Verb.RESCALER_TRAINED: _("{who} trained a rescaler."),
    Verb.CONNECTION_SAVED: _("{who} saved a model connection."),
    Verb.CONNECTION_DELETED: _("{who} deleted a model connection."),
    Verb.CONNECTION_TRIED: _("{who} tried a model connection."),
    Verb.IMPORT_UPLOADED: _("{who} uploaded files."),
    Verb.IMPORT_STARTED: _("{who} started an import."),
    Verb.IMPORT_DELETED: _("{who} discarded an upload."),
    Verb.SNAPSHOT_REQUESTED: _("{who} had the agreement measured."),
    Verb.BUNDLE_REQUESTED: _("{who} asked for the figures of a paper."),
    Verb.EXPORT_REQUESTED: _("{who} asked for an export."),
}

TOPICS: dict[str, str] = {
    "study": _("Settings"),
    "member": _("People"),
    "batch": _("Batches"),
    "task": _("Tasks"),
    "judgment": _("Judgments"),
    "run": _("Scoring"),
    "connection": _("Model connections"),
    "snapshot": _("Agreement"),
    "bundle": _("Figures for a paper"),
    "export": _("Exports"),
    "corpus": _("Corpus"),
}
"""What the list can be narrowed down to: the topics that a study's events have."""

FIELDS: dict[str, str] = {
    "about": _("What invited people read"),
    "all_revisions": _("All revisions"),
    "annotator": _("Annotator"),
    "aspect": _("Aspect"),
    "base_url": _("Address"),
    "budget": _("Budget"),
    "closed_because": _("Reason"),
    "deadline_at": _("Deadline"),
    "expires_at": _("Valid until"),
    "finishes_late": _("Those at work may finish"),
    "format": _("Format"),
    "gives_hints": _("Hints"),
    "key": _("Key"),
    "label": _("Label"),
    "lease_expires_at": _("Reserved until"),
    "max_uses": _("How many may join by it"),
    "method": _("Method"),
    "model": _("Model"),
    "name": _("Name"),
    "overlap": _("Overlap"),
    "assignment_policy": _("Which task comes next"),
    "most_tasks": _("Most tasks of one person"),
    "most_tasks_a_day": _("Most tasks of one person in 24 hours"),
    "paused_because": _("Why paused"),
    "pay": _("Pay"),
    "prompt_template": _("Prompt"),
    "role": _("Role"),
    "scheme": _("Scheme"),
    "scorer": _("Scorer"),
    "scoring_budget": _("Budget of all runs"),
    "scoring_connection": _("Model connection"),
    "status": _("State"),
    "task": _("Task"),
    "task_minutes": _("Minutes of a task"),
    "time_limit_minutes": _("Time limit in minutes"),
}
"""How fields are called; one that is not here goes by its own name."""

VALUES: dict[str, dict[str, str]] = {
    "format": {
        "csv": _("CSV"),
        "spreadsheet": _("CSV for spreadsheets"),
        "jsonl": _("JSON Lines"),
        "parquet": _("Parquet"),
        "consensus": _("Consensus labels"),
    },
    "method": {
        "ebr": _("Explanation-based rescaling"),
        "judge": _("Language-model raters by aspect"),
        "mate": _("LLM-MATE"),
        "rev": _("REV"),
        "equivalence": _("Answer equivalence"),
    },
    "scorer": {
        "distilled": _("Distilled rescaler"),
        "openai": _("Language model"),
        "hybrid": _("Distilled rescaler, uncertain ones by language model"),
        "recorded": _("Recorded replies"),
        "classifier": _("Answer-equivalence classifier"),
        "evaluator": _("Language model on this machine"),
    },
    "status": {
        "draft": _("draft"),
        "pending": _("waiting"),
        "running": _("running"),
        "paused": _("paused"),
        "done": _("done"),
        "failed": _("failed"),
    },
    "task": {"open": _("free"), "claimed": _("taken"), "submitted": _("submitted")},
}
"""What the codes of a field stand for, as on the pages that set them."""

CODES = {"aspect", "closed_because", "key", "scheme"}
"""Fields whose values are words of the platform's own that are kept in English, or keys that people chose."""

OPERATOR = _("The server's operator ({via})")
WORKER = _("The platform ({via})")
WORKER_FOR = _("The platform for {name} ({via})")
SOMEBODY = _("Somebody")

"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "annotations.scheme_unchanged": _(
            "This is the version that the study has already. There is nothing to migrate."
        ),
        "annotations.scheme_has_other_key": _("The scheme's key is “{new}”; in a new version of it, it stays “{old}”."),
        "annotations.scheme_judges_other_items": _(
            "The study's items were planned for the old version: one judges single answers, the other groups of "
            "them. Make a new study."
        ),
        "annotations.corpus_unfit": _("The study's corpus does not have what the scheme shows."),
        "annotations.renamings_wrong": _("Some renamings make no sense."),
        "annotations.migration_under_way": _(
            "The judgments of this study are being counted for, or migrated to, another version of its scheme. "
            "Wait until that is finished."
        ),
        "annotations.scheme_migrated_meanwhile": _(
            "The study has come under {version} meanwhile. Look again at what your changes do to it."
        ),
        "annotations.migrated_whole": _("{whole:,} of {judgments:,} judgments migrate with all they say."),
        "annotations.migrated_partly": _("{count:,} migrate with a part of it."),
        "annotations.migrated_nothing": _(
            "Of {count:,} nothing fits: they stay under the old version and count no more."
        ),
        "annotations.migrated_incomplete": _("{count:,} lack an answer that the new version requires."),
        "annotations.migrated_earlier_rules": _(
            "{count:,} keep an answer that the new version would not accept today, marked as given under an earlier "
            "rule."
        ),
        "annotations.migrated_drafts": _("{count:,} drafts keep what was typed."),
        "annotations.value_lost": _("{aspect}: {why}"),
        "annotations.values_lost": _("{count:,} × {what}"),
        "annotations.no_task": _("There is no such task, or it is not yours."),
        "annotations.note_unread": _("Read this before your next task, then say that you have: {words}"),
        "annotations.no_such_note": _("There is no note “{note}” for you in this study."),
        "annotations.no_question": _("This task has no such question."),
        "annotations.scheme_changed": _(
            "The questions have changed since this page was loaded. Please look through them."
        ),
        "annotations.draft_changed_elsewhere": _("This question was changed in another tab or on another device."),
        "annotations.draft_too_long": _("This is more than {limit:,} characters; it cannot be saved as a draft."),
        "annotations.message_empty": _("The message is empty. Write a word or two first."),
        "annotations.message_too_long": _("The message has {length:,} characters; at most 5,000 fit. Shorten it."),
        "annotations.message_to_nobody": _("Nobody has this task, so there is nobody to write to."),
        "annotations.too_many_messages": _(
            "You wrote {count} messages within {minutes} minutes. Wait a little, then send this one; it is kept here."
        ),
        "annotations.earlier_attempt": _("This is from an earlier attempt of yours and cannot be changed any more."),
        "annotations.task_given_back": _("This task was given back and is not yours any more. What you wrote is kept."),
        "annotations.task_taken_over": _(
            "Your time for this task ran out and somebody else has it now. What you wrote is kept in your drafts."
        ),
        "annotations.late_work_decided": _("This late work is decided already, or was never there."),
        "annotations.late_work_of_excluded": _("{member} is excluded from the study, so nothing of theirs can count."),
        "annotations.late_work_in_closed_batch": _(
            "Batch {number} takes no judgments. Open it again, then accept what came too late."
        ),
        "annotations.late_work_of_other_scheme": _(
            "The study's questions have changed since, so this late work cannot count. Decline it."
        ),
        "annotations.late_work_taken_again": _("{member} has this task again and can submit it, so decline this."),
        "annotations.late_work_rejected": _(
            "The work of {member} in this task was rejected. Restore that, or decline this."
        ),
        "annotations.late_work_without_place": _(
            "No place of this task is free: as many people as the overlap have it. Raise the overlap, or decline this."
        ),
        "annotations.late_work_incomplete": ngettext_noop(
            "{count:,} question of the task is not judged, so it cannot count as a whole.",
            "{count:,} questions of the task are not judged, so it cannot count as a whole.",
        ),
        "annotations.cited_and_none": _("You cited sentences and ticked “{none}”. Keep one of the two."),
        "annotations.chose_and_none": _("You chose something and “{none}”. Keep one of the two."),
        "annotations.batch_closed": _("This batch has closed and takes no more judgments. What you wrote is kept."),
        "annotations.deadline_passed": _(
            "The deadline has passed: no more judgments are taken. What you wrote is kept."
        ),
        "annotations.task_not_yours_to_give_back": _(
            "This task cannot be given back: it is submitted already, or somebody else has it now."
        ),
    }
)

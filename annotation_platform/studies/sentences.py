"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "studies.for_admins": _("This page is for the admins of the study. Ask one of them."),
        "studies.no_study": _("There is no such study, or it is not open to you."),
        "studies.no_corpus": _("There is no such corpus any more."),
        "studies.corpus_used": _(
            "The corpus “{name}” cannot be deleted: a study uses it, or a study's checks do. Delete that study first."
        ),
        "studies.corpus_of_another": _("Only who stored a corpus deletes it."),
        "studies.corpus_unfit": _("This corpus does not have what the scheme shows."),
        "studies.invitation_not_valid": _("This invitation is not valid. Copy the whole link, or ask for a new one."),
        "studies.invitation_withdrawn": _("This invitation was withdrawn. Ask the researcher for a new one."),
        "studies.invitation_used_up": _("This invitation has been used already. Ask the researcher for a new one."),
        "studies.archived_has_no_tasks": _(
            "The study is archived, so annotators would get no task. Bring it back in its settings, then invite them."
        ),
        "studies.rounds_invite_nobody": _(
            "This is a round of qualification. Invite people to the study that it qualifies for; they find the round "
            "there."
        ),
        "studies.invitation_too_old": _("This invitation is too old. Ask for a new one."),
        "studies.no_longer_a_member": _("You are not in this study any more. Only its admin can let you in again."),
        "studies.link_too_old": _("This link is too old. Follow the invitation once more for a new one."),
        "studies.link_not_valid": _("This link is not valid. Copy it whole, or follow the invitation again."),
        "studies.password_needed": _("This account needs its password. Sign in, then follow the invitation again."),
        "studies.name_wrong": _("A study needs a name of 1 to 200 characters."),
        "studies.name_taken": _("There is a study named “{name}” already. Choose another name."),
        "studies.time_limit_wrong": _("The time limit must be between 1 and {most:,} minutes."),
        "studies.overlap_wrong": _("The overlap must be between 1 and {most}."),
        "studies.batch_not_closed": _("Batch {number} is {state}; only a closed or scored batch can be opened again."),
        "studies.batch_has_closed": _("Batch {number} has closed. Open it again to give it a new deadline."),
        "studies.typed_name_differs": _("What you typed is not the study's name, so nothing was deleted."),
        "studies.setting_out_of_range": _("{field} is {given}; it must be from 1 to {most}."),
        "studies.pseudonym_is_an_address": _(
            "{pseudonym} is an e-mail address. What leaves a study names people by pseudonyms only; choose another one."
        ),
        "studies.pseudonym_wrong": _("A pseudonym has 1 to {most} characters, and not spaces alone."),
        "studies.last_admin": _(
            "“{study}” would have no admin left. Make somebody else admin first, or hand the administration over."
        ),
        "studies.only_admin": _(
            "This account is the only admin of: {studies}. Hand each of these studies over on its page “People”, or "
            "delete it, before the account is deleted."
        ),
        "studies.not_a_member_with_account": _(
            "The administration can be handed to another member with an account only."
        ),
        "studies.member_without_account": _("{member} has no account in this study, so there is nobody to remove."),
        "studies.member_not_removed": _("{member} was not removed, or their account is gone."),
        "studies.deadline_in_the_past": _("The deadline lies in the past. Choose a later one."),
        "studies.batch_cut_meanwhile": _(
            "Batch {number} was cut into others meanwhile. Look at the batches, and open the one that you mean."
        ),
        "studies.batch_not_a_draft": _("Batch {number} is open already or closed; only a draft can be opened."),
        "studies.nothing_to_cut": _("Every task is in a batch that is open, closed or drawn; none is left to cut."),
        "studies.batch_size_wrong": _("How many items is a batch to have? A whole number from 1 to {most:,}."),
        "studies.nothing_to_draw": _("Every task is in a batch that is open, closed or drawn already; none is left."),
        "studies.draw_size_wrong": _("How many tasks? A whole number from 1 to {most:,}, which are left."),
        "studies.draw_floor_wrong": _("The part that is the same for all tasks must be from {least}% to 100%."),
        "studies.overlap_exceeded": _(
            "{most} annotators judged one HIT, but the study's overlap is {overlap}. Raise it."
        ),
        "studies.not_an_annotator": _("Only annotators of a study take its tasks."),
        "studies.mirrors_unread": _("This is no table: {why}"),
        "studies.mirrors_columns": _("The first row must name the columns; missing: {columns}."),
        "studies.mirrors_empty": _("There is no row. Name at least one item and its group."),
        "studies.mirrors_wrong": _("Nothing was stored; each of these lines says what to mend."),
        "studies.mirror_incomplete": _("Row {line}: article, question and group must be there."),
        "studies.mirror_unknown": _("Row {line}: no task of this study has this article, question and system."),
        "studies.mirror_twice": _("Row {line}: this item is in another group already."),
        "studies.mirrors_not_shared": _("You are no researcher of that study, or there is none."),
        "studies.far_ahead": _(
            "You took {count:,} tasks in the last 24 hours, and the others who are at work {others:,} on average. "
            "Please come back in a while, when they have had more."
        ),
        "studies.paused": _("You are paused in this study: {because} What you have begun you can finish."),
        "studies.excluded": _("You were excluded from this study: {because} What you submitted is kept."),
        "studies.only_annotators_are_excluded": _("Only annotators can be excluded, and {member} is none."),
        "studies.reason_needed": _("Write why, since the annotator reads it."),
        "studies.reason_too_long": _("This is {length:,} characters long; at most {most} fit. Shorten it."),
        "studies.nothing_to_set_aside": _("Nobody's submitted work is in this task, so nothing can be set aside."),
        "studies.place_taken_meanwhile": _("Somebody else has this task by now, so the work cannot count again."),
        "studies.work_of_other_scheme": _(
            "The study's questions have changed since this work was set aside, so it cannot count again."
        ),
        "studies.only_annotators_leave": _(
            "{member} runs the study; hand it over or leave it on its page of people instead."
        ),
        "studies.only_annotators_pause": _("{member} is no annotator, so there is nothing to pause."),
        "studies.pause_needs_reason": _("Write why, since {member} reads it."),
        "studies.pause_reason_too_long": _("This is {length:,} characters long; at most {most} fit. Shorten it."),
        "studies.most_tasks_wrong": _("How many tasks one person may have is a number from 1 to {most:,}, or empty."),
        "studies.no_policy": _("Choose one of the ways in which tasks are given out."),
        "studies.most_tasks_reached": ngettext_noop(
            "You have had {count:,} task of this study, as many as one person may have. Thank you!",
            "You have had {count:,} tasks of this study, as many as one person may have. Thank you!",
        ),
        "studies.most_tasks_a_day_reached": ngettext_noop(
            "One person may have {most:,} of this study's tasks within 24 hours. The next is yours in {count:,} hour.",
            "One person may have {most:,} of this study's tasks within 24 hours. The next is yours in {count:,} hours.",
        ),
        "studies.no_task_at_the_moment": _("There is no task for you at the moment. Please look in again later."),
        "studies.no_place_in_the_round": _(
            "This round gives out no more tasks at the moment: what it may cost is used up. Nothing you have done in "
            "it is lost, and no attempt is used. Ask the researchers of the study, or look in again later."
        ),
        "studies.minutes_wrong": _("{minutes} minutes cannot be given; choose between 1 and {most:,}."),
        "studies.assignment_not_held": _("Nobody works on this assignment any more, so there is no time to extend."),
        "studies.nothing_to_plan": _("Every answer of the corpus is in a batch already; there is nothing to plan."),
        "studies.too_many_join": _("Too many people have joined from your network just now. Try again in a minute."),
        "studies.no_invitation": _("This study has no such invitation."),
        "studies.no_member": _("This study has no such member."),
        "studies.no_role": _("“{role}” is no role. Choose one of {roles}."),
        "studies.corpus_without_answers": _("The corpus has no answers to judge."),
        "studies.lacks_documents": ngettext_noop(
            "{count:,} question without reference documents: {questions}.",
            "{count:,} questions without reference documents: {questions}.",
        ),
        "studies.lacks_choices": ngettext_noop(
            "{count:,} question without 2 to {most} choices: {questions}.",
            "{count:,} questions without 2 to {most} choices: {questions}.",
        ),
        "studies.lacks_reference_answers": ngettext_noop(
            "{count:,} question without reference answers: {questions}.",
            "{count:,} questions without reference answers: {questions}.",
        ),
        "studies.lacks_rationale": ngettext_noop(
            "{count:,} question with an answer that has no rationale: {questions}.",
            "{count:,} questions with an answer that has no rationale: {questions}.",
        ),
        "studies.lacks_other_answers": ngettext_noop(
            "{count:,} question with one answer only, where several are judged side by side: {questions}.",
            "{count:,} questions with one answer only, where several are judged side by side: {questions}.",
        ),
        "studies.too_many_answers": ngettext_noop(
            "{count:,} question with more than {most} answers: {questions}.",
            "{count:,} questions with more than {most} answers: {questions}.",
        ),
        "studies.link_used": _(
            "This link has been used. Sign in with your e-mail address: a code is sent there, no password is needed."
        ),
        "studies.link_signs_in_no_more": _(
            "Somebody has signed in with this address since the link was sent, so it signs nobody in any more. Sign in "
            "with {email}, then follow it again: a code is sent there, no password is needed."
        ),
        "studies.arrival_lost": _(
            "The work stood still for too long, so what was stored was cleared away. Start it again."
        ),
        "studies.task_not_yours_to_extend": _(
            "There is no time to extend: this task is submitted already, its batch has closed, or somebody else has it."
        ),
        "studies.no_extension_at_the_end": _("This batch is closing, so the time cannot be extended any more."),
        "studies.no_extension_left": ngettext_noop(
            "A task's time can be extended {count:,} time, and that was done. Submit what you can, or give it back.",
            "A task's time can be extended {count:,} times, and that was done. Submit what you can, or give it back.",
        ),
        "studies.extensions_wrong": _(
            "A task's time can be extended 0 to {most} times, by 1 to {percent} percent of the time limit each time."
        ),
        "studies.name_being_made": _(
            "“{name}” is being made at this moment. Wait until that is finished, or choose another name."
        ),
        "studies.note_withheld": ngettext_noop(
            "{count:,} question of a document whose text is not here: annotators see that it is withheld.",
            "{count:,} questions of a document whose text is not here: annotators see that it is withheld.",
        ),
        "studies.note_without_answers": ngettext_noop(
            "{count:,} question without any answer: there is nothing to judge.",
            "{count:,} questions without any answer: there is nothing to judge.",
        ),
    }
)

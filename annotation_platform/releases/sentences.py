"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "releases.no_format": _("“{format}” is no format. There are: {formats}."),
        "releases.no_release": _("This study has no release {number}."),
        "releases.title_needed": _("Give the release a title."),
        "releases.authors_needed": _("Name at least one author, one a line: Family, Given."),
        "releases.licence_wrong": _("“{licence}” is no licence as SPDX names it, such as CC-BY-4.0."),
        "releases.no_such_participant_columns": _("Nothing was kept of participants under: {columns}."),
        "releases.too_many_participant_columns": _("A release has at most {most} columns about participants."),
        "releases.participants_not_agreed": _(
            "Say that participants agreed that what Prolific says of them is published, or leave its columns out."
        ),
        "releases.nothing_to_freeze": _("No batch has closed yet, so there is nothing to freeze."),
        "releases.one_under_way": _("Release {number} is under way. Finish it, or give it up, first."),
        "releases.made_meanwhile": _(
            "Release {number} was made since this page was shown. Look at it; if you want another one, ask again."
        ),
        "releases.nothing_to_settle": _("This release waits for nobody: it is frozen, or is being made."),
        "releases.changed_meanwhile": _(
            "Judgments or scores changed again and again while they were written. Wait until nobody is at them."
        ),
        "releases.reason_needed": _("Write why, in at most {most} characters: whoever comes for it reads that."),
        "releases.nothing_to_compare_with": _("There is no other release to compare release {number} with."),
        "releases.not_frozen": _("This release is not frozen, or was withdrawn."),
        "releases.days_wrong": _("A link works from 1 to {most:,} days."),
        "releases.link_wrong": _("This link is not valid. Copy it whole."),
        "releases.link_over": _("This link is too old, or was revoked. Ask whoever gave it to you for a new one."),
        "releases.person_or_team": _("Give the address of a person, or choose a study and a role in it."),
        "releases.no_team": _("You read no study “{team}”, so its members cannot be named."),
        "releases.no_right": _("This release has no such right to download it."),
        "releases.withdrawn": _("This release was withdrawn: {because}"),
        "releases.under_embargo": _("This release cannot be downloaded before {until}."),
        "releases.study_is_frozen": _(
            "Release {number} rests on this study, so it is not deleted. Archive it, or withdraw the release first."
        ),
        "releases.batch_is_frozen": _(
            "Release {number} froze batch {batch}, so it is not opened again. Open another batch, or withdraw the "
            "release first."
        ),
        "releases.no_aspect_to_train_on": _(
            "“{aspect}” is no aspect that says which answer is better. There are: {known}."
        ),
        "releases.no_such_tool": _("Releases are not written for “{tool}”. They are for: {known}."),
        "releases.no_judgments_for_tool": _("This release has no judgments, so there is nothing to write."),
        "releases.too_many_for_a_labeler": _(
            "This release has more than {most:,} judgments. Use manage.py release_for_labelers on its folder."
        ),
        "releases.too_many_for_a_page": _(
            "This release has more than {most:,} judgments. Use manage.py release_for_training on its folder."
        ),
        "releases.no_chats_of_groups": _(
            "Chats are made of judgments of single answers; this scheme judges several answers together."
        ),
        "releases.votes_for_a_tie": ngettext_noop(
            "{count:,} answer in a judgment that calls it a tie", "{count:,} answers in judgments that call it a tie"
        ),
        "releases.judgments_without_value": ngettext_noop(
            "{count:,} judgment that says nothing about it", "{count:,} judgments that say nothing about it"
        ),
        "releases.answers_alone": ngettext_noop(
            "{count:,} question with one answer only", "{count:,} questions with one answer only"
        ),
        "releases.pairs_of_the_same_text": ngettext_noop(
            "{count:,} pair of the same text", "{count:,} pairs of the same text"
        ),
        "releases.pairs_tied": ngettext_noop(
            "{count:,} pair whose answers are equally good", "{count:,} pairs whose answers are equally good"
        ),
        "releases.answers_in_the_middle": ngettext_noop(
            "{count:,} answer in the middle of the scale", "{count:,} answers in the middle of the scale"
        ),
        "releases.consensus_of_current": _(
            "Consensus labels are made of the current judgments of closed batches. Leave out what adds others to them."
        ),
    }
)

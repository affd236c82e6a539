"""What rounds of qualification refuse, and why."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.no_round": _("There is no such round of qualification, or it is not open to you."),
        "crowd.no_round_item": _("This round has no such item."),
        "crowd.no_attempt": _("There is no such attempt, or it is not open to you."),
        "crowd.round_of_a_round": _("This is a round of qualification itself; it can have no rounds."),
        "crowd.no_study_to_adopt": _("“{study}” is a round already, has rounds, or is this study. Choose another one."),
        "crowd.study_has_annotators": _(
            "“{study}” has annotators already, so it cannot become a round. Make a round of its corpus instead."
        ),
        "crowd.round_title_wrong": _("A round needs a title of 1 to {most} characters."),
        "crowd.round_rule_wrong": _("Choose who passes."),
        "crowd.round_percent_wrong": _("Write whole percent: 0 to 100 to pass, and 1 to 100 for citations."),
        "crowd.round_best_wrong": _("How many of the best pass? Write a number from 1 to {most:,}."),
        "crowd.round_attempts_wrong": _("Write how often one person may try, from 1 to {most}."),
        "crowd.round_days_wrong": _("A pass is valid for 1 to {most:,} days, or for good when it is left empty."),
        "crowd.round_without_key": _(
            "By its rule this round compares with accepted answers, and it has none. Write them first."
        ),
        "crowd.round_has_ended": _("This round has ended already."),
        "crowd.verdict_missing": _("Choose whether they pass."),
        "crowd.not_an_annotator": _("{member} is no annotator of this study."),
        "crowd.note_too_long": _("The note has {length:,} characters; at most {most:,} fit. Shorten it."),
        "crowd.key_explanation_too_long": _(
            "The explanation has {length:,} characters; at most {most:,} fit. Shorten it."
        ),
        "crowd.key_must_pass_what": _("An item that must be passed needs an accepted answer."),
        "crowd.key_number_wrong": _("{where}: “{given}” is no item. Write its number in the round."),
        "crowd.key_no_item": _("{where}: the round has no item {number}; its items are numbered from 1 to {most}."),
        "crowd.key_item_twice": _("{where}: item {number} is there already."),
        "crowd.key_twice": _("{where}: “{aspect}” of this item is there already ({before})."),
        "crowd.key_mark_wrong": _("{where}: “{given}” is neither yes nor no."),
        "crowd.key_entry_wrong": _("{where}: “accepted” maps aspects to lists, and “must_pass” is true or false."),
        "crowd.key_mistake": _("{where}, {aspect}: {why}"),
        "crowd.key_item_mistake": _("{where}: {why}"),
        "crowd.first_pass_the_round": _(
            "First pass the round of qualification “{round}”. You find it under “My qualifications”."
        ),
        "crowd.round_expired": _(
            "Your pass of “{round}” has expired. Pass the round again; you find it under “My qualifications”."
        ),
        "crowd.finish_the_round": _("You have begun the round of qualification “{round}”. Finish it first."),
        "crowd.round_is_reviewed": _(
            "Your answers in “{round}” are being looked at. Please look in again later; there is nothing to do for you."
        ),
        "crowd.round_not_passed": _(
            "You did not pass the round of qualification “{round}”, and no attempt is left. Thank you for trying."
        ),
        "crowd.round_not_open": _(
            "You need to pass the round of qualification “{round}”, which is not open now. Please look in again later."
        ),
        "crowd.round_ended_before": _(
            "The round of qualification “{round}” has ended before you had finished it. That does not count against "
            "you; what you submitted is kept. There is nothing to do for you unless it opens again."
        ),
        "crowd.round_taken_back": _(
            "You do not have the qualification “{round}” now, so you can submit nothing more. What you submitted is "
            "kept."
        ),
        "crowd.round_is_passed": _("You have passed “{round}” already."),
        "crowd.round_comes_later": _("Another round comes before “{round}”. Pass that one first."),
        "crowd.begin_the_round": _("This round is not under way for you. Begin it under “My qualifications”."),
        "crowd.round_is_finished": _("You have finished this round; its answers cannot be changed any more."),
    }
)

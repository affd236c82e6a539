"""What the errors about checks say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.no_check": _("This study has no such check."),
        "crowd.check_accepts_nothing": _("Say for one aspect at least which answers are accepted."),
        "crowd.check_there_already": _("There is a check with this answer already. Change that one."),
        "crowd.check_corpus_unfit": _("The corpus of these checks does not have what the scheme shows."),
        "crowd.check_number_wrong": _("{given} cannot be; a whole number from {least} to {most}."),
        "crowd.check_rule_without_limit": _(
            "Say after how many failed checks this follows, or below which share of passed ones."
        ),
        "crowd.no_check_in_use": _("There is no check in use. Add some first."),
        "crowd.no_draft_for_checks": _(
            "No batch is a draft. Checks go into tasks that nobody can take yet, so into draft batches only."
        ),
        "crowd.checks_entry_wrong": _(
            "{where}: an entry has article, question, system and accepted, which maps aspects to lists."
        ),
        "crowd.checks_kind_wrong": _("{where}: the kind is “{given}”; it must be gold or attention."),
        "crowd.checks_no_answer": _("{where}: the corpus has no such article, question and system."),
        "crowd.checks_twice": _("{where}: this aspect of this answer was said before."),
        "crowd.checks_slot_wrong": _("{where}, {slot}: {why}"),
        "crowd.checks_line_wrong": _("{where}: {why}"),
    }
)

"""What reviews refuse, and why."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.no_submission": _("There is no such submitted task, or it is not open to you."),
        "crowd.nothing_to_review": _(
            "This work is not submitted in the task, or not any more, so there is nothing to decide."
        ),
        "crowd.work_changed_since": _(
            "The annotator changed this work since you looked at it. Look at it as it is now, then decide."
        ),
        "crowd.reviewed_already": _("This work was {verdict} already."),
        "crowd.cannot_appeal": _("There is nothing to appeal against here, or you have done so already."),
        "crowd.appeal_needs_words": _("Write what should be looked at again."),
        "crowd.appeal_too_long": _("Your words have {length:,} characters; at most {most:,} fit. Shorten them."),
        "crowd.no_appeal": _("There is no appeal here that waits for a decision."),
        "crowd.counts_changed": _(
            "Meanwhile other tasks wait than were counted: {now:,} instead of {then:,}. Look again and confirm."
        ),
    }
)

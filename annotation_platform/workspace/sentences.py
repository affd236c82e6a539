"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "workspace.deadline_unread": _("The deadline is not a date and time. Choose one, or leave it empty."),
        "workspace.no_design": _("The design could not be read. Show the plan again, then use it."),
        "workspace.minutes_unread": _("How much more time? Write it as a number of minutes, such as 30."),
        "workspace.nothing_chosen": _("Nothing was chosen to change."),
        "workspace.no_kind_of_annotators": _("Say which of these the annotators are, or nothing."),
        "workspace.overlap_unread": _("The overlap is a whole number, such as 3."),
        "workspace.time_limit_unread": _("The time limit is a whole number, such as 3."),
        "workspace.assignment_not_held": _("Nobody has this assignment at the moment: it was released or given back."),
        "workspace.no_batch": _("This study has no batch {number}."),
    }
)

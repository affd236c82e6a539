"""What the errors of the topic say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.announcement_empty": _("The announcement is empty. Write a sentence or two first."),
        "crowd.announcement_too_long": _(
            "The announcement has {length:,} characters; at most {most:,} fit. Shorten it."
        ),
        "crowd.announced_already": _("An announcement with the same words is shown already."),
        "crowd.too_many_announcements": _(
            "{most} announcements are shown already, and nobody reads more. End an older one first."
        ),
        "crowd.nobody_at_work": _("Nobody has a task under way now, so nobody would read it. Address it to all."),
        "crowd.no_announcement": _("There is no such announcement."),
        "crowd.faq_half": _("In each language write both the question and the answer, or leave both empty."),
        "crowd.faq_empty": _("Write a question and its answer in at least one language."),
        "crowd.no_answer": _("There is no such answer in the conversations of this study."),
        "crowd.no_faq_entry": _("There is no such question in this study's list."),
        "crowd.no_thread": _("There is no such conversation."),
        "crowd.no_such_annotator": _("No annotator of this study is called “{name}”."),
        "crowd.stop_link_wrong": _("This link does not work. Sign in and choose your mails under “My account”."),
    }
)

"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "webhooks.none": _("There is no such webhook."),
        "webhooks.no_delivery": _("There is no such message; they are kept for {days} days."),
        "webhooks.too_many": _("A study has at most {most} webhooks. Delete one that is not needed."),
        "webhooks.kinds_wrong": _("Say what it is told of; there are: {known}."),
        "webhooks.note_too_long": _("Write a note of at most {most} characters."),
        "webhooks.no_such_step": _("Choose what to do with the webhook."),
        "webhooks.off": _("This webhook is switched off. Switch it on first."),
        "webhooks.status": _("The answer had the status {status}; only 200 to 299 count as received."),
        "webhooks.gone": _("Its server says that nothing is there any more (410)."),
        "webhooks.failing": _("The last {count} attempts failed, for more than a day. The last time: {last}"),
    }
)

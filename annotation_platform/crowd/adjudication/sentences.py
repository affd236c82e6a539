"""What adjudication refuses, and why."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.no_item_to_decide": _("There is no such item to decide on."),
        "crowd.only_readers_adjudicate": _("Only the study's researchers and admins decide on items."),
        "crowd.adjudication_note_too_long": _("The note has {length:,} characters; at most {most:,} fit. Shorten it."),
        "crowd.scheme_changed_meanwhile": _(
            "The study has another version of its scheme since you opened the page. Look again and decide."
        ),
    }
)

"""What consent says."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.consent_missing": _("Before your next task, please read what you agree to by taking part, and say so."),
        "crowd.consent_empty": _("Write the text in at least one language."),
        "crowd.consent_too_long": _("The text has {length:,} characters; {most:,} at most can be kept."),
        "crowd.no_consent_text": _("This study asks for no consent."),
        "crowd.consent_changed": _("The text has changed meanwhile. Please read it again; nothing was stored."),
        "crowd.consent_not_answered": _("Choose one of the two: you agree, or you do not."),
    }
)

"""What the errors of this topic say, and why somebody takes no task."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.no_language": _("Choose among the languages that are listed."),
        "crowd.languages_not_stated": _(
            "The texts of this study are in {languages}. Say which languages you read, then take a task."
        ),
        "crowd.languages_missing": _(
            "The texts of this study are in {languages}, and you do not say that you read that. Change what you say if "
            "you do."
        ),
    }
)

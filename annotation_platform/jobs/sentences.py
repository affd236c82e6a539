"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "jobs.database_busy": _("The database is busy with other work, so nothing was stored. Try again in a minute."),
    }
)

"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "releases.no_format": _("“{format}” is no format. There are: {formats}."),
    }
)

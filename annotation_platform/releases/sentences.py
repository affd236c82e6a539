"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "releases.no_format": _("“{format}” is no format. There are: {formats}."),
        "releases.consensus_of_current": _(
            "Consensus labels are made of the current judgments of closed batches. Leave out what adds others to them."
        ),
    }
)

"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "corpus.name_wrong": _("A corpus needs a name of 1 to 200 characters."),
        "corpus.name_taken": _("There is a corpus named “{name}” already. Choose another name."),
    }
)

"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "corpus.name_wrong": _("A corpus needs a name of 1 to 200 characters."),
        "corpus.name_taken": _("There is a corpus named “{name}” already. Choose another name."),
        "corpus.nothing_imported": ngettext_noop(
            "Nothing was imported: one mistake.{shown}{more}", "Nothing was imported: {count:,} mistakes.{shown}{more}"
        ),
        "corpus.more_mistakes": _("\n  … and {count:,} more."),
    }
)

"""What is said of a small file that cannot be read."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.file_not_utf8": _("The file is not in UTF-8. Save it as CSV in UTF-8, or as JSON."),
        "crowd.file_empty": _("There is nothing in it. Choose a file, or paste its text."),
        "crowd.file_too_large": _("It is too large; at most {most:,} characters fit."),
        "crowd.file_columns_missing": _("The first row must name the columns; these are missing: {columns}."),
        "crowd.file_not_json": _("This is not JSON: {why}"),
        "crowd.file_unreadable": _(
            "{where} cannot be read as CSV: a cell has at most {most:,} characters. Is a quotation mark left open?"
        ),
        "crowd.file_unstorable": _("It holds a character that cannot be stored ({character}). Take it out."),
        "crowd.file_wrong": _("Nothing was stored; each of these lines says what to mend."),
        "crowd.file_row": _("Row {number}"),
        "crowd.file_entry": _("Entry {number}"),
    }
)

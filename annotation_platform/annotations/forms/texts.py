"""The reader's language, and what the page's scripts say in it."""

from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation_platform.core.citations import CITATIONS
from annotation_platform.core.schemes.languages import LANGUAGES


def interface_language() -> str:
    """The interface's language, as far as schemes know it."""
    language = (get_language() or "en").split("-")[0]
    return language if language in LANGUAGES else "en"


def page_texts() -> dict[str, Any]:
    """For ``#annotate-texts``: what scripts say, where %s stands for a number, and how they read citations."""
    return {
        "citations": CITATIONS,
        "saving": _("Saving…"),
        "saved": _("Saved"),
        "changed": _("Changed, not submitted yet"),
        "unsaved": _("Not saved yet"),
        "offline": _("Not saved: no connection. It is kept in this browser."),
        "not_kept": _("Not saved: the server did not take it. It is kept in this browser."),
        "restored": _("Restored from this browser"),
        "conflict": _("Not saved: changed elsewhere"),
        "signed_out": _("Not saved: you are signed out. It is kept in this browser; sign in again in another tab."),
        "not_sent": _("Not submitted: no connection. What you wrote is kept in this browser; submit again later."),
        "refused": _("Not submitted: the server refused. What you wrote is kept in this browser; load the page again."),
        "minutes_left": _("%s min left"),
        "last_minute": _("less than a minute left"),
        "warned": _("Less than %s min left for this task. Then others can take it; what you wrote is kept."),
        "time_is_up": _("time is up; still yours until taken"),
        "cited": _("%s cited"),
        "to_go": _("%s more characters, please"),
        "left": _("%s characters left"),
        "too_long": _("%s characters too many"),
        "found": _("%s sentences found"),
        "found_nothing": _("Nothing found"),
        "marked": _("Marked: %s"),
        "marked_already": _("These words have this label already."),
        "unmarked": _("The mark is gone: %s"),
        "selected": _("Selected: %s"),
        "select_first": _("Select words in the text first."),
        "label_of": _("Label of “%s”"),
        "note_on": _("Note on “%s”"),
        "note": _("Note"),
        "show_mark": _("Show “%s” in the text"),
        "delete_mark": _("Delete the mark on “%s”"),
        "mark_as": _("Mark as"),
        "cancel": _("Cancel"),
        "complete": _("complete"),
        "open": _("%s open"),
    }

"""The edge where a reason becomes a sentence in its reader's language."""

from django.utils.translation import gettext, ngettext

from annotation_platform.core.errors import CodedError, InvalidInputError
from annotation_platform.core.reasons import Reason


def in_language(said: str | CodedError) -> str:
    """A reason or an error in the active language; words without a code are somebody's own and stay as they are."""
    reason = said.reason if isinstance(said, CodedError) else said
    return reason.told(gettext, ngettext) if isinstance(reason, Reason) else reason


def why_in_language(why: str) -> str:
    """Why a figure is not there, in the active language: a reason, or a sentence of ours that has no code."""
    return in_language(why) if isinstance(why, Reason) or not why else gettext(why)


def lines_in_language(error: InvalidInputError) -> list[str]:
    """The error's sentence, and each of its reasons."""
    return [in_language(error), *(in_language(reason) for reason in error.reasons)]

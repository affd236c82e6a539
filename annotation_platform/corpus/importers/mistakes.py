"""What is wrong with files to import: collected mistake by mistake, told together, a few of very many kept."""

import re
from collections.abc import Sequence
from typing import Any

from annotation_platform.core.errors import CodedError, InvalidInputError
from annotation_platform.core.reasons import Reason

SHOWN_REASONS = 20
MOST_KEPT = 1_000  # of a million wrong rows nobody reads more
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL and UTF-8 have no room for these


class ImportFileError(InvalidInputError):
    """Files that cannot be imported. ``reasons`` holds the mistakes; the message shows the first twenty.

    ``count`` is how many there are when not all of them are in ``reasons``.
    """

    def __init__(self, reasons: Sequence[str], count: int | None = None) -> None:
        self.count = len(reasons) if count is None else count
        shown = "".join(f"\n  {reason}" for reason in reasons[:SHOWN_REASONS])
        left = self.count - SHOWN_REASONS
        more = Reason("corpus.more_mistakes", count=left) if left > 0 else ""
        super().__init__("corpus.nothing_imported", reasons, count=self.count, shown=shown, more=more)


class RowError(CodedError, ValueError):
    """A row, or a value in a file, that cannot be taken; it is told with the place where it stands."""


def wrong_at(where: str, why: str, /, **parameters: Any) -> Reason:
    """What is wrong at a place in a file: a code with its parameters, or a reason that somebody else has given."""
    reason = why if isinstance(why, Reason) else Reason(why, **parameters)
    return Reason("corpus.wrong_at", where=where, why=reason)


def reason_of(error: Exception) -> Reason:
    """What an error says: its reason, or the words of a library."""
    return error.reason if isinstance(error, CodedError) else in_its_words(str(error))


def in_its_words(words: str) -> Reason:
    """What a library, or another part of the platform, has put into words."""
    return Reason("corpus.in_its_words", words=words)


class Mistakes:
    """Collects mistakes: counts all of them, keeps the first thousand."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.count = 0

    def add(self, reason: str) -> None:
        self.count += 1
        if len(self.reasons) < MOST_KEPT:
            self.reasons.append(reason)

    def refuse(self) -> None:
        """Raise an :class:`ImportFileError` with all that was collected, if anything was."""
        if self.count:
            raise ImportFileError(self.reasons, self.count)


def unstorable(value: Any) -> Reason | None:
    """What is wrong with a text that no database can hold, or with one inside lists and mappings; None: nothing."""
    if isinstance(value, str):
        found = UNSTORABLE.search(value)
        return Reason("corpus.unstorable", character=f"U+{ord(found[0]):04X}") if found else None
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next(filter(None, map(unstorable, inner)), None)

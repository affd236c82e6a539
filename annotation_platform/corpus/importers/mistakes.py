"""What is wrong with files to import: collected mistake by mistake, told together, a few of very many kept."""

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from annotation_platform.core.errors import CodedError, InvalidInputError
from annotation_platform.core.locations import key_path
from annotation_platform.core.reasons import Reason

SHOWN_REASONS = 20
MOST_ROWS_TOLD = 30  # of one and the same mistake
IN_ROWS = {"corpus.at_row": "corpus.wrong_in_rows", "corpus.at_line": "corpus.wrong_in_lines"}
LONGEST_NUMBER = 20  # digits, of a line or a row
MOST_KEPT = 1_000  # of a million wrong rows nobody reads more
STRANGE = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
"""What records that are not as they should be make of reading them."""
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL and UTF-8 have no room for these

DIGITS = "integer string conversion"  # in what Python says of a number with thousands of them
JSON_SAYS = {
    "Expecting value": "corpus.json_value_missing",
    "Expecting ',' delimiter": "corpus.json_comma_missing",
    "Expecting ':' delimiter": "corpus.json_colon_missing",
    "Expecting property name enclosed in double quotes": "corpus.json_key_missing",
    "Illegal trailing comma before end of object": "corpus.json_comma_left",
    "Illegal trailing comma before end of array": "corpus.json_comma_left",
    "Unterminated string starting at": "corpus.json_text_open",
    "Invalid control character at": "corpus.json_control_character",
    "Invalid \\escape": "corpus.json_escape",
    "Invalid \\uXXXX escape": "corpus.json_escape",
    "Extra data": "corpus.json_goes_on",
}


class ImportFileError(InvalidInputError):
    """Files that cannot be imported. ``reasons`` holds the mistakes, those that say the same of several rows as one;
    the message shows the first twenty in English.

    ``count`` is how many there are when not all of them are given.
    """

    def __init__(self, mistakes: Sequence[str], count: int | None = None) -> None:
        self.count = len(mistakes) if count is None else count
        super().__init__("corpus.nothing_imported", _alike_together(mistakes), count=self.count)

    def __str__(self) -> str:
        shown = self.reasons[:SHOWN_REASONS]
        left = self.count - told_by(shown)
        more = [Reason("corpus.more_mistakes", count=left)] if left > 0 else []
        return "\n  ".join([self.reason, *shown, *more])


class RowError(CodedError, ValueError):
    """A row, or a value in a file, that cannot be taken; it is told with the place where it stands."""


def place(file: str, *part: str | int, line: int = 0, row: int = 0, sheet: str = "", entry: int = 0) -> str:
    """Where something stands: a file, its line, its entry, or its sheet and row, and the key path of a part of that."""
    at = Reason("corpus.at_sheet", file=file, sheet=sheet) if sheet else file
    if line:
        at = Reason("corpus.at_line", file=at, line=line)
    elif row:
        at = Reason("corpus.at_row", file=at, row=row)
    elif entry:
        at = Reason("corpus.at_entry", file=at, entry=entry)
    return Reason("corpus.at_part", at=at, part=key_path(part)) if part else at


def wrong_at(where: str, why: str, /, **parameters: Any) -> Reason:
    """What is wrong at a place in a file: a code with its parameters, or a reason that somebody else has given."""
    reason = why if isinstance(why, Reason) else Reason(why, **parameters)
    return Reason("corpus.wrong_at", where=where, why=reason)


def reason_of(error: Exception) -> Reason:
    """What an error says: its reason, or the words of a library."""
    if isinstance(error, CodedError):
        return error.reason
    if DIGITS in str(error):
        return Reason("corpus.number_of_many_digits", most=sys.get_int_max_str_digits())
    return in_its_words(str(error) or type(error).__name__)


def in_json_words(error: Exception) -> Reason:
    """What is wrong with JSON: what the reader of it found, or what we did."""
    if not isinstance(error, json.JSONDecodeError):
        return reason_of(error)
    return Reason(JSON_SAYS[error.msg]) if error.msg in JSON_SAYS else in_its_words(error.msg)


def in_its_words(words: str) -> Reason:
    """What a library, or another part of the platform, has put into words."""
    return Reason("corpus.in_its_words", words=words)


def _alike_together(reasons: Sequence[str]) -> list[str]:
    """Mistakes that say the same of the same column in several rows or lines as one, with these; of lines of their
    own, each as it is."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for number, reason in enumerate(reasons):
        *kind, row = _kind(reason) or (str(number), "")
        groups.setdefault(tuple(kind), []).append((reason, row))
    return [_as_one(kind, group) if len(group) > 1 else group[0][0] for kind, group in groups.items()]


def told_by(reasons: Sequence[str]) -> int:
    """How many mistakes these tell of."""
    return sum(
        each.parameters["count"] if isinstance(each, Reason) and each.code in IN_ROWS.values() else 1
        for each in reasons
    )


def _kind(reason: str) -> tuple[Any, ...] | None:
    """What a mistake in a row or line has in common with its like, then which row that is; None for another one."""
    if not isinstance(reason, Reason) or reason.code != "corpus.wrong_at":
        return None
    where, part = reason.parameters["where"], ""
    if isinstance(where, Reason) and where.code == "corpus.at_part":
        where, part = where.parameters["at"], where.parameters["part"]
    if not isinstance(where, Reason) or where.code not in IN_ROWS:
        return None
    row = where.parameters[where.code.removeprefix("corpus.at_")]
    return where.code, where.parameters["file"], part, reason.parameters["why"], f"{row:,}"


def _as_one(kind: tuple[Any, ...], group: Sequence[tuple[str, str]]) -> Reason:
    code, file, part, why = kind
    where = Reason("corpus.at_part", at=file, part=part) if part else file
    rows = [row for _, row in group]
    listed = rows if len(rows) <= MOST_ROWS_TOLD else [*rows[:MOST_ROWS_TOLD], "…"]
    return Reason(IN_ROWS[code], where=where, why=why, count=len(rows), rows=listed)


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
        """Raise an :class:`ImportFileError` with all that was collected, in the order of the files, if anything was."""
        if self.count:
            raise ImportFileError(sorted(self.reasons, key=_place), self.count)


def _place(reason: str) -> list[int | str]:
    """Where a mistake is, so that line 9 comes before line 10; what concerns all comes first."""
    where = str(reason.parameters.get("where", "")) if isinstance(reason, Reason) else ""
    parts = re.split(r"(\d[\d,]*)", where)
    return [_number(part) if number % 2 else part for number, part in enumerate(parts)]


def _number(digits: str) -> int:
    """A number in the name of a place; of a column that is called by thousands of digits, by its first ones."""
    return int(digits.replace(",", "")[:LONGEST_NUMBER])


def unstorable(value: Any) -> Reason | None:
    """What is wrong with a text that no database can hold, or with one inside lists and mappings; None: nothing."""
    if isinstance(value, str):
        found = UNSTORABLE.search(value)
        return Reason("corpus.unstorable", character=f"U+{ord(found[0]):04X}") if found else None
    inner = value if isinstance(value, list | tuple) else ()
    if isinstance(value, dict):
        try:
            inner = ("".join(value), "".join(value.values()))  # one search of a row of texts
        except TypeError:
            inner = [*value, *value.values()]
    return next(filter(None, map(unstorable, inner)), None)

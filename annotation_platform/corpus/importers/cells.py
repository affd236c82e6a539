"""One cell of a row, or a few: what it says as a text, a number, a list, or a name."""

import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.spelling import as_written, list_of, number_of, plain_text
from annotation_platform.corpus.importers.study import LARGEST

YES, NO = "yes", "no"
MARKS = {**dict.fromkeys(("1", YES, "true", "x"), True), **dict.fromkeys(("0", NO, "false"), False)}
NOTHING: tuple[Any, ...] = (None, "", [])  # what a blank cell reads as
BREAK = re.compile(r"[ \t]*(?:<br\s*/?>|&lt;br\s*/?&gt;)[ \t]*(?:\r?\n)?", re.IGNORECASE)


def text_of(said: Mapping[str, Any], field: str) -> str:
    value = said.get(field, "")
    if type(value) is str:
        return value
    if isinstance(value, dict | list):
        raise RowError("corpus.value_no_text", field=field)
    return plain_text(value)


def whole_of(said: Mapping[str, Any], field: str, *, least: int) -> int | None:
    """A whole number in a field; None when it is blank."""
    return whole_number(said[field], field, least=least) if field in said else None


def whole_number(written: Any, field: str, *, least: int = 0, most: int = LARGEST) -> int:
    """What stands where a whole number belongs.

    Raises
    ------
    RowError
        When it is none, or smaller or larger than any that is meant; it names the field.
    """
    number = number_of(written)
    if number is None or number != int(number) or not least <= number <= most:
        raise RowError("corpus.value_no_whole_number", field=field, value=str(written)[:40], least=least, most=most)
    with suppress(ValueError):  # exact beyond what a float tells apart
        return int(written)
    return int(number)


def finite_number(written: Any, field: str) -> float:
    """What stands where a number belongs; a RowError that names the field when it is none, or infinite."""
    if (number := number_of(written)) is None:
        raise RowError("corpus.value_no_number", field=field, value=str(written)[:40])
    return number


def documents_of(given: Any) -> list[Any]:
    return [] if given is None else [given] if isinstance(given, dict) else list_of(given)


def broken(value: Any) -> Any:
    """A text in which the line breaks of a web page are those of a text."""
    return BREAK.sub("\n", value).strip() if isinstance(value, str) and ("<" in value or "&" in value) else value


def as_meant(meant: Mapping[str, str], value: Any) -> Any:
    """What a value stands for, where whoever imports has said so."""
    return [as_meant(meant, each) for each in value] if isinstance(value, list) else meant.get(as_written(value), value)


def trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def digest(*texts: str) -> str:
    """A short name for what has none, the same for the same text."""
    return sha256("\n".join(texts).encode()).hexdigest()[:12]

"""One cell of a row, or a few: what it says as a text, a number, a list, or a name."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.spelling import as_written, list_of, number_of
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
    return f"{value:g}" if isinstance(value, float) else str(value)


def whole_of(said: Mapping[str, Any], field: str, *, least: int) -> int | None:
    """A whole number in a field; None when it is blank."""
    if field not in said:
        return None
    number = number_of(said[field])
    if number is None or number != int(number) or not least <= number <= LARGEST:
        raise RowError(
            "corpus.value_no_whole_number", field=field, value=str(said[field])[:40], least=least, most=LARGEST
        )
    return int(number)


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

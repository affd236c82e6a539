"""The hand-written words and patterns of words.toml."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from annotation_platform.core.methods.judging.labels import plain


@cache
def _entries() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


@cache
def words_for(choice: str) -> tuple[str, ...]:
    """Words that mean the choice with this key, whatever its label; none for most keys."""
    return tuple(plain(word) or word for word in _entries()["choices"].get(choice, ()))


@cache
def words_left_open() -> tuple[str, ...]:
    """Words for "nothing to say here"."""
    return (*words_for("na"), *_entries()["left_open"]["words"])


@cache
def number_words() -> dict[str, int]:
    return dict(_entries()["numbers"])


@cache
def ordinals() -> dict[str, int]:
    return dict(_entries()["ordinals"])


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the lists of patterns, as alternatives."""
    return re.compile(alternatives(name), re.IGNORECASE)


@cache
def alternatives(name: str) -> str:
    return f"(?:{'|'.join(_entries()['patterns'][name])})"


def any_of(texts: Iterable[str]) -> str:
    """A pattern for any of these texts, the longest first."""
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True))) or r"(?!)"

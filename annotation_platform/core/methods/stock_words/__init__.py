"""Stock words: those with which any judgment can be put, read from one hand-written list for each language.

A list has the words of grammar (``function``), of the task (``task``: answer, document, …) and of judging
(``judging``: correct, complete, …), the regular ``endings`` that its words may take, and patterns for two things
that words alone do not show: ``place`` (a sentence is pointed to) and ``silence`` (the document does not tell).
In a script without spaces the entries are strings, and the longest that fits is taken.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

LISTS = Path(__file__).parent
WORDS_KEPT = 4_096  # people use the same few thousand words
UNSPACED = re.compile(  # Thai and Lao, Myanmar, Khmer, Japanese, Han
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+"
)
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True)
class StockWords:
    """The list of one language."""

    plain: frozenset[str]  # grammar and the task, which tell nothing about what was repeated
    judging: frozenset[str]
    endings: tuple[str, ...]
    strings: re.Pattern[str]
    place: re.Pattern[str]
    silence: re.Pattern[str]

    __hash__ = object.__hash__  # there is one list a language; its words need not be gone through

    @lru_cache(maxsize=WORDS_KEPT)  # noqa: B019 - there is one list a language, and it is never let go
    def has(self, word: str) -> bool:
        return self.is_plain(word) or self._is_in(self.judging, word)

    @lru_cache(maxsize=WORDS_KEPT)  # noqa: B019
    def is_plain(self, word: str) -> bool:
        return self._is_in(self.plain, word)

    def _is_in(self, words: frozenset[str], word: str) -> bool:
        if word in words:
            return True
        stems = (word.removesuffix(ending) for ending in self.endings if word.endswith(ending))
        return any(stem in words or f"{stem}e" in words for stem in stems)


@cache
def stock_words(language: str) -> StockWords:
    """The list of a language (``en``, ``ja-JP``), an empty one where there is none."""
    code = language.partition("-")[0].lower()
    path = LISTS / f"{code}.toml"
    if not code.isalpha() or not path.exists():
        return StockWords(frozenset(), frozenset(), (), _NOTHING, _NOTHING, _NOTHING)
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    plain, judging = frozenset((lists["function"] + lists["task"]).split()), frozenset(lists["judging"].split())
    unspaced = (word for word in plain | judging if UNSPACED.match(word))
    return StockWords(
        plain=plain,
        judging=judging,
        endings=tuple(lists["endings"]),
        strings=_any_of(map(re.escape, sorted(unspaced, key=len, reverse=True))),
        place=_any_of(lists["place"]),
        silence=_any_of(lists["silence"]),
    )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or _NOTHING.pattern)

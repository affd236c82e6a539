"""Texts that try to order the judge about: flagged, so that a person looks at them.

A flag changes no score and blocks nothing. The fence around each text is what keeps an order from being taken for one
of ours (:mod:`~annotation_platform.core.methods.messages`); this detector finds the texts by which somebody tried.
It compares with patterns written by hand (injection.toml), once for the text as it is and once for each disguise that
can be undone: look-alike letters, spaced letters, digits for letters, base64, hexadecimal, ROT13, reversed text. What
it does not know it does not find.
"""

import base64
import codecs
import html
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from urllib.parse import unquote

MOST_CHARACTERS = 50_000


class Sign(StrEnum):
    """What makes a text suspicious."""

    ORDER = "order"
    """It tells the reader to drop what it was told."""
    DEMANDS_LABEL = "demands_label"
    """It asks for a score or a label."""
    ADDRESSES_MODEL = "addresses_model"
    """It speaks to a model, or of its prompt."""
    SPEAKS_OF_JUDGING = "speaks_of_judging"
    """It speaks of scores, labels or raters, which an explanation of an answer hardly ever does."""
    FAKES_STRUCTURE = "fakes_structure"
    """It pretends that the text has ended, or that somebody else speaks."""
    PRETENDS_REPLY = "pretends_reply"
    """It looks like the reply of a judge."""
    HIDDEN = "hidden"
    """It has characters that nobody sees, or that turn the writing round."""
    DISGUISED = "disguised"
    """It is written in look-alikes of letters, or in a code, and one of the other signs comes out."""


@dataclass(frozen=True)
class Suspicion:
    """One sign, and the words that show it, for the person who looks."""

    sign: Sign
    passage: str


_PATTERNED = tuple(sign for sign in Sign if sign not in ("hidden", "disguised"))
_LOOKALIKES = str.maketrans("аеорсухіјѕԁһոАЕОРСУХІЈЅВНКМТαεορτικνυ", "aeopcyxijsdhnAEOPCYXIJSBHKMTaeoptikvu")
_SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz")
_DIGITS = str.maketrans("013457@$", "oieastas")
_LATIN_AND_OTHER = re.compile(r"\b(?=\w*[a-z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])\w{3,}", re.IGNORECASE)
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff]{3,}")
_SPACED = re.compile(r"\b(?:\w[\s.\-_·]{1,3}){5,}\w\b")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/])")
_HEX = re.compile(r"\b(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s,]?){10,}")
_WORD = r"\b"
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}|[A-Za-z]){8,}")
_JOINERS = "\u200c\u200d"  # between letters of Arabic, Indic scripts and emoji they belong to the writing
_HARMLESS = "\t\n\r\u00ad\ufeff"


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """The signs that a text gives orders to a judging model; none for nearly every honest text.

    Parameters
    ----------
    text : str
        An explanation, an answer, or whatever else others wrote.

    Returns
    -------
    tuple of Suspicion
        At most one for each sign.
    """
    written = text[:MOST_CHARACTERS]
    plain = _without_shapeless(unicodedata.normalize("NFKC", written))
    found = dict(_signs_in(plain))
    if hidden := _hidden(written):
        found[Sign.HIDDEN] = hidden
    for disguised, clear in _unmasked(written, plain):
        signs = dict(_signs_in(clear))
        if signs.keys() - found.keys():
            found.setdefault(Sign.DISGUISED, disguised)
        found |= {sign: passage for sign, passage in signs.items() if sign not in found}
    return tuple(Suspicion(sign, " ".join(found[sign].split())[:200]) for sign in Sign if sign in found)


def _signs_in(text: str) -> Iterator[tuple[Sign, str]]:
    for sign in _PATTERNED:
        if match := _pattern(sign).search(text):
            yield sign, match[0]


@cache
def _pattern(sign: Sign) -> re.Pattern[str]:
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[sign]
    at_words = [entry.removeprefix(_WORD) for entry in entries if entry.startswith(_WORD)]
    anywhere = [entry for entry in entries if not entry.startswith(_WORD)]
    # What begins with a word is tried where one does, and not at every letter.
    return re.compile(f"{_WORD}{_any_of(at_words)}|{_any_of(anywhere)}", re.IGNORECASE | re.MULTILINE)


def _any_of(patterns: Sequence[str]) -> str:
    return "(?:" + "|".join(f"(?:{pattern})" for pattern in patterns or [r"(?!)"]) + ")"


def _without_shapeless(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _hidden(text: str) -> str:
    """The characters without a shape that have no business in a text, by their code points."""
    strange = dict.fromkeys(
        f"U+{ord(char):04X}"
        for place, char in enumerate(text)
        if char not in _HARMLESS
        and unicodedata.category(char) in ("Cf", "Cc", "Co")
        and not (char in _JOINERS and _joins(text[max(0, place - 1) : place + 2]))
    )
    return " ".join(strange)


def _joins(around: str) -> bool:
    return len(around) == 3 and all(ord(char) > 0x500 for char in (around[0], around[2]))


def _unmasked(written: str, plain: str) -> Iterator[tuple[str, str]]:
    """Parts of the text that may be disguised, each with what it says without the disguise."""
    if mathematical := _MATHEMATICAL.search(written):
        yield mathematical[0], f"\n{plain}"
    if mixed := _LATIN_AND_OTHER.search(plain):
        yield mixed[0], plain.translate(_LOOKALIKES)
    if (large := plain.translate(_SMALL_CAPITALS)) != plain:
        yield plain, large
    if spaced := _SPACED.search(plain):
        yield spaced[0], _SPACED.sub(lambda match: _joined(match[0]), plain)
    if re.search(r"[a-z][013457@$]|[013457@$][a-z]", plain, re.IGNORECASE):
        words = re.sub(
            r"\b(?=\w*[a-z])[\w@$]*[013457@$][\w@$]*", lambda each: each[0].translate(_DIGITS), plain, flags=re.I
        )
        yield plain, words
    if tags := "".join(chr(ord(char) - 0xE0000) for char in written if 0xE0020 <= ord(char) < 0xE007F):
        yield "U+E0000 …", tags
    if (unescaped := html.unescape(plain)) != plain:
        yield plain, unescaped
    yield from ((match[0], _decoded(match[0])) for match in _BASE64.finditer(plain))
    yield from ((match[0], _from_hex(match[0])) for match in _HEX.finditer(plain))
    yield from ((match[0], unquote(match[0])) for match in _PERCENT.finditer(plain) if "%" in match[0])
    yield plain, codecs.decode(plain, "rot13")
    yield plain, plain[::-1]


def _joined(spaced: str) -> str:
    """Single letters as words again: where dots stand between them a space parts the words, else two spaces do."""
    if re.search(r"\w[.\-_·]\w", spaced):
        return re.sub(r"(?<=\w)[.\-_·](?=\w)", "", spaced)
    return " ".join(re.sub(r"\s", "", word) for word in re.split(r"\s{2,}", spaced))


def _decoded(text: str) -> str:
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode()
    except ValueError:
        return ""
    return decoded if decoded.isprintable() else ""


def _from_hex(text: str) -> str:
    try:
        return bytes.fromhex(re.sub(r"0x|\\x|[\s,]", "", text)).decode()
    except ValueError:
        return ""

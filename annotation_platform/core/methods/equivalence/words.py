"""What an answer's words are for comparing it with another: aliases, numbers and endings brought to one form.

This is not the normalisation of exact match and F1 (`equivalence.overlap`), which must stay as everybody has it. Here
``the Sixth of Sept.`` and ``September 6th`` have the same words, and so have ``U.S.`` and ``United States``.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MONTHS = frozenset(_listed("january february march april may june july august september october november december"))
STOP_WORDS = frozenset(
    _listed(
        "a an the of in on at to for by and or is was were are be been with from as it its that this which who whom "
        "whose what when where how did do does has have had he she they his her their also not no but than then there"
    )
)
_CARDINALS = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_ORDINALS = _listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_TENS = _listed("thirty forty fifty sixty seventy eighty ninety")
_ROMAN = {"ii": 2, "iii": 3, "iv": 4, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "xi": 11, "xii": 12}
_CAPITAL_ROMAN = {
    tens + ones: str(10 * ten + one)
    for ten, tens in enumerate(("", "X", "XX", "XXX", "XL", "L", "LX"))
    for one, ones in enumerate(("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"))
    if len(tens + ones) > 1
}
_OTHER_NAMES = {
    **{word: str(number) for number, word in enumerate(_CARDINALS)},
    **{word: str(number) for number, word in enumerate(_ORDINALS, start=1)},
    **{word: str(number) for number, word in zip(range(30, 100, 10), _TENS, strict=True)},
    **{word: str(number) for word, number in _ROMAN.items()},
    **{month[:3]: month for month in MONTHS},
    **{"sept": "september", "usa": "us", "america": "us", "uk": "britain", "british": "britain", "bce": "bc"},
    **{"mt": "mount", "st": "saint", "dr": "doctor", "jr": "junior", "sr": "senior", "tv": "television"},
    **{"ft": "feet", "foot": "feet", "mi": "mile", "kg": "kilogram", "lb": "pound", "%": "percent", "°": "degree"},
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometers"), "kilometer"),
}
_ENDINGS = _listed(
    "ization isation ations ation ments ment ness ities ity ings ing ies ied edly ed ers er ors or ists ist isms ism "
    "ians ian ans an ions ion ally al ive es ly ic s e y"
)
_ENDINGS_BY_LETTER = {last: tuple(ending for ending in _ENDINGS if ending[-1] == last) for last in "nstygdrlmce"}
_SHORTEST_STEM = 3

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?|[%°]|[^\W\d_]+(?:['’][^\W\d_]+)?")
_COUNTRIES = ("us", "britain", "ussr", "bc")
_COUNTRY = re.compile(
    r"\b(?=[usgb])(?:(united states(?: of america)?|u\.\s?s\.(?:\s?a\.)?)|(united kingdom|great britain|u\.\s?k\.)"
    r"|(soviet union|u\.s\.s\.r\.)|(b\.\s?c\.(?:\s?e\.)?))",
    re.IGNORECASE,
)
# Looked for first: the pattern itself takes longer.
_COUNTRY_SIGNS = ("nited ", "NITED ", "reat Br", "reat br", "oviet", "SOVIET", "U.", "u.s", "u.k", "B.", "b.c")
# Where a sign has a space, the piece before it ends there, or `part` parts it there.
_COUNTRY_PIECE = re.compile("|".join(re.sub(r"\\ .*", "(?:$|[A-Z])", re.escape(sign)) for sign in _COUNTRY_SIGNS))
_GLUED = re.compile(r"([a-z])([A-Z][a-z])")
_MAY_BE_GLUED = re.compile(r"[A-Z](?<=[a-z].)[a-z]")  # looked for first: it only stops at capital letters
_DOTTED = re.compile(r"\b(?:[A-Z]\.){2,}")
_INITIALS = re.compile(r"\b[A-Z](?:\.\s?|\s)(?:[A-Z](?:\.\s?|\s))*[A-Z]\b\.?")
_YEARS = re.compile(r"\b(1\d|20)(\d\d)([-–—])(?=\d\d(?!\d))")


class Word(NamedTuple):
    """``key`` is equal for forms of the same word; ``form`` keeps the word's ending."""

    key: str
    form: str
    capital: bool

    @property
    def is_number(self) -> bool:
        return self.key[0].isdigit()


def clean(text: str) -> str:
    """The text without accents, with words parted that a missing space has joined (``bandAce``).

    A span of years such as 1979–80 is written out as 1979–1980.
    """
    return part(fold(text))


def fold(text: str) -> str:
    """The text without accents."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text.replace("\xad", ""))
    for mark in set(text):
        if unicodedata.combining(mark):
            text = text.replace(mark, "")
    return text


def part(text: str) -> str:
    """The rest of `clean`, for a folded text; no white space matters, so that pieces of a text can be parted alone."""
    if _MAY_BE_GLUED.search(text):
        text = _GLUED.sub(r"\1 \2", text)
    if "." in text:
        text = _DOTTED.sub(lambda match: match[0].replace(".", ""), text)
    return _YEARS.sub(r"\1\2\3\1", text) if "-" in text or "–" in text or "—" in text else text


def has_initials(text: str) -> bool:
    """Whether `join_initials` may join any in this text, or in what `part` makes of it."""
    return _INITIALS.search(text) is not None


def join_initials(text: str) -> str:
    """The text with initials joined to one word: ``J. K. Rowling`` is ``JK Rowling``, ``N.B.A.`` is ``NBA``."""
    return _INITIALS.sub(lambda match: "".join(filter(str.isalpha, match[0])), text)


def read_words(text: str) -> list[Word]:
    """The words of a cleaned text that say something, in order.

    Examples
    --------
    >>> [word.key for word in read_words("The Sixth of Sept.")]
    ['6', 'september']
    >>> [word.key for word in read_words("in the United States, 1,200 Cakes")]
    ['us', '1200', 'cak']
    """
    return words_of(name_countries(text))


def name_countries(text: str) -> str:
    """A cleaned text with the names of countries and eras in the one form that they have as words."""
    return _COUNTRY.sub(_country, text) if may_name_a_country(text) else text


def may_be_of_a_country(piece: str) -> bool:
    """Whether a text with this piece between white space may be one that `may_name_a_country`."""
    return _COUNTRY_PIECE.search(piece) is not None


def may_name_a_country(text: str) -> bool:
    """Whether it may have one of the names of countries and eras that `name_countries` brings to one form, some of
    which have spaces in them."""
    return any(map(text.__contains__, _COUNTRY_SIGNS))


def words_of(text: str) -> list[Word]:
    """`read_words` of a text without names of countries. The words of a text are those of its pieces between white
    space."""
    return [word for word in map(_word, _TOKEN.findall(text)) if word is not None]


def word_of(token: str) -> Word | None:
    """The word that a token is, such as letters alone; None where it says nothing."""
    if token[0].isdigit():
        number = token.rstrip("stndrh").replace(",", "")
        return Word(number, number, False)
    if numeral := _CAPITAL_ROMAN.get(token):
        return Word(numeral, numeral, False)
    form = token.lower().replace("’", "'")
    form = form[:-2] if form.endswith("'s") else form.replace("'", "")
    if form in STOP_WORDS and not (len(token) > 1 and token.isupper()):  # the WHO is somebody
        return None
    form = _OTHER_NAMES.get(form, form)
    return Word(form if form in MONTHS else _stem(form), form, token[0].isupper())


_word = lru_cache(maxsize=1 << 16)(word_of)


def _stem(form: str) -> str:
    endings = _ENDINGS_BY_LETTER.get(form[-1:], ())
    if not form.endswith(endings):  # most have none
        return form
    for ending in endings:
        if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST_STEM:
            return form[: -len(ending)]
    return form


def _country(match: re.Match[str]) -> str:
    return f"{_COUNTRIES[(match.lastindex or 1) - 1]} "

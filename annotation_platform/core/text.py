"""Text as the annotator sees it: numbered sentences, and the lists of sentence numbers that people type."""

import re
import unicodedata
from collections.abc import Iterable

MOST_REFERENCES = 10_000  # far beyond any honest judgment; without a text nothing else bounds the numbers
NONE_WORDS = frozenset({"none", "no", "-", "なし", "無し"})
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–—~〜]\s*(\d{1,6}))?")


class SentenceReferenceError(ValueError):
    """A typed list of sentence numbers that cannot be understood or points outside the document."""


def split_sentences(text: str, language: str = "en") -> list[str]:
    """Split running text into sentences with pysbd, dropping empty ones and surrounding space.

    Parameters
    ----------
    text : str
        Running text; line ends count as sentence ends.
    language : str
        ISO code that pysbd knows (``en``, ``ja``, …).

    Raises
    ------
    ValueError
        When pysbd has no rules for the language.
    """
    import pysbd  # a tenth of a second that only imports of running text need to pay

    segmenter = pysbd.Segmenter(language=language, clean=False)
    return [sentence for line in text.splitlines() for part in segmenter.segment(line) if (sentence := part.strip())]


def parse_sentence_references(text: str, *, count: int) -> list[int]:
    """Read a typed list such as ``3, 5-7`` as sorted, distinct sentence numbers.

    Numbers start at 1. Commas, semicolons, spaces and the Japanese comma separate; full-width digits are
    read as digits. The words ``none`` and ``なし`` give an empty list.

    Parameters
    ----------
    text : str
        What the annotator typed.
    count : int
        How many sentences the document has; 0 when its text is withheld, then any positive number is taken.

    Raises
    ------
    SentenceReferenceError
        Names the piece that is not a number or range, is turned round, or lies outside ``1..count``.

    Examples
    --------
    >>> parse_sentence_references("3, 5-7", count=10)
    [3, 5, 6, 7]
    """
    plain = unicodedata.normalize("NFKC", text).strip().strip(".。").lower()
    if plain in NONE_WORDS:
        return []
    found: set[int] = set()
    pieces = re.sub(r"\s*([-–—~〜])\s*", r"\1", plain)
    for piece in filter(None, re.split(r"[\s,;、，]+", pieces)):
        match = _RANGE.fullmatch(piece)
        if match is None:
            raise SentenceReferenceError(f"“{piece}” is not a sentence number. Write numbers like 3, 5-7.")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise SentenceReferenceError(f"“{piece}” runs backwards. Write the smaller number first.")
        for number in (first, last):
            if number < 1 or (count and number > count):
                where = f"between 1 and {count}" if count else "above 0"
                raise SentenceReferenceError(f"There is no sentence {number}. Numbers lie {where}.")
        found.update(range(first, min(last, first + MOST_REFERENCES) + 1))
        if len(found) > MOST_REFERENCES:
            raise SentenceReferenceError(f"“{piece}” is too long a range.")
    return sorted(found)


def format_sentence_references(numbers: Iterable[int]) -> str:
    """Write sentence numbers as people type them; the inverse of :func:`parse_sentence_references`.

    Examples
    --------
    >>> format_sentence_references([3, 5, 6, 7])
    '3, 5-7'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(
        str(first) if first == last else f"{first}, {last}" if last == first + 1 else f"{first}-{last}"
        for first, last in runs
    )

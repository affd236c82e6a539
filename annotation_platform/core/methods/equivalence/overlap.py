"""How far two short answers share their words: exact match, token F1 with precision and recall, containment.

Normalisation is SQuAD's: lower case, ASCII punctuation deleted (so that ``Spider-Man`` is ``spiderman``), the
words *a*, *an*, *the* deleted, split at white space. Nothing else: accents, other scripts, typographic quotes and
numbers stay as they are.

Source: Rajpurkar, Zhang, Lopyrev and Liang, SQuAD: 100,000+ Questions for Machine Comprehension of Text (EMNLP
2016), section 6.1, and its evaluation script, version 1.1.
"""

import string
from dataclasses import dataclass
from typing import NamedTuple, Self

ARTICLES = frozenset({"a", "an", "the"})
DELETE_PUNCTUATION = str.maketrans("", "", string.punctuation)


class TokenOverlap(NamedTuple):
    """Shares, each 0..1."""

    f1: float
    precision: float
    recall: float


_NOTHING_SHARED = TokenOverlap(0.0, 0.0, 0.0)


@dataclass(slots=True, eq=False)
class Normalised:
    """A normalised answer, ready to be compared with many: its words, the distinct ones, and all of them with a space
    on either side."""

    words: list[str]
    distinct: frozenset[str]
    spaced: str

    @classmethod
    def of(cls, words: list[str]) -> Self:
        return cls(words, frozenset(words), f" {' '.join(words)} ")


def normalise(answer: str) -> list[str]:
    """The answer's words by SQuAD's normalisation.

    An answer of which nothing would be left (``A+``, ``The The``, ``%``) keeps its lower-case pieces between
    white space instead; SQuAD's script would call any two such answers equal. A blank answer has no words.

    Examples
    --------
    >>> normalise("The Spider-Man, a hero!")
    ['spiderman', 'hero']
    >>> normalise("A+")
    ['a+']
    """
    lower = answer.lower()
    words = [word for word in lower.translate(DELETE_PUNCTUATION).split() if word not in ARTICLES]
    return words or lower.split()


def exact_match(candidate: str, reference: str) -> bool:
    """Whether both answers have the same words in the same order; False for a blank candidate."""
    words = normalise(candidate)
    return bool(words) and words == normalise(reference)


def token_overlap(candidate: str, reference: str) -> TokenOverlap:
    """Token F1 with precision and recall.

    With c the number of words shared, a word that occurs several times counted as often as both have it::

        precision = c / words of the candidate
        recall    = c / words of the reference
        F1        = 2 · precision · recall / (precision + recall)

    All three are 0 when no word is shared, and so when either is blank (precision or recall is undefined there).

    Examples
    --------
    >>> token_overlap("the cat sat", "a cat sat down")
    TokenOverlap(f1=0.8, precision=1.0, recall=0.6666666666666666)
    """
    return overlap_of_words(Normalised.of(normalise(candidate)), Normalised.of(normalise(reference)))


def contains(candidate: str, reference: str) -> bool:
    """Whether the reference's words stand in the candidate, side by side and in order.

    Some packages call this exact match. False when the reference is blank: it would be in everything.
    """
    return words_contain(Normalised.of(normalise(candidate)), Normalised.of(normalise(reference)))


def overlap_of_words(candidate: Normalised, reference: Normalised) -> TokenOverlap:
    """`token_overlap` of answers that are normalised already."""
    common = candidate.distinct & reference.distinct
    if not common:
        return _NOTHING_SHARED
    mine, theirs = candidate.words, reference.words
    shared = len(common)
    if len(theirs) > len(reference.distinct) and len(mine) > len(candidate.distinct):
        shared = sum([min(mine.count(word), theirs.count(word)) for word in common])
    return TokenOverlap(2 * shared / (len(mine) + len(theirs)), shared / len(mine), shared / len(theirs))


def words_contain(candidate: Normalised, reference: Normalised) -> bool:
    """`contains` for answers that are normalised already."""
    return bool(reference.words) and reference.spaced in candidate.spaced

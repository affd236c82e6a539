"""Sentences that are cited: by their numbers, and as the lists of these that people type."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from annotation_platform.core.errors import CodedError
from annotation_platform.core.text import format_numbers

MOST_REFERENCES = 10_000  # far beyond any honest judgment; without a text nothing else bounds the numbers
CITATIONS: Mapping[str, str | int] = {
    "ends": r"^[\s.。]+|[\s.。]+$",
    "joints": r"\s*([-–—~〜:])\s*",
    "separators": r"[\s,;、，]+",
    "piece": r"(?:([rt]?)([0-9]{1,3}):)?([0-9]{1,6})(?:[-–—~〜]([0-9]{1,6}))?",
    "none": "none|no|-|なし|無し",
    "blank": r"[\s,;、，.。]*",
    "most": MOST_REFERENCES,
}
"""How a typed list of sentences is read, once it is in NFKC and in small letters: what is taken away at its ends, what
stands between the parts of a piece and may have spaces around it, what stands between pieces, a piece (document, first
and last sentence), the words that say that there is none, and what says nothing by itself. Pages send it to the
browser, which reads by it what is being typed: so the patterns mean the same in Python and in JavaScript."""
_ENDS, _JOINTS, _SEPARATORS, _PIECE, _NONE, _BLANK = (
    re.compile(str(CITATIONS[key])) for key in ("ends", "joints", "separators", "piece", "none", "blank")
)

SentenceReference = int | str
"""A sentence of the document (``5``), of the k-th reference document (``"R2:5"``), or of the n-th turn of the
conversation (``"T3:2"``)."""
TURNS = 1_000
"""Where rows count documents, turn n of the conversation is document 1,000 + n; reference documents end before."""


class SentenceReferenceError(CodedError, ValueError):
    """A sentence reference, or a typed list of them, that cannot be understood or points outside the document."""


@dataclass(frozen=True)
class Citable:
    """How many sentences there are to cite.

    Attributes
    ----------
    count : int, optional
        How many the document has; 0 when its text is withheld, then any positive number is taken; None when there is
        no document.
    documents : sequence of int
        How many each reference document has; ``R1`` is the first.
    turns : sequence of sized
        The sentences of each turn of the conversation; ``T1`` is the first.
    """

    count: int | None = None
    documents: Sequence[int] = ()
    turns: Sequence[Sized] = ()

    @property
    def only_turns(self) -> bool:
        return self.count is None and not self.documents and bool(self.turns)


def parse_sentence_references(text: str, citable: Citable) -> list[SentenceReference]:
    """Read a typed list such as ``3, 5-7``, ``R2:1-3`` or ``T3:2`` as sorted, distinct sentence references.

    Numbers start at 1. Commas, semicolons, spaces and the Japanese comma separate; full-width digits are
    read as digits. The words ``none`` and ``なし`` give an empty list.

    Parameters
    ----------
    text : str
        What the annotator typed.
    citable : Citable

    Raises
    ------
    SentenceReferenceError
        Names the piece that is not a number or range, is turned round, or lies outside its document.

    Examples
    --------
    >>> parse_sentence_references("3, 5-7", Citable(10))
    [3, 5, 6, 7]
    >>> parse_sentence_references("R2:1-2, 4", Citable(10, documents=[3, 2]))
    [4, 'R2:1', 'R2:2']
    >>> parse_sentence_references("t2:1-2", Citable(turns=[["Hello."], ["Good day.", "How are you?"]]))
    ['T2:1', 'T2:2']
    """
    if says_none(text):
        return []
    plain = _plain(text)
    found: set[tuple[int, int]] = set()
    for piece in filter(None, _SEPARATORS.split(_JOINTS.sub(r"\1", plain))):
        match = _PIECE.fullmatch(piece)
        if match is None:
            raise SentenceReferenceError(_not_understood(citable), piece=piece)
        document, first, last = int(match[2] or 0), int(match[3]), int(match[4] or match[3])
        if match[1] == "t":
            document += TURNS
        if last < first:
            raise SentenceReferenceError("sentences.backwards", piece=piece)
        for number in (first, last):
            check_sentence_exists(document, number, citable)
        found.update((document, number) for number in range(first, min(last, first + MOST_REFERENCES) + 1))
        if len(found) > MOST_REFERENCES:
            raise SentenceReferenceError("sentences.range_too_long", piece=piece)
    return [sentence_reference(*reference) for reference in sorted(found)]


def says_none(text: str) -> bool:
    """Whether what was typed is one of the words that no sentence is cited."""
    return _NONE.fullmatch(_plain(text)) is not None


def says_nothing(text: str) -> bool:
    """Whether nothing was typed, or only what stands between sentences and behind them."""
    return _BLANK.fullmatch(unicodedata.normalize("NFKC", text)) is not None


def _plain(text: str) -> str:
    return _ENDS.sub("", unicodedata.normalize("NFKC", text)).lower()


def _not_understood(citable: Citable) -> str:
    if citable.only_turns:
        return "sentences.no_number_of_turn"
    return "sentences.no_number_of_document" if citable.count is None else "sentences.no_number"


def check_sentence_exists(document: int, number: int, citable: Citable) -> None:
    """Refuse a sentence that is not there; ``document`` as rows count it.

    Raises
    ------
    SentenceReferenceError
        Says what there is.
    """
    most = _length_of_turn(document - TURNS, citable) if document >= TURNS else _length(document, number, citable)
    if most and not 1 <= number <= most:
        raise SentenceReferenceError("sentences.no_sentence", number=number, most=most)
    if number < 1:
        raise SentenceReferenceError("sentences.number_too_small", number=number)


def _length_of_turn(turn: int, citable: Citable) -> int:
    if not citable.turns:
        raise SentenceReferenceError("sentences.no_turns", turn=turn)
    if not 1 <= turn <= len(citable.turns):
        raise SentenceReferenceError("sentences.no_turn", turn=turn, last=len(citable.turns))
    if not (most := len(citable.turns[turn - 1])):
        raise SentenceReferenceError("sentences.turn_without_text", turn=turn)
    return most


def _length(document: int, number: int, citable: Citable) -> int:
    """How many sentences a document has; 0 where its text is withheld."""
    if document == 0 and citable.count is None:
        code = "sentences.turn_missing" if citable.only_turns else "sentences.document_missing"
        raise SentenceReferenceError(code, number=number)
    if document and not citable.documents:
        raise SentenceReferenceError("sentences.no_documents", document=document)
    if document > len(citable.documents):
        raise SentenceReferenceError("sentences.no_document", document=document, last=len(citable.documents))
    return citable.documents[document - 1] if document else citable.count or 0


def sentence_reference(document: int, number: int) -> SentenceReference:
    """A sentence's name: its number, with the reference document (from 1) or turn (from 1,001) in which it stands."""
    if document > TURNS:
        return f"T{document - TURNS}:{number}"
    return f"R{document}:{number}" if document else number


def document_and_number(reference: SentenceReference) -> tuple[int, int]:
    """The inverse of :func:`sentence_reference`.

    Raises
    ------
    SentenceReferenceError
        When it is no such name.
    """
    if isinstance(reference, int):
        return 0, reference
    if (match := re.fullmatch(r"([RT])([1-9]\d{0,2}):([1-9]\d{0,5})", reference)) is None:
        raise SentenceReferenceError("sentences.no_name", name=reference[:40])
    return int(match[2]) + (TURNS if match[1] == "T" else 0), int(match[3])


def format_sentence_references(references: Iterable[SentenceReference]) -> str:
    """Write sentence references as people type them; the inverse of :func:`parse_sentence_references`.

    Examples
    --------
    >>> format_sentence_references([3, 5, 6, 7, "R2:1", "T3:2"])
    '3, 5-7, R2:1, T3:2'
    """
    cited = sorted({document_and_number(reference) for reference in references})
    of_documents = (
        (str(sentence_reference(document, 0))[:-1], [number for _, number in numbers])
        for document, numbers in groupby(cited, key=itemgetter(0))
    )
    return ", ".join(format_numbers(numbers, prefix=prefix) for prefix, numbers in of_documents)

"""Text as the annotator sees it: numbered sentences, and the lists of sentence numbers that people type."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import gettext_noop

MOST_REFERENCES = 10_000  # far beyond any honest judgment; without a text nothing else bounds the numbers
NONE_WORDS = frozenset({"none", "no", "-", "なし", "無し"})
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
"""What an e-mail address looks like, also inside other text."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""Where spreadsheet programs take a text for a formula, in ASCII and full width."""
ONE_GROUP = gettext_noop("It rests on a single group; an interval needs at least two.")
"""Why a share has no interval; here, since pages say it that load no statistics."""
_SPACE = re.compile(r"\s*")
_ONE_SPACE = re.compile(r"\s")
_STOP = re.compile(r"\.")
_SENTENCE_END = re.compile(r"[.!?…]+[\"”’')\]]*(?= )|[。！？]+[」』）]*")
_ALSO_LETTERS = re.compile("[\u0130\u0131\u017f\u212a]")  # which a pattern that ignores case takes for i, s and k
CITATIONS: Mapping[str, str | int] = {
    "ends": r"^[\s.。]+|[\s.。]+$",
    "joints": r"\s*([-–—~〜:])\s*",
    "separators": r"[\s,;、，]+",
    "piece": r"(?:([rt]?)([0-9]{1,3}):)?([0-9]{1,6})(?:[-–—~〜]([0-9]{1,6}))?",
    "most": MOST_REFERENCES,
}
"""How a typed list of sentences is read, once it is in NFKC and in small letters: what is taken away at its ends, what
stands between the parts of a piece and may have spaces around it, what stands between pieces, and a piece (document,
first and last sentence). Pages send it to the browser, which reads by it what is being typed: so the patterns mean the
same in Python and in JavaScript."""
_ENDS, _JOINTS, _SEPARATORS, _PIECE = (
    re.compile(str(CITATIONS[key])) for key in ("ends", "joints", "separators", "piece")
)

SentenceReference = int | str
"""A sentence of the document (``5``), of the k-th reference document (``"R2:5"``), or of the n-th turn of the
conversation (``"T3:2"``)."""
TURNS = 1_000
"""Where rows count documents, turn n of the conversation is document 1,000 + n; reference documents end before."""


class SentenceReferenceError(CodedError, ValueError):
    """A sentence reference, or a typed list of them, that cannot be understood or points outside the document."""


def guarded(text: str) -> str:
    """A text that no spreadsheet program takes for a formula: one that begins so has an apostrophe in front.

    Examples
    --------
    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1")
    ("'=1+1", "''=1+1", '1+1')
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def unguarded(text: str) -> str:
    """The inverse of :func:`guarded`."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA_STARTS) else text


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
    segmenter = _segmenter(language)
    return [
        sentence
        for line in text.splitlines()
        for part in _parts_of(line, segmenter.processor(line).process() if line else [])
        if (sentence := part.strip())
    ]


@cache
def _segmenter(language: str) -> Any:
    import pysbd  # a tenth of a second that only imports of running text need to pay

    segmenter = pysbd.Segmenter(language=language, clean=False)
    if language == "en":
        segmenter.language_module = _quick(segmenter.language_module)
    return segmenter


def _quick(module: Any) -> Any:
    """A language of pysbd in which abbreviations are looked for only where one stands before a full stop.

    Nothing else is ever done to one, and looking for each of two hundred takes a third of the whole time.
    """
    known = [abbreviation.strip() for abbreviation in module.Abbreviation.ABBREVIATIONS]
    plain = tuple(f" {abbreviation}" for abbreviation in known if abbreviation.isalnum())
    others = [abbreviation for abbreviation in known if not abbreviation.isalnum()]

    class Replacer(module.AbbreviationReplacer):  # type: ignore[misc]  # pysbd has no types
        def search_for_abbreviations_in_string(self, text: str) -> str:
            lowered = _ONE_SPACE.sub(" ", f" {text.lower()}")
            if (
                any(lowered.endswith(plain, 0, stop.start()) for stop in _STOP.finditer(lowered))
                or any(abbreviation in lowered for abbreviation in others)
                or _ALSO_LETTERS.search(text)
            ):
                return str(super().search_for_abbreviations_in_string(text))
            return text

    return type(module.__name__, (module,), {"AbbreviationReplacer": Replacer})


def _parts_of(line: str, found: Iterable[str]) -> Iterator[str]:
    """What pysbd found, where it stands in the line: as its ``segment`` does, which compiles a pattern of each."""
    taken = 0
    for part in found:
        start = line.find(part)
        while start >= 0:
            end = _SPACE.match(line, start + len(part)).end()  # type: ignore[union-attr]  # it matches nothing, too
            if end > taken:
                yield part
                taken = end
                break
            start = line.find(part, end) if end > start else -1


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
    plain = _ENDS.sub("", unicodedata.normalize("NFKC", text)).lower()
    if plain in NONE_WORDS:
        return []
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


def format_numbers(numbers: Iterable[int], *, prefix: str = "") -> str:
    """Numbers in order, three or more in a row as a range; ``prefix`` precedes each that stands alone or opens a range.

    Examples
    --------
    >>> format_numbers([7, 3, 4, 9, 5])
    '3-5, 7, 9'
    """
    runs: list[list[int]] = []  # first, last
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(
        f"{prefix}{first}-{last}" if last > first + 1 else ", ".join(f"{prefix}{n}" for n in range(first, last + 1))
        for first, last in runs
    )


def decimal(value: float, digits: int, *, with_plus: bool = False) -> str:
    """A number with so many digits, a true minus, and no sign before what reads as zero.

    >>> decimal(-0.004, 2), decimal(-0.5, 2), decimal(0.5, 2, with_plus=True)
    ('0.00', '−0.50', '+0.50')
    """
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return ("−" if value < 0 else "+" if with_plus else "") + text


def batches_in_words(numbers: Sequence[int]) -> str:
    """Batches by their numbers.

    Examples
    --------
    >>> batches_in_words([2]), batches_in_words([3, 1, 2]), batches_in_words([])
    ('batch 2', 'batches 1-3', 'no batch')
    """
    if not numbers:
        return "no batch"
    return f"batch{'' if len(numbers) == 1 else 'es'} {format_numbers(numbers)}"


def quotation(text: str, most: int) -> str:
    """The beginning of a text in at most so many characters: whole sentences where one fits, else whole words.

    Spaces and line ends become one space each, and what looks like an e-mail address is not shown.

    Examples
    --------
    >>> quotation("It is short. It says nothing about the bridge.", 20)
    'It is short. …'
    >>> quotation("One sentence that is too long", 20)
    'One sentence that …'
    >>> quotation("Ask me@example.org", 20)
    'Ask …@…'
    """
    plain = EMAIL.sub("…@…", " ".join(text.split()))
    if len(plain) <= most:
        return plain
    kept = plain[: most - 2]
    ends = [match.end() for match in _SENTENCE_END.finditer(plain, 0, most - 1) if match.end() <= len(kept)]
    if not ends:
        space = kept.rfind(" ")
        ends = [space if space > most // 2 else len(kept)]
    return f"{kept[: ends[-1]].rstrip()} …"


def percent(share: float, digits: int = 0) -> str:
    """A share as all pages, texts and figures write it: with an unbreakable space before the sign.

    >>> percent(0.307, 1)
    '30.7\xa0%'
    """
    return f"{100 * share:.{digits}f}\u00a0%"

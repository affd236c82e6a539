"""How much an explanation says beyond its label, the question and the answer: REV's idea, counted in words.

REV asks what a rationale r adds over a vacuous one b that is made from the input and the label:
log f[r, b](y) − log f[b](y). Here no model f is needed, because only one thing is asked: is anything left of r
when all that b says is taken away? Let K be the words of labels, question, answer and what else is judged, and S
the stock words of the language: grammar, and what can be said of any answer. Then

    score = number of distinct words of r that are neither in K nor in S nor noise
            + 1 if r points to a numbered sentence, or quotes a part of what is judged
            + 1 if r says that the document is silent, and K does not say so.

An explanation is vacuous when its score is 0: nothing is left. One word is enough, as in "Wetherbee is missing".

Differences to REV: whether the new words *support* the label is not asked, so the score is never negative; and it
is counted in words, not in bits. The document itself is not compared with: texts may be withheld, names are
misspelt, and a fact in other words is a fact.

Source: Chen, Brahman, Ren, Ji, Choi and Swayamdipta, REV: Information-Theoretic Evaluation of Free-Text Rationales
with Conditional V-Information, ACL 2023, equations 5 and 6.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import islice, takewhile
from math import ceil

from annotation_platform.core.methods.stock_words import UNSPACED, WORDS_KEPT, StockWords, stock_words

_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_ONE_SCRIPT = re.compile(r"[\u3041-\u309f]+|[\u30a1-\u30ff]+|[^\u3041-\u309f\u30a1-\u30ff]+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Of bounded length: where no quotation ends, every mark would otherwise be followed to the end of the text.
_QUOTATION = re.compile(r"""["“”„«](.{1,400}?)["“”»]|「(.{1,400}?)」|『(.{1,400}?)』|(?<!\w)['‘](.{1,400}?)['](?!\w)""")
TEXTS_KEPT = 1_024
_MOST_OF_IT = 0.8  # a quotation of more than this share points to no part
_AGAIN_AND_AGAIN = re.compile(r"(\D)\1{3}|(\D{2,4})\2\2|^[b-df-hj-np-tv-xz]{5,}$")
_KEYS_IN_A_ROW = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


class Reason(StrEnum):
    """Why an explanation is vacuous, and what would help."""

    EMPTY = "empty"  # no word and no number
    NOISE = "noise"  # keys hit at random
    REPEATS_LABEL = "repeats_label"
    REPEATS_CONTEXT = "repeats_context"  # the question, the answer or what else is judged
    GENERAL = "general"  # none of these: what it says could be said of any answer
    CITES_NOTHING = "cites_nothing"  # no sentence is pointed to, here or in a field of its own


@dataclass(frozen=True, slots=True)
class ExplanationAssessment:
    """What an explanation says beyond what was there before.

    Attributes
    ----------
    new_words : tuple of str
        The words that nothing else on the page gives, in lower case and in order of appearance.
    points : bool
        Whether it points to a numbered sentence, or quotes a part of what is judged.
    says_silent : bool
        Whether it says that the document does not tell, and nothing else on the page says so.
    reasons : tuple of Reason
        In the order of :class:`Reason`; empty unless vacuous.
    """

    new_words: tuple[str, ...]
    points: bool
    says_silent: bool
    reasons: tuple[Reason, ...]

    @property
    def score(self) -> int:
        """In new words, at least 0; pointing and silence count as one word each."""
        return len(self.new_words) + self.points + self.says_silent

    @property
    def is_vacuous(self) -> bool:
        return self.score == 0


def assess_explanation(
    explanation: str,
    *,
    labels: Sequence[str],
    context: Sequence[str],
    language: str = "en",
    has_cited: bool = False,
) -> ExplanationAssessment:
    """Measure how much an explanation says beyond the label, the question and the answer.

    Parameters
    ----------
    explanation : str
        What the annotator wrote.
    labels : sequence of str
        Labels and descriptions of the choices, and the title of the aspect that is explained.
    context : sequence of str
        The question, the answer and whatever else is judged, such as a rationale or the choices of a question.
        Not the document: what the explanation takes from there is what it should have.
    language : str
        Code of the explanation's language. Without a list of stock words for it only the words of labels and
        context are taken away, so that few explanations are found vacuous.
    has_cited : bool
        Whether sentences are cited in a field of their own. Concerns the reasons only.

    Returns
    -------
    ExplanationAssessment
        Always defined; a blank explanation has the score 0. The order of sentences and upper or lower case make
        no difference to the score, and a further sentence never lowers it.

    Examples
    --------
    >>> judged = {"labels": ["Complete"], "context": ["Who flies it?", "The commander does."]}
    >>> assess_explanation("The answer is correct and complete.", **judged).is_vacuous
    True
    >>> assess_explanation("It misses that the commander is James Wetherbee", **judged).new_words
    ('james', 'wetherbee')
    """
    stock = stock_words(language)
    text = _folded([explanation])
    of_labels, of_context = _shown(tuple(labels)), _shown(tuple(context))
    before = _together(of_labels, of_context)
    units = list(dict.fromkeys(_units(text, stock)))
    meant = [unit for unit in units if not _is_noise(unit)]

    new: dict[str, str] = {}  # by stem, so that two forms of a word count once
    for word in _new_words(meant, before, stock):
        new.setdefault(_stem(word), word)
    points, says_silent = _points(text, context, stock), _says_silent(text, before, stock)

    reasons: list[Reason] = []
    if not (new or points or says_silent):
        reasons += _what_it_is(units, meant, of_labels, of_context, stock)
        reasons += [] if has_cited else [Reason.CITES_NOTHING]
    return ExplanationAssessment(tuple(new.values()), points, says_silent, tuple(reasons))


def is_vacuous(explanation: str, *, labels: Sequence[str], context: Sequence[str], language: str = "en") -> bool:
    """`assess_explanation(…).is_vacuous`, read only as far as the first word that says something."""
    if _is_stock(explanation, language):
        return True
    stock = stock_words(language)
    text = _folded([explanation])
    before = _together(_shown(tuple(labels)), _shown(tuple(context)))
    is_new = any(True for unit in _telling(text, stock) for _ in _rests(unit, before))
    return not (is_new or _points(text, context, stock) or _says_silent(text, before, stock))


@lru_cache(maxsize=TEXTS_KEPT)  # those that say nothing are put in the same words again and again
def _is_stock(explanation: str, language: str) -> bool:
    """Whether it says nothing, whatever it is about."""
    stock, text = stock_words(language), _folded([explanation])
    if any(True for _ in _telling(text, stock)):
        return False
    return not (stock.place.search(text) or stock.silence.search(text) or _quotations(text, stock))


def _telling(text: str, stock: StockWords) -> Iterator[str]:
    """The units of a folded text that are neither stock nor noise."""
    return (unit for unit in _units(text, stock) if not stock.has(unit) and not _is_noise(unit))


def _new_words(meant: Iterable[str], before: _Shown, stock: StockWords) -> Iterator[str]:
    return (rest for unit in meant if not stock.has(unit) for rest in _rests(unit, before))


def _points(text: str, context: Sequence[str], stock: StockWords) -> bool:
    return bool(stock.place.search(text)) or _are_parts(_quotations(text, stock), context)


def _says_silent(text: str, before: _Shown, stock: StockWords) -> bool:
    return bool(stock.silence.search(text)) and not before.is_silent(stock)


def _what_it_is(
    units: Sequence[str], meant: Sequence[str], labels: _Shown, context: _Shown, stock: StockWords
) -> Iterator[Reason]:
    if not meant:
        yield Reason.NOISE if units else Reason.EMPTY
        return
    telling = [unit for unit in meant if not stock.is_plain(unit)]
    repeats_label = any(labels.has(unit) for unit in telling)
    repeats_context = any(context.has(unit) for unit in telling if not stock.has(unit))
    if repeats_label:
        yield Reason.REPEATS_LABEL
    if repeats_context:
        yield Reason.REPEATS_CONTEXT
    if not repeats_label and not repeats_context:
        yield Reason.GENERAL


class _Shown:
    """Texts that the explanation may repeat."""

    def __init__(self, text: str, words: frozenset[str]) -> None:
        self.text, self.words = text, words
        self._known: dict[str, bool] = {}
        self._is_silent: bool | None = None

    @cached_property
    def _in_order(self) -> list[str]:
        return sorted(self.words)

    def is_silent(self, stock: StockWords) -> bool:
        """Whether they say that the document does not tell."""
        if self._is_silent is None:
            self._is_silent = bool(stock.silence.search(self.text))
        return self._is_silent

    def has(self, word: str) -> bool:
        """Whether some form of a word is here; in a script without spaces, two characters of it."""
        if word not in self._known:
            self._known[word] = self._has(word)
        return self._known[word]

    def _has(self, word: str) -> bool:
        if UNSPACED.match(word):
            return any(pair in self.text for pair in _pairs(word))
        if word.isdigit():
            return word in self.words
        stem = _stem(word)
        longest = len(stem) + len(stem) // 2 + 1
        from_stem_on = islice(self._in_order, bisect_left(self._in_order, stem), None)
        return any(len(form) <= longest for form in takewhile(lambda word: word.startswith(stem), from_stem_on))


@lru_cache(maxsize=64)  # the explanations of one item come one after the other
def _shown(texts: tuple[str, ...]) -> _Shown:
    text = _folded(texts)
    return _Shown(text, frozenset(_words(UNSPACED.sub(" ", text))))


class _Both(_Shown):
    """Two of them: a word is here where one of them has it."""

    def __init__(self, first: _Shown, second: _Shown) -> None:
        super().__init__(f"{first.text}\n{second.text}", frozenset())
        self._parts = first, second

    def _has(self, word: str) -> bool:
        return any(part.has(word) for part in self._parts)


@lru_cache(maxsize=64)
def _together(first: _Shown, second: _Shown) -> _Shown:
    return _Both(first, second)


def _folded(texts: Sequence[str]) -> str:
    """One text a line, with one form for each character, in lower case."""
    return unicodedata.normalize("NFKC", "\n".join(texts)).casefold().replace("’", "'")


def _units(text: str, stock: StockWords) -> Iterator[str]:
    """The words of a folded text; in a script without spaces its stock strings and what stands between them."""
    position = 0
    for run in UNSPACED.finditer(text):
        yield from _words(text[position : run.start()])
        position = run.end()
        start = 0
        for known in stock.strings.finditer(run[0]):
            yield from _between(run[0][start : known.start()])
            yield known[0]
            start = known.end()
        yield from _between(run[0][start:])
    yield from _words(text[position:])


def _words(text: str) -> Iterator[str]:
    """Words of two letters or more, and numbers."""
    for word in _WORD.findall(text):
        if "'" in word:
            word = word.removesuffix("'s").replace("'", "")
        if len(word) > 1 or word.isdigit():
            yield word


def _between(text: str) -> Iterator[str]:
    """Pieces in one script, without what can only be grammar."""
    return (piece for piece in _ONE_SCRIPT.findall(text) if _HIRAGANA.fullmatch(piece) is None or len(piece) > 2)


def _rests(unit: str, before: _Shown) -> Iterator[str]:
    """What is left of a unit when what was said before is taken away."""
    if not UNSPACED.match(unit):
        if not before.has(unit):
            yield unit
        return
    said = [False] * len(unit)
    for start, pair in enumerate(_pairs(unit)):
        if pair in before.text:
            said[start : start + len(pair)] = [True] * len(pair)
    rests = "".join(" " if known else character for character, known in zip(unit, said, strict=True))
    for rest in rests.split():
        yield from _between(rest)


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)] or [run]


@lru_cache(maxsize=WORDS_KEPT)
def _stem(word: str) -> str:
    """What the forms of a word have in common, in any language: the first seven tenths of a longer one."""
    if word.isdigit() or UNSPACED.match(word):
        return word
    if len(word) > 3:
        word = word.removesuffix("s")
    return word[: max(4, ceil(0.7 * len(word)))]


def _quotations(text: str, stock: StockWords) -> tuple[str, ...]:
    """What a folded text has between quotation marks, but for mere stock words."""
    found = {part.strip(" .,。、") for match in _QUOTATION.findall(text) for part in match if part}
    return tuple(part for part in found if not all(map(stock.has, _units(part, stock))))


def _are_parts(quotations: Iterable[str], context: Sequence[str]) -> bool:
    """Whether one of them stands in a text, of which it is no more than a part."""
    return any(
        quotation in whole and len(quotation) < _MOST_OF_IT * len(whole)
        for quotation in quotations
        for whole in map(_folded, ([part] for part in context))
    )


@lru_cache(maxsize=WORDS_KEPT)
def _is_noise(word: str) -> bool:
    """Whether it is keys hit at random: held, again and again, in a row, or without a vowel."""
    once = re.sub(r"^(.{4,}?)\1+$", r"\1", word)
    in_a_row = len(once) > 3 and any(once in row or once[::-1] in row for row in _KEYS_IN_A_ROW)
    return in_a_row or _AGAIN_AND_AGAIN.search(word) is not None

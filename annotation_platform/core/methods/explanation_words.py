"""The words and phrases of explanations, counted: what is compared between labels, systems and annotators.

A *term* is a word or two words in a row, in lower case, as a person would look for it. Numbers are all one term, so
that "sentence 3" and "sentence 12" are the same phrase. No word is left out as a stop word: what everybody writes
sets nobody apart, and a comparison that knows how usual each word is (`core.statistics.log_odds`) finds that out by
itself, while "not" or "but" may be just what does.

Scripts without spaces are cut without a dictionary, so that no model is needed and every machine finds the same. A
run of one script is a word (漢字, カタカナ). Runs of hiragana are cut at the words of grammar that the list of stock
words has, and what is left of them stays with the Chinese characters before it:
「情報が足りない」 is 「情報」, 「が」, 「足り」 and 「ない」. Runs of more than four Chinese characters are cut into
overlapping pairs, runs of Thai, Lao, Khmer and Burmese into overlapping triples.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, hstack

from annotation_platform.core.arrays import Codes, Flags
from annotation_platform.core.methods.stock_words import UNSPACED, WORDS_KEPT, stock_words

NUMBER = "#"
"""Stands for any number."""
LONGEST_RUN = 4  # of Chinese characters that are one word: 情報不足
PARTICLES = frozenset("はがをにのとでもへや") | {"から", "まで", "より", "ない", "です", "ます"}
"""Words of grammar that are words here besides those of the list of stock words."""
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_BREAK = "\n"  # between two words that are no phrase
_NUMBER = r"\d+(?:[.,:]\d+)*(?!\w)"
_MARKS = "\u0e31-\u0e4e\u1000-\u109f\u1780-\u17ff"  # signs of vowels and tones inside words, no letters for `re`
_STOPS = r"[.,;:!?…()\[\]{}\"“”„«»「」『』（）、。，．！？；：・\n]"
_TOKEN = re.compile(rf"{_NUMBER}|[^\W_](?:[^\W_]|[{_MARKS}])*(?:['’][^\W_]+)*|{_STOPS}")
_ONE_SCRIPT = re.compile(
    "(?P<hiragana>[\u3041-\u309f]+)|(?P<katakana>[\u30a1-\u30ff]+)|(?P<han>[\u3005\u3400-\u4dbf\u4e00-\u9fff]+)"
    "|(?P<other>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)|(?P<spaced>[^\u3005\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
)

Counts = csr_array


@dataclass(frozen=True, eq=False)
class TermCounts:
    """How often each term stands in each of n texts.

    Attributes
    ----------
    terms : tuple of str
        The V terms that at least so many different texts have, words before phrases.
    counts : sparse array, shape (n, V)
        How often.
    words, phrases : array, shape (n,)
        How many words and how many phrases of two each text has, those included that too few texts have.
    is_phrase : array, shape (V,)
        Which terms are phrases.
    """

    terms: tuple[str, ...]
    counts: Counts
    words: Codes
    phrases: Codes
    is_phrase: Flags


def words_of(text: str) -> Iterator[str]:
    """The words of a text in order, a line end where something stands between two that are no phrase together.

    Examples
    --------
    >>> " ".join(words_of("Doesn't say 12 (see sentence 3)."))
    "doesn't say # \\n see sentence # \\n \\n"
    >>> " ".join(words_of("情報が足りない"))
    '情報 が 足り ない'
    """
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    for token in _TOKEN.findall(plain):
        if token[0].isalpha():
            if UNSPACED.search(token):
                yield from _unspaced(token)
            else:
                yield token
        elif token[0].isalnum():
            yield NUMBER if token[-1].isdigit() else token
        else:
            yield _BREAK


@lru_cache(maxsize=WORDS_KEPT)
def _unspaced(run: str) -> tuple[str, ...]:
    """The words of a run of letters with some of a script without spaces."""
    found: list[str] = []
    before = ""
    for match in _ONE_SCRIPT.finditer(run):
        piece, script = match[0], str(match.lastgroup)
        if script == "hiragana":
            first, *others = _hiragana(piece)
            if before == "han" and first not in _grammar():
                found[-1] += first
            else:
                found.append(first)
            found += others
        elif script == "han" and len(piece) > LONGEST_RUN:
            found += (piece[at : at + 2] for at in range(len(piece) - 1))
        elif script == "other":
            found += (piece[at : at + 3] for at in range(max(len(piece) - 2, 1)))
        else:
            found.append(piece)
        before = script
    return tuple(found)


@cache
def _grammar() -> frozenset[str]:
    """Words of grammar that are written in hiragana."""
    listed = stock_words("ja")
    return PARTICLES | {word for word in listed.plain | listed.judging if _HIRAGANA.fullmatch(word)}


@cache
def _at_grammar() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_grammar(), key=lambda word: (-len(word), word))))


def _hiragana(run: str) -> Iterator[str]:
    """Cut where a word of grammar begins and ends; what lies between stays whole."""
    end = 0
    for match in _at_grammar().finditer(run):
        if match.start() > end:
            yield run[end : match.start()]
        yield match[0]
        end = match.end()
    if end < len(run):
        yield run[end:]


def joined(first: str, second: str) -> str:
    """Two words in a row as they are written: with a space, but not between two words of a script without spaces.

    >>> joined("not", "enough"), joined("足り", "ない")
    ('not enough', '足りない')
    """
    return f"{first}{second}" if UNSPACED.match(first[-1]) and UNSPACED.match(second[0]) else f"{first} {second}"


def terms_of(text: str) -> frozenset[str]:
    """All words and phrases of a text: what a search for a term compares with.

    >>> sorted(terms_of("Not enough, sadly"))
    ['enough', 'not', 'not enough', 'sadly']
    """
    words = list(words_of(text))
    phrases = (joined(*pair) for pair in pairwise(words) if _BREAK not in pair)
    return frozenset(phrases) | frozenset(words) - {_BREAK}


def count_terms(texts: Sequence[str], *, fewest: int) -> TermCounts:
    """Count the words and phrases of texts.

    Parameters
    ----------
    texts : sequence of str
        n texts, each given once: a term of ten equal texts would look as if ten had it.
    fewest : int
        How many of the texts must have a term for it to get a column.

    Returns
    -------
    TermCounts
        Without texts, or where no term is in so many of them, it has no columns.
    """
    code_of: dict[str, int] = {_BREAK: 0}
    sequences = [[code_of.setdefault(word, len(code_of)) for word in words_of(text)] for text in texts]
    lengths = np.array([len(each) for each in sequences], dtype=np.int64)
    codes = np.array([code for each in sequences for code in each], dtype=np.int64)
    rows = np.repeat(np.arange(len(texts)), lengths)
    is_word = codes != 0
    follows = is_word[1:] & is_word[:-1] & (rows[1:] == rows[:-1])
    pairs = (codes[:-1] * len(code_of) + codes[1:])[follows]
    distinct, pair_codes = np.unique(pairs, return_inverse=True)
    names = list(code_of)
    words, words_kept = _table(rows[is_word], codes[is_word], len(texts), len(names), fewest)
    phrases, phrases_kept = _table(rows[1:][follows], pair_codes, len(texts), len(distinct), fewest)
    first, second = np.divmod(distinct[phrases_kept], len(code_of))
    terms = [names[code] for code in words_kept.tolist()]
    terms += [joined(names[one], names[two]) for one, two in zip(first.tolist(), second.tolist(), strict=True)]
    return TermCounts(
        terms=tuple(terms),
        counts=_beside(words, phrases),
        words=np.bincount(rows[is_word], minlength=len(texts)),
        phrases=np.bincount(rows[1:][follows], minlength=len(texts)),
        is_phrase=np.arange(len(terms)) >= len(words_kept),
    )


def _table(rows: Codes, columns: Codes, n_rows: int, n_columns: int, fewest: int) -> tuple[Counts, Codes]:
    """Counts of the columns that stand in enough rows, and which these are."""
    cells, counts = np.unique(rows * max(n_columns, 1) + columns, return_counts=True)
    row, column = np.divmod(cells, max(n_columns, 1))
    kept = np.flatnonzero(np.bincount(column, minlength=n_columns) >= fewest)
    place = np.full(n_columns, -1)
    place[kept] = np.arange(len(kept))
    has = place[column] >= 0
    shape = (n_rows, len(kept))
    table = csr_array((counts[has].astype(np.float64), (row[has], place[column[has]])), shape=shape)
    return table, kept


def _beside(left: Counts, right: Counts) -> Counts:
    return csr_array(hstack([left, right], format="csr"))

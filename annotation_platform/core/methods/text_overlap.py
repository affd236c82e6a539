"""How much a text shares with reference texts: ROUGE-1, -2 and -L as the rouge-score package defines them, and length.

They are baselines: what a judge or a weighted score of aspects has to beat. The scores equal those of rouge-score
0.1.2 without stemming, to the last digit; the longest common subsequence is found by rapidfuzz.

Sources: Lin, ROUGE: A Package for Automatic Evaluation of Summaries (2004); the rouge-score package.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from rapidfuzz.distance import LCSseq

from annotation_platform.core.methods.stock_words import UNSPACED

Tokeniser = Callable[[str], list[str]]
Token = TypeVar("Token")

_ALPHANUMERIC = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a candidate shares with a reference, each between 0 and 1.

    Attributes
    ----------
    precision : float
        Share of the candidate that the reference has too.
    recall : float
        Share of the reference that the candidate has too.
    f1 : float
        Their harmonic mean; 0 where both are 0.
    """

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Rouge:
    """The three scores of one candidate; each takes the reference that suits it best."""

    rouge1: Overlap
    rouge2: Overlap
    rouge_l: Overlap


def tokenise(text: str) -> list[str]:
    """Lower-case runs of ASCII letters and digits, as rouge-score cuts a text without stemming.

    Every other character parts words: a text in another script has no tokens, and so scores 0. Use
    :func:`tokenise_any_script` there.

    Examples
    --------
    >>> tokenise("It's 3.5 km, naïve!")
    ['it', 's', '3', '5', 'km', 'na', 've']
    """
    return _ALPHANUMERIC.findall(text.lower())


def tokenise_any_script(text: str) -> list[str]:
    """Words of any alphabet; in a script without spaces (Japanese, Chinese, Thai, …) every character by itself.

    Not what rouge-score does: figures made with it are comparable only among themselves.

    Examples
    --------
    >>> tokenise_any_script("Naïve 東京に行く 3時")
    ['naïve', '東', '京', 'に', '行', 'く', '3', '時']
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _WORD.findall(UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", folded))


def rouge(candidate: str, references: Sequence[str], *, tokeniser: Tokeniser = tokenise) -> Rouge:
    """ROUGE-1, -2 and -L of a candidate.

    With g(t) how often the text t has the n-gram g, and lcs the length of the longest common subsequence::

        ROUGE-n:  hits = Σ_g min(g(candidate), g(reference))
                  precision = hits / n-grams of the candidate, recall = hits / n-grams of the reference
        ROUGE-L:  precision = lcs / tokens of the candidate, recall = lcs / tokens of the reference

    Parameters
    ----------
    candidate : str
    references : sequence of str
        At least one. Of several the one with the greatest F1 counts, for each score by itself.
    tokeniser : callable
        From a text to its tokens; :func:`tokenise` is rouge-score's own.

    Returns
    -------
    Rouge
        All zero where candidate or reference has no tokens (for ROUGE-2: fewer than two).

    Raises
    ------
    ValueError
        There is no reference.

    Examples
    --------
    >>> rouge("The cat sat.", ["The cat lay down."]).rouge_l
    Overlap(precision=0.6666666666666666, recall=0.5, f1=0.5714285714285715)
    """
    if not references:
        raise ValueError("ROUGE needs at least one reference text.")
    tokens = tokeniser(candidate)
    words, pairs = Counter(tokens), Counter(pairwise(tokens))
    scores = []
    for reference in map(tokeniser, references):
        scores.append(
            (
                _shared(words, Counter(reference)),
                _shared(pairs, Counter(pairwise(reference))),
                _overlap(LCSseq.similarity(tokens, reference), len(tokens), len(reference)),
            )
        )
    return Rouge(*(_best(of_one) for of_one in zip(*scores, strict=True)))


def length(text: str, *, tokeniser: Tokeniser = tokenise_any_script) -> int:
    """Number of tokens: the baseline that a score must beat before it may claim to see more than length."""
    return len(tokeniser(text))


def _shared(candidate: Counter[Token], reference: Counter[Token]) -> Overlap:
    return _overlap((candidate & reference).total(), candidate.total(), reference.total())


def _overlap(hits: int, in_candidate: int, in_reference: int) -> Overlap:
    precision, recall = hits / max(in_candidate, 1), hits / max(in_reference, 1)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Overlap(precision, recall, f1)


def _best(scores: Iterable[Overlap]) -> Overlap:
    return max(scores, key=lambda score: score.f1)

"""What explanations are about: themes by non-negative matrix factorisation, as many as come out again in half of them.

Every different explanation is a row of tf-idf weights and is written, as nearly as can be, as a sum of k themes, each
of them a row of weights of words; nothing is negative, so that a theme is words that come together. k is the number
whose themes are the most alike in two halves of the explanations.
"""

import pickle
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, diags_array
from threadpoolctl import threadpool_limits

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.methods.explanation_words import NUMBER
from annotation_platform.core.methods.stock_words import stock_words
from annotation_platform.core.reasons import Reason, gettext_noop

FEWEST_TEXTS = 40
"""Of fewer different explanations halves have too few words in common."""
MOST_TEXTS = 8_000
"""Halves are drawn from so many at most: more would not change which words come together."""
MOST_THEMES = 10
TOP_WORDS = 10
"""A theme's first words, by which two themes are compared."""
MOST_USUAL, LEAST_USUAL = 1 / 2, 1 / 200
STABLE = 0.15
"""By how much themes must be more stable than those of shuffled words (`tests/core/coverage/themes.py`)."""
SPLITS = 4
LANGUAGES = ("en", "ja")


@dataclass(frozen=True)
class Themes:
    """Themes of n different texts.

    Attributes
    ----------
    words : tuple of tuple of str
        Of each theme, largest first by its texts, the words of most weight.
    weights : array, shape (n, k)
        How much of each theme is in each text; a text without any has a row of zeros.
    similarity : array, shape (n, k)
        Cosine of each text's tf-idf and the theme's weights: the nearest texts are a theme's quotations.
    stability, of_shuffled : dict
        By number of themes, how alike the top words of two halves are: 0 nothing in common, 1 the same; and how alike
        they would be if words came together by chance.
    undefined_because : str or None
        Why there are no themes.
    """

    words: tuple[tuple[str, ...], ...]
    weights: Floats
    similarity: Floats
    stability: dict[int, float]
    of_shuffled: dict[int, float]
    undefined_because: str | None = None

    @property
    def number(self) -> int:
        return len(self.words)

    @property
    def theme_of(self) -> Codes:
        """The theme that most of each text belongs to; -1 where it has none."""
        if not self.number:
            return np.full(len(self.weights), -1, dtype=np.int64)
        return np.where(self.weights.max(axis=1) > 0, self.weights.argmax(axis=1), -1)


def themes(counts: csr_array, terms: Sequence[str], *, seed: int = 0) -> Themes:
    """Find the themes of texts.

    Parameters
    ----------
    counts : sparse array, shape (n, V)
        How often each word stands in each of n different texts.
    terms : sequence of str
        The V words. Numbers and words of grammar and of the task, as answer or document (`stock_words`), are left
        out, and those that more than half of the texts have or fewer than one of 200.
    seed : int
        Of the halves.

    Returns
    -------
    Themes
        With a reason and no themes where there are too few different texts, or no number of themes is stable.

    Notes
    -----
    A text's row is (1 + log f) (1 + log ((1 + n) / (1 + df))) of each word that it has f times, scaled to length 1.
    The factorisation X ≈ W H minimises the squared error, from NNDSVD. For stability the texts are halved
    `SPLITS` times by the seed, both halves are factorised, their themes are matched by the Hungarian method so that
    the Jaccard index of their first ten words is greatest, and the mean over themes and splits is taken. The most usual
    words come first in any half, also where they come together by chance. So the same is done with the words dealt out
    anew to the texts, each text keeping its length and each word its number, and the number is chosen whose themes are
    by most more stable than those.

    References
    ----------
    Greene, O'Callaghan & Cunningham (2014), *How Many Topics? Stability Analysis for Topic Models*, ECML PKDD.
    Lee & Seung (1999), *Learning the parts of objects by non-negative matrix factorization*, Nature 401.
    """
    with threadpool_limits(limits=1):  # the tables are small: threads would only wait for each other
        return _found(counts, terms, seed)


def themes_apart(counts: csr_array, terms: Sequence[str], *, seed: int = 0) -> Themes:
    """:func:`themes` by a process of its own: scikit-learn takes 70 MB, which a worker would keep.

    Raises
    ------
    RuntimeError
        When that process fails, with what it said last.
    """
    if counts.shape[0] < FEWEST_TEXTS:
        return themes(counts, terms, seed=seed)  # which needs no scikit-learn to say so
    given = pickle.dumps((counts, list(terms), seed))
    root = str(Path(__file__).resolve().parents[3])
    done = subprocess.run([sys.executable, "-c", _APART], input=given, capture_output=True, cwd=root, check=False)
    if done.returncode:
        raise RuntimeError(f"Themes could not be found: {done.stderr.decode(errors='replace')[-2000:]}")
    found: Themes = pickle.loads(done.stdout)
    return found


_APART = f"""
import pickle, sys
from {__name__} import themes
counts, terms, seed = pickle.load(sys.stdin.buffer)
pickle.dump(themes(counts, terms, seed=seed), sys.stdout.buffer)
"""


def _found(counts: csr_array, terms: Sequence[str], seed: int) -> Themes:
    n = int(counts.shape[0])
    kept = _telling(counts, terms)
    telling = csr_array(counts[:, kept])
    weighed = tf_idf(telling)
    has_words = np.flatnonzero(np.diff(weighed.indptr) > 0)
    if len(has_words) < FEWEST_TEXTS or len(kept) < 2 * TOP_WORDS:
        return _none(n, Reason("statistics.too_few_shared_words", texts=FEWEST_TEXTS, words=2 * TOP_WORDS))
    rows = csr_array(weighed[has_words])
    stability = _stability(rows, np.random.default_rng(seed))
    shuffled = tf_idf(_dealt_anew(csr_array(telling[has_words]), np.random.default_rng(seed)))
    by_chance = _stability(shuffled, np.random.default_rng(seed))
    beyond = {number: round(stability[number] - by_chance[number], 3) for number in stability}
    best = max(beyond, key=lambda number: (beyond[number], number))
    if beyond[best] < STABLE:
        why = gettext_noop(
            "No number of themes came out again in halves of the explanations much more clearly than by chance."
        )
        return _none(n, why, stability, by_chance)
    of_rows, of_words = _factorised(rows, _start(rows, best), max_iter=200)
    order = np.argsort(-np.bincount(of_rows.argmax(axis=1), minlength=best), kind="stable")
    of_rows, of_words = of_rows[:, order], of_words[order]
    weights, similarity = np.zeros((n, best)), np.zeros((n, best))
    weights[has_words] = of_rows * np.linalg.norm(of_words, axis=1)
    similarity[has_words] = rows @ (of_words / np.maximum(np.linalg.norm(of_words, axis=1), 1e-12)[:, None]).T
    words = tuple(tuple(terms[kept[word]] for word in _top(row)) for row in of_words)
    return Themes(words, weights, similarity, stability, by_chance)


def tf_idf(counts: csr_array) -> csr_array:
    """Rows of (1 + log f) (1 + log ((1 + n) / (1 + df))), scaled to length 1; a row without words stays empty."""
    n = int(counts.shape[0])
    table = counts.copy()
    table.data = 1 + np.log(table.data)
    df = np.bincount(table.indices, minlength=int(table.shape[1]))
    table.data *= (1 + np.log((1 + n) / (1 + df)))[table.indices]
    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1)) @ table)


@cache
def _is_plain(word: str) -> bool:
    return word == NUMBER or any(stock_words(language).is_plain(word) for language in LANGUAGES)


def _telling(counts: csr_array, terms: Sequence[str]) -> Codes:
    """The words that themes are made of."""
    df = np.bincount(counts.indices, minlength=int(counts.shape[1]))
    fits = (df <= counts.shape[0] * MOST_USUAL) & (df >= counts.shape[0] * LEAST_USUAL)
    return np.array([place for place, term in enumerate(terms) if fits[place] and not _is_plain(term)], dtype=np.int64)


def _none(
    n: int, why: str, stability: dict[int, float] | None = None, by_chance: dict[int, float] | None = None
) -> Themes:
    return Themes((), np.zeros((n, 0)), np.zeros((n, 0)), stability or {}, by_chance or {}, why)


def _dealt_anew(counts: csr_array, random: np.random.Generator) -> csr_array:
    """The words in other texts: each text keeps how many it has, each word how many texts have it."""
    columns = random.permutation(counts.indices)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=counts.shape)  # equal ones are added up


def _stability(rows: csr_array, random: np.random.Generator) -> dict[int, float]:
    """By number of themes, the mean likeness of halves."""
    n = min(int(rows.shape[0]), MOST_TEXTS)
    numbers = range(2, max(2, min(MOST_THEMES, n // (FEWEST_TEXTS // 2))) + 1)
    found: dict[int, list[float]] = {number: [] for number in numbers}
    for _ in range(SPLITS):
        shuffled = random.permutation(int(rows.shape[0]))[:n]
        halves = [csr_array(rows[np.sort(half)]) for half in (shuffled[: n // 2], shuffled[n // 2 :])]
        starts = [_start(half, numbers[-1]) for half in halves]
        for number in numbers:
            tops = []
            for half, (of_rows, of_words) in zip(halves, starts, strict=True):
                _, words = _factorised(half, (of_rows[:, :number], of_words[:number]), max_iter=25)
                tops.append([frozenset(_top(row)) for row in words])
            found[number].append(_likeness(*tops))
    return {number: float(np.mean(each)) for number, each in found.items()}


def _likeness(first: list[frozenset[int]], second: list[frozenset[int]]) -> float:
    """The mean Jaccard index of themes' top words, each theme with its counterpart."""
    from scipy.optimize import linear_sum_assignment

    table = np.array([[len(one & other) / max(len(one | other), 1) for other in second] for one in first])
    return float(table[linear_sum_assignment(-table)].mean())


def _top(row: Floats) -> list[int]:
    order = np.argsort(-row, kind="stable")[:TOP_WORDS]
    return [int(word) for word in order if row[word] > 0]


def _start(rows: csr_array, number: int) -> tuple[Floats, Floats]:
    """NNDSVD: the positive part of each singular pair, or the negative, whichever is greater.

    That of fewer themes is the beginning of that of more, so that one decomposition serves all numbers. Zeros are
    replaced by the mean, as they could never change.
    """
    number = min(number, *map(int, rows.shape))
    from sklearn.utils.extmath import randomized_svd

    left, values, right = randomized_svd(rows, number, random_state=0)
    of_rows, of_words = np.zeros(left.shape), np.zeros(right.shape)
    for place, value in enumerate(values):
        one, other = left[:, place], right[place]
        parts = [(np.maximum(sign * one, 0), np.maximum(sign * other, 0)) for sign in (1, -1)]
        sizes = [float(np.linalg.norm(a) * np.linalg.norm(b)) for a, b in parts]
        (a, b), size = max(zip(parts, sizes, strict=True), key=lambda each: each[1])
        if size > 0:
            scale = np.sqrt(value * size)
            of_rows[:, place] = scale * a / np.linalg.norm(a)
            of_words[place] = scale * b / np.linalg.norm(b)
    mean = float(rows.sum()) / (rows.shape[0] * rows.shape[1])
    return np.where(of_rows > 0, of_rows, mean), np.where(of_words > 0, of_words, mean)


def _factorised(rows: csr_array, start: tuple[Floats, Floats], *, max_iter: int) -> tuple[Floats, Floats]:
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    model = NMF(start[0].shape[1], init="custom", max_iter=max_iter, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so many steps are enough for the first ten words
        of_rows = model.fit_transform(rows, W=start[0].copy(), H=start[1].copy())
    return of_rows, model.components_

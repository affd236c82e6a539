"""Which words set one group of texts apart from another: log-odds ratios with an informative Dirichlet prior.

The formula is Monroe, Colaresi and Quinn's. Two things are added, because judgments are no independent draws of words
from a bag: texts are weighed so that both sides have the same authors (or whatever ``strata`` are), and the variance
is that of the units that texts share, such as their article.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from annotation_platform.core.arrays import Codes, Flags, Floats

PRIOR_WORDS = 100.0
"""How many words of all texts together the prior is worth."""


@dataclass(frozen=True, eq=False)
class CountedTexts:
    """Texts with what they have in common; a text that was written several times is counted once and pointed to.

    Attributes
    ----------
    counts : sparse array, shape (U, V)
        How often each of V words stands in each of U different texts.
    lengths : array, shape (U,)
        How many words each has altogether, also of those without a column.
    wording : array of int, shape (n,)
        Which of the U texts each of n documents is.
    units : array of int, shape (n,)
        What documents share, from 0: those of one unit are no independent evidence.
    """

    counts: csr_array
    lengths: Floats
    wording: Codes
    units: Codes

    @property
    def shape(self) -> tuple[int, int]:
        """Different texts and words."""
        n_texts, n_words = self.counts.shape
        return int(n_texts), int(n_words)

    @property
    def all_counts(self) -> Floats:
        """How often each word stands in all documents."""
        times = np.bincount(self.wording, minlength=self.shape[0]).astype(np.float64)
        return np.asarray(times @ self.counts)

    def in_rows(self, rows: Codes, n_rows: int, weights: Floats) -> csr_array:
        """Weighed counts of each word in the documents of each row; -1 is in none."""
        kept = rows >= 0
        shape = (n_rows, self.shape[0])
        table = csr_array((weights[kept], (rows[kept], self.wording[kept])), shape=shape)
        return csr_array(table @ self.counts)


@dataclass(frozen=True, eq=False)
class LogOdds:
    """What sets one side's words apart, an entry for each of V words.

    Attributes
    ----------
    value : array
        δ, the natural logarithm of the odds ratio: above 0 the first side uses the word more.
    variance : array
        Of δ, with the design effect.
    design_effect : array
        How many times the variance is that of words drawn one by one; at least 1.
    units : array of int
        In how many units the word stands on either side.
    p_value : array
        Two-sided, not corrected.
    first, second : array
        Weighed counts y of each word, on the scale of words that count in full.
    n_first, n_second : float
        The words n of both sides on the same scale.
    weights : array, shape (n,)
        Of each document on that scale; 0 where it takes no part.
    prior : array, shape (V,)
        α of each word, and ``prior_words`` α₀.
    """

    value: Floats
    variance: Floats
    design_effect: Floats
    units: Codes
    p_value: Floats
    first: Floats
    second: Floats
    n_first: float
    n_second: float
    weights: Floats
    prior: Floats
    prior_words: float

    @property
    def z(self) -> Floats:
        """δ over its standard error."""
        return np.asarray(self.value / np.sqrt(self.variance))


def monroe_log_odds(
    first: Floats,
    second: Floats,
    prior: Floats,
    *,
    n_first: float,
    n_second: float,
    prior_words: float | None = None,
) -> tuple[Floats, Floats]:
    """Log-odds ratio of each word, and its variance, of words drawn one by one.

    With y the counts, n their sums, α the prior and α₀ its sum::

        δ = log (y₁ + α) / (n₁ + α₀ − y₁ − α) − log (y₂ + α) / (n₂ + α₀ − y₂ − α)
        V = 1 / (y₁ + α) + 1 / (y₂ + α)

    Parameters
    ----------
    first, second : array, shape (V,)
        How often each word stands on each side.
    prior : array, shape (V,)
        α, above 0.
    n_first, n_second : float
        All words of each side, also those that are not looked at.
    prior_words : float, optional
        α₀, where the prior, too, is of more words than these; without, the sum of ``prior``.

    Returns
    -------
    value, variance : array, shape (V,)

    Raises
    ------
    ValueError
        When a prior is not above 0, a side has more of its words than words, or nothing but one word is possible.

    References
    ----------
    Monroe, Colaresi & Quinn (2008), *Fightin' Words*, Political Analysis 16: the log-odds ratio with an
    informative Dirichlet prior, and the approximation of its variance.
    """
    if (prior <= 0).any():
        raise ValueError("Every word needs a prior above 0.")
    if (first > n_first).any() or (second > n_second).any():
        raise ValueError("A word cannot stand more often in a text than all words.")
    whole = float(prior.sum()) if prior_words is None else prior_words
    if (whole <= prior).any():
        raise ValueError("A word that is all there may be has no odds.")
    odds = [
        np.log(count + prior) - np.log(n + whole - count - prior) for count, n in ((first, n_first), (second, n_second))
    ]
    return odds[0] - odds[1], 1 / (first + prior) + 1 / (second + prior)


def log_odds(
    texts: CountedTexts, first: Flags, among: Flags, strata: Codes, *, prior_words: float = PRIOR_WORDS
) -> LogOdds | None:
    """Which words documents of one side use more than those of the other, at the same authors.

    In stratum a the first side has T₁ₐ words and the second T₂ₐ. A document of the first side weighs
    T₂ₐ / (T₁ₐ + T₂ₐ) and one of the second T₁ₐ / (T₁ₐ + T₂ₐ), so that both sides have as many words of every author;
    where somebody has written for one side only, nothing is compared. Weighed counts are brought to the scale on
    which Σ w² T = Σ w T, so that n₁ and n₂ are effective numbers of words. δ and V are those of
    :func:`monroe_log_odds` with the prior α_v = α₀ · (share of word v in all documents), to which
    one word is added that nobody wrote, so that no word is all there may be.

    V is multiplied by the design effect: over G units,

        deff = max(1, G / (G − 1) Σ_g u_g² / Σ_d u_d²)

    where u_g is the sum over a unit's documents, and the denominator that over single words, of the first-order
    influence (x − y / n · t) (1 / (y + α) + 1 / (n + α₀ − y − α)), with the other sign on the second side. p is
    that of the normal distribution, as Monroe et al. have it.

    Parameters
    ----------
    texts : CountedTexts
    first : array of bool, shape (n,)
        The documents of the first side.
    among : array of bool, shape (n,)
        Those that are on either side.
    strata : array of int, shape (n,)
        What both sides must have equally, from 0: authors, for example.
    prior_words : float
        α₀, in words.

    Returns
    -------
    LogOdds or None
        None where no stratum has words on both sides, or those that have are of a single unit.
    """
    weights = overlap_weights(texts, first, among, strata)
    sides = [_side(texts, weights * side) for side in (first & among, ~first & among)]
    if not all(side.n for side in sides):
        return None
    units = np.unique(texts.units[weights > 0])
    if len(units) < 2:
        return None
    all_words = float(texts.lengths[texts.wording].sum())
    prior = prior_words * np.maximum(texts.all_counts, 0.5) / (all_words + 1)  # one more that nobody wrote
    one, other = (np.minimum(side.counts, side.n) for side in sides)
    value, variance = monroe_log_odds(
        one, other, prior, n_first=sides[0].n, n_second=sides[1].n, prior_words=prior_words
    )
    effect, with_word = _design_effect(texts, sides, prior, prior_words)
    z = value / np.sqrt(variance * effect)
    p_value = 2 * ndtr(-np.abs(z))
    return LogOdds(
        value=value,
        variance=variance * effect,
        design_effect=effect,
        units=with_word,
        p_value=p_value,
        first=one,
        second=other,
        n_first=sides[0].n,
        n_second=sides[1].n,
        weights=sides[0].weights + sides[1].weights,
        prior=prior,
        prior_words=prior_words,
    )


def overlap_weights(texts: CountedTexts, first: Flags, among: Flags, strata: Codes) -> Floats:
    """The weight of each document, 0 to 1, with which both sides have as many words of every stratum."""
    lengths = texts.lengths[texts.wording]
    n_strata = int(strata.max(initial=-1)) + 1
    in_first = np.bincount(strata, lengths * (first & among), n_strata)
    in_second = np.bincount(strata, lengths * (~first & among), n_strata)
    both = np.maximum(in_first + in_second, 1)
    weights: Floats = np.where(first, (in_second / both)[strata], (in_first / both)[strata]) * among
    return weights


@dataclass(frozen=True, eq=False)
class _Side:
    weights: Floats  # of each document, scaled to effective words
    counts: Floats
    n: float


def _side(texts: CountedTexts, weights: Floats) -> _Side:
    lengths = texts.lengths[texts.wording]
    in_words = weights * lengths
    total, squared = float(in_words.sum()), float((weights * in_words).sum())
    if not total:
        return _Side(weights, np.zeros(texts.shape[1]), 0.0)
    scaled = weights * (total / squared)
    of_texts = np.bincount(texts.wording, scaled, texts.shape[0])
    return _Side(scaled, np.asarray(of_texts @ texts.counts), float((scaled * lengths).sum()))


def _design_effect(texts: CountedTexts, sides: list[_Side], prior: Floats, whole: float) -> tuple[Floats, Codes]:
    """How many times the variance over units is that over words, at least 1; and in how many units each word stands.

    Sums over units stay sparse: with u_g = Σ_s ± k_s (y_gs − p_s n_gs) the square is expanded.
    """
    lengths = texts.lengths[texts.wording]
    n_units = int(texts.units.max(initial=-1)) + 1
    rates = [side.counts / side.n for side in sides]
    slopes = [1 / (side.counts + prior) + 1 / (side.n + whole - side.counts - prior) for side in sides]
    tables = [texts.in_rows(texts.units, n_units, side.weights) for side in sides]
    words = [np.bincount(texts.units, side.weights * lengths, n_units) for side in sides]
    squares = np.zeros(len(prior))
    for one, other, sign in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, -2.0)):
        product = np.asarray(tables[one].multiply(tables[other]).sum(axis=0)).ravel()
        product = product - rates[other] * (words[other] @ tables[one]) - rates[one] * (words[one] @ tables[other])
        product = product + rates[one] * rates[other] * float((words[one] * words[other]).sum())
        squares += sign * slopes[one] * slopes[other] * product
    present = (tables[0] + tables[1]) > 0
    with_word = np.asarray(present.sum(axis=0)).ravel().astype(np.int64)
    involved = int(((words[0] + words[1]) > 0).sum())
    # Over single words: those of one document count apart, each with its squared weight.
    alone = np.zeros(len(prior))
    for side, rate, slope in zip(sides, rates, slopes, strict=True):
        squared = np.bincount(texts.wording, side.weights**2, texts.shape[0])
        alone += slope**2 * (
            (squared @ texts.counts) * (1 - 2 * rate) + rate**2 * float((squared * texts.lengths).sum())
        )
    ratio = np.divide(squares * involved / (involved - 1), alone, out=np.ones_like(squares), where=alone > 0)
    return np.maximum(ratio, 1.0), with_word

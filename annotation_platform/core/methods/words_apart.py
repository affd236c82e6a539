"""What sets the explanations of each label, system or annotator apart: words and phrases, tested as one family."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.explanation_words import count_terms
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.differences import holm
from annotation_platform.core.statistics.log_odds import CountedTexts, LogOdds, log_odds, monroe_log_odds

FEWEST_TEXTS = 5
"""A term counts from so many different explanations on; the same one written again is not another."""
LEVEL = 0.05
BEYOND = 1.96
"""z that a term must reach also without any one author."""


@dataclass(frozen=True, eq=False)
class ExplanationTexts:
    """The explanations of a study with their words, counted once for all comparisons.

    Attributes
    ----------
    texts : tuple of str
        The U different ones.
    wording : array of int, shape (n,)
        Which of them each of n explanations is.
    units : array of int, shape (n,)
        What explanations share, such as their article.
    parts : list of (terms, CountedTexts)
        Words and phrases, each compared among their own.
    """

    texts: tuple[str, ...]
    wording: Codes
    units: Codes
    parts: list[tuple[tuple[str, ...], CountedTexts]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.wording)


@dataclass(frozen=True)
class TermApart:
    """A word or phrase that sets one category apart.

    ``documents`` of the category and ``others`` outside have it; ``wordings`` are the different ones among the former.
    ``documents`` and ``others`` count also those that nothing was compared with. ``z_without_one`` is the least z when
    any one author is left out, None where authors were not left out; ``example`` is an explanation of the category
    that has the term.
    """

    term: str
    log_odds: float
    z: float
    p_holm: float
    documents: int
    others: int
    wordings: int
    z_without_one: float | None
    example: int


@dataclass(frozen=True)
class CategoryWords:
    """Of one category, strongest first; ``compared`` are the explanations on both sides that have a counterpart."""

    documents: int
    compared: tuple[int, int]
    terms: tuple[TermApart, ...]
    of_one_author: int
    """How many more would be named if none had to hold without any one author."""
    undefined_because: str | None = None


def explanation_texts(texts: Sequence[str], units: Codes) -> ExplanationTexts:
    """Count the words of n explanations; what is equal but for spaces at the ends is counted once."""
    place: dict[str, int] = {}
    wording = np.array([place.setdefault(text.strip(), len(place)) for text in texts], dtype=np.int64)
    different = tuple(place)
    counted = count_terms(different, fewest=FEWEST_TEXTS)
    n_words = int((~counted.is_phrase).sum())
    parts = [
        (
            counted.terms[columns],
            CountedTexts(csr_array(counted.counts[:, columns]), lengths.astype(np.float64), wording, units),
        )
        for columns, lengths in ((slice(0, n_words), counted.words), (slice(n_words, None), counted.phrases))
    ]
    return ExplanationTexts(different, wording, units, parts)


def words_apart(
    given: ExplanationTexts, categories: Codes, n_categories: int, strata: Codes, authors: Codes | None = None
) -> list[CategoryWords]:
    """What sets each category apart from all others together, at the same strata.

    A term is named when it is more usual in the category, its p, corrected by Holm over all terms and all categories
    together, is below .05, at least `FEWEST_TEXTS` different explanations of the category have it, and, with authors,
    its z stays beyond 1.96 when any one of them is left out: nobody's pet phrase speaks for all.

    Parameters
    ----------
    given : ExplanationTexts
    categories : array of int, shape (n,)
        From 0; -1 takes no part.
    n_categories : int
    strata : array of int, shape (n,)
        What both sides must have equally (`log_odds`), from 0.
    authors : array of int, shape (n,), optional
        From 0. Where all are of one author, that one is not left out.

    Returns
    -------
    list of CategoryWords
        One for each category, with the reason where nothing could be compared.
    """
    among = categories >= 0
    if authors is not None and len(np.unique(authors[among])) < 2:
        authors = None
    compared: dict[tuple[int, int], LogOdds] = {}
    for category in range(n_categories):
        for place, (_, texts) in enumerate(given.parts):
            found = log_odds(texts, categories == category, among, strata) if texts.shape[1] else None
            if found is not None:
                compared[category, place] = found
    p_values = np.concatenate([found.p_value for found in compared.values()] or [np.empty(0)])
    corrected = np.array(holm(p_values.tolist()), dtype=np.float64)
    starts = np.cumsum([0, *(len(found.p_value) for found in compared.values())])
    p_holm = {key: corrected[start:end] for key, start, end in zip(compared, starts, starts[1:], strict=False)}
    family = _Family(given, categories, authors, compared, p_holm)
    return [family.category(category) for category in range(n_categories)]


@dataclass(frozen=True, eq=False)
class _Family:
    """All comparisons that are corrected together, by category and part."""

    given: ExplanationTexts
    categories: Codes
    authors: Codes | None
    compared: dict[tuple[int, int], LogOdds]
    p_holm: dict[tuple[int, int], Floats]

    def category(self, category: int) -> CategoryWords:
        first = self.categories == category
        documents = int(first.sum())
        places = [place for code, place in self.compared if code == category]
        if not places:
            why = (
                gettext_noop("Nothing was written that it could be compared with.")
                if documents
                else gettext_noop("Nothing was written.")
            )
            return CategoryWords(documents, (0, 0), (), 0, why)
        found = [self._terms(category, place, first) for place in places]
        terms = sorted((term for each, _ in found for term in each), key=lambda term: (-term.z, term.term))
        involved = self.compared[category, places[0]].weights > 0
        sides = int((involved & first).sum()), int((involved & ~first).sum())
        return CategoryWords(documents, sides, tuple(terms), sum(of_one for _, of_one in found))

    def _terms(self, category: int, place: int, first: Flags) -> tuple[list[TermApart], int]:
        """What sets the category apart among words or phrases, and how much more if authors were not left out."""
        names, texts = self.given.parts[place]
        found, p_holm = self.compared[category, place], self.p_holm[category, place]
        columns = np.flatnonzero((p_holm < LEVEL) & (found.value > 0))
        wordings = _in_texts(texts.counts[:, columns] > 0, np.unique(self.given.wording[first]))
        columns, wordings = columns[wordings >= FEWEST_TEXTS], wordings[wordings >= FEWEST_TEXTS]
        if self.authors is None:
            without, holds = None, np.ones(len(columns), dtype=np.bool_)
        else:
            without = _without_one(texts, found, columns, first, self.authors)
            holds = without > BEYOND
        has = csr_array(texts.counts[:, columns] > 0)
        among = self.categories >= 0
        inside, outside = (_in_texts(has, self.given.wording[side & among]) for side in (first, ~first))
        terms = [
            TermApart(
                term=names[columns[at]],
                log_odds=float(found.value[columns[at]]),
                z=float(found.z[columns[at]]),
                p_holm=float(p_holm[columns[at]]),
                documents=int(inside[at]),
                others=int(outside[at]),
                wordings=int(wordings[at]),
                z_without_one=None if without is None else float(without[at]),
                example=_example(self.given, has[:, [at]], first),
            )
            for at in np.flatnonzero(holds).tolist()
        ]
        return terms, int((~holds).sum())


def _in_texts(has: csr_array, rows: Codes) -> Codes:
    """In how many of these texts (one is counted as often as it is named) each column stands."""
    times = np.bincount(rows, minlength=has.shape[0]).astype(np.float64)
    return np.asarray(times @ has).round().astype(np.int64)


def _without_one(texts: CountedTexts, found: LogOdds, columns: Codes, first: Flags, authors: Codes) -> Floats:
    """The least z of each column when one author is left out, with the design effect of all."""
    n_authors = int(authors.max()) + 1
    picked = CountedTexts(csr_array(texts.counts[:, columns]), texts.lengths, texts.wording, texts.units)
    lengths = texts.lengths[texts.wording]
    left = []
    for side, count, n in ((first, found.first, found.n_first), (~first, found.second, found.n_second)):
        weights = found.weights * side
        own = picked.in_rows(authors, n_authors, weights).toarray()
        rest = n - np.bincount(authors, weights * lengths, n_authors)
        left.append((np.maximum(count[columns] - own, 0), np.maximum(rest, 0)))
    least = np.full(len(columns), np.inf)
    for author in range(n_authors):
        (one, n_one), (other, n_other) = ((counts[author], float(n[author])) for counts, n in left)
        value, variance = monroe_log_odds(
            np.minimum(one, n_one),
            np.minimum(other, n_other),
            found.prior[columns],
            n_first=n_one,
            n_second=n_other,
            prior_words=found.prior_words,
        )
        least = np.minimum(least, value / np.sqrt(variance * found.design_effect[columns]))
    return least


def _example(given: ExplanationTexts, has: csr_array, first: Flags) -> int:
    """Of the category's explanations with the term, the one of middle length: the first of the median."""
    with_term = np.zeros(len(given.texts), dtype=np.bool_)
    with_term[has.tocoo().coords[0]] = True
    rows = np.flatnonzero(first & with_term[given.wording])
    lengths = given.parts[0][1].lengths[given.wording[rows]]
    order = np.argsort(lengths, kind="stable")
    return int(rows[order[len(order) // 2]])

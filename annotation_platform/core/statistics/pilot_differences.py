"""Differences between two systems in a pilot: by annotator and question, or else between the means of two items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import FEWEST_ARTICLES
from annotation_platform.core.statistics.codes import distinct, first_of_each

MOST_ROWS = 200_000  # differences; where there may be more, whole articles are drawn


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """Differences with the codes of what they belong to; ``noise`` is what people add to each, where it is known."""

    values: Floats
    pair: Codes
    article: Codes
    question: Codes
    annotator: Codes
    noise: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Cells:
    """One value for each system, question and annotator: the mean, where somebody judged an answer twice."""

    values: Floats
    system: Codes
    question: Codes
    article: Codes
    annotator: Codes

    @classmethod
    def of(cls, values: Floats, system: Codes, question: Codes, article: Codes, annotator: Codes) -> Cells:
        n_annotators, n_systems = int(annotator.max()) + 1, int(system.max()) + 1
        key = (question * n_annotators + annotator) * n_systems + system
        of_cell = distinct(key, (int(question.max()) + 1) * n_annotators * n_systems)[1]
        first = first_of_each(of_cell)
        means = np.bincount(of_cell, weights=values) / np.bincount(of_cell)
        return cls(means, *(each[first] for each in (system, question, article, annotator)))

    @cached_property
    def item(self) -> Codes:
        return joint_codes(self.question, self.system)

    def within_items(self, kept: Flags | None = None) -> float | None:
        """Variance between annotators within an item, of some cells or all; None where no item has two."""
        which = np.arange(len(self.values)) if kept is None else np.flatnonzero(kept)
        item, values = self.item.take(which), self.values.take(which)
        counts = np.bincount(item)
        left = len(item) - int((counts > 0).sum())
        if not left:
            return None
        means = np.bincount(item, weights=values) / np.maximum(counts, 1)
        return float(((values - means[item]) ** 2).sum()) / left


def matched_differences(cells: Cells) -> Differences:
    """What each annotator says of the second answer to a question less what they say of the first, pair by pair."""
    key = cells.question * (int(cells.annotator.max()) + 1) + cells.annotator
    places = [np.flatnonzero(cells.system == code) for code in np.unique(cells.system)]
    found: list[tuple[int, Codes, Codes]] = []
    for pair, (one, other) in enumerate(combinations(places, 2)):
        _, first, second = np.intersect1d(key[one], key[other], assume_unique=True, return_indices=True)
        found.append((pair, one[first], other[second]))
    first = np.concatenate([one for _, one, _ in found])
    second = np.concatenate([other for _, _, other in found])
    pairs = np.concatenate([np.full(len(one), pair) for pair, one, _ in found])
    values = cells.values[second] - cells.values[first]
    return Differences(values, pairs, cells.article[first], cells.question[first], cells.annotator[first])


def differences_of_means(cells: Cells, within: float) -> Differences:
    """The second item's mean less the first's, question by question, with the noise that people add to it."""
    n_questions = int(cells.question.max()) + 1
    article = np.zeros(n_questions, dtype=np.int64)
    article[cells.question] = cells.article
    counts, sums = [], []
    for code in np.unique(cells.system):
        own = cells.system == code
        counts.append(np.bincount(cells.question[own], minlength=n_questions))
        sums.append(np.bincount(cells.question[own], weights=cells.values[own], minlength=n_questions))
    parts = []
    for number, (one, other) in enumerate(combinations(range(len(counts)), 2)):
        both = np.flatnonzero((counts[one] > 0) & (counts[other] > 0))
        values = sums[other][both] / counts[other][both] - sums[one][both] / counts[one][both]
        noise = within * (1 / counts[one][both] + 1 / counts[other][both])
        parts.append(Differences(values, np.full(len(both), number), article[both], both, np.zeros_like(both), noise))
    noises = [part.noise for part in parts if part.noise is not None]
    return Differences(
        values=np.concatenate([part.values for part in parts]),
        pair=np.concatenate([part.pair for part in parts]),
        article=np.concatenate([part.article for part in parts]),
        question=np.concatenate([part.question for part in parts]),
        annotator=np.concatenate([part.annotator for part in parts]),
        noise=np.concatenate(noises),
    )


def drawn_judgments(article: Codes, n_systems: int, seed: int) -> Flags:
    """All judgments or, where they would make too many differences, those of articles drawn at random."""
    sizes = np.bincount(article)
    most = 2 * MOST_ROWS // (n_systems - 1)
    if len(article) <= most:
        return np.ones(len(article), dtype=np.bool_)
    order = np.random.default_rng(seed).permutation(len(sizes))
    kept = np.zeros(len(sizes), dtype=np.bool_)
    kept[order[: max(FEWEST_ARTICLES, int(np.searchsorted(np.cumsum(sizes[order]), most)))]] = True
    return kept[article]


def has_several(groups: Codes, within: Codes) -> bool:
    """Whether any cell of the two has several rows."""
    return bool(len(groups)) and int(np.bincount(joint_codes(groups, within)).max()) > 1


def joint_codes(first: Codes, second: Codes) -> Codes:
    """Codes from 0 of what is equal in both."""
    width = int(second.max(initial=0)) + 1
    return distinct(first * width + second, (int(first.max(initial=-1)) + 1) * width)[1]

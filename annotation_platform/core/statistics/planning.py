"""Variance components of the difference between two systems, from a pilot: what plans of other studies rest on.

What follows from them (standard error, power, smallest difference of a design) is in `core.power`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import FEWEST_ARTICLES, FEWEST_UNITS, UnitName, too_few_units
from annotation_platform.core.power import Components
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.ratings import RatingsError

NAMES = ("articles", "questions", "annotators", "residual", "strictness")
BLOCKS = 20
_SMALL = 1e-6
MOST_ROWS = 200_000  # differences; where there may be more, whole articles are drawn
MOST_SYSTEMS = 12


@dataclass(frozen=True, slots=True, eq=False)
class PilotComponents:
    """What a pilot says of the variances.

    Attributes
    ----------
    components : Components or None
        Estimates below 0 are cut at 0.
    undefined_because : str or None
        The reason, exactly where `components` is None.
    below_zero : tuple of str
        Names of the components whose estimates were below 0.
    merged : str or None
        Why components cannot be told apart, and where they are counted then.
    covariance : float array, shape (5, 5), or None
        Of the estimates before they are cut, in the order of `NAMES`.
    no_covariance_because : str or None
        The reason, exactly where `covariance` is None.
    unit : {'article', 'question'}
        What was left out in turn for the covariance.
    n_articles, n_questions, n_annotators, n_rows, n_pairs : int
        What it rests on: rows are differences, each of one annotator on one question, or else of one question; pairs
        those of systems.
    """

    components: Components | None
    undefined_because: str | None
    below_zero: tuple[str, ...]
    merged: str | None
    covariance: Floats | None
    no_covariance_because: str | None
    unit: UnitName
    n_articles: int
    n_questions: int
    n_annotators: int
    n_rows: int
    n_pairs: int


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Differences with the codes of what they belong to; ``noise`` is what people add to each, where it is known."""

    values: Floats
    pair: Codes
    article: Codes
    question: Codes
    annotator: Codes
    noise: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)


def pilot_components(
    values: ArrayLike,
    systems: ArrayLike,
    questions: ArrayLike,
    articles: ArrayLike,
    annotators: ArrayLike,
    *,
    seed: int = 0,
) -> PilotComponents:
    """Variance components of the difference of two systems on a question, pooled over all pairs of systems.

    With d_qr what annotator r says of the second system's answer to question q less what they say of the first's, in
    article a::

        d_qr = δ + A_a + Q_q + R_r + E_qr

    For each grouping of the n rows F (question, article, annotator, all) the sum of squares within its groups is set
    equal to its expectation, which also holds where cells are missing::

        SS_F = Σ d² − Σ_g T_g² / n_g
        E SS_F = Σ_C V_C (n − Σ_g Σ_h n_gh² / n_g)

    over the components C with their groups h; with all cells there, these are the estimates of the analysis of
    variance. Sums and expectations are added up over the pairs of systems, each around its own δ. The fifth component
    (`core.power.Components`) is 2 W − V_annotators − V_residual with W the variance between annotators within an item.

    Where no two annotators judged both answers to one question, rows are the differences of the two items' means, of
    which 2 W / k is noise: then V_residual is 2 W, and V_annotators and strictness, which are in it, are 0.

    The covariance of the estimates is that of a jackknife that leaves out a twentieth of the articles in turn, or else
    of the questions.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        One a judgment, on an interval scale.
    systems, questions, articles, annotators : array-like of int, shape (n,)
        Codes, any whole numbers; a question belongs to one article.
    seed : int
        For the blocks of the jackknife, and the articles that are read where there are very many rows.

    Returns
    -------
    PilotComponents
        Undefined with the reason: fewer than two systems, or more than 12; no question with two systems; fewer than two
        articles; no item judged by two annotators.

    Raises
    ------
    RatingsError
        When the columns differ in length, or a value is not finite.

    References
    ----------
    Henderson (1953), Estimation of variance and covariance components, Biometrics 9, method 1; Searle, Casella and
    McCulloch (1992), Variance Components, chapter 5; Brennan (2001), Generalizability Theory.
    """
    column = np.asarray(values, dtype=np.float64)
    codes = [
        np.unique(np.asarray(each), return_inverse=True)[1].astype(np.int64)
        for each in (systems, questions, articles, annotators)
    ]
    if any(len(each) != len(column) for each in codes):
        raise RatingsError("Give a system, a question, an article and an annotator for each value.")
    if not np.isfinite(column).all():
        raise RatingsError("A value is not finite; leave its row out.")
    system, question, article, annotator = codes
    n_systems = len(np.unique(system))
    if not 2 <= n_systems <= MOST_SYSTEMS:
        return _undefined(Reason("planning.systems", count=n_systems, most=MOST_SYSTEMS))
    drawn = _drawn(article, n_systems, seed)
    cells = _Cells.of(column[drawn], system[drawn], question[drawn], article[drawn], annotator[drawn])
    within = cells.within_items()
    if within is None:
        return _undefined(Reason("planning.one_annotator"))
    rows = _matched(cells)
    if not _has_several(rows.pair, rows.question):
        rows = _of_means(cells, within)
    if not len(rows):
        return _undefined(Reason("planning.no_question"))
    if len(np.unique(rows.article)) < 2:
        return _undefined(Reason("planning.one_article"))
    sums = _Sums(rows)
    found, merged = _estimates(sums, within)
    if found is None:
        return _undefined(Reason("planning.no_components"))
    unit, covariance, why_not = _jackknife(cells, sums, seed)
    below = tuple(name for name, value in zip(NAMES, found, strict=True) if value < 0)
    return PilotComponents(
        components=Components(*(max(float(value), 0.0) for value in found)),
        undefined_because=None,
        below_zero=below,
        merged=merged,
        covariance=covariance,
        no_covariance_because=why_not,
        unit=unit,
        n_articles=len(np.unique(rows.article)),
        n_questions=len(np.unique(rows.question)),
        n_annotators=len(np.unique(annotator)),
        n_rows=len(rows),
        n_pairs=len(np.unique(rows.pair)),
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """One value for each system, question and annotator: the mean, where somebody judged an answer twice."""

    values: Floats
    system: Codes
    question: Codes
    article: Codes
    annotator: Codes

    @classmethod
    def of(cls, values: Floats, system: Codes, question: Codes, article: Codes, annotator: Codes) -> _Cells:
        n_annotators, n_systems = int(annotator.max()) + 1, int(system.max()) + 1
        key = (question * n_annotators + annotator) * n_systems + system
        _, first, of_cell = np.unique(key, return_index=True, return_inverse=True)
        means = np.bincount(of_cell, weights=values) / np.bincount(of_cell)
        return cls(means, *(each[first] for each in (system, question, article, annotator)))

    @cached_property
    def item(self) -> Codes:
        return _joint(self.question, self.system)

    def within_items(self, kept: Flags | None = None) -> float | None:
        """Variance between annotators within an item, of some cells or all; None where no item has two."""
        item, values = (self.item, self.values) if kept is None else (self.item[kept], self.values[kept])
        counts = np.bincount(item)
        left = len(item) - int((counts > 0).sum())
        if not left:
            return None
        means = np.bincount(item, weights=values) / np.maximum(counts, 1)
        return float(((values - means[item]) ** 2).sum()) / left


def _matched(cells: _Cells) -> _Rows:
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
    return _Rows(values, pairs, cells.article[first], cells.question[first], cells.annotator[first])


def _of_means(cells: _Cells, within: float) -> _Rows:
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
        parts.append(_Rows(values, np.full(len(both), number), article[both], both, np.zeros_like(both), noise))
    noises = [part.noise for part in parts if part.noise is not None]
    return _Rows(
        values=np.concatenate([part.values for part in parts]),
        pair=np.concatenate([part.pair for part in parts]),
        article=np.concatenate([part.article for part in parts]),
        question=np.concatenate([part.question for part in parts]),
        annotator=np.concatenate([part.annotator for part in parts]),
        noise=np.concatenate(noises),
    )


def _drawn(article: Codes, n_systems: int, seed: int) -> Flags:
    """All judgments or, where they would make too many differences, those of articles drawn at random."""
    sizes = np.bincount(article)
    most = 2 * MOST_ROWS // (n_systems - 1)
    if len(article) <= most:
        return np.ones(len(article), dtype=np.bool_)
    order = np.random.default_rng(seed).permutation(len(sizes))
    kept = np.zeros(len(sizes), dtype=np.bool_)
    kept[order[: max(FEWEST_ARTICLES, int(np.searchsorted(np.cumsum(sizes[order]), most)))]] = True
    return kept[article]


class _Sums:
    """Sums of squares within groups, and what is expected of them, of all rows or of some.

    Groups are those of one pair of systems; what has to be sorted for them is sorted once.
    """

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows
        self.components = {
            "articles": _joint(rows.pair, rows.article),
            "questions": _joint(rows.pair, rows.question),
            "annotators": _joint(rows.pair, rows.annotator),
        }
        self.groups = {**self.components, "residual": _joint(rows.pair, np.zeros_like(rows.pair))}
        self.cells: dict[tuple[str, str], tuple[Codes, Codes]] = {}
        for name, group in self.groups.items():
            for component, other in self.components.items():
                cell = _joint(group, other)
                self.cells[name, component] = cell, group[np.unique(cell, return_index=True)[1]]

    def of(self, kept: Flags | None = None) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        """For each grouping the sum of squares within its groups, and how often each component is expected in it."""
        which: Flags | slice = slice(None) if kept is None else kept
        values = self.rows.values[which]
        noise = None if self.rows.noise is None else self.rows.noise[which]
        n = len(values)
        sums: dict[str, float] = {}
        expected: dict[str, dict[str, float]] = {}
        for name, codes in self.groups.items():
            group = codes[which]
            counts = np.bincount(group, minlength=int(codes.max()) + 1).astype(np.float64)
            there = np.maximum(counts, 1)
            means = np.bincount(group, weights=values, minlength=len(counts)) / there
            sums[name] = float(((values - means[group]) ** 2).sum())
            if noise is not None:
                sums[name] -= float((noise * (1 - 1 / counts[group])).sum())
            expected[name] = {"residual": float(n - (counts > 0).sum())}
            for component in self.components:
                cell, of_cell = self.cells[name, component]
                shared = np.bincount(cell[which], minlength=len(of_cell)).astype(np.float64)
                expected[name][component] = n - float((shared**2 / there[of_cell]).sum())
        return sums, expected


def _estimates(rows: _Sums, within: float, kept: Flags | None = None) -> tuple[Floats | None, str | None]:
    """The five components from all rows or from some, and what could not be told apart."""
    sums, expected = rows.of(kept)
    of_means = rows.rows.noise is not None
    names = ["articles", "questions"] if of_means else ["articles", "questions", "annotators"]
    merged: str | None = Reason("planning.different_annotators") if of_means else None
    if expected["articles"]["questions"] < _SMALL:  # each article has one question
        names.remove("questions")
        merged = Reason("planning.one_question_an_article")
    found = _solved(names, sums, expected, has_residual=not of_means)
    if found is None and "annotators" in names:
        names.remove("annotators")
        merged = Reason("planning.annotators_apart")
        found = _solved(names, sums, expected, has_residual=True)
    if found is None:
        return None, None
    if of_means:
        return np.array([found["articles"], found.get("questions", 0.0), 0.0, 2 * within, 0.0]), merged
    found["strictness"] = 2 * within - found.get("annotators", 0.0) - found["residual"]
    return np.array([found.get(name, 0.0) for name in NAMES]), merged


def _solved(
    names: list[str], sums: dict[str, float], expected: dict[str, dict[str, float]], *, has_residual: bool
) -> dict[str, float] | None:
    """The components from as many sums; None where these do not tell them apart.

    Without a residual, the sums within articles and of all rows are those that tell of questions and articles.
    """
    unknown = [*names, "residual"] if has_residual else names
    rows = unknown if has_residual else [{"questions": "articles", "articles": "residual"}[name] for name in names]
    matrix = np.array([[expected[row][name] for name in unknown] for row in rows])
    scale = matrix.max(axis=1, initial=0, keepdims=True)
    if (scale <= 0).any() or np.linalg.cond(matrix / scale) > 1e8:
        return None
    found = np.linalg.solve(matrix, np.array([sums[row] for row in rows]))
    return dict(zip(unknown, found.tolist(), strict=True))


def _jackknife(cells: _Cells, sums: _Sums, seed: int) -> tuple[UnitName, Floats | None, str | None]:
    """Covariance of the estimates when units are left out in turn, blocks of them where they are many."""
    rows = sums.rows
    unit: UnitName = "article" if len(np.unique(rows.article)) >= FEWEST_ARTICLES else "question"
    of_row, of_cell = (rows.article, cells.article) if unit == "article" else (rows.question, cells.question)
    known = np.unique(of_row)
    if len(known) < FEWEST_UNITS["plain"]:
        return unit, None, too_few_units(len(known), "plain", unit)
    block = np.full(int(of_cell.max()) + 1, -1)
    n_blocks = min(BLOCKS, len(known))
    block[known] = np.random.default_rng(seed).permutation(len(known)) % n_blocks
    found = []
    for left_out in range(n_blocks):
        within = cells.within_items(block[of_cell] != left_out)
        estimates = None if within is None else _estimates(sums, within, block[of_row] != left_out)[0]
        if estimates is not None:
            found.append(estimates)
    if len(found) < n_blocks:
        return unit, None, Reason("planning.no_jackknife")
    apart = np.stack(found) - np.mean(found, axis=0)
    return unit, (n_blocks - 1) / n_blocks * apart.T @ apart, None


def _has_several(groups: Codes, within: Codes) -> bool:
    """Whether any cell of the two has several rows."""
    return bool(len(groups)) and int(np.bincount(_joint(groups, within)).max()) > 1


def _joint(first: Codes, second: Codes) -> Codes:
    """Codes from 0 of what is equal in both."""
    joint = first * (int(second.max(initial=0)) + 1) + second
    codes: Codes = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    return codes


def _undefined(reason: str) -> PilotComponents:
    return PilotComponents(None, reason, (), None, None, reason, "article", 0, 0, 0, 0, 0)

"""Variance components of the difference between two systems, from a pilot: what plans of other studies rest on.

What follows from them (standard error, power, smallest difference of a design) is in `core.power`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Floats
from annotation_platform.core.few_units import FEWEST_ARTICLES, FEWEST_UNITS, UnitName, too_few_units
from annotation_platform.core.power import Components
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.codes import compact
from annotation_platform.core.statistics.pilot_differences import (
    Cells,
    differences_of_means,
    drawn_judgments,
    has_several,
    matched_differences,
)
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.variance_components import NAMES, SumsOfSquares, estimates_of

BLOCKS = 20
STRICTNESS = NAMES.index("strictness")  # behind the variances of the difference itself
ROUNDING = 1e-12
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
        articles; no item judged by two annotators; no variance above 0.

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
        compact(each) if each.dtype.kind in "iu" else np.unique(each, return_inverse=True)[1].astype(np.int64)
        for each in map(np.asarray, (systems, questions, articles, annotators))
    ]
    if any(len(each) != len(column) for each in codes):
        raise RatingsError("Give a system, a question, an article and an annotator for each value.")
    if not np.isfinite(column).all():
        raise RatingsError("A value is not finite; leave its row out.")
    system, question, article, annotator = codes
    n_systems = len(np.unique(system))
    if not 2 <= n_systems <= MOST_SYSTEMS:
        return _undefined(Reason("planning.systems", count=n_systems, most=MOST_SYSTEMS))
    drawn = drawn_judgments(article, n_systems, seed)
    cells = Cells.of(column[drawn], system[drawn], question[drawn], article[drawn], annotator[drawn])
    within = cells.within_items()
    if within is None:
        return _undefined(Reason("planning.one_annotator"))
    rows = matched_differences(cells)
    if not has_several(rows.pair, rows.question):
        rows = differences_of_means(cells, within)
    if not len(rows):
        return _undefined(Reason("planning.no_question"))
    if len(np.unique(rows.article)) < 2:
        return _undefined(Reason("planning.one_article"))
    sums = SumsOfSquares(rows)
    found, merged = estimates_of(sums, within)
    if found is None:
        return _undefined(Reason("planning.no_components"))
    if (found[:STRICTNESS] <= ROUNDING * np.abs(column).max() ** 2).all():
        return _undefined(Reason("planning.nothing_varies"))
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


def _jackknife(cells: Cells, sums: SumsOfSquares, seed: int) -> tuple[UnitName, Floats | None, str | None]:
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
        estimates = None if within is None else estimates_of(sums, within, block[of_row] != left_out)[0]
        if estimates is not None:
            found.append(estimates)
    if len(found) < n_blocks:
        return unit, None, Reason("planning.no_jackknife")
    apart = np.stack(found) - np.mean(found, axis=0)
    return unit, (n_blocks - 1) / n_blocks * apart.T @ apart, None


def _undefined(reason: str) -> PilotComponents:
    return PilotComponents(None, reason, (), None, None, reason, "article", 0, 0, 0, 0, 0)

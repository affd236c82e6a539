"""Intervals for other raters, too, of figures that are linear in the means of what people said of each row.

Such are a mean of people together with a model, a difference of two of them, and what sets a judge apart from people. A
figure is θ = Σ_i c_i Ȳ_i + what does not depend on people, with Ȳ_i the mean of the n_i ratings of row i. With t_i what
the row's ratings are expected to be, rating k of row i adds::

    e_k = c_i (y_k − t_i) / n_i

How θ varies from group to group (articles, else questions) is known already: it has a variance A with df degrees of
freedom, in which the model's part is, and which numbers were fitted. What other raters would add stands in the sums of
e over each rater j, and over each cell of group and rater::

    B = m / (m − 1) Σ_j e_j²     C = Σ_gj e_gj²                m raters
    V = A + max(B − C, 0)
    df_V = V² / (A² / df + B² / (m − 1))

Think of e_gj = a_g + b_j + ε_gj, of what does not depend on each other. A is what a and ε make θ vary, on average; B
what b and ε do, and C what ε does. V is what all three do. (The pigeonhole bootstrap, `pigeonhole`, has A + B + C,
since ε is drawn with both: here it holds in up to 100 %, where raters matter little.) B − C varies about as B does, so
that the degrees of freedom are those of B. It is not below 0: raters do not make a figure vary less.

The interval is θ ± t √V, on a scale with ends Wilson's with V. It is joined with the one for other groups alone, and p
is the larger one of the two. A model that knows what people say leaves small residues y_k − t_i, so that B has less of
which rows a rater happened to get. Of fewer than twenty groups five raters are needed, else three: of six articles and
three raters it holds in up to 98.8 %.

Source: Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering, Journal of Business & Economic
Statistics 29, for A + B − C; Satterthwaite (1946) for df. Coverage: ``docs/reference/statistics/coverage.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import FEWEST_RATERS
from annotation_platform.core.statistics.crossed import (
    Crossed,
    ForOtherRaters,
    Known,
    Observations,
    joined,
    why_not,
)
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import Ends
from annotation_platform.core.statistics.students_t import t_interval, t_p_value

MANY_GROUPS, FEWEST_OF_FEW_GROUPS = 20, 5


@dataclass(frozen=True, eq=False)
class Said:
    """Who said what of which row: one entry a rating. ``rows`` are places, ``raters`` any whole numbers."""

    rows: Codes
    raters: Codes
    values: Floats

    @classmethod
    def of(cls, rows: ArrayLike, raters: ArrayLike, values: ArrayLike) -> Said:
        """Of ratings; those without a number (NaN) are left out."""
        row, rater, value = np.asarray(rows), np.asarray(raters), np.asarray(values, dtype=np.float64)
        if not row.shape == rater.shape == value.shape or row.ndim != 1:
            raise RatingsError("Give one row and one rater for each value.")
        kept = ~np.isnan(value)
        return cls(row[kept].astype(np.int64), rater[kept].astype(np.int64), value[kept])

    def part(self, kept: Flags) -> Said:
        """Those of the flagged rows, whose places are counted anew."""
        chosen = kept[self.rows]
        place = np.cumsum(kept) - 1
        return Said(place[self.rows[chosen]], self.raters[chosen], self.values[chosen])


def linear_for_other_raters(
    said: Said,
    effects: ArrayLike,
    expected: ArrayLike,
    groups: ArrayLike,
    found: Known,
    *,
    ends: Ends | None = None,
    on_scale: bool = False,
    level: float = 0.95,
) -> ForOtherRaters:
    """Interval and p of a figure for other raters, too.

    Parameters
    ----------
    said : Said
        Everything that people said of the rows.
    effects : array-like of float, shape (rows,)
        c: by how much θ rises where people's mean of the row is one more; 0 where the row is not in θ.
    expected : array-like of float, shape (rows,)
        t, in the unit of what people said.
    groups : array-like of int, shape (rows,)
        Codes of the groups that θ's interval speaks for.
    found
        θ with its interval for other groups.
    ends : tuple of two floats, optional
        The least and the most that θ can be, where the interval is cut; with ``on_scale`` those of a scale of which θ
        is a mean.

    Returns
    -------
    ForOtherRaters
        Without an interval, and its reason, where θ has none, or too few raters said something that is in it.

    Raises
    ------
    RatingsError
        When there is not one effect, one expectation and one group a row.
    """
    c, t, group = np.asarray(effects, np.float64), np.asarray(expected, np.float64), np.asarray(groups)
    if not c.shape == t.shape == group.shape or c.ndim != 1:
        raise RatingsError("Give one effect, one expectation and one group for each row.")
    n = np.bincount(said.rows, minlength=len(c))
    counted = c[said.rows] != 0
    row = said.rows[counted]
    residues = c[row] * (said.values[counted] - t[row]) / n[row]
    crossed = Crossed.of(*(_codes(each) for each in (group[row], said.raters[counted])))
    interval, p_value, why = None, None, why_not(found, crossed, _least(crossed))
    error, freedom = found.standard_error, found.degrees_of_freedom
    if why is None and found.value is not None and found.interval is not None and error is not None and freedom:
        spread = crossed.beside(error**2, freedom, residues)
        if on_scale and ends is not None:
            low, high = Observations.of(found.value, crossed, spread, ends).interval(level)
        else:
            own = t_interval(found.value, sqrt(spread.variance), spread.freedom, level).within(ends)
            low, high = own.low, own.high
            p_value = max(t_p_value(found.value, sqrt(spread.variance), spread.freedom), found.p_value or 0.0)
        interval = joined(found.interval, low, high, level).within(ends)
    return ForOtherRaters(interval, why, p_value, crossed.n_units, crossed.n_raters)


def _least(crossed: Crossed) -> int:
    return FEWEST_RATERS if crossed.n_units >= MANY_GROUPS else FEWEST_OF_FEW_GROUPS


def _codes(of: ArrayLike) -> Codes:
    codes: Codes = np.unique(of, return_inverse=True)[1].astype(np.int64)
    return codes

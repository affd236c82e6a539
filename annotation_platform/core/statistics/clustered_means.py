"""Means and their differences where rows come in groups: intervals and tests that hold for few and unequal groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.differences import Difference
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import Ends, Interval, signature_line
from annotation_platform.core.statistics.students_t import t_interval, t_p_value
from annotation_platform.core.statistics.wilson import freedom_of, interval_on_scale
from annotation_platform.core.text import ONE_GROUP

NOTHING_TO_COMPARE = gettext_noop("One of the two has no values.")
UNDEFINED = gettext_noop("The difference itself is undefined.")
ALL_ALIKE = gettext_noop("The groups do not differ at all, so that nothing says how much others would.")
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ClusteredDifference(Difference):
    """Second minus first, over rows that come in groups.

    Attributes
    ----------
    is_paired : bool
        Whether the two were compared row by row; if not, no row has both.
    n_first, n_second : int
        Rows that have the one, and the other.
    standard_error, degrees_of_freedom : float or None
        Of interval and test; None where there are none.
    """

    is_paired: bool
    n_first: int
    n_second: int
    standard_error: float | None
    degrees_of_freedom: float | None


def clustered_difference(
    first: ArrayLike, second: ArrayLike, groups: ArrayLike, *, ends: Ends | None = None, level: float = 0.95
) -> ClusteredDifference:
    """Mean of second minus first over the rows that have both; interval and test take groups of rows as units.

    Rows are such as the questions that two systems answered, groups the articles that the questions are about. With
    d_q the difference in each of n rows, which come in groups of n_g rows::

        d   = Σ d_q / n
        V   = Σ_g u_g²,   u_g = Σ_{q in g} (d_q − d) / (n √(1 − n_g / n))                        (CR2)
        df  = tr(C)² / tr(C²),   C_gh = (1[g = h] n_g − n_g n_h / n) / √((1 − n_g / n) (1 − n_h / n))

    The interval is d ± t_df √V, and p that of t = d / √V on both sides. df is the number of groups less one where all
    are of one size, and smaller where a few large ones decide.

    Where no row has both, it is the difference of the two means, unpaired: u_g is that of the second less that of the
    first, and C the sum of both C, each times the variance of its values / n².

    Parameters
    ----------
    first, second : array-like of float, shape (n,)
        In one unit; NaN where a row has none.
    groups : array-like of int, shape (n,)
        Codes of the groups, any whole numbers.
    ends : tuple of two floats, optional
        The least and the most that a difference can be, where the interval is cut.
    level : float
        Confidence level.

    Returns
    -------
    ClusteredDifference
        Undefined where one of the two has no values at all. Without interval and p, with the reason, where what is
        compared comes from a single group, on either side, or where the groups do not differ at all.

    Raises
    ------
    RatingsError
        When the columns differ in length, or a value is infinite.

    References
    ----------
    Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples;
    Imbens and Kolesár (2016), Robust standard errors in small samples. With every row a group of its own it is the
    paired t-test and Welch's test. Checked against `scipy.stats` and, for groups, against the matrices written out.

    >>> found = clustered_difference([1, 2, 3, 4], [2, 4, 4, 8], groups=[7, 7, 9, 9])
    >>> found.value, found.n_items, found.n_units, found.is_paired
    (2.0, 4, 2, True)
    """
    columns, group = checked_columns(first, second, groups)
    has_first, has_second = (~np.isnan(column) for column in columns)
    is_paired = bool((has_first & has_second).any())
    compared = has_first & has_second if is_paired else has_first | has_second
    codes = np.unique(group[compared], return_inverse=True)[1]
    if is_paired:
        means = [GroupedMean.of(columns[1][compared] - columns[0][compared], codes)]
    elif has_first.any() and has_second.any():
        sides = ((1, has_second), (0, has_first))
        means = [GroupedMean.of(columns[side][has], codes[has[compared]]) for side, has in sides]
    else:
        means = []
    found = estimate_of(means, level=level)
    return ClusteredDifference(
        value=found.value,
        undefined_because=None if means else NOTHING_TO_COMPARE,
        p_value=found.p_value,
        no_p_value_because=found.no_spread_because,
        interval=found.interval and found.interval.within(ends),
        no_interval_because=found.no_spread_because,
        n_items=int(compared.sum()),
        n_units=len(np.unique(codes)),
        signature=signature_line("difference-of-means", paired=is_paired, interval="t|cr2", level=level),
        is_paired=is_paired,
        n_first=int(has_first.sum()),
        n_second=int(has_second.sum()),
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
    )


def checked_columns(
    first: ArrayLike, second: ArrayLike, groups: ArrayLike
) -> tuple[tuple[Floats, Floats], NDArray[Any]]:
    """Two columns of numbers, NaN where a row has none, and the group of each row; errors as in the functions here."""
    columns = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    group = np.asarray(groups)
    if not columns[0].shape == columns[1].shape == group.shape or group.ndim != 1:
        shapes = f"{columns[0].shape}, {columns[1].shape} and {group.shape}"
        raise RatingsError(f"Give one value of each of the two and one group a row, not {shapes}.")
    if any(np.isinf(column).any() for column in columns):
        raise RatingsError("A value is infinite; leave its row out.")
    return columns, group


@dataclass(frozen=True, slots=True, eq=False)
class GroupedMean:
    """A mean of rows in groups, as far as its variance needs it; arrays are by group, C = diag(own) − shared sharedᵀ.

    ``terms`` are u_g; a group without rows has zeros.
    """

    value: float
    n_groups: int
    terms: Floats
    own: Floats
    shared: Floats

    @classmethod
    def of(cls, values: Floats, codes: Codes) -> GroupedMean:
        n, mean, counts = len(values), float(values.mean()), np.bincount(codes).astype(np.float64)
        apart = values - mean
        left = np.where(counts < n, 1 - counts / n, 1)  # a single group has no variance, whatever this is
        variance = float((apart**2).sum()) / max(n - 1, 1)
        return cls(
            value=mean,
            n_groups=int((counts > 0).sum()),
            terms=np.bincount(codes, weights=apart) / (n * np.sqrt(left)),
            own=variance * counts / (n**2 * left),
            shared=sqrt(variance / n) * counts / (n * np.sqrt(left)),
        )

    def wide(self, n_groups: int) -> tuple[Floats, Floats, Floats]:
        if not (more := n_groups - len(self.terms)):
            return self.terms, self.own, self.shared
        terms, own, shared = (np.pad(column, (0, more)) for column in (self.terms, self.own, self.shared))
        return terms, own, shared


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, or a mean less another one, with the interval and the p of Student's t; or why there are none."""

    value: float | None
    interval: Interval | None
    p_value: float | None
    standard_error: float | None
    degrees_of_freedom: float | None
    no_spread_because: str | None
    freedom_of_terms: float = inf

    def on_scale(self, ends: Ends, level: float) -> Interval | None:
        """Its interval as that of a mean between the ends of a scale (`wilson`), where a few groups may decide."""
        if self.value is None or self.standard_error is None or self.degrees_of_freedom is None:
            return None
        freedom = min(self.degrees_of_freedom, self.freedom_of_terms)
        return interval_on_scale(self.value, self.standard_error, freedom, ends, level)


def estimate_of(means: Sequence[GroupedMean], *, level: float, fitted: int = 0) -> Estimate:
    """The first mean less the second, if there is one; ``fitted`` numbers were chosen so that the first varies least.

    With G groups of the first, its groups tell of G − 1 − ``fitted`` degrees of freedom: V is (G − 1) / (G − 1 −
    ``fitted``) times what it seems, and ``fitted`` are taken off from df.
    """
    value = means[0].value - sum(mean.value for mean in means[1:]) if means else None
    spread, no_spread = _spread(means)
    if value is None or spread is None:
        return Estimate(value, None, None, None, None, no_spread)
    left = means[0].n_groups - 1 - fitted
    if fitted and (left < 1 or spread[1] - fitted < 1):
        return Estimate(value, None, None, None, None, ONE_GROUP)
    standard_error, freedom = spread[0] * sqrt((left + fitted) / left), spread[1] - fitted
    interval = t_interval(value, standard_error, freedom, level)
    p_value = t_p_value(value, standard_error, freedom)
    return Estimate(value, interval, p_value, standard_error, freedom, None, spread[2])


def _spread(means: Sequence[GroupedMean]) -> tuple[tuple[float, float, float] | None, str | None]:
    """Standard error and degrees of freedom of the first mean less the second, if there is one; or the reason. The last
    is how many degrees of freedom the groups' own terms tell of."""
    if not means:
        return None, UNDEFINED
    if min(mean.n_groups for mean in means) < 2:
        return None, ONE_GROUP
    wide = [mean.wide(max(len(each.terms) for each in means)) for mean in means]
    terms = wide[0][0] - sum(terms for terms, _, _ in wide[1:])
    own = np.sum([own for _, own, _ in wide], axis=0)
    shared = np.stack([shared for _, _, shared in wide])
    error = sqrt(float((terms**2).sum()))
    if error <= _ROUNDING * max(abs(mean.value) for mean in means):
        return None, ALL_ALIKE
    trace = float(own.sum() - (shared**2).sum())
    of_square = float((own**2).sum() - 2 * (own * (shared**2).sum(axis=0)).sum() + ((shared @ shared.T) ** 2).sum())
    return (error, trace**2 / of_square, freedom_of(terms)), None

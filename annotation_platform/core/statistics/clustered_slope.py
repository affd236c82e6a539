"""The slope of a line where rows come in groups: an interval and a test that hold for few and unequal groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, checked_columns
from annotation_platform.core.statistics.differences import Difference
from annotation_platform.core.statistics.result import signature_line
from annotation_platform.core.statistics.students_t import t_interval, t_p_value

TOO_FEW_ROWS = gettext_noop("A slope needs at least three values.")
ONE_PLACE = gettext_noop("What the slope goes along is the same for all of them.")
FEWEST_GROUPS = 3
TOO_FEW_GROUPS = gettext_noop("It rests on fewer than three groups; the interval of a slope needs three.")
NO_SLOPE = gettext_noop("The slope itself is undefined.")
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ClusteredSlope(Difference):
    """How much y rises where x is one more, over rows that come in groups.

    Attributes
    ----------
    intercept : float or None
        The line's height at x = 0; None where there is no slope.
    standard_error, degrees_of_freedom : float or None
        Of interval and test; None where there are none.
    """

    intercept: float | None
    standard_error: float | None
    degrees_of_freedom: float | None


def clustered_slope(x: ArrayLike, y: ArrayLike, groups: ArrayLike, *, level: float = 0.95) -> ClusteredSlope:
    """Least squares slope of y on x with an intercept; interval and test take groups of rows as units.

    With X the rows (1, x), M = (XᵀX)⁻¹, e the residuals, c = (0, 1)ᵀ, and X_g, e_g the part of a group::

        b   = cᵀ M Xᵀ y
        V   = Σ_g u_g²,   u_g = cᵀ M X_gᵀ (I − X_g M X_gᵀ)^(−1/2) e_g                              (CR2)
        df  = tr(C)² / tr(C²),   C_gh = a_gᵀ (I − X M Xᵀ)_gh a_h,   u_g = a_gᵀ e_g

    The interval is b ± t_df √V, and p that of t = b / √V on both sides. It is what `clustered_difference` does for a
    mean, for a line. (I − X_g M X_gᵀ) of a group that alone decides a part of the line has no inverse; the inverse on
    what is left stands for it.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        NaN where a row has none: the row is left out.
    groups : array-like of int, shape (n,)
        Codes of the groups, any whole numbers.
    level : float
        Confidence level.

    Returns
    -------
    ClusteredSlope
        In units of y for one unit of x. Undefined for fewer than three rows, or where x is the same in all. Without
        interval and p, with the reason, where the rows come from fewer than three groups, or all lie on the line.

    Raises
    ------
    RatingsError
        When the columns differ in length, or a value is infinite.

    References
    ----------
    Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples;
    Pustejovsky and Tipton (2018), Small-sample methods for cluster-robust variance estimation. Checked against
    `scipy.stats.linregress`, and against the matrices written out.

    >>> found = clustered_slope([0, 1, 2, 3, 4, 5], [0, 2, 3, 7, 8, 11], groups=[1, 1, 2, 2, 3, 3])
    >>> round(found.value, 3), found.n_items, found.n_units
    (2.2, 6, 3)
    """
    columns, group = checked_columns(x, y, groups)
    kept = ~np.isnan(columns[0]) & ~np.isnan(columns[1])
    along, values = (column[kept] for column in columns)
    codes = np.unique(group[kept], return_inverse=True)[1].astype(np.int64)
    middle = along.mean() if len(along) else 0.0
    apart = along - middle
    reason = _why_not(along, apart)
    value = intercept = interval = p_value = spread = None
    no_spread: str | None = NO_SLOPE
    if reason is None:
        value = float(apart @ values / (apart @ apart))
        intercept = float(values.mean()) - value * float(middle)
        spread, no_spread = _spread(apart, values - values.mean() - value * apart, codes, values)
    if value is not None and spread is not None:
        standard_error, freedom = spread
        interval = t_interval(value, standard_error, freedom, level)
        p_value = t_p_value(value, standard_error, freedom)
    return ClusteredSlope(
        value=value,
        undefined_because=reason,
        p_value=p_value,
        no_p_value_because=no_spread,
        interval=interval,
        no_interval_because=no_spread,
        n_items=len(along),
        n_units=len(np.unique(codes)),
        signature=signature_line("slope", interval="t|cr2", level=level),
        intercept=intercept,
        standard_error=spread and spread[0],
        degrees_of_freedom=spread and spread[1],
    )


def _why_not(along: Floats, apart: Floats) -> str | None:
    if len(along) < 3:
        return TOO_FEW_ROWS
    return ONE_PLACE if apart @ apart <= _ROUNDING * max(float(along @ along), 1e-300) else None


def _spread(
    apart: Floats, residuals: Floats, codes: Codes, values: Floats
) -> tuple[tuple[float, float] | None, str | None]:
    """Standard error and degrees of freedom of the slope, if there are any; or the reason.

    With x around its mean, X scaled so that XᵀX is the unit matrix has two columns, and everything that a group adds
    is a matrix of two rows and two columns: (I − X_g X_gᵀ)^(−1/2) X_g = X_g (I − S_g)^(−1/2) with S_g = X_gᵀ X_g.
    """
    n_groups = int(codes.max()) + 1
    if n_groups < FEWEST_GROUPS:
        return None, TOO_FEW_GROUPS
    size = sqrt(float(apart @ apart))
    scaled = np.column_stack([np.full(len(apart), 1 / sqrt(len(apart))), apart / size])
    products = np.zeros((n_groups, 2, 2))
    np.add.at(products, codes, scaled[:, :, None] * scaled[:, None, :])
    scores = np.stack([np.bincount(codes, weights=column * residuals) for column in scaled.T], axis=1)
    shares, axes = np.linalg.eigh(products)
    left = np.where(shares < 1 - 1e-10, 1 - shares, np.inf)
    along = np.einsum("gij,gj,gkj,k->gi", axes, 1 / np.sqrt(left), axes, np.array([0.0, 1 / size]))
    terms = (along * scores).sum(axis=1)
    error = sqrt(float((terms**2).sum()))
    # Residuals are differences of values, so that nothing smaller than their digits is told from nothing.
    if error <= _ROUNDING * max(float(np.abs(values).max()), 1e-300) / size:
        return None, ALL_ALIKE
    shared = np.einsum("gij,gj->gi", products, along)
    own = (along * shared).sum(axis=1)
    trace = float(own.sum() - (shared**2).sum())
    of_square = float((own**2).sum() - 2 * (own * (shared**2).sum(axis=1)).sum() + ((shared.T @ shared) ** 2).sum())
    return (error, trace**2 / of_square), None

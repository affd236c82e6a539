"""Pearson's r of two columns whose rows come in groups: the groups are what is resampled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

_ROUNDING = 1e-12


def clustered_pearson(
    first: ArrayLike,
    second: ArrayLike,
    groups: ArrayLike,
    *,
    n_groups: int | None = None,
    units: ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Pearson's r of two columns of equal length; its interval resamples whole groups of rows.

    Answers to one question are alike, so that they are no independent evidence: resampling questions, not answers,
    says how much r would vary with other questions. r itself does not depend on the groups::

        r = (Σ xy − Σx Σy / n) / √((Σx² − (Σx)² / n) (Σy² − (Σy)² / n))

    Parameters
    ----------
    first, second : array-like of float, shape (n,)
        Finite numbers.
    groups : array-like of int, shape (n,)
        Codes ``0 … n_groups - 1``, such as of the questions.
    n_groups : int, optional
        By default the greatest code plus one. Give it where two figures over the same groups are to be compared by
        `paired_bootstrap`.
    units : array-like of int, shape (n_groups,), optional
        What groups are resampled together with, such as the article of a question: codes from 0.
    bootstrap : Bootstrap, optional
        Resample groups for an interval.

    Returns
    -------
    Statistic
        `n_items` counts groups with rows, `n_ratings` rows. Undefined for fewer than two rows, or when a column has
        one value throughout.

    Raises
    ------
    RatingsError
        When the columns are not finite numbers of one length, each with a code of the range.

    References
    ----------
    Field and Welsh (2007), Bootstrapping clustered data. Checked against `numpy.corrcoef`; with every row a group of
    its own it equals `pearson`, interval included.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    code = np.asarray(groups, dtype=np.int64)
    if not x.shape == y.shape == code.shape or x.ndim != 1:
        raise RatingsError(
            f"Give one number of each column and one group a row, not {x.shape}, {y.shape}, {code.shape}."
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise RatingsError("A column has a number that is not finite; leave its row out.")
    n = n_groups if n_groups is not None else int(code.max(initial=-1)) + 1
    if code.size and not 0 <= code.min() <= code.max() < n:
        raise RatingsError(f"Group codes run from {code.min()} to {code.max()}, not from 0 to {n - 1}.")
    of_group = None if units is None else np.asarray(units, dtype=np.int64)
    # Around the means, so that sums of squares do not lose digits; r does not care where zero is.
    x, y = (column - column.mean() if column.size else column for column in (x, y))
    terms = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    sums = np.stack([np.bincount(code, weights=term, minlength=n) for term in terms])

    def r(weights: Floats) -> Floats:
        count, sx, sy, sxx, syy, sxy = sums @ weights
        m = np.where(count > 0, count, 1)
        vx, vy = sxx - sx * sx / m, syy - sy * sy / m
        defined = (vx > _ROUNDING * np.where(sxx > 0, sxx, 1)) & (vy > _ROUNDING * np.where(syy > 0, syy, 1))
        found = (sxy - sx * sy / m) / np.sqrt(np.where(defined, vx * vy, 1))
        return np.where(defined, np.clip(found, -1, 1), np.nan)

    value = float(r(np.ones((n, 1)))[0]) if len(x) > 1 else float("nan")
    sample = bootstrap.sample(r, n, units=of_group, width=6) if bootstrap and n else None
    present = np.unique(code)
    reason = (
        gettext_noop("One of the two columns has one value throughout.")
        if len(x) > 1
        else gettext_noop("There are fewer than two rows.")
    )
    return statistic(
        value=value,
        undefined_because=reason,
        n_items=len(present),
        n_units=len(present if of_group is None else np.unique(of_group[present])),
        n_raters=2,
        n_ratings=len(x),
        sample=sample,
        bootstrap=bootstrap,
        signature=signature_line("pearson", resampled="groups"),
        n_items_resampled=n,
    )

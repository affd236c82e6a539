"""A share whose observations come in groups, with an interval that holds near 0 and 1 and for few groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.statistics.result import signature_line

ONE_GROUP = "It rests on a single group; an interval needs at least two."


@dataclass(frozen=True, slots=True)
class Share:
    """A share between 0 and 1.

    Attributes
    ----------
    value : float or None
        None where there are no observations.
    n, n_groups : int
        Observations, and the groups that they come in.
    n_effective : float
        So many independent observations would be as informative.
    interval : tuple of two floats, or None
    no_interval_because : str or None
    p_value : float or None
        Of the hypothesis that the share is one half, two-sided; below 1 − level where the interval leaves it out.
    signature : str
    """

    value: float | None
    n: int
    n_groups: int
    n_effective: float
    interval: tuple[float, float] | None
    no_interval_because: str | None
    p_value: float | None
    signature: str


def grouped_share(values: ArrayLike, groups: ArrayLike, *, level: float = 0.95) -> Share:
    """The mean of values between 0 and 1 (an event, or half of one), with Wilson's interval of grouped observations.

    With N values y in G groups, S_g their sum and N_g their number in group g::

        p      = Σ y / N
        V      = G / (G − 1) · Σ_g (S_g − p N_g)² / N²          variance of a ratio, groups drawn
        deff   = max(1, V / (p (1 − p) / N))                    design effect
        G_eff  = N² / Σ_g N_g²                                  groups of equal size that weigh as much
        n_eff  = N / deff;  G_eff where p is 0 or 1

    and Wilson's interval of p with n_eff observations, the quantile being that of Student's t with G_eff − 1, at least
    1, degrees of freedom. Judgments of one question, or of the questions of one article, are alike, so these are the
    groups. The p-value is that of the score test which the interval inverts.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        1 for the event, 0 for its absence, 0.5 for a tie.
    groups : array-like of int, shape (n,)
        Codes of the groups, any whole numbers.
    level : float
        Confidence level.

    Returns
    -------
    Share
        Undefined without values; without an interval, and its reason, for a single group.

    Raises
    ------
    RatingsError
        When a value lies outside of 0 to 1, or the columns differ in length.

    References
    ----------
    Wilson (1927); Korn and Graubard (1998), Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data. Coverage: ``tests/core/test_shares.py`` simulates it.
    """
    y, group = np.asarray(values, dtype=np.float64), np.asarray(groups)
    if y.shape != group.shape or y.ndim != 1:
        raise RatingsError(f"Give one group for each value, not {group.shape} for {y.shape}.")
    if len(y) and not (y.min() >= 0 and y.max() <= 1):
        raise RatingsError("A value of a share lies outside of 0 to 1.")
    signature = signature_line("share", interval="wilson-of-groups", level=str(level))
    if not len(y):
        return Share(None, 0, 0, 0.0, None, "There is nothing to count.", None, signature)
    code = np.unique(group, return_inverse=True)[1]
    counts, sums = np.bincount(code).astype(np.float64), np.bincount(code, weights=y)
    n, g, p = len(y), len(counts), float(y.mean())
    if g < 2:
        return Share(p, n, g, 1.0, None, ONE_GROUP, None, signature)
    n_effective = _effective(p, n, counts, sums)
    freedom = max(_equal_groups(counts) - 1, 1.0)
    low, high = _wilson(p, n_effective, float(t.ppf((1 + level) / 2, freedom)))
    p_value = float(2 * t.sf(abs(p - 0.5) * sqrt(n_effective) / 0.5, freedom))
    return Share(p, n, g, n_effective, (low, high), None, p_value, signature)


def _effective(p: float, n: int, counts: np.ndarray, sums: np.ndarray) -> float:
    g = len(counts)
    if p in (0.0, 1.0):
        return _equal_groups(counts)
    variance = g / (g - 1) * float(((sums - p * counts) ** 2).sum()) / n**2
    return n / max(1.0, variance / (p * (1 - p) / n))


def _equal_groups(counts: np.ndarray) -> float:
    """So many groups of equal size would weigh as much: a large one among small ones decides more than its share."""
    return float(counts.sum() ** 2 / (counts**2).sum())


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)

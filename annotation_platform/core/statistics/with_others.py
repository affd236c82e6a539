"""How far single raters agree with the others, and which of them stands apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation_platform.core.arrays import Codes
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import distinct, levels
from annotation_platform.core.statistics.over_pairs import mean_of_defined
from annotation_platform.core.statistics.pair_taus import PairwiseTau
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import group_shares

FAR = 3.5  # Iglewicz and Hoaglin's own cut-off
FEWEST = 5  # raters below which nobody can be said to stand apart


def agreement_with_others(ratings: Ratings) -> tuple[Statistic, ...]:
    """Share of the other raters' ratings of the same items that are equal to each rater's own.

    For a rating v by rater j of item i, let e be the number of ratings of i by others that equal v, and m their
    number. Then agreement(j) = mean of e / m over j's ratings with m > 0. Intervals are those of `shares`, each value
    being the share of m observations.

    Returns
    -------
    tuple of Statistic
        One a rater, in the order of codes, from 0 to 1. Undefined for a rater none of whose items others rated.

    Examples
    --------
    >>> table = Ratings.from_arrays([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [1, 1, 2, 3, 4], repeated="cross")
    >>> [each.value for each in agreement_with_others(table)]
    [0.25, 0.25, 0.0]
    """
    values, level = levels(ratings.numbers)
    n_items, n_raters, n_levels = ratings.n_items, ratings.n_raters, max(len(values), 1)
    n = np.bincount(ratings.items, minlength=n_items)[ratings.items]
    n_equal = _how_many(ratings.items * n_levels + level, n_items * n_levels)
    own = distinct(ratings.items * n_raters + ratings.raters, n_items * n_raters)[1]
    n_own_equal = _how_many(own * n_levels + level, (int(own.max(initial=-1)) + 1) * n_levels)
    others = n - np.bincount(own)[own]
    shared = others > 0
    share = (n_equal - n_own_equal) / np.maximum(others, 1)
    rows = ratings.where(shared)
    table = Ratings.from_arrays(
        rows.item_codes,
        rows.rater_codes,
        share[shared],
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        units=ratings.units,
        repeated="cross",
    )
    return group_shares(
        table,
        rows.raters,
        ratings.n_raters,
        trials=others[shared],
        name="agreement-with-others",
        undefined_because=gettext_noop("Nobody else rated the rater's items."),
    )


def _how_many(keys: Codes, space: int) -> Codes:
    """Of each entry, how many have its key."""
    code = distinct(keys, space)[1]
    return np.bincount(code)[code]


def tau_with_others(tau: PairwiseTau) -> tuple[Statistic, ...]:
    """Mean τ of each rater's pairs, over those that have one; its interval uses the resamples of ``tau``.

    `n_items` is that of the pair with most shared items, `n_raters` the number of pairs with a τ, `n_ratings` the
    number of joined rows. Undefined for a rater without a pair that has a τ.
    """
    found = []
    for rater in range(tau.n_raters):
        own = np.flatnonzero((tau.members == rater).any(axis=1))
        defined = own[~np.isnan(tau.values[own])]
        found.append(
            statistic(
                value=float(tau.values[defined].mean()) if len(defined) else None,
                undefined_because=gettext_noop("No pair of the rater has a defined τ."),
                n_items=int(tau.n_items[defined].max(initial=0)),
                n_units=int(tau.n_units[defined].max(initial=0)),
                n_raters=len(defined),
                n_ratings=int(tau.n_rows[defined].sum()),
                sample=None if tau.sample is None or not len(own) else mean_of_defined(tau.sample[own]),
                bootstrap=tau.bootstrap,
                signature=signature_line("mean-kendall-tau-of-rater", setting=tau.setting),
                n_items_resampled=tau.n_items_resampled,
            )
        )
    return tuple(found)


def modified_z(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """How far each value lies from the median of all, in robust units: 0.6745 (x - median) / MAD.

    MAD is the median of |x - median|. One rater far away does not move the median, as it would move mean and
    standard deviation. Where more than half of the values are equal, MAD is 0, and the mean of |x - median| takes
    its place: (x - median) / (sqrt(pi / 2) mean|x - median|). Beyond ± 3.5 (`FAR`) a value is usually called an
    outlier.

    Parameters
    ----------
    values : sequence of float or None
        One a rater; None, where there is none, stays None.

    Returns
    -------
    tuple of float or None
        All None with fewer than five values (`FEWEST`), and where all of them are equal.

    References
    ----------
    Iglewicz and Hoaglin (1993), How to Detect and Handle Outliers.

    Examples
    --------
    >>> [round(z, 2) for z in modified_z([1, 2, 3, 4, 20])]
    [-1.35, -0.67, 0.0, 0.67, 11.47]
    """
    given = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    defined = given[~np.isnan(given)]
    nothing: tuple[float | None, ...] = (None,) * len(given)
    if len(defined) < FEWEST:
        return nothing
    median = np.median(defined)
    distances = np.abs(defined - median)
    unit = np.median(distances) / 0.6745 or np.sqrt(np.pi / 2) * distances.mean()
    if unit <= 0:
        return nothing
    return tuple(None if np.isnan(value) else float((value - median) / unit) for value in given)

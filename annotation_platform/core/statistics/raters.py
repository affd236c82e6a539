"""What can be said of single raters: leniency, its shift and drift, and consistency with themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import pairs_within
from annotation_platform.core.statistics.differences import Difference, paired_bootstrap
from annotation_platform.core.statistics.means import group_means
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Ends, Statistic, ends_of_difference, signature_line
from annotation_platform.core.statistics.shares import group_shares

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """How alike a rater's own judgments of one item are.

    `same` is the share of pairs of such judgments with equal values, `distance` their mean |difference|.
    """

    same: Statistic
    distance: Statistic


def leniency(ratings: Ratings, *, bootstrap: Bootstrap | None = None) -> tuple[Statistic, ...]:
    """Each rater's mean distance from the others: above 0 for one who gives higher values to the same items.

    For rater j, over all of j's ratings v of items that others rated too::

        leniency(j) = mean of (v - mean of the others' ratings of that item)

    Comparing within items keeps apart who is lenient and who was given good answers. Intervals resample items, and are
    cut where a rater would be farther from the others than the ratings' ``ends`` are from each other.

    Returns
    -------
    tuple of Statistic
        One a rater, in the order of codes, in units of the values. Undefined for a rater none of whose items
        anyone else rated.
    """
    apart, is_shared = _from_others(ratings)
    ends = ends_of_difference(ratings.ends, ratings.ends)
    return _means_by_rater(ratings.where(is_shared), apart[is_shared], "leniency", _ALONE, bootstrap, ends)


def severity_shift(first: Ratings, second: Ratings, *, bootstrap: Bootstrap | None = None) -> tuple[Difference, ...]:
    """How each rater's leniency differs between two tables of the same items: before and after rescaling, or a
    discussion of the guidelines. Second minus first, so above 0 for one who has become more lenient.

    Both must be on one scale. p-values are those of single raters; correct a family of them with `holm`.

    Raises
    ------
    RatingsError
        When the tables differ in their number of items or raters.
    """
    if (first.n_items, first.n_raters) != (second.n_items, second.n_raters):
        raise RatingsError(
            f"The tables have {first.n_items} and {second.n_items} items, {first.n_raters} and "
            f"{second.n_raters} raters; give n_items and n_raters to both."
        )
    pairs = zip(leniency(first, bootstrap=bootstrap), leniency(second, bootstrap=bootstrap), strict=True)
    return tuple(paired_bootstrap(before, after) for before, after in pairs)


def drift(ratings: Ratings, times: ArrayLike, *, bootstrap: Bootstrap | None = None) -> tuple[Statistic, ...]:
    """How fast each rater's distance from the others changes: the slope of a straight line over time.

    With d = v - mean of the others' ratings of the item, and t its time, over the rater's shared items::

        drift(j) = Σ (t - t̄)(d - d̄) / Σ (t - t̄)²

    Parameters
    ----------
    ratings : Ratings
        With ``repeated='cross'``, so that each rating has its time.
    times : array-like of float, shape (n ratings,)
        When each rating was made, in any unit: hours, or its place in the rater's sequence.
    bootstrap : Bootstrap, optional
        Resample items for intervals.

    Returns
    -------
    tuple of Statistic
        One a rater, in units of the values per unit of time. Undefined when the rater's shared ratings are
        fewer than two or all of one time.

    Raises
    ------
    RatingsError
        When there is not one finite time for each rating.
    """
    time = np.asarray(times, dtype=np.float64)
    if time.shape != (len(ratings),) or not np.isfinite(time).all():
        raise RatingsError(f"Give one finite time for each of {len(ratings)} ratings, not shape {time.shape}.")
    apart, is_shared = _from_others(ratings)
    shared = ratings.where(is_shared)
    d = apart[is_shared]
    n = np.maximum(np.bincount(shared.raters, minlength=ratings.n_raters), 1)
    # Around each rater's own mean, so that sums of squares do not lose digits on dates.
    t = time[is_shared] - (np.bincount(shared.raters, time[is_shared], minlength=ratings.n_raters) / n)[shared.raters]
    shape = (ratings.n_raters, ratings.n_items)
    sums = [
        sparse.csr_array((terms, (shared.raters, shared.items)), shape=shape)
        for terms in (np.ones(len(d)), t, d, t * d, t * t)
    ]

    def slopes(weights: Floats) -> Floats:
        n, t1, d1, td, tt = (np.asarray(by_item @ weights) for by_item in sums)
        m = np.where(n > 0, n, 1)
        spread = tt - t1**2 / m
        defined = spread > _ROUNDING * np.where(tt > 0, tt, 1)
        return np.where(defined, (td - t1 * d1 / m) / np.where(defined, spread, 1), np.nan)

    values = slopes(np.ones((ratings.n_items, 1)))[:, 0]
    sample = None
    if bootstrap:
        sample = bootstrap.sample(slopes, ratings.n_items, units=ratings.units, width=5 * ratings.n_raters)
    return tuple(
        statistic(
            value=float(value),
            undefined_because=gettext_noop(
                "Fewer than two ratings of items that others rated too, or all made at one time."
            ),
            n_items=len(items),
            n_units=shared.n_units_of(items),
            n_raters=1,
            n_ratings=int((shared.raters == rater).sum()),
            sample=None if sample is None else sample[rater],
            bootstrap=bootstrap,
            signature=signature_line("drift", repeated=ratings.repeated),
            n_items_resampled=ratings.n_items,
            scale="plain",
        )
        for rater, value in enumerate(values)
        for items in (np.unique(shared.items[shared.raters == rater]),)
    )


def self_consistency(ratings: Ratings, *, bootstrap: Bootstrap | None = None) -> tuple[SelfConsistency, ...]:
    """How alike each rater's repeated judgments of the same item are, over all pairs of them.

    Parameters
    ----------
    ratings : Ratings
        With ``repeated='cross'``; the other policies leave nothing to compare.
    bootstrap : Bootstrap, optional
        Resample items for intervals of the distance; those of the share are Wilson's (`shares`).

    Returns
    -------
    tuple of SelfConsistency
        One a rater, in the order of codes; `n_ratings` counts pairs. Undefined for a rater who judged nothing
        twice.
    """
    keys = ratings.items * ratings.n_raters + ratings.raters
    order = np.argsort(keys, kind="stable")
    first, second = pairs_within(keys[order])
    apart = np.abs(ratings.values[order][first] - ratings.values[order][second])
    pairs = ratings.where(order[first])
    reason = gettext_noop("The rater judged no item twice.")
    equal = _table(pairs, np.where(apart == 0, 1.0, 0.0))
    same = group_shares(equal, pairs.raters, pairs.n_raters, name="self-consistency", undefined_because=reason)
    ends = ratings.ends and (0.0, ratings.ends[1] - ratings.ends[0])
    distance = _means_by_rater(pairs, apart, "self-distance", reason, bootstrap, ends)
    return tuple(SelfConsistency(*both) for both in zip(same, distance, strict=True))


_ALONE = gettext_noop("Nobody else rated the rater's items.")


def _from_others(ratings: Ratings) -> tuple[Floats, Flags]:
    """Each rating minus the mean of the other raters' ratings of its item, and whether there are any."""
    items, values = ratings.items, ratings.values
    keys: Codes = items * ratings.n_raters + ratings.raters
    own, position = np.unique(keys, return_inverse=True)
    n_own, sum_own = np.bincount(position), np.bincount(position, values, minlength=len(own))
    n = np.bincount(items, minlength=ratings.n_items)[items] - n_own[position]
    total = np.bincount(items, values, minlength=ratings.n_items)[items] - sum_own[position]
    return values - total / np.maximum(n, 1), n > 0


def _means_by_rater(
    rows: Ratings, values: Floats, name: str, undefined_because: str, bootstrap: Bootstrap | None, ends: Ends | None
) -> tuple[Statistic, ...]:
    return group_means(
        _table(rows, values, ends),
        rows.raters,
        rows.n_raters,
        bootstrap=bootstrap,
        name=name,
        undefined_because=undefined_because,
    )


def _table(rows: Ratings, values: Floats, ends: Ends | None = None) -> Ratings:
    return Ratings.from_arrays(
        rows.item_codes,
        rows.rater_codes,
        values,
        n_items=rows.n_items,
        n_raters=rows.n_raters,
        units=rows.units,
        ends=ends,
        repeated="cross",
    )

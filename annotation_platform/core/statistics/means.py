"""Means of ratings by group (such as label, system or annotator), and of figures; intervals resample items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from annotation_platform.core.arrays import Floats
from annotation_platform.core.few_units import single_unit
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import n_distinct
from annotation_platform.core.statistics.over_pairs import mean_of_defined
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import ALL_ALIKE, Bootstrap, by_unit, statistic
from annotation_platform.core.statistics.result import Interval, Statistic, signature_line
from annotation_platform.core.statistics.wilson import lies_within, scale_intervals


def group_means(
    ratings: Ratings,
    groups: ArrayLike,
    n_groups: int,
    *,
    bootstrap: Bootstrap | None = None,
    name: str = "mean",
    undefined_because: str = gettext_noop("The group has no ratings."),
) -> tuple[Statistic, ...]:
    """Mean value of the ratings in each group.

    mean(g) = Σ values in g / number of ratings in g. Intervals resample items, because the ratings of one
    item are alike; they are cut at the ratings' ``ends``, as is right for differences, whose mean is seldom near one.
    For numbers of a scale, take `scale_means`.

    Parameters
    ----------
    ratings : Ratings
        Values in any unit; the means are in the same.
    groups : array-like of int, shape (n ratings,)
        Group codes ``0 … n_groups - 1``, one a rating.
    n_groups : int
    bootstrap : Bootstrap, optional
        Resample items for an interval of each mean.

    Returns
    -------
    tuple of Statistic
        One a group, in the order of codes. The mean of a group without ratings is undefined.

    Raises
    ------
    RatingsError
        When the groups do not fit the ratings.
    """
    group = np.asarray(groups)
    if group.shape != ratings.values.shape:
        raise RatingsError(f"groups has shape {group.shape}; give one code for each of {len(ratings)} ratings.")
    if group.size and not 0 <= group.min() <= group.max() < n_groups:
        raise RatingsError(f"Group codes run from {group.min()} to {group.max()}, not from 0 to {n_groups - 1}.")
    shape = (n_groups, ratings.n_items)
    sums, counts = (
        by_unit(sparse.csr_array((values, (group, ratings.items)), shape=shape), ratings.units)
        for values in (ratings.values, np.ones(len(ratings)))
    )

    def means(weights: Floats) -> Floats:
        n = np.asarray(counts @ weights)
        return np.where(n > 0, np.asarray(sums @ weights) / np.where(n > 0, n, 1), np.nan)

    n_units = sums.shape[1]
    values = means(np.ones((n_units, 1)))[:, 0]
    sample = bootstrap.sample(means, n_units, width=n_groups) if bootstrap else None
    unit_of_item = ratings.unit_of_item
    order = np.argsort(group.astype(np.min_scalar_type(n_groups)), kind="stable")
    found = []
    for code, members in enumerate(np.split(order, np.cumsum(np.bincount(group, minlength=n_groups)))[:n_groups]):
        defined = bool(len(members))
        items = ratings.items.take(members)
        found.append(
            statistic(
                value=float(values[code]) if defined else None,
                undefined_because=undefined_because,
                n_items=n_distinct(items, ratings.n_items),
                n_units=n_distinct(unit_of_item.take(items), n_units),
                n_raters=n_distinct(ratings.raters.take(members), ratings.n_raters),
                n_ratings=len(members),
                sample=None if sample is None else sample[code],
                bootstrap=bootstrap,
                signature=signature_line(name, repeated=ratings.repeated),
                n_items_resampled=ratings.n_items,
                scale="plain",
                ends=ratings.ends,
            )
        )
    return tuple(found)


def scale_means(
    ratings: Ratings,
    groups: ArrayLike,
    n_groups: int,
    *,
    bootstrap: Bootstrap | None = None,
    undefined_because: str = gettext_noop("The group has no ratings."),
) -> tuple[Statistic, ...]:
    """`group_means` of numbers on a scale with ends, ``ratings.ends``, with intervals that hold near these.

    As a share of the scale's length the mean has Wilson's interval (`wilson`), by the ratings' units: it stays on the
    scale, and says something where all ratings are at one end. Where all of them are at one end or the other it is
    the interval of the share that the higher end has (`group_shares`). Without ``ends``, and where a rating
    lies beyond them, it is that of `group_means`.

    Parameters
    ----------
    ratings, groups, n_groups, bootstrap, undefined_because
        As of `group_means`; resamples are kept for ranks and differences, and make no interval.

    Returns
    -------
    tuple of Statistic
        Without an interval, and its reason, for a single unit, and where all ratings are the same but at neither end.
    """
    found = group_means(ratings, groups, n_groups, bootstrap=bootstrap, undefined_because=undefined_because)
    if bootstrap is None or ratings.ends is None or not lies_within(ratings.values, ratings.ends):
        return found
    group = np.asarray(groups, dtype=np.int64)
    units = ratings.unit_of_item[ratings.items]
    intervals = scale_intervals(ratings.values, units, group, n_groups, ratings.ends, bootstrap.level)
    return tuple(_on_scale(*each, bootstrap) for each in zip(found, intervals, strict=True))


def _on_scale(mean: Statistic, interval: Interval | None, bootstrap: Bootstrap) -> Statistic:
    reason = mean.no_interval_because
    if mean.value is not None:
        reason = None if interval else single_unit(bootstrap.unit) if mean.n_units < 2 else ALL_ALIKE
    return replace(mean, interval=interval, no_interval_because=reason, signature=f"{mean.signature}|interval:wilson")


def mean_of_figures(figures: Sequence[Statistic], *, same_items: bool = True) -> Statistic:
    """Plain mean of one figure about several things, such as of a ρ about each aspect.

    mean = Σ figures / their number, over those that are defined; each of its resamples is the mean over those that
    are defined there, and make the interval, on the scale that the figures have. That takes resamples that drew the
    same items for every figure.

    Parameters
    ----------
    figures : sequence of Statistic
    same_items : bool
        Whether item codes mean the same items in all of them. If not, the mean has no interval.

    Returns
    -------
    Statistic
        ``n_items``, ``n_units`` and ``n_raters`` are the most that any of the figures has, ``n_ratings`` those of
        all together.
        Undefined where none of the figures is defined.
    """
    defined = [each for each in figures if each.value is not None]
    samples = [each.resampled for each in defined if each.resampled is not None]
    drawn = {(each.n_items, each.seed, len(each.values), each.level) for each in samples}
    bootstrap, sample, n_drawn = None, None, 0
    scales, ends = {each.scale for each in samples}, {each.ends for each in samples}
    if same_items and len(drawn) == 1 and len(samples) == len(defined):
        ((n_drawn, seed, resamples, level),) = drawn
        bootstrap = Bootstrap(resamples=resamples, seed=seed, level=level, unit=samples[0].unit)
        sample = mean_of_defined(np.stack([each.values for each in samples]))
    return statistic(
        value=float(np.mean([each.value for each in defined])) if defined else None,
        undefined_because=gettext_noop("None of the figures is defined."),
        n_items=max((each.n_items for each in defined), default=0),
        n_units=max((each.n_units for each in defined), default=0),
        n_raters=max((each.n_raters for each in defined), default=0),
        n_ratings=sum(each.n_ratings for each in defined),
        sample=sample,
        bootstrap=bootstrap,
        signature=signature_line("mean", of=f"[{', '.join(sorted({each.signature for each in defined}))}]"),
        n_items_resampled=n_drawn,
        scale=scales.pop() if len(scales) == 1 else "plain",
        ends=ends.pop() if len(ends) == 1 else None,
    )

"""Confidence intervals by resampling units: a seeded bootstrap of the standard error, all ratings of a unit together.

Units are what `Ratings.units` says that items share, such as an article; else each item. A resample draws as many
units as there are, with replacement; one drawn twice counts twice, with all its items and their ratings. The
statistics of this package are functions of sums over items, so that a resample is a column of item weights and a
batch of resamples is one matrix product. The same seed and units draw the same resamples for every statistic:
differences are therefore paired.

With s the standard deviation of a figure over the resamples and n the units that it rests on, its standard error is
σ = s √(n / (n − 1)), because n units drawn from n vary less than n others would, and its interval::

    h⁻¹(h(θ) ± t_{n−1} · σ h′(θ))

by Student's t, since σ is itself estimated from n units. h is θ itself for means, differences and slopes, Fisher's
arctanh θ for what ends at 1 (coefficients of agreement and correlation) and log θ for ratios: on these scales figures
are nearly symmetric around what they estimate, and the interval stays within their bounds. Differences and slopes whose
ends are known are cut there. A mean on a scale with ends has no interval from here but Wilson's (`scale_means`).
Percentiles of the
resamples miss the true value of ten units in 6 to 44 % of studies, this in 2 to 11 %: see
``docs/reference/statistics/coverage.md``.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 6 and 12 (standard errors, t intervals
and their scales), 8 (units); Field and Welsh (2007), Bootstrapping clustered data; Hesterberg (2015), What teachers
should know about the bootstrap (few units).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import atanh, exp, sqrt, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtr, stdtrit

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.few_units import (
    FEWEST_UNITS,
    Scale,
    UnitName,
    pairs_share_too_few,
    too_few_units,
    too_skewed,
)
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.statistics.result import Ends, Interval, Resampled, Statistic

_BATCH_BYTES = 32_000_000
_WIDEST_BATCH = 128
_MOST_KEPT = 4_000_000  # items × resamples, at two bytes each
_MOST_OF_PAIRS = 20_000_000  # pairs × resamples, at eight bytes each
_FEWEST = 100
_ROUNDING = 1e-12

ALL_ALIKE = gettext_noop("It is the same in every resample, so that nothing says how it would be for others.")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How to resample.

    Attributes
    ----------
    resamples : int
        Number of resamples, at least 1.
    seed : int
        Seed of ``numpy.random.default_rng``; the same seed gives the same interval.
    level : float
        Confidence level, between 0 and 1.
    unit : {'article', 'question', 'item'}, optional
        How reasons call what is drawn.
    """

    resamples: int = 1000
    seed: int = 0
    level: float = 0.95
    unit: UnitName | None = None

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise ValueError(f"resamples is {self.resamples}; at least 1 is needed.")
        if not 0 < self.level < 1:
            raise ValueError(f"level is {self.level}; give a share between 0 and 1, such as 0.95.")

    def of_pairs(self, n_pairs: int) -> Bootstrap:
        """The same with fewer resamples where the figures of so many pairs would not fit into memory.

        At most 20,000,000 figures are kept, but at least 100 resamples: up to 20,000 pairs have 1,000 of them,
        200,000 pairs have 100. A result says in its intervals how many there were.
        """
        most = max(_MOST_OF_PAIRS // max(n_pairs, 1), _FEWEST)
        return self if self.resamples <= most else replace(self, resamples=most)

    def weights(
        self, n_items: int, *, units: Codes | None = None, width: int = 0, classes: Codes | None = None
    ) -> Iterator[Floats]:
        """Batches of resamples as item weights, shape (n_items, batch), whole numbers.

        With ``units``, the unit of each item, units are drawn, with all their items. With ``classes``, the class of
        each item, the weights are those of the classes, (n_classes, batch): the same is drawn, but how often is only
        counted by class. ``width`` is the number of
        intermediate values that the statistic needs for a resample, by which batches are made small enough.
        The weights do not depend on the size of the batches.
        """
        batch = max(1, min(_WIDEST_BATCH, _BATCH_BYTES // (8 * max(n_items, width, 1))))
        if units is not None:
            yield from (_spread(drawn, units, classes) for drawn in self._drawn(int(units.max(initial=-1)) + 1, batch))
        else:
            yield from self._drawn(n_items, batch, classes)

    def _drawn(self, n_items: int, batch: int, classes: Codes | None = None) -> Iterator[Floats]:
        rng = np.random.default_rng(self.seed)
        are_kept = classes is None and n_items * self.resamples <= _MOST_KEPT
        for done in range(0, self.resamples, batch):
            size = min(batch, self.resamples - done)
            if are_kept:
                yield _kept(self.seed, self.resamples, n_items)[:, done : done + size].astype(np.float64)
            else:
                yield _counts(rng, size, n_items, classes).T.astype(np.float64, order="C")

    def sample(
        self,
        statistic: Callable[[Floats], Floats],
        n_items: int,
        *,
        units: Codes | None = None,
        width: int = 0,
        classes: Codes | None = None,
    ) -> Floats:
        """The statistic in every resample.

        ``statistic`` takes weights of items, shape (n_items, batch), or of ``classes``, and returns an array
        whose last axis is the batch, NaN where it is undefined. The result's last axis has length `resamples`.
        """
        sample, done = np.empty(0), 0
        for weights in self.weights(n_items, units=units, width=width, classes=classes):
            batch = statistic(weights)
            if not done:
                sample = np.empty((*batch.shape[:-1], self.resamples))
            sample[..., done : done + batch.shape[-1]] = batch
            done += batch.shape[-1]
        return sample

    def interval(
        self,
        sample: Floats,
        value: float,
        *,
        n_units: int,
        scale: Scale = "plain",
        ends: Ends | None = None,
        skewness: float = 0.0,
        shared: float | None = None,
    ) -> tuple[Interval | None, str | None]:
        """The interval of a statistic's value, from its resamples, shape (resamples,), or why there is none.

        It is cut at the ``ends`` of what is possible, which are −1 and 1 for a coefficient between them.

        ``skewness`` is that of the judgments of κ and ICC. A mean of κ over pairs of raters rests on the units that a
        pair has on average, ``shared``.

        There is none for fewer units than `FEWEST_UNITS`, or than judgments so skewed, or pairs, need; when the
        statistic was undefined in more than ``1 - level`` of the resamples, since those that are left would not
        represent them; and when it is the same in all of them.
        """
        if n_units < FEWEST_UNITS[scale]:
            return None, too_few_units(n_units, scale, self.unit)
        few = pairs_share_too_few(shared, self.unit) if shared is not None else None
        if few := few or too_skewed(n_units, skewness, self.unit):
            return None, few
        n = n_units if shared is None else shared
        undefined = int(np.isnan(sample).sum())
        if undefined > (1 - self.level) * len(sample):
            return None, Reason("statistics.undefined_in_resamples", undefined=undefined, resamples=len(sample))
        error = _standard_error(sample[~np.isnan(sample)] if undefined else sample, n)
        if not error:
            return None, ALL_ALIKE
        low, high = _ends(value, float(stdtrit(n - 1, (1 + self.level) / 2)) * error, scale)
        interval = Interval(
            low=low,
            high=high,
            level=self.level,
            resamples=self.resamples,
            seed=self.seed,
            undefined_resamples=undefined,
        )
        return interval.within(ends or _ends_of(value, scale)), None


def _spread(drawn: Floats, units: Codes, classes: Codes | None) -> Floats:
    """How often each item, or class, is drawn, from how often each unit is, (units, batch)."""
    if classes is None:
        return drawn[units]
    shape = int(classes.max(initial=-1)) + 1, len(drawn)
    return np.asarray(sparse.csr_array((np.ones(len(units)), (classes, units)), shape=shape) @ drawn)


def by_unit(by_item: sparse.csr_array, units: Codes | None) -> sparse.csr_array:
    """A matrix whose columns are items, with those of a unit added up: its product with the weights of units, which
    `Bootstrap.weights` draws of as many as it has columns, is that of all with the weights of items.

    Where items come in few units, such as articles, this is a fraction of the work.
    """
    if units is None:
        return by_item
    n_items, n_units = by_item.shape[1], int(units.max(initial=-1)) + 1
    return by_item @ sparse.csr_array((np.ones(n_items), (np.arange(n_items), units)), shape=(n_items, n_units))


def p_value_of(value: float, sample: Floats, n_units: int) -> float:
    """Two-sided p of the hypothesis that a resampled difference is zero; below 1 − level where its interval on the
    plain scale leaves out zero. NaN ones do not count."""
    return float(2 * stdtr(n_units - 1, -abs(value) / _standard_error(sample[~np.isnan(sample)], n_units)))


def _standard_error(sample: Floats, n_units: float) -> float:
    """Of a statistic of so many units, from its resamples; 0 where they differ by rounding only."""
    middle = float(sample.mean())
    apart = sample - middle
    spread = sqrt(float(apart @ apart) / max(len(sample) - 1, 1))
    return spread * sqrt(n_units / (n_units - 1)) if spread > _ROUNDING * abs(middle) else 0.0


def _ends_of(value: float | None, scale: Scale) -> Ends | None:
    """What coefficients can be; one beyond ±1, as a weighted agreement can be, has no ends."""
    is_within = scale in ("coefficient", "kappa") and value is not None and abs(value) <= 1
    return (-1.0, 1.0) if is_within else None


def _ends(value: float, half: float, scale: Scale) -> tuple[float, float]:
    """Both ends of an interval that reaches so far on the statistic's own scale; a coefficient beyond ±1, as a weighted
    agreement can be, stays on it."""
    if scale in ("coefficient", "kappa") and abs(value) < 1:
        middle, reach = atanh(value), half / (1 - value**2)
        return tanh(middle - reach), tanh(middle + reach)
    if scale == "ratio" and value > 0:
        reach = exp(half / value)
        return value / reach, value * reach
    return value - half, value + half


def _counts(
    rng: np.random.Generator, size: int, n_items: int, classes: Codes | None = None
) -> NDArray[np.unsignedinteger[Any]]:
    """How often each item, or class, is drawn in each of the next resamples; shape (size, items or classes)."""
    n_weights = n_items if classes is None else int(classes.max(initial=-1)) + 1
    drawn = rng.integers(0, n_items, size=(size, n_items), dtype=np.int32)
    counts = np.empty((size, n_weights), dtype=np.uint16 if n_items < 1 << 16 else np.uint32)
    for resample, count in zip(drawn, counts, strict=True):
        count[:] = np.bincount(resample if classes is None else classes.take(resample), minlength=n_weights)
    return counts


@lru_cache(maxsize=4)  # the figures of one study draw the same resamples again and again
def _kept(seed: int, resamples: int, n_items: int) -> NDArray[np.unsignedinteger[Any]]:
    """All resamples as counts, shape (items, resamples)."""
    kept = _counts(np.random.default_rng(seed), resamples, n_items).T.copy()
    kept.flags.writeable = False
    return kept


def interval_or_reason(
    sample: Floats | None,
    bootstrap: Bootstrap | None,
    *,
    value: float | None,
    n_units: int,
    scale: Scale = "plain",
    ends: Ends | None = None,
    skewness: float = 0.0,
    shared: float | None = None,
) -> tuple[Interval | None, str | None]:
    """The interval of a statistic's value over ``n_units`` units, or the reason why there is none; see
    `Bootstrap.interval`."""
    if bootstrap is None:
        return None, gettext_noop("No interval was asked for.")
    if value is None or sample is None:
        return None, gettext_noop("The statistic itself is undefined.")
    return bootstrap.interval(sample, value, n_units=n_units, scale=scale, ends=ends, skewness=skewness, shared=shared)


def statistic(
    *,
    value: float | None,
    undefined_because: str | None,
    n_items: int,
    n_units: int,
    n_raters: int,
    n_ratings: int,
    sample: Floats | None,
    bootstrap: Bootstrap | None,
    signature: str,
    n_items_resampled: int,
    scale: Scale = "coefficient",
    ends: Ends | None = None,
    skewness: float = 0.0,
    shared: float | None = None,
) -> Statistic:
    """A `Statistic` with the interval of its resampled values, shape (resamples,), cut at the ``ends`` of what it can
    be.

    A value of NaN is None. The reason why it is undefined is dropped where it is not.
    """
    value = None if value is None or value != value else float(value)
    interval, no_interval = interval_or_reason(
        sample,
        bootstrap,
        value=value,
        n_units=n_units,
        scale=scale,
        ends=ends,
        skewness=skewness,
        shared=shared,
    )
    resampled = None
    if bootstrap and sample is not None:
        resampled = Resampled(
            sample,
            n_items_resampled,
            bootstrap.seed,
            bootstrap.level,
            scale,
            bootstrap.unit,
            ends or _ends_of(value, scale),
        )
    return Statistic(
        value=value,
        undefined_because=undefined_because if value is None else None,
        n_items=n_items,
        n_raters=n_raters,
        n_ratings=n_ratings,
        n_units=n_units,
        interval=interval,
        no_interval_because=no_interval,
        signature=signature + (f"|resamples:{bootstrap.resamples}|seed:{bootstrap.seed}" if bootstrap else ""),
        resampled=resampled,
    )

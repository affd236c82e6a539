"""Confidence intervals by resampling units: a seeded percentile bootstrap, all ratings of a unit together.

Units are what `Ratings.units` says that items share, such as an article; else each item. A resample draws as many
units as there are, with replacement; one drawn twice counts twice, with all its items and their ratings. The
statistics of this package are functions of sums over items, so that a resample is a column of item weights and a
batch of resamples is one matrix product. The same seed and units draw the same resamples for every statistic:
differences are therefore paired.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 (units) and 13 (percentiles); Field
and Welsh (2007), Bootstrapping clustered data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.statistics.ratings import Codes, Floats
from annotation_platform.core.statistics.result import Interval, Resampled, Statistic

_BATCH_BYTES = 32_000_000
_WIDEST_BATCH = 128
_MOST_KEPT = 4_000_000  # items × resamples, at two bytes each
_MOST_OF_PAIRS = 20_000_000  # pairs × resamples, at eight bytes each
_FEWEST = 100


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
    """

    resamples: int = 1000
    seed: int = 0
    level: float = 0.95

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

    def interval(self, sample: Floats) -> tuple[Interval | None, str | None]:
        """The percentile interval of a resampled statistic, shape (resamples,), or why there is none.

        There is none when the statistic was undefined in more than ``1 - level`` of the resamples: those
        that are left would not represent them.
        """
        undefined = int(np.isnan(sample).sum())
        if undefined > (1 - self.level) * len(sample):
            return None, f"The statistic was undefined in {undefined:,} of {len(sample):,} resamples."
        defined = sample[~np.isnan(sample)] if undefined else sample
        low, high = _quantiles(defined, ((1 - self.level) / 2, (1 + self.level) / 2))
        interval = Interval(
            low=low,
            high=high,
            level=self.level,
            resamples=self.resamples,
            seed=self.seed,
            undefined_resamples=undefined,
        )
        return interval, None


def _spread(drawn: Floats, units: Codes, classes: Codes | None) -> Floats:
    """How often each item, or class, is drawn, from how often each unit is, (units, batch)."""
    if classes is None:
        return drawn[units]
    shape = int(classes.max(initial=-1)) + 1, len(drawn)
    return np.asarray(sparse.csr_array((np.ones(len(units)), (classes, units)), shape=shape) @ drawn)


def _quantiles(sample: Floats, shares: Iterable[float]) -> list[float]:
    """`numpy.quantile`, to the last bit; a snapshot asks thousands of times, and numpy takes ten times as long."""
    ordered, last = np.sort(sample), len(sample) - 1
    found = []
    for share in shares:
        place = last * share
        below = floor(place)
        low, high, part = float(ordered[below]), float(ordered[min(below + 1, last)]), place - below
        found.append(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))
    return found


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
    sample: Floats | None, bootstrap: Bootstrap | None, *, n_items: int, defined: bool = True
) -> tuple[Interval | None, str | None]:
    """The interval of a statistic over ``n_items`` items, or the reason why there is none."""
    if bootstrap is None:
        return None, "No interval was asked for."
    if not defined or sample is None:
        return None, "The statistic itself is undefined."
    if n_items < 2:
        return None, "It rests on a single item; an interval needs at least two to resample."
    return bootstrap.interval(sample)


def statistic(
    *,
    value: float | None,
    undefined_because: str | None,
    n_items: int,
    n_raters: int,
    n_ratings: int,
    sample: Floats | None,
    bootstrap: Bootstrap | None,
    signature: str,
    n_items_resampled: int,
) -> Statistic:
    """A `Statistic` with the interval of its resampled values, shape (resamples,).

    A value of NaN is None. The reason why it is undefined is dropped where it is not.
    """
    value = None if value is None or value != value else float(value)
    interval, no_interval = interval_or_reason(sample, bootstrap, n_items=n_items, defined=value is not None)
    resampled = None
    if bootstrap and sample is not None:
        resampled = Resampled(sample, n_items_resampled, bootstrap.seed, bootstrap.level)
    return Statistic(
        value=value,
        undefined_because=undefined_because if value is None else None,
        n_items=n_items,
        n_raters=n_raters,
        n_ratings=n_ratings,
        interval=interval,
        no_interval_because=no_interval,
        signature=signature + (f"|resamples:{bootstrap.resamples}|seed:{bootstrap.seed}" if bootstrap else ""),
        resampled=resampled,
    )

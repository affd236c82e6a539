"""What a rescaling changes in the pairwise τ of raters: before and after, paired by rater pair and resample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.differences import holm
from annotation_platform.core.statistics.over_pairs import mean_of_defined
from annotation_platform.core.statistics.pair_taus import PairwiseTau, Setting
from annotation_platform.core.statistics.resampling import interval_or_reason, p_value_of, statistic
from annotation_platform.core.statistics.result import Interval, Statistic, signature_line

_ENDS = (-2.0, 2.0)  # of a difference of two τ


@dataclass(frozen=True, slots=True)
class PairChange:
    """Change of one pair's τ; None, with the reason, where one of the two has no τ.

    `p_value` is that of the paired bootstrap, `p_holm` the same corrected for the number of pairs with one; both
    None exactly where `interval` is.
    """

    rater_a: int
    rater_b: int
    before: float | None
    after: float | None
    change: float | None
    undefined_because: str | None
    interval: Interval | None
    no_interval_because: str | None
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class TauChange:
    """What a rescaling changes in the τ of pairs, over the pairs that have a τ before and after.

    Attributes
    ----------
    setting : Setting
    pairs : tuple of PairChange
    mean : Statistic
        Mean change, with a paired interval: before and after share their resamples.
    p_value : float or None
        Of the mean change, by the paired bootstrap; None exactly where it has no interval.
    n_rises, n_falls, n_unchanged : int
    mean_rise, mean_fall : float or None
        Mean of the changes above 0 and below 0; None where there is none.
    threshold : float
    n_above, n_below : int
        Changes greater than `threshold`, and less than ``-threshold``.
    """

    setting: Setting
    pairs: tuple[PairChange, ...]
    mean: Statistic
    p_value: float | None
    n_rises: int
    mean_rise: float | None
    n_falls: int
    mean_fall: float | None
    n_unchanged: int
    threshold: float
    n_above: int
    n_below: int


def tau_change(before: PairwiseTau, after: PairwiseTau, *, threshold: float = 0.1) -> TauChange:
    """Change of τ from `before` to `after`, for each pair of raters and on the mean.

    The mean change is the mean of ``after - before`` over the pairs that have a τ in both; where every
    pair has one, that is the difference of the two means. Intervals are paired: both sides were computed
    on the same resamples of items, and the pairs that count are chosen anew within each resample.

    Parameters
    ----------
    before, after : PairwiseTau
        Of the same raters and items, in the same setting, with equal `bootstrap` (or both without).
    threshold : float
        Changes beyond ± this are counted apart.

    Raises
    ------
    ValueError
        When the two do not belong together.

    References
    ----------
    The EBR paper, Table 7.
    """
    _check_comparable(before, after)
    changes, sample = _changes(before, after)
    pairs = _pair_changes(before, after, changes, sample)
    mean, p_value = _mean_change(before, after, changes, sample)
    defined = changes[~np.isnan(changes)]
    rises, falls = defined[defined > 0], defined[defined < 0]
    return TauChange(
        setting=before.setting,
        pairs=pairs,
        mean=mean,
        p_value=p_value,
        n_rises=len(rises),
        mean_rise=float(rises.mean()) if len(rises) else None,
        n_falls=len(falls),
        mean_fall=float(falls.mean()) if len(falls) else None,
        n_unchanged=len(defined) - len(rises) - len(falls),
        threshold=threshold,
        n_above=int((defined > threshold).sum()),
        n_below=int((defined < -threshold).sum()),
    )


def mean_tau_change(before: PairwiseTau, after: PairwiseTau) -> tuple[Statistic, float | None]:
    """`mean` and `p_value` of `tau_change`, without the single pairs."""
    _check_comparable(before, after)
    return _mean_change(before, after, *_changes(before, after))


def _mean_change(
    before: PairwiseTau, after: PairwiseTau, changes: Floats, sample: Floats | None
) -> tuple[Statistic, float | None]:
    defined = changes[~np.isnan(changes)]
    mean = statistic(
        value=float(defined.mean()) if len(defined) else None,
        undefined_because=gettext_noop("No pair of raters has a τ both before and after."),
        n_items=min(before.mean.n_items, after.mean.n_items),
        n_units=min(before.mean.n_units, after.mean.n_units),
        n_raters=min(before.mean.n_raters, after.mean.n_raters),
        n_ratings=min(before.mean.n_ratings, after.mean.n_ratings),
        sample=None if sample is None else mean_of_defined(sample),
        bootstrap=before.bootstrap,
        signature=signature_line("mean-change-of-kendall-tau", setting=before.setting),
        n_items_resampled=before.n_items_resampled,
        scale="plain",
        ends=_ENDS,
    )
    if mean.value is None or mean.interval is None or mean.resampled is None:
        return mean, None
    return mean, p_value_of(mean.value, mean.resampled.values, mean.n_units)


def _changes(before: PairwiseTau, after: PairwiseTau) -> tuple[Floats, Floats | None]:
    """after − before of each pair, and of each pair and resample."""
    if before.sample is None or after.sample is None:
        return after.values - before.values, None
    return after.values - before.values, after.sample - before.sample


def _pair_changes(
    before: PairwiseTau, after: PairwiseTau, changes: Floats, sample: Floats | None
) -> tuple[PairChange, ...]:
    reasons = [
        old.undefined_because or new.undefined_because for old, new in zip(before.pairs, after.pairs, strict=True)
    ]
    intervals = [
        interval_or_reason(
            None if sample is None else sample[index],
            before.bootstrap,
            value=None if reasons[index] else float(changes[index]),
            n_units=min(old.n_units, new.n_units),
            ends=_ENDS,
        )
        for index, (old, new) in enumerate(zip(before.pairs, after.pairs, strict=True))
    ]
    p_values = [
        p_value_of(float(changes[index]), sample[index], min(old.n_units, new.n_units))
        if sample is not None and interval
        else None
        for index, ((interval, _), old, new) in enumerate(zip(intervals, before.pairs, after.pairs, strict=True))
    ]
    return tuple(
        PairChange(
            rater_a=old.rater_a,
            rater_b=old.rater_b,
            before=old.tau,
            after=new.tau,
            change=None if reason else float(change),
            undefined_because=reason,
            interval=interval,
            no_interval_because=no_interval,
            p_value=p_value,
            p_holm=p_holm,
        )
        for old, new, change, reason, (interval, no_interval), p_value, p_holm in zip(
            before.pairs, after.pairs, changes, reasons, intervals, p_values, holm(p_values), strict=True
        )
    )


def _check_comparable(before: PairwiseTau, after: PairwiseTau) -> None:
    for what, old, new in (
        ("setting", before.setting, after.setting),
        ("number of rater pairs", len(before.values), len(after.values)),
        ("number of items", before.n_items_resampled, after.n_items_resampled),
        ("bootstrap", before.bootstrap, after.bootstrap),
    ):
        if old != new:
            raise ValueError(f"The {what} differs between before ({old}) and after ({new}); compute both alike.")
    if (before.members != after.members).any():
        raise ValueError("Before and after are about other pairs of raters; compute both of the same items.")

"""How reliable each rater turned out to be when true labels were estimated, with an interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil

import numpy as np

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.statistics.consensus import Consensus, LabelTable
from annotation_platform.core.statistics.dawid_skene import steps_of_dawid_skene
from annotation_platform.core.statistics.mace import steps_of_mace
from annotation_platform.core.statistics.ratings import Ratings, are_alone, raters_of_items
from annotation_platform.core.statistics.result import Statistic
from annotation_platform.core.statistics.shares import share_with_variance
from annotation_platform.core.statistics.wilson import LEVEL

_LEAST = 1e-12
_MOST_GROUPS = 20
_MOST_STEPS = 200
_STILL = 0.002  # what a further step may change of what leaving groups out has changed
FEWEST = 60
"""Dawid and Skene's: how many judgments an annotator needs for each label, times the others of an item but one."""

AMBIGUOUS = gettext_noop(
    "Another solution explains these judgments about as well, with other competences, and nothing says which one holds."
)
UNDEFINED = gettext_noop("The statistic itself is undefined.")
TOO_MANY = gettext_noop("There are so many judgments that fitting them again for an interval would take minutes.")

Steps = Callable[[LabelTable, Consensus, Floats], Iterator[Floats]]
STEPS: dict[str, Steps] = {"dawid-skene": steps_of_dawid_skene, "mace": steps_of_mace}


def competences(
    ratings: Ratings, found: Consensus, *, seed: int = 0, level: float = LEVEL, with_intervals: bool = True
) -> tuple[Statistic, ...]:
    """Competence of each rater, with an interval from leaving out one group of units after the other.

    Units (`Ratings.units`, else items) are dealt to G groups at random, at most 20, and the model is fitted to all but
    one group, for each group, from where the fit of all ended. With c_g a rater's competence without group g and c̄
    their mean, V = (G − 1) / G · Σ (c_g − c̄)². The interval is that of a share with this variance (`shares`), where no
    rater's ratings are each worth more lone observations, c (1 − c) / V, than those of the median rater: near 0 and
    1, V is too small.

    Parameters
    ----------
    ratings : Ratings
        Those that `found` is from.
    found : Consensus
        Of `dawid_skene` or `mace`.
    seed : int
        By which units are dealt to groups.
    level : float
        Confidence level.
    with_intervals : bool
        They take up to 20 fits.

    Returns
    -------
    tuple of Statistic
        One for each code of a rater; ``n_items`` counts units. Undefined for a rater without ratings, and for one none
        of whose items anybody else rated: nothing speaks for or against these labels. No interval for a rater with a
        single unit; none where the competence is ambiguous: leaving out groups, the model stays with the solution that
        it began with; and none of Dawid and Skene's where n (r − 1) / L < `FEWEST`, with n judgments of the rater, r
        others an item on average and L labels: who is most reliable comes out too low there.

    References
    ----------
    Shao and Tu (1995), The jackknife and bootstrap, section 5.5 (delete-a-group). Coverage:
    ``docs/reference/statistics/true-labels.md``.
    """
    table = LabelTable.of(ratings)
    of_item = ratings.unit_of_item
    n = np.bincount(ratings.raters, minlength=ratings.n_raters)
    n_units, sizes_squared = _units_of(ratings, of_item[ratings.items])
    sizes_squared = np.maximum(sizes_squared, n**2 / _MOST_GROUPS)  # V is from no more than these
    competence, variance = (np.full(ratings.n_raters, np.nan) for _ in range(2))
    competence[table.raters] = np.clip(found.competence, 0, 1)
    if with_intervals:
        variance[table.raters] = _variance(table, found, of_item[table.items], seed)
    worth = competence * (1 - competence) / np.maximum(variance, _LEAST) / np.maximum(n, 1)
    known = worth[~np.isnan(worth)]
    trials = n * min(float(np.median(known)), 1.0) if len(known) else n
    alone = are_alone(ratings)
    signature = f"{found.signature}|interval:delete-a-group|seed:{seed}"
    ambiguous = set(table.raters[found.ambiguous].tolist())
    few = _too_few(ratings, len(table.values)) if found.signature.startswith("dawid-skene") else {}
    found_of = []
    for code in range(ratings.n_raters):
        no_interval = AMBIGUOUS if code in ambiguous else few.get(code) if with_intervals else TOO_MANY
        no_value = None
        if not n[code] or alone[code]:
            no_value = (
                gettext_noop("Nobody else judged any of these items.")
                if n[code]
                else gettext_noop("There are no judgments.")
            )
        share = share_with_variance(
            float(competence[code]),
            float(variance[code]),
            n=int(n[code]),
            trials=float(trials[code]),
            n_units=int(n_units[code]),
            sizes_squared=float(sizes_squared[code]),
            level=level,
        )
        found_of.append(
            Statistic(
                value=None if no_value else share.value,
                undefined_because=no_value,
                n_items=int(n_units[code]),
                n_raters=1,
                n_ratings=int(n[code]),
                n_units=int(n_units[code]),
                interval=None if no_value or no_interval else share.interval,
                no_interval_because=UNDEFINED if no_value else no_interval or share.no_interval_because,
                signature=signature,
            )
        )
    return tuple(found_of)


def _too_few(ratings: Ratings, n_labels: int) -> dict[int, str]:
    """Why raters, by their codes, have too few judgments for an interval of Dawid and Skene's competence."""
    n = np.bincount(ratings.raters, minlength=ratings.n_raters)
    beside = np.bincount(ratings.raters, raters_of_items(ratings)[ratings.items] - 1, minlength=ratings.n_raters)
    others = beside / np.maximum(n, 1)
    reasons: dict[int, str] = {}
    for code in np.flatnonzero(n * (others - 1) < FEWEST * n_labels).tolist():
        told = f"{others[code]:.1f}"
        if others[code] > 1:
            least = ceil(FEWEST * n_labels / (others[code] - 1))
            reasons[code] = Reason("statistics.competence_of_few", count=int(n[code]), others=told, least=least)
        else:
            reasons[code] = Reason("statistics.competence_of_too_few_others", others=told)
    return reasons


def _units_of(ratings: Ratings, unit: Codes) -> tuple[Codes, Floats]:
    """In how many units each rater has ratings, and the sum of the squares of how many in each."""
    width = int(unit.max()) + 1
    cells, sizes = np.unique(ratings.raters * width + unit, return_counts=True)
    rater = cells // width
    n_units: Codes = np.bincount(rater, minlength=ratings.n_raters).astype(np.int64)
    squared = np.bincount(rater, sizes.astype(np.float64) ** 2, minlength=ratings.n_raters).astype(np.float64)
    return n_units, squared


def _variance(table: LabelTable, found: Consensus, units: Codes, seed: int) -> Floats:
    """V of each rater of the table, from the unit of each of its items; NaN for a single unit."""
    distinct, unit = np.unique(units, return_inverse=True)
    n_groups = min(len(distinct), _MOST_GROUPS)
    if n_groups < 2:
        return np.full(len(table.raters), np.nan)
    group = (np.random.default_rng(seed).permutation(len(distinct)) % n_groups)[unit]
    n_classes = table.given.shape[0]
    cells = np.bincount(table.class_of_item * n_groups + group, minlength=n_classes * n_groups)
    counts = cells.reshape(n_classes, n_groups).astype(np.float64)
    kept = counts.sum(axis=1, keepdims=True) - counts
    some = np.array_split(kept, max(1, n_groups // max(2, table.at_once(n_groups))), axis=1)
    competence = np.concatenate([_fitted(table, found, weights) for weights in some], axis=1)
    apart = competence - competence.mean(axis=1, keepdims=True)
    variance: Floats = (n_groups - 1) / n_groups * (apart**2).sum(axis=1)
    return variance


def _fitted(table: LabelTable, found: Consensus, weights: Floats) -> Floats:
    """Competence, (raters, fits), when steps no longer change much of how the fits, two or more, differ."""
    (steps,) = (steps for name, steps in STEPS.items() if found.signature.startswith(name))
    before = np.repeat(found.competence[:, None], weights.shape[1], axis=1)
    for step, competence in enumerate(steps(table, found, weights), start=1):
        moved, apart = (each - each.mean(axis=1, keepdims=True) for each in (competence - before, competence))
        if step >= _MOST_STEPS or (step > 1 and np.abs(moved).sum() <= _STILL * np.abs(apart).sum()):
            break
        before = competence
    return competence

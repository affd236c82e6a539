"""Cohen's κ, Pearson, Spearman and percent agreement: of two columns, and of all pairs of raters at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.few_units import Scale
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.codes import levels
from annotation_platform.core.statistics.concordance import Margin, PairTables
from annotation_platform.core.statistics.joins import NO_ROWS, JoinedRows, join_raters, two_columns
from annotation_platform.core.statistics.over_pairs import mean_over_pairs
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap, interval_or_reason
from annotation_platform.core.statistics.result import Interval, Statistic, signature_line
from annotation_platform.core.statistics.skewness import skewness_of_pairs

Weights = Literal["linear", "quadratic"]


class Measure(StrEnum):
    """How two raters are compared; the value is the name in signatures."""

    PERCENT = "percent-agreement"
    COHEN = "cohen-kappa"
    COHEN_LINEAR = "cohen-kappa-linear"
    COHEN_QUADRATIC = "cohen-kappa-quadratic"
    PEARSON = "pearson"
    SPEARMAN = "spearman"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The measure for two raters (codes ``rater_a < rater_b``) over ``n_rows`` joined rows of ``n_items`` items, which
    belong to ``n_units`` units."""

    rater_a: int
    rater_b: int
    value: float | None
    undefined_because: str | None
    n_rows: int
    n_items: int
    n_units: int
    interval: Interval | None
    no_interval_because: str | None


@dataclass(frozen=True, slots=True)
class PairwiseAgreement:
    """The measure for all pairs of raters that share an item, and its plain mean over the `n_defined` with a value.

    `sample`, (pairs, resamples), has the measure in every resample, NaN where undefined.
    """

    measure: Measure
    pairs: tuple[PairAgreement, ...]
    mean: Statistic
    n_defined: int
    sample: Floats | None = field(default=None, repr=False, compare=False)


def pairwise_agreement(ratings: Ratings, measure: Measure, *, bootstrap: Bootstrap | None = None) -> PairwiseAgreement:
    """A measure of agreement of every pair of raters over the items that both judged, and its mean.

    Joined rows are those of `pairwise_tau`: all combinations of a judgment by a and one by b of the same item.
    With n rows, o_xy of them in cell (x, y) of the pair's table, and its margins a_x and b_y::

        PERCENT          Σ_x o_xx / n
        COHEN            1 - Σ w_xy o_xy / (Σ w_xy a_x b_y / n),  w_xy = 1 for x ≠ y
        COHEN_LINEAR     the same with w_xy = |x - y|
        COHEN_QUADRATIC  the same with w_xy = (x - y)²
        PEARSON          covariance of x and y / (standard deviation of x · that of y)
        SPEARMAN         Pearson of the mid-ranks of x and y among the pair's rows

    Distances x - y are those of the values. To weigh by position on the scale, as scikit-learn does, give
    positions as values.

    Returns
    -------
    PairwiseAgreement
        Of the pairs that share an item. κ of a pair is undefined when both raters gave one and the same value
        throughout (nothing could have disagreed), a correlation with fewer than two rows or when one of the two
        gave a single value. Undefined pairs are left out of the mean; so within each resample, in which a pair
        may also have no rows.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales; Cohen (1968), Weighted kappa. Checked against
    `sklearn.metrics.cohen_kappa_score`, `statsmodels.stats.inter_rater.cohens_kappa` (weights by value),
    `scipy.stats.pearsonr` and `scipy.stats.spearmanr`.
    """
    measure = Measure(measure)
    rows = join_raters(ratings)
    values, codes = levels(ratings.numbers)
    tables = PairTables.from_rows(rows.pair, codes[rows.first], codes[rows.second], n_pairs=len(rows.rater_a))
    compare = _comparison(measure, tables, values)
    found = compare(tables.counts[:, None])[:, 0]
    sample = None
    if bootstrap:
        bootstrap = bootstrap.of_pairs(tables.n_pairs)
        units = ratings.unit_of_item
        drawn = tables.by_item(units[rows.item], int(units.max(initial=-1)) + 1)
        dense = tables.n_pairs * len(values) if measure in _DENSE else 0
        width = max(len(tables.counts), 2 * dense)
        sample = bootstrap.sample(lambda weights: compare(drawn @ weights), drawn.shape[1], width=width)
    skewness, of_all = np.zeros(tables.n_pairs), 0.0
    if bootstrap and _scale(measure) == "kappa":
        are_labels = measure is Measure.COHEN
        skewness, of_all = skewness_of_pairs(tables, values, ~np.isnan(found), are_labels=are_labels)
    return PairwiseAgreement(
        measure=measure,
        pairs=_pairs(ratings, rows, tables, found, sample, bootstrap, _scale(measure), skewness),
        mean=mean_over_pairs(
            ratings,
            rows,
            found,
            bootstrap,
            sample,
            signature=signature_line(f"mean-{measure}", repeated=ratings.repeated),
            symbol=None,
            scale=_scale(measure),
            skewness=of_all,
        ),
        n_defined=int((~np.isnan(found)).sum()),
        sample=sample,
    )


def cohen_kappa(
    first: ArrayLike, second: ArrayLike, *, weights: Weights | None = None, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Cohen's κ of two columns of equal length, one row an item; see `pairwise_agreement`."""
    measure = {None: Measure.COHEN, "linear": Measure.COHEN_LINEAR, "quadratic": Measure.COHEN_QUADRATIC}
    return _of_two_columns(measure[weights], first, second, bootstrap)


def pearson(
    first: ArrayLike, second: ArrayLike, *, units: ArrayLike | None = None, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Pearson's r of two columns of equal length, one row an item; see `pairwise_agreement`."""
    return _of_two_columns(Measure.PEARSON, first, second, bootstrap, units)


def spearman(
    first: ArrayLike, second: ArrayLike, *, units: ArrayLike | None = None, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Spearman's ρ of two columns of equal length, one row an item; see `pairwise_agreement`."""
    return _of_two_columns(Measure.SPEARMAN, first, second, bootstrap, units)


def _of_two_columns(
    measure: Measure,
    first: ArrayLike,
    second: ArrayLike,
    bootstrap: Bootstrap | None,
    units: ArrayLike | None = None,
) -> Statistic:
    ratings = two_columns(first, second, units)
    result = pairwise_agreement(ratings, measure, bootstrap=bootstrap)
    pair = result.pairs[0] if result.pairs else None
    signature = signature_line(measure) + (
        f"|resamples:{bootstrap.resamples}|seed:{bootstrap.seed}" if bootstrap else ""
    )
    return replace(
        result.mean,
        undefined_because=pair.undefined_because if pair else NO_ROWS,
        n_items=ratings.n_items,
        n_raters=2,
        n_ratings=len(ratings),
        signature=signature,
    )


def _scale(measure: Measure) -> Scale:
    """κ of few units spreads more than its resamples do."""
    kappas = Measure.COHEN, Measure.COHEN_LINEAR, Measure.COHEN_QUADRATIC
    return "kappa" if measure in kappas else "coefficient"


Comparison = Callable[[Floats], Floats]
_DENSE = (Measure.COHEN, Measure.COHEN_LINEAR)


def _comparison(measure: Measure, tables: PairTables, values: Floats) -> Comparison:
    """The measure as a function of the cells' weights, (cells, resamples) → (pairs, resamples)."""
    first, second = values[tables.first_level, None], values[tables.second_level, None]
    if measure is Measure.PERCENT:
        return lambda cells: _share(tables.per_pair @ (cells * (first == second)), tables.per_pair @ cells)
    if measure is Measure.PEARSON:
        # r does not care where zero is, but sums of squares lose digits far from it.
        middle = values.mean() if len(values) else 0.0
        return lambda cells: _correlation(tables, cells, first - middle, second - middle)
    if measure is Measure.SPEARMAN:
        return lambda cells: _correlation(tables, cells, _ranks(tables.first, cells), _ranks(tables.second, cells))
    if measure is Measure.COHEN:
        apart = (first != second).astype(np.float64)
    else:
        apart = np.abs(first - second) ** (1 if measure is Measure.COHEN_LINEAR else 2)

    def kappa(cells: Floats) -> Floats:
        expected = _expected(measure, tables, values, cells)
        defined = expected > 0
        return np.where(defined, 1 - (tables.per_pair @ (cells * apart)) / np.where(defined, expected, 1.0), np.nan)

    return kappa


def _expected(measure: Measure, tables: PairTables, values: Floats, cells: Floats) -> Floats:
    """Σ_xy w_xy a_x b_y / n of each pair."""
    rows = tables.per_pair @ cells
    n = np.where(rows > 0, rows, 1.0)
    first, second = (margin.from_cells @ cells for margin in (tables.first, tables.second))
    if measure is Measure.COHEN_QUADRATIC:
        middle = values.mean() if len(values) else 0.0
        sums = [
            [margin.to_pairs @ ((values[margin.level, None] - middle) ** power * total) for power in (1, 2)]
            for margin, total in ((tables.first, first), (tables.second, second))
        ]
        squared = sums[0][1] + sums[1][1] - 2 * sums[0][0] * sums[1][0] / n
        # One value alone is no distance, whatever rounding leaves.
        return np.where(_one_value_alone(tables, cells, first, second), 0.0, squared)
    by_level = [
        _dense(margin, total, tables.n_pairs, len(values))
        for margin, total in ((tables.first, first), (tables.second, second))
    ]
    if measure is Measure.COHEN:
        unequal: Floats = (rows**2 - (by_level[0] * by_level[1]).sum(axis=1)) / n
        return unequal
    below = [np.cumsum(dense, axis=1)[:, :-1] for dense in by_level]
    gaps = np.diff(values)[None, :, None]
    crossing = below[0] * (rows[:, None] - below[1]) + below[1] * (rows[:, None] - below[0])
    linear: Floats = (crossing * gaps).sum(axis=1) / n
    return linear


def _one_value_alone(tables: PairTables, cells: Floats, first: Floats, second: Floats) -> Flags:
    """Where both raters gave one and the same value throughout."""
    squared = (tables.per_pair @ cells) ** 2
    same = tables.per_pair @ (cells * (tables.first_level == tables.second_level)[:, None])
    one_each = (tables.first.to_pairs @ first**2 == squared) & (tables.second.to_pairs @ second**2 == squared)
    alone: Flags = one_each & (same**2 == squared)
    return alone


def _dense(margin: Margin, totals: Floats, n_pairs: int, n_levels: int) -> Floats:
    dense = np.zeros((n_pairs, n_levels, totals.shape[1]))
    dense[margin.pair, margin.level] = totals
    return dense


def _ranks(margin: Margin, cells: Floats) -> Floats:
    """Mid-ranks of the margin's levels in the pair's rows, around the middle rank; shape (cells, resamples)."""
    totals = margin.from_cells @ cells
    before = np.cumsum(totals, axis=0) - totals
    first_of_pair = np.searchsorted(margin.pair, margin.pair)
    rank = before - before[first_of_pair] + totals / 2 - (margin.to_pairs @ totals)[margin.pair] / 2
    spread: Floats = rank[margin.of_cell]
    return spread


def _correlation(tables: PairTables, cells: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's r of x and y, shape (cells, 1 or resamples), weighted by the cells."""
    sums = tables.per_pair
    rows = sums @ cells
    n = np.where(rows > 0, rows, 1.0)
    mean_x, mean_y = (sums @ (cells * x)) / n, (sums @ (cells * y)) / n
    around_x, around_y = x - mean_x[tables.pair], y - mean_y[tables.pair]
    squares = (sums @ (cells * around_x**2)) * (sums @ (cells * around_y**2))
    varies = [margin.to_pairs @ (margin.from_cells @ cells) ** 2 < rows**2 for margin in (tables.first, tables.second)]
    # Values that differ by rounding alone leave nothing above zero to divide by.
    defined = varies[0] & varies[1] & (squares > 0)
    r = (sums @ (cells * around_x * around_y)) / np.sqrt(np.where(defined, squares, 1.0))
    return np.where(defined, np.clip(r, -1.0, 1.0), np.nan)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)


def _pairs(
    ratings: Ratings,
    rows: JoinedRows,
    tables: PairTables,
    values: Floats,
    sample: Floats | None,
    bootstrap: Bootstrap | None,
    scale: Scale,
    skewness: Floats,
) -> tuple[PairAgreement, ...]:
    n_rows = np.bincount(rows.pair, minlength=tables.n_pairs)
    n_items, n_units = rows.n_items, rows.n_units
    n_levels = [np.bincount(margin.pair, minlength=tables.n_pairs) for margin in (tables.first, tables.second)]
    pairs = []
    for index in range(tables.n_pairs):
        a, b = int(rows.rater_a[index]), int(rows.rater_b[index])
        defined = bool(values[index] == values[index])
        constant = [n_levels[0][index] == 1, n_levels[1][index] == 1]
        value = float(values[index]) if defined else None
        interval, no_interval = interval_or_reason(
            None if sample is None else sample[index],
            bootstrap,
            value=value,
            n_units=int(n_units[index]),
            scale=scale,
            skewness=float(skewness[index]),
        )
        pairs.append(
            PairAgreement(
                rater_a=a,
                rater_b=b,
                value=value,
                undefined_because=None if defined else _why_undefined(ratings, a, b, int(n_rows[index]), constant),
                n_rows=int(n_rows[index]),
                n_items=int(n_items[index]),
                n_units=int(n_units[index]),
                interval=interval,
                no_interval_because=no_interval,
            )
        )
    return tuple(pairs)


def _why_undefined(ratings: Ratings, a: int, b: int, rows: int, constant: list[bool]) -> str:
    both = {"first": ratings.rater_name(a), "second": ratings.rater_name(b)}
    if rows < 2:
        return Reason("statistics.pair_shares_one_only", **both)
    given = [name for name, one in zip(both.values(), constant, strict=True) if one]
    if not given:
        return Reason("statistics.pair_differs_by_rounding", **both, rows=rows)
    if len(given) == 1:
        return Reason("statistics.rater_constant", name=given[0], rows=rows)
    return Reason("statistics.raters_constant", **both, rows=rows)

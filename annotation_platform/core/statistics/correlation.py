"""Kendall's τ-b between raters: of one pair, of all pairs at once, and its mean over pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Flags, Floats, Integers
from annotation_platform.core.statistics.codes import distinct, levels
from annotation_platform.core.statistics.joins import NO_ROWS, JoinedRows, join_raters, two_columns
from annotation_platform.core.statistics.over_pairs import mean_over_pairs
from annotation_platform.core.statistics.pair_counts import TauKind, count_rows
from annotation_platform.core.statistics.pair_taus import USUAL_NOISE, Noise, PairwiseTau, Setting
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

_MANY_VALUES = 256


def pairwise_tau(
    ratings: Ratings,
    setting: Setting = Setting.ALL,
    *,
    noise: Noise | None = USUAL_NOISE,
    bootstrap: Bootstrap | None = None,
) -> PairwiseTau:
    """Kendall's τ of every pair of raters over the items that both judged, and its mean over pairs.

    For raters a and b the joined rows are all combinations of a judgment by a and a judgment by b of the
    same item. Of the n(n - 1)/2 pairs of rows let C be concordant, D discordant, and let T_a and T_b be
    tied in a's and in b's values. Then::

        τ-b = (C - D) / sqrt((n(n - 1)/2 - T_a) (n(n - 1)/2 - T_b))

    Settings:

    - ALL: all joined rows.
    - INCOMPLETE: without the joined rows in which both *raw* labels are the scale's best
      (`Ratings.best`), also when `ratings` holds rescaled scores.
    - NO_TIES: independent Gaussian noise is added to both values of each joined row, and τ is averaged
      over the draws of `noise`. Without ties τ-b is τ-a = 2 (C - D) / (n(n - 1)). When the noise is small
      beside the distances of the values it orders a tied pair of rows either way with equal chance; such a
      pair adds 0 on average, and the expectation of the average is exactly τ-a of the values as they are,
      2 (C - D) / (n(n - 1)) with ties counted in neither C nor D. Resamples use this expectation, and so
      does the value when `noise` is None. In a resample a row is not compared with copies of itself, which
      would be ties that the data do not have.

    Parameters
    ----------
    ratings : Ratings
        Any real values; only their order counts. Repeated judgments: see `Ratings.repeated`; 'cross' is
        what the published EBR figures use.
    setting : Setting
    noise : Noise or None
        For NO_TIES only. None gives the expectation instead of an average over draws.
    bootstrap : Bootstrap, optional
        Resample items for intervals of each pair and of the mean; of more than 20,000 pairs with fewer
        resamples (`Bootstrap.of_pairs`). Without it there are no intervals.

    Returns
    -------
    PairwiseTau
        Of the pairs that share an item. A pair has no τ, and is left out of the mean, when it has fewer than
        two joined rows or when one of its columns is constant (except without ties). The same holds within
        each resample.

    Raises
    ------
    RatingsError
        For INCOMPLETE when the ratings do not say which raw labels are best.

    References
    ----------
    Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3); the settings are those of
    the EBR paper, section 6. Checked against `scipy.stats.kendalltau` on joins made by pandas.
    """
    setting = Setting(setting)
    return pairwise_taus(ratings, [setting], noise=noise, bootstrap=bootstrap)[setting]


def pairwise_taus(
    ratings: Ratings,
    settings: Iterable[Setting] = tuple(Setting),
    *,
    noise: Noise | None = USUAL_NOISE,
    bootstrap: Bootstrap | None = None,
) -> dict[Setting, PairwiseTau]:
    """`pairwise_tau` in several settings, which are about the same rows, or a part of them: these are counted once."""
    asked = list(settings)
    return taus_of_rows(ratings, joined(ratings, asked), asked, noise=noise, bootstrap=bootstrap)


class Rows(NamedTuple):
    """The joined rows of a table; and which of them the incomplete setting is about, where it is asked for."""

    every: JoinedRows
    kept: Flags | None
    incomplete: JoinedRows | None

    def of(self, setting: Setting) -> JoinedRows:
        return self.incomplete if setting is Setting.INCOMPLETE and self.incomplete is not None else self.every


def joined(ratings: Ratings, settings: Iterable[Setting]) -> Rows:
    """The rows that these settings are about; the same for all tables that differ in their values only."""
    every = join_raters(ratings)
    if Setting.INCOMPLETE not in settings:
        return Rows(every, None, None)
    best = _best_flags(ratings)
    kept = ~(best[every.first] & best[every.second])
    return Rows(every, kept, every.part(kept))


def taus_of_rows(
    ratings: Ratings,
    rows: Rows,
    settings: Iterable[Setting],
    *,
    noise: Noise | None,
    bootstrap: Bootstrap | None,
    codes: Integers | None = None,
) -> dict[Setting, PairwiseTau]:
    """`pairwise_taus` where the joined rows are known, and perhaps the place of each value among those of its rater."""
    asked = list(settings)
    if not asked:
        return {}
    codes = _ranks(ratings) if codes is None else codes
    bootstrap = bootstrap and bootstrap.of_pairs(len(rows.every.rater_a))
    kinds = [TauKind(setting is Setting.INCOMPLETE, setting is not Setting.NO_TIES) for setting in asked]
    counted = count_rows(rows.every, rows.kept, codes, kinds, bootstrap)
    found = {}
    for setting, kind, sample in zip(asked, kinds, counted.samples, strict=True):
        mine, sums = rows.of(setting), counted.sums[kind.is_of_kept]
        taus = (sums.tau_b() if kind.has_ties else sums.tau_a(same=sums.rows))[:, 0]
        used = None if kind.has_ties else noise
        if used:
            taus = _tau_with_noise(ratings.values, mine, used)
        squared = np.hstack([sums.first_squared, sums.second_squared])
        n_rows = sums.rows[:, 0]
        found[setting] = pairwise_tau_of(
            ratings, mine, setting, used, taus, n_rows, squared, bootstrap, sample if bootstrap else None
        )
    return found


def _ranks(ratings: Ratings) -> Integers:
    """The order of the values, for comparing those of one rater with each other: of many by rater, which gives fewer
    ranks than there are values."""
    values, codes = levels(ratings.numbers)
    if len(values) <= _MANY_VALUES:
        return codes
    n_raters, n_values = ratings.n_raters, len(values)
    known, place = distinct(ratings.raters * n_values + codes, n_raters * n_values)
    return place - np.searchsorted(known, np.arange(n_raters) * n_values)[ratings.rater_codes]


def kendall_tau_b(first: ArrayLike, second: ArrayLike, *, bootstrap: Bootstrap | None = None) -> Statistic:
    """Kendall's τ-b of two columns of equal length, one row an item; formula and sources in `pairwise_tau`.

    Undefined for fewer than two rows or a constant column. Raises `RatingsError` where the columns are not
    finite numbers of equal length.
    """
    ratings = two_columns(first, second)
    result = pairwise_tau(ratings, bootstrap=bootstrap)
    return statistic(
        value=result.mean.value,
        undefined_because=result.pairs[0].undefined_because if result.pairs else NO_ROWS,
        n_items=ratings.n_items,
        n_units=ratings.n_items,
        n_raters=2,
        n_ratings=len(ratings),
        sample=None if result.sample is None or not result.pairs else result.sample[0],
        bootstrap=bootstrap,
        signature="kendall-tau-b",
        n_items_resampled=ratings.n_items,
    )


def _best_flags(ratings: Ratings) -> Flags:
    if ratings.best is None:
        raise RatingsError(
            "The incomplete setting needs to know which raw labels are the best of their scale; "
            "give Ratings.from_arrays(best=…)."
        )
    return ratings.best


def _tau_with_noise(values: Floats, rows: JoinedRows, noise: Noise) -> Floats:
    from scipy.stats import kendalltau  # half a second and 45 MB that only noise needs

    rng = np.random.default_rng(noise.seed)
    # The order of the rows must not depend on that of the ratings, or equal data would draw other noise.
    order = np.lexsort((values[rows.second], values[rows.first], rows.item, rows.pair))
    first, second = values[rows.first[order]], values[rows.second[order]]
    ends = np.cumsum(np.bincount(rows.pair, minlength=len(rows.rater_a)))
    starts = np.r_[0, ends[:-1]]
    total = np.where(ends - starts > 1, 0.0, np.nan)
    for _ in range(noise.draws):
        noisy_first = first + noise.sigma * rng.standard_normal(len(first))
        noisy_second = second + noise.sigma * rng.standard_normal(len(second))
        # All values differ, so there is nothing to count by levels, and scipy's sorting is the faster way.
        for pair in np.flatnonzero(ends - starts > 1):
            rows_of_pair = slice(starts[pair], ends[pair])
            # The p-value is of no use here, but its asymptotic form divides by n − 2.
            total[pair] += kendalltau(
                noisy_first[rows_of_pair],
                noisy_second[rows_of_pair],
                method="exact" if ends[pair] - starts[pair] == 2 else "asymptotic",
            ).statistic
    return total / noise.draws


def pairwise_tau_of(
    ratings: Ratings,
    rows: JoinedRows,
    setting: Setting,
    noise: Noise | None,
    taus: Floats,
    n_rows: Floats,
    squared: Floats,
    bootstrap: Bootstrap | None,
    sample: Floats | None,
) -> PairwiseTau:
    """The τ of pairs with what is said of them; ``squared`` are the sums of both margins' squares, (pairs, 2)."""
    signature = _signature(ratings, setting, noise)
    return PairwiseTau(
        setting=setting,
        members=np.stack([rows.rater_a, rows.rater_b], axis=1),
        values=taus,
        n_rows=n_rows.astype(np.int64),
        n_items=rows.n_items,
        n_units=rows.n_units,
        mean=mean_over_pairs(ratings, rows, taus, bootstrap, sample, signature=signature),
        n_defined=int((~np.isnan(taus)).sum()),
        n_raters=ratings.n_raters,
        noise=noise,
        bootstrap=bootstrap,
        n_items_resampled=ratings.n_items,
        sample=sample,
        _is_constant=squared == n_rows[:, None] ** 2,
        _names=ratings.rater_names,
    )


def _signature(ratings: Ratings, setting: Setting, noise: Noise | None) -> str:
    ties = None
    if setting is Setting.NO_TIES:
        ties = f"noise {noise.sigma:g} in {noise.draws} draws, seed {noise.seed}" if noise else "expected"
    return signature_line("mean-kendall-tau", setting=setting, ties=ties, repeated=ratings.repeated)

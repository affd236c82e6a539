"""Whether a candidate, such as an LLM, agrees with the other raters as well as single raters do: tested one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import resampled_shares
from annotation_platform.core.winning_rates import (
    FEWEST_ITEMS,
    FEWEST_RATERS,
    LeadTest,
    WinningRate,
    too_few_to_test,
    winning_rate,
)

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class AgainstRater:
    """One rater against the candidate, on the items that both rated and others did, too.

    Attributes
    ----------
    rater : int
    rater_share, candidate_share : float or None
        Share of the judgments in which the one agrees with the others at least as well as the other one does; both
        count where they do equally well. None without such judgments.
    lead : ClusteredDifference
        `rater_share` less `candidate_share`, with its interval.
    """

    rater: int
    rater_share: float | None
    candidate_share: float | None
    lead: ClusteredDifference

    @property
    def no_test_because(self) -> str | None:
        """Why no hypothesis about the lead is tested: too few items, or no groups of them that tell how others would
        differ."""
        if self.lead.n_items < FEWEST_ITEMS:
            return Reason("statistics.too_few_items_to_test", count=self.lead.n_items, items=FEWEST_ITEMS)
        if self.lead.standard_error is None and self.lead.no_p_value_because != ALL_ALIKE:
            return Reason("statistics.one_group_to_test")
        return None

    @property
    def test(self) -> LeadTest | None:
        """What the test of any ε needs; None where there is none."""
        lead = self.lead
        if lead.value is None or self.no_test_because:
            return None
        return LeadTest(lead.value, lead.standard_error, lead.degrees_of_freedom, lead.n_units)


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """The alternative annotator test.

    Attributes
    ----------
    raters : tuple of AgainstRater
        In the order of codes.
    advantage : Statistic
        Mean of `candidate_share` over the tested raters: the chance that the candidate agrees with the others at least
        as well as a rater does, with an interval by unit.
    """

    raters: tuple[AgainstRater, ...]
    advantage: Statistic

    def winning_rate(self, epsilon: float) -> WinningRate:
        """The share of raters whose H0 falls at .05: that the rater leads the candidate by ``epsilon`` or more.

        Raises
        ------
        ValueError
            When ``epsilon`` is not between 0 and 1.
        """
        return winning_rate([each.test for each in self.raters], epsilon)


def alternative_annotator(
    ratings: Ratings,
    candidate: ArrayLike,
    level: str,
    *,
    asked: Flags | None = None,
    bootstrap: Bootstrap | None = None,
) -> AlternativeAnnotator:
    """Leave out each rater in turn: does the candidate agree with the others as well as that rater does?

    For rater j and item i let S(x) be how well x agrees with the others' ratings h_1 … h_m of i::

        S(x) = share of h_k equal to x            (nominal)
        S(x) = −√(Σ (x − h_k)² / m)               (otherwise)
        lead_ij = [S(j) ≥ S(candidate)] − [S(candidate) ≥ S(j)]

    H0 of rater j is that the mean lead is ε or more: that a person's rating is worth what it costs. It is tested
    one-sided by t, where items share an article (`Ratings.units`) with the variance and degrees of freedom of
    `clustered_difference`. A rater is tested with at least 30 items, and a winning rate needs three tested raters.
    A candidate passes from a winning rate of .5.

    What it does not say: that the candidate is right, or may stand in for all raters at once.

    Parameters
    ----------
    ratings : Ratings
        Of the raters, with `repeated` other than 'cross': one rating an item and rater.
    candidate : array-like of float, shape (n_items,)
        NaN where the candidate was asked and gave nothing: there it loses to every rater.
    level : {'nominal', 'ordinal', 'interval', 'ratio'}
    asked : array of bool, shape (n_items,), optional
        The items that the candidate was asked about; others are left out. By default all.
    bootstrap : Bootstrap, optional
        Resample units for the interval of `advantage`.

    Raises
    ------
    RatingsError
        When there is not one value of the candidate an item, or a rater has several ratings of one item.

    References
    ----------
    Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge: ε is .2 where raters are
    experts, .15 where they are skilled and .1 in a crowd.

    >>> table = Ratings.from_arrays([0, 0, 0], [0, 1, 2], [1, 1, 2], repeated="error")
    >>> [(each.rater_share, each.candidate_share) for each in alternative_annotator(table, [1], "nominal").raters]
    [(1.0, 1.0), (1.0, 1.0), (0.0, 1.0)]
    """
    given = np.asarray(candidate, dtype=np.float64)
    if given.shape != (ratings.n_items,):
        raise RatingsError(f"The candidate has {given.shape} values; give one for each of {ratings.n_items} items.")
    if ratings.repeated == "cross" and len(np.unique(ratings.items * ratings.n_raters + ratings.raters)) < len(ratings):
        raise RatingsError("A rater has several ratings of one item; read the table with repeated='last' or 'mean'.")
    kept = ratings.per_item()[ratings.items] > 1
    if asked is not None:
        kept &= asked[ratings.items]
    left = ratings.where(kept)
    as_well, not_worse = _who_agrees(left, given[left.items], level)
    groups = ratings.unit_of_item[left.items]
    raters = tuple(
        _against(rater, as_well[own], not_worse[own], groups[own])
        for rater in range(ratings.n_raters)
        for own in [left.raters == rater]
    )
    tested = np.array([each.rater for each in raters if each.test], dtype=np.int64)
    return AlternativeAnnotator(raters, _advantage(left, not_worse, tested, level, bootstrap))


def _against(rater: int, rater_wins: Floats, candidate_wins: Floats, groups: Codes) -> AgainstRater:
    lead = clustered_difference(candidate_wins, rater_wins, groups, ends=(-1.0, 1.0))
    shares = [float(wins.mean()) if len(wins) else None for wins in (rater_wins, candidate_wins)]
    return AgainstRater(rater, shares[0], shares[1], lead)


def _who_agrees(ratings: Ratings, given: Floats, level: str) -> tuple[Floats, Floats]:
    """Of each rating, 1 where the rater, and where the candidate, agrees with the others at least as well as the
    other one does."""
    own, candidate = ratings.values, np.where(np.isnan(given), 0, given)
    if level == "nominal":
        far_own, far_candidate = (-_equal_to_others(ratings, values) for values in (own, candidate))
    else:
        far_own, far_candidate = (_squares_from_others(ratings, values) for values in (own, candidate))
    near = _ROUNDING * max(float(np.abs(far_own).max(initial=0)), 1.0)
    has_none = np.isnan(given)
    rater_wins = (far_own <= far_candidate + near) | has_none
    candidate_wins = (far_candidate <= far_own + near) & ~has_none
    return rater_wins.astype(np.float64), candidate_wins.astype(np.float64)


def _equal_to_others(ratings: Ratings, values: Floats) -> Floats:
    """How many of the other ratings of the same item are equal to each of these values."""
    levels = np.unique(np.concatenate([ratings.values, values]))
    n = max(len(levels), 1)
    cells = ratings.items * n + np.searchsorted(levels, ratings.values)
    counts = np.bincount(cells, minlength=ratings.n_items * n)
    equal: Floats = counts[ratings.items * n + np.searchsorted(levels, values)].astype(np.float64)
    equal -= values == ratings.values
    return equal


def _squares_from_others(ratings: Ratings, values: Floats) -> Floats:
    """Sum of the squared distances of each of these values from the other ratings of the same item.

    The number of others is the same for the rater and the candidate, so that sums compare as roots of means do.
    """
    own = ratings.values - ratings.values.mean() if len(ratings) else ratings.values
    at = values - ratings.values.mean() if len(ratings) else values
    n, total, squares = (
        np.bincount(ratings.items, weights=weights, minlength=ratings.n_items)[ratings.items]
        for weights in (np.ones_like(own), own, own**2)
    )
    apart: Floats = (squares - own**2) - 2 * at * (total - own) + (n - 1) * at**2
    return apart


def _advantage(ratings: Ratings, wins: Floats, tested: Codes, level: str, bootstrap: Bootstrap | None) -> Statistic:
    """Mean over the tested raters of the share of their judgments in which the candidate does as well."""
    place = np.full(ratings.n_raters, -1)
    place[tested] = np.arange(len(tested))
    used = place[ratings.raters] >= 0
    where = place[ratings.raters[used]], ratings.items[used]
    shape = len(tested), ratings.n_items
    won = sparse.csr_array((wins[used], where), shape=shape)
    judged = sparse.csr_array((np.ones(int(used.sum())), where), shape=shape)

    def mean_share(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # a resample without a judgment of a rater is left out
            shares: Floats = np.asarray((won @ weights) / (judged @ weights))
        mean: Floats = shares.mean(axis=0)
        return mean

    is_defined = len(tested) >= FEWEST_RATERS
    sample = None
    if bootstrap and is_defined:
        sample = bootstrap.sample(mean_share, ratings.n_items, units=ratings.units)
    items = np.unique(where[1])
    found = statistic(
        value=float(mean_share(np.ones((ratings.n_items, 1)))[0]) if is_defined else None,
        undefined_because=too_few_to_test(len(tested)),
        n_items=len(items),
        n_units=ratings.n_units_of(items),
        n_raters=len(tested),
        n_ratings=int(used.sum()),
        sample=sample,
        bootstrap=bootstrap,
        signature=signature_line("alternative-annotator-advantage", level=level),
        n_items_resampled=ratings.n_items,
        scale="plain",
    )
    return resampled_shares([found], trials=[found.n_ratings])[0]

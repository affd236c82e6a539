"""Majority vote: the label that most raters gave to an item; ties go to the better label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.counts import ValueCounts
from annotation_platform.core.statistics.ratings import Ratings, RatingsError

Better = Literal["high", "low"]


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """One entry an item that has a vote, ascending by item.

    Attributes
    ----------
    items : int array
        Codes of the items.
    values : float array
        The label that won.
    n_for, n_ratings : int arrays
        How many ratings it has, of how many.
    tied : bool array
        Whether another label had as many, so that the scale's better end decided.
    n_undecided : int
        Items left out because of a tie that the scale does not decide.
    """

    items: Codes
    values: Floats
    n_for: Codes
    n_ratings: Codes
    tied: Flags
    n_undecided: int

    def by_item(self, n_items: int) -> Floats:
        """The votes as a column over all items, NaN where there is none."""
        column = np.full(n_items, np.nan)
        column[self.items] = self.values
        return column


def majority_vote(ratings: Ratings, *, better: Better | None = None, best: float | None = None) -> Votes:
    """The most frequent label of each item.

    Parameters
    ----------
    ratings : Ratings
        Labels as numbers.
    better : {'high', 'low'}, optional
        Which end of the scale is better: among labels with equally many ratings it wins.
    best : float, optional
        In the place of `better`, the number that is best (0 on -1 … 1): the label nearest to it wins, and of
        two equally near ones the higher.

    Returns
    -------
    Votes
        Without `better` and `best`, tied items have no vote and are counted in `n_undecided`.

    Raises
    ------
    RatingsError
        When both `better` and `best` are given, or `better` is neither end.

    References
    ----------
    The rule is that of the ACORN paper, section 3.
    """
    worth = worth_of(better, best)
    counts = ValueCounts.of(ratings, fewest=1)
    entry_worth = worth(counts.values)[counts.entry_value]
    order = np.lexsort((counts.entry_value, entry_worth, counts.entry_count, counts.entry_class))
    of_class, count = counts.entry_class[order], counts.entry_count[order]
    last = np.append(of_class[1:] != of_class[:-1], True) if len(order) else np.zeros(0, dtype=np.bool_)
    winner = np.flatnonzero(last)
    classes = of_class[winner]
    before = np.maximum(winner - 1, 0)
    tied = (winner > 0) & (of_class[before] == classes) & (count[before] == count[winner])

    value, votes_for = np.zeros(counts.n_classes), np.zeros(counts.n_classes)
    is_tied, has_vote = (np.zeros(counts.n_classes, dtype=np.bool_) for _ in range(2))
    value[classes], votes_for[classes] = counts.values[counts.entry_value[order[winner]]], count[winner]
    is_tied[classes], has_vote[classes] = tied, True
    undecided = is_tied & (better is None and best is None)
    items = np.flatnonzero((has_vote & ~undecided)[counts.class_of_item])
    of_item = counts.class_of_item[items]
    return Votes(
        items=items,
        values=value[of_item],
        n_for=votes_for[of_item].astype(np.int64),
        n_ratings=counts.n[of_item].astype(np.int64),
        tied=is_tied[of_item],
        n_undecided=int(undecided[counts.class_of_item].sum()),
    )


def worth_of(better: Better | None, best: float | None) -> Callable[[Floats], Floats]:
    """How good values are, higher being better; all alike where the scale does not say."""
    if better is not None and best is not None:
        raise RatingsError("Give 'better' (an end) or 'best' (a number), not both.")
    if better not in (None, "high", "low"):
        raise RatingsError(f"The better end is 'high' or 'low', not {better!r}.")
    if best is not None:
        return lambda values: -np.abs(values - best)
    sign = {"high": 1.0, "low": -1.0, None: 0.0}[better]
    return lambda values: sign * values

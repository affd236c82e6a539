"""What several raters' labels of each item come to in three ways: majority, Dawid–Skene and MACE."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.statistics.consensus import Consensus
from annotation_platform.core.statistics.dawid_skene import dawid_skene
from annotation_platform.core.statistics.mace import mace
from annotation_platform.core.statistics.ratings import Ratings, raters_of_items
from annotation_platform.core.statistics.votes import Votes, majority_vote

FEWEST_RATERS = 3
MOST_LABELS = 30
_MANY = 200_000  # ratings from which MACE starts less often, for the sake of time
_RESTARTS, _RESTARTS_OF_MANY = 10, 2


@dataclass(frozen=True, eq=False)
class ThreeWays:
    """The labels of all items of a table that has ratings of each.

    Attributes
    ----------
    ratings : Ratings
    majority : Votes
        Without items that are tied.
    models : dict
        By way, ``dawid_skene`` and ``mace``; empty where they say nothing.
    undefined_because : str or None
        Why the models say nothing.
    """

    ratings: Ratings
    majority: Votes
    models: dict[str, Consensus]
    undefined_because: str | None

    @cached_property
    def labels(self) -> dict[str, Floats]:
        """Of each item, by way; NaN where it has none."""
        return {
            "majority": self.majority.by_item(self.ratings.n_items),
            **{way: found.labels for way, found in self.models.items()},
        }

    @cached_property
    def posteriors(self) -> dict[str, Floats]:
        """Of the label that each model gives to each item."""
        return {way: found.probabilities.max(axis=1) for way, found in self.models.items()}

    @property
    def votes(self) -> Floats:
        """The share of each item's ratings that the majority's label has; NaN where it is tied."""
        column = np.full(self.ratings.n_items, np.nan)
        column[self.majority.items] = self.majority.n_for / self.majority.n_ratings
        return column


def three_ways(ratings: Ratings) -> ThreeWays:
    """Labels by `majority_vote`, `dawid_skene` and `mace`, the latter with the seed 0; the same ratings give the same.

    Parameters
    ----------
    ratings : Ratings
        Each distinct value is a label, and each item has ratings.

    Returns
    -------
    ThreeWays
        Without the models for fewer than three raters, where no two rated the same item, where all labels are the
        same, and for more than 30 labels. MACE starts 10 times, and twice for more than 200,000 ratings.
    """
    majority = majority_vote(ratings)
    if (why := _why_no_model(ratings)) is not None:
        return ThreeWays(ratings, majority, {}, why)
    restarts = _RESTARTS_OF_MANY if len(ratings) > _MANY else _RESTARTS
    models = {"dawid_skene": dawid_skene(ratings), "mace": mace(ratings, restarts=restarts)}
    return ThreeWays(ratings, majority, models, None)


def _why_no_model(ratings: Ratings) -> str | None:
    """Two raters who differ are both as likely to be right: only a third tells them apart (Dawid and Skene, 1979)."""
    raters, labels = len(np.unique(ratings.rater_codes)), len(np.unique(ratings.numbers))
    if not raters:
        return gettext_noop("There are no judgments.")
    if raters < FEWEST_RATERS:
        return Reason("statistics.judged_by_few", count=raters)
    if labels < 2:
        return gettext_noop("All labels are the same.")
    if labels > MOST_LABELS:
        return Reason("statistics.too_many_labels", labels=labels, most=MOST_LABELS)
    if raters_of_items(ratings).max() < 2:
        return gettext_noop("No item was judged by two annotators.")
    return None

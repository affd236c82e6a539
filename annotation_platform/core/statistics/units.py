"""What figures speak for: the highest group that judged items share is the unit of every interval and test."""

from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Codes
from annotation_platform.core.few_units import FEWEST_ARTICLES, UnitName


@dataclass(frozen=True, eq=False)
class Unit:
    """What is drawn as a whole, by name, and as a code of each item."""

    name: UnitName
    of_item: Codes

    @property
    def n(self) -> int:
        return len(np.unique(self.of_item))


def unit_of(articles: Codes, questions: Codes) -> Unit:
    """The article where items share articles, else the question where they share questions, else the item.

    Items of one article, as answers to one question, are alike: they are no independent evidence for others. Of fewer
    than `FEWEST_ARTICLES` nobody can say how others would be, so that figures speak for other questions about them.

    Parameters
    ----------
    articles, questions : int array, shape (n,)
        Codes of each item's article and question, any whole numbers.

    Returns
    -------
    Unit
        Codes from 0 without gaps; each item by itself where nothing is shared.

    >>> unit_of(np.arange(12) // 2, np.arange(12)).name, unit_of(np.zeros(4), np.array([1, 1, 2, 2])).name
    ('article', 'question')
    """
    groups: tuple[tuple[UnitName, Codes, int], ...] = (
        ("article", articles, FEWEST_ARTICLES),
        ("question", questions, 2),
    )
    for name, codes, fewest in groups:
        distinct, of_item = np.unique(codes, return_inverse=True)
        if fewest <= len(distinct) < len(codes):
            return Unit(name, of_item.astype(np.int64))
    return Unit("item", np.arange(len(articles)))

"""Judgments of one rater that have the same values before and at every step of a path: these are one cell.

Of a million judgments with scores there are a third as many cells or fewer, and each step asks for their order again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Codes, Integers, Numbers
from annotation_platform.core.statistics.codes import changes, distinct, levels
from annotation_platform.core.statistics.ratings import Ratings


@dataclass(frozen=True, slots=True, eq=False)
class EqualJudgments:
    """The cells of a path, ordered by rater, then by the values before, at the first and at the last step.

    Attributes
    ----------
    cell : int array, shape (judgments,)
        In four bytes where they fit.
    example : int array, shape (cells,)
        One judgment of each.
    rater : int array, shape (cells,)
    """

    cell: Integers
    example: Codes
    rater: Codes

    @classmethod
    def of(cls, before: Ratings, path: Sequence[Ratings]) -> EqualJudgments:
        """Of tables of the same judgments in the same order.

        Along mixtures of two values both ends say which judgments are equal; in between it is only looked at.
        """
        cell = before.raters
        for table in (before, *((path[0], path[-1]) if len(path) else ())):
            cell = _divided(cell, table.numbers)
        example = _example(cell)
        for step in range(1, len(path) - 1):
            numbers = path[step].numbers
            if not np.array_equal(numbers[example].take(cell), numbers):
                cell = _divided(cell, numbers)
                example = _example(cell)
        small = np.int32 if len(cell) < 1 << 31 else np.int64
        return cls(cell.astype(small), example, before.raters[example])

    def ranks(self, numbers: Numbers) -> Codes:
        """Of each cell the place of its number among the different ones of its rater, from 0."""
        of_cell = numbers[self.example]
        order = np.argsort(of_cell)
        raters = self.rater[order]
        by_rater = np.argsort(raters.astype(np.min_scalar_type(int(raters.max(initial=0)))), kind="stable")
        order, raters = order[by_rater], raters[by_rater]
        begins = changes(raters)
        place = np.cumsum(begins | changes(of_cell[order])) - 1
        ranks = np.empty_like(order)
        ranks[order] = place - np.repeat(place[begins], np.diff(np.append(np.flatnonzero(begins), len(order))))
        return ranks


def _divided(cell: Codes, numbers: Numbers) -> Codes:
    """Cells of judgments that are also equal in these numbers."""
    codes = levels(numbers)[1]
    depth = int(codes.max(initial=0)) + 1
    return distinct(cell * depth + codes, (int(cell.max(initial=0)) + 1) * depth)[1]


def _example(cell: Codes) -> Codes:
    example = np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    example[cell] = np.arange(len(cell))
    return example

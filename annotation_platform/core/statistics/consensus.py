"""What several raters' labels of an item come to when raters differ in reliability: the table and the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.codes import distinct, levels
from annotation_platform.core.statistics.ratings import Ratings, RatingsError

_MOST_CHANCES = 250_000  # of labels to be the true ones, in fits that are made together: what a cache holds


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """Estimated true labels, and how reliable each rater was in arriving at them.

    Attributes
    ----------
    items : int array, shape (items,)
        Codes of the items that have ratings.
    values : float array, shape (values,)
        The labels that occur, ascending.
    probabilities : float array, shape (items, values)
        Of each label to be the item's true one.
    raters : int array, shape (raters,)
        Codes of the raters who have ratings.
    competence : float array, shape (raters,)
        Dawid and Skene: the chance to give the true label, over the labels as they are distributed. MACE: the
        chance to know it rather than to guess.
    behaviour : float array
        Dawid and Skene: shape (raters, values, values), the chance to give the third index when the second is
        true. MACE: shape (raters, values), the chance of each label when guessing.
    prior : float array, shape (values,)
        Estimated shares of the true labels; uniform in MACE.
    n_iterations : int
    has_converged : bool
        Whether the likelihood stopped rising before the iterations were up.
    log_likelihood : float
        Of all ratings, natural logarithm.
    signature : str
    ambiguous : bool array, shape (raters,)
        Whose competence is another one in another solution that was found and explains the ratings about as well, so
        that the ratings do not say which of the two holds. Only looked for where there are several starts, as in MACE.
    """

    items: Codes
    values: Floats
    probabilities: Floats
    raters: Codes
    competence: Floats
    behaviour: Floats
    prior: Floats
    n_iterations: int
    has_converged: bool
    log_likelihood: float
    signature: str
    ambiguous: Flags

    @property
    def is_ambiguous(self) -> bool:
        """Whether anybody's competence is."""
        return bool(self.ambiguous.any())

    @property
    def labels(self) -> Floats:
        """The most probable label of each of `items`; of equally probable ones the lowest."""
        chosen: Floats = self.values[self.probabilities.argmax(axis=1)]
        return chosen


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """Ratings as a sparse matrix of classes × (rater, label), for those pairs that occur.

    A class is items that got the very same ratings from the same raters: what is estimated of them is the same.

    Attributes
    ----------
    items, raters : int arrays
        Codes of those that have ratings; positions among them are what follows refers to.
    values : float array
    rater, label : int arrays, shape (pairs,)
        Of each pair of rater and label.
    class_of_item : int array, shape (items,)
    given : sparse array, shape (classes, pairs)
        How often, in each item of the class.
    """

    items: Codes
    raters: Codes
    values: Floats
    rater: Codes
    label: Codes
    class_of_item: Codes
    given: sparse.csr_array

    @classmethod
    def of(cls, ratings: Ratings) -> LabelTable:
        if not len(ratings):
            raise RatingsError("There are no ratings to find true labels from.")
        items, item = distinct(ratings.items, ratings.n_items)
        raters, rater = distinct(ratings.raters, ratings.n_raters)
        values, codes = levels(ratings.numbers)
        pairs, pair = distinct(rater * len(values) + codes, len(raters) * len(values))
        shape = (len(items), len(pairs))
        by_item = sparse.coo_array(
            (np.ones(len(ratings)), (item.astype(np.int32), pair.astype(np.int32))), shape=shape
        ).tocsr()
        first, class_of_item = _classes(by_item)
        given = by_item if len(first) == len(items) else by_item[first]
        return cls(items, raters, values, pairs // len(values), pairs % len(values), class_of_item, given)

    @property
    def items_of_class(self) -> Floats:
        """How many items each class has, as the weights of one fit, shape (classes, 1)."""
        return np.bincount(self.class_of_item, minlength=self.given.shape[0]).astype(np.float64)[:, None]

    def by_rater(self) -> sparse.csr_array:
        """Its product with a column over pairs sums it by rater."""
        n = len(self.rater)
        return sparse.csr_array((np.ones(n), (self.rater, np.arange(n))), shape=(len(self.raters), n))

    def at_once(self, fits: int) -> int:
        """How many of so many fits are made together, so that they fit a processor's cache."""
        return max(1, min(fits, _MOST_CHANCES // (self.given.shape[0] * len(self.values))))


def _classes(given: sparse.csr_array) -> tuple[Codes, Codes]:
    """The first item of each class of equal rows, and the class of each item.

    Rows are told apart by a random number for each pair, summed; where rows of one sum are not equal after all, each
    item is a class of its own, as it is where there are few equal ones.
    """
    rng = np.random.default_rng(0)
    marks = given @ rng.uniform(1, 2, given.shape[1])
    everything = np.arange(given.shape[0])
    if 2 * np.count_nonzero(np.diff(np.sort(marks))) >= len(everything):
        return everything, everything
    _, first, class_of_item = np.unique(marks, return_index=True, return_inverse=True)
    if (given - given[first[class_of_item]]).count_nonzero():
        return everything, everything
    return first, class_of_item.astype(np.int64)

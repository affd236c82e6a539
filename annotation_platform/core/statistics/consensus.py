"""What several raters' labels of an item come to when raters differ in reliability: the table and the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation_platform.core.statistics.ratings import Codes, Floats, Ratings, RatingsError, distinct, levels


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

    @property
    def labels(self) -> Floats:
        """The most probable label of each of `items`; of equally probable ones the lowest."""
        chosen: Floats = self.values[self.probabilities.argmax(axis=1)]
        return chosen


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """Ratings as a sparse matrix of items × (rater, label), for those pairs that occur.

    Attributes
    ----------
    items, raters : int arrays
        Codes of those that have ratings; positions among them are what follows refers to.
    values : float array
    rater, label : int arrays, shape (pairs,)
        Of each pair of rater and label.
    given : sparse array, shape (items, pairs)
        How often.
    """

    items: Codes
    raters: Codes
    values: Floats
    rater: Codes
    label: Codes
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
        given = sparse.coo_array((np.ones(len(ratings)), (item.astype(np.int32), pair.astype(np.int32))), shape=shape)
        return cls(items, raters, values, pairs // len(values), pairs % len(values), given.tocsr())

    def by_rater(self) -> sparse.csr_array:
        """Its product with a column over pairs sums it by rater."""
        n = len(self.rater)
        return sparse.csr_array((np.ones(n), (self.rater, np.arange(n))), shape=(len(self.raters), n))

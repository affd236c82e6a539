"""Dawid and Skene's model: true labels from raters who each confuse labels in a way of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Floats
from annotation_platform.core.statistics.consensus import Consensus, LabelTable
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.result import signature_line

_LEAST = 1e-10


def dawid_skene(ratings: Ratings, *, max_iterations: int = 100, tolerance: float = 1e-6) -> Consensus:
    """True labels and each rater's confusion matrix, by expectation and maximisation.

    With the chance π_j(g | t) that rater j gives g when t is true, the share p_t of true labels, and n_ijg how
    often j gave g to item i::

        E  q_it ∝ p_t Π_jg π_j(g | t)^n_ijg
        M  π_j(g | t) = Σ_i q_it n_ijg / Σ_ig q_it n_ijg;   p_t = mean_i q_it

    It starts from the shares of each item's ratings. Chances are at least 1e-10. Labels that a rater never gave
    have no chance with that rater.

    Parameters
    ----------
    ratings : Ratings
        Each distinct value is a label; every judgment counts, also several of one rater.
    max_iterations : int
    tolerance : float
        Stop when the log-likelihood rises by less than this for each rating.

    Raises
    ------
    RatingsError
        When there are no ratings.

    References
    ----------
    Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm, JRSS C
    28(1). Checked against `crowd-kit` (equal probabilities, iteration by iteration).
    """
    table = LabelTable.of(ratings)
    model = _Model.of(table)
    weights = table.items_of_class
    truth = model.shares()
    likelihood, has_converged, n_iterations = -np.inf, False, 0
    while not has_converged and n_iterations < max_iterations:
        n_iterations += 1
        truth, (reached,) = model.expect(*model.maximise(truth, weights), weights)
        has_converged = bool(reached - likelihood < tolerance * len(ratings))
        likelihood = float(reached)
    prior, chance = model.maximise(truth, weights)
    confusion = np.zeros((len(table.raters), len(table.values), len(table.values)))
    confusion[table.rater, :, table.label] = chance[:, :, 0]
    return Consensus(
        items=table.items,
        values=table.values,
        probabilities=truth[table.class_of_item, :, 0],
        raters=table.raters,
        competence=model.competence(prior, chance)[:, 0],
        behaviour=confusion,
        prior=prior[:, 0],
        n_iterations=n_iterations,
        has_converged=has_converged,
        log_likelihood=likelihood,
        ambiguous=np.zeros(len(table.raters), dtype=np.bool_),
        signature=signature_line(
            "dawid-skene", iterations=max_iterations, tolerance=tolerance, repeated=ratings.repeated
        ),
    )


def steps_of_dawid_skene(table: LabelTable, found: Consensus, weights: Floats) -> Iterator[Floats]:
    """Competence, (raters, fits), after each further iteration from what was found, with other weights of classes.

    ``weights`` has shape (classes, fits).
    """
    model = _Model.of(table)
    first = np.unique(table.class_of_item, return_index=True)[1]
    truth = np.repeat(found.probabilities[first][:, :, None], weights.shape[1], axis=2)
    while True:
        prior, chance = model.maximise(truth, weights)
        yield model.competence(prior, chance)
        truth, _ = model.expect(prior, chance, weights)


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """The two steps, of several fits at once: chances are (classes, values, fits), weights (classes, fits)."""

    table: LabelTable
    by_pair: sparse.csr_array
    to_rater: sparse.csr_array

    @classmethod
    def of(cls, table: LabelTable) -> _Model:
        return cls(table, table.given.T.tocsr(), table.by_rater())

    def shares(self) -> Floats:
        """Of each label among the ratings of an item: where one fit starts."""
        n = len(self.table.label)
        label = sparse.csr_array((np.ones(n), (np.arange(n), self.table.label)), shape=(n, len(self.table.values)))
        counts: Floats = np.asarray((self.table.given @ label).todense())
        counts /= counts.sum(axis=1, keepdims=True)
        return counts[:, :, None]

    def maximise(self, truth: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Shares of the labels, (values, fits), and the chance of each pair of rater and label for each true label,
        (pairs, values, fits)."""
        weighted = truth if (weights == 1).all() else truth * weights[:, None, :]
        chance = np.maximum(self.by_pair @ weighted.reshape(len(weighted), -1), _LEAST)
        chance /= (self.to_rater @ chance)[self.table.rater]
        prior: Floats = weighted.sum(axis=0) / weights.sum(axis=0)
        return prior, chance.reshape(-1, *truth.shape[1:])

    def expect(self, prior: Floats, chance: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Chances of the labels to be true, by class, and the log-likelihood of each fit."""
        log = (self.table.given @ np.log(chance).reshape(len(chance), -1)).reshape(-1, *prior.shape)
        log += np.log(np.maximum(prior, _LEAST))
        most = log.max(axis=1, keepdims=True)
        log -= most
        truth = np.exp(log, out=log)
        total = truth.sum(axis=1, keepdims=True)
        truth /= total
        return truth, ((most + np.log(total))[:, 0] * weights).sum(axis=0)

    def competence(self, prior: Floats, chance: Floats) -> Floats:
        """The chance of each rater to give the true label, over the labels as they are distributed."""
        label = self.table.label
        return np.asarray(self.to_rater @ (prior[label] * chance[np.arange(len(label)), label]))

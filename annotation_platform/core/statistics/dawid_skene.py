"""Dawid and Skene's model: true labels from raters who each confuse labels in a way of their own."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from annotation_platform.core.statistics.consensus import Consensus, LabelTable
from annotation_platform.core.statistics.ratings import Codes, Floats, Ratings
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
    n_values = len(table.values)
    to_rater = table.by_rater()
    label = sparse.csr_array(
        (np.ones(len(table.label)), (np.arange(len(table.label)), table.label)),
        shape=(len(table.label), n_values),
    )
    truth: Floats = np.asarray((table.given @ label).todense())
    truth /= truth.sum(axis=1, keepdims=True)
    likelihood, has_converged, n_iterations = -np.inf, False, 0
    by_pair = table.given.T.tocsr()
    while not has_converged and n_iterations < max_iterations:
        n_iterations += 1
        prior, chance = _maximise(by_pair, to_rater, table.rater, truth)
        truth, reached = _expect(table.given, prior, chance)
        has_converged = reached - likelihood < tolerance * len(ratings)
        likelihood = reached
    prior, chance = _maximise(by_pair, to_rater, table.rater, truth)
    confusion = np.zeros((len(table.raters), n_values, n_values))
    confusion[table.rater, :, table.label] = chance
    return Consensus(
        items=table.items,
        values=table.values,
        probabilities=truth,
        raters=table.raters,
        competence=np.einsum("jtt,t->j", confusion, prior),
        behaviour=confusion,
        prior=prior,
        n_iterations=n_iterations,
        has_converged=has_converged,
        log_likelihood=likelihood,
        signature=signature_line(
            "dawid-skene", iterations=max_iterations, tolerance=tolerance, repeated=ratings.repeated
        ),
    )


def _maximise(
    by_pair: sparse.csr_array, to_rater: sparse.csr_array, rater: Codes, truth: Floats
) -> tuple[Floats, Floats]:
    """Shares of the labels, and the chance of each pair of rater and label for each true label."""
    chance = np.maximum(by_pair @ truth, _LEAST)
    chance /= (to_rater @ chance)[rater]
    return truth.mean(axis=0), chance


def _expect(given: sparse.csr_array, prior: Floats, chance: Floats) -> tuple[Floats, float]:
    """Chances of the labels to be true, by item, and the log-likelihood."""
    log = given @ np.log(chance)
    log += np.log(np.maximum(prior, _LEAST))
    most = log.max(axis=1, keepdims=True)
    log -= most
    truth = np.exp(log, out=log)
    total = truth.sum(axis=1, keepdims=True)
    truth /= total
    return truth, float(most.sum() + np.log(total).sum())

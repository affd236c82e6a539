"""MACE: true labels from raters who either know the label or guess by a habit of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import digamma

from annotation_platform.core.statistics.consensus import Consensus, LabelTable
from annotation_platform.core.statistics.ratings import Floats, Ratings
from annotation_platform.core.statistics.result import signature_line

_KNOWING_PRIOR = 0.5
_GUESSING_PRIOR = 10.0


def mace(
    ratings: Ratings,
    *,
    restarts: int = 10,
    max_iterations: int = 50,
    tolerance: float = 1e-6,
    seed: int = 0,
) -> Consensus:
    """True labels and each rater's competence, by variational Bayes with random restarts.

    Rater j knows the true label with chance κ_j, else guesses g with chance ξ_j(g); true labels are uniform. A
    rating g of j has the likelihood (1 - κ_j) ξ_j(g) + κ_j [g = t]. Each step takes the expected counts of
    knowing and guessing, and from them κ and ξ with priors Beta(0.5, 0.5) and Dirichlet(10), by exp(ψ(·)) of
    counts plus prior. Of all restarts the one with the greatest likelihood counts.

    Parameters
    ----------
    ratings : Ratings
        Each distinct value is a label; every judgment counts.
    restarts, max_iterations, seed : int
        Restarts start from random κ and ξ, drawn with ``numpy.random.default_rng(seed)``.
    tolerance : float
        Stop when the log-likelihood changes by less than this for each rating.

    Raises
    ------
    RatingsError
        When there are no ratings.

    References
    ----------
    Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), Learning whom to trust with MACE, NAACL. Checked against
    `crowd-kit` on raters and labels that appear in ascending order (in other orders its version 1.4.2 takes the
    guesses of one rater or label for those of another).
    """
    model = _Model.of(LabelTable.of(ratings))
    rng = np.random.default_rng(seed)
    best: _Fit | None = None
    for _ in range(restarts):
        fit = model.fit(rng, max_iterations, tolerance * len(ratings))
        if best is None or fit.log_likelihood > best.log_likelihood:
            best = fit
    if best is None:
        raise ValueError(f"restarts is {restarts}; at least 1 is needed.")
    table = model.table
    n_values = len(table.values)
    return Consensus(
        items=table.items,
        values=table.values,
        probabilities=best.truth,
        raters=table.raters,
        competence=best.knowing[:, 1] / best.knowing.sum(axis=1),
        behaviour=best.guessing / best.guessing.sum(axis=1, keepdims=True),
        prior=np.full(n_values, 1 / n_values),
        n_iterations=best.n_iterations,
        has_converged=best.has_converged,
        log_likelihood=best.log_likelihood,
        signature=signature_line(
            "mace",
            restarts=restarts,
            iterations=max_iterations,
            tolerance=tolerance,
            seed=seed,
            repeated=ratings.repeated,
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """`knowing`, (raters, 2), has the weights of guessing and of knowing; `guessing` is (raters, values)."""

    knowing: Floats
    guessing: Floats
    truth: Floats
    log_likelihood: float
    n_iterations: int
    has_converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """Ratings with the matrices that sum over them.

    `at_label`, (items · values, pairs), places each rating at its item and its own label: a rating changes the
    likelihood of that label apart from what it does to all.
    """

    table: LabelTable
    at_label: sparse.csr_array
    from_label: sparse.csr_array
    to_rater: sparse.csr_array
    times: Floats

    @classmethod
    def of(cls, table: LabelTable) -> _Model:
        n_items, n_values = len(table.items), len(table.values)
        given = table.given.tocoo()
        item, pair = given.coords
        place = item.astype(np.int64) * n_values + table.label[pair]
        shape = (n_items * n_values, len(table.label))
        at_label = sparse.coo_array((given.data, (place, pair)), shape=shape).tocsr()
        times = np.asarray(table.given.sum(axis=0), dtype=np.float64).reshape(-1)
        return cls(table, at_label, at_label.T.tocsr(), table.by_rater(), times)

    def fit(self, rng: np.random.Generator, max_iterations: int, tolerance: float) -> _Fit:
        n_raters, n_values = len(self.table.raters), len(self.table.values)
        knowing = rng.uniform(1.0, 1.5, (n_raters, 2))
        guessing = rng.uniform(1.0, 1.5, (n_raters, n_values))
        knowing /= knowing.sum(axis=1, keepdims=True)
        guessing /= guessing.sum(axis=1, keepdims=True)
        truth, likelihood = self._expect(knowing, guessing)
        has_converged, n_iterations = False, 0
        while not has_converged and n_iterations < max_iterations:
            n_iterations += 1
            knowing, guessing = self._maximise(knowing, guessing, truth)
            truth, reached = self._expect(knowing, guessing)
            has_converged = abs(reached - likelihood) < tolerance
            likelihood = reached
        return _Fit(knowing, guessing, truth, likelihood, n_iterations, has_converged)

    def _expect(self, knowing: Floats, guessing: Floats) -> tuple[Floats, float]:
        """Chances of the labels to be true, by item, and the log-likelihood."""
        rater, label = self.table.rater, self.table.label
        n_values = len(self.table.values)
        guessed = knowing[rater, 0] * guessing[rater, label]
        base = np.log(guessed)
        more = np.log(guessed + knowing[rater, 1]) - base
        log = (self.at_label @ more).reshape(-1, n_values) + (self.table.given @ base)[:, None]
        most = log.max(axis=1, keepdims=True)
        truth = np.exp(log - most)
        total = truth.sum(axis=1, keepdims=True)
        return truth / total, float((most + np.log(total / n_values)).sum())

    def _maximise(self, knowing: Floats, guessing: Floats, truth: Floats) -> tuple[Floats, Floats]:
        rater, label = self.table.rater, self.table.label
        guessed = knowing[rater, 0] * guessing[rater, label]
        known = (self.from_label @ truth.ravel()) * knowing[rater, 1] / (guessed + knowing[rater, 1])
        by_habit = np.zeros_like(guessing)
        by_habit[rater, label] = self.times - known
        counts = np.column_stack([by_habit.sum(axis=1), self.to_rater @ known])
        return _weights(counts, _KNOWING_PRIOR), _weights(by_habit, _GUESSING_PRIOR)


def _weights(counts: Floats, prior: float) -> Floats:
    weights: Floats = np.exp(digamma(counts + prior) - digamma((counts + prior).sum(axis=1, keepdims=True)))
    return weights

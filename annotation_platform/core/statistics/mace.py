"""MACE: true labels from raters who either know the label or guess by a habit of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import digamma

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.statistics.consensus import Consensus, LabelTable
from annotation_platform.core.statistics.ratings import Ratings, are_alone
from annotation_platform.core.statistics.result import signature_line

_KNOWING_PRIOR = 0.5
_GUESSING_PRIOR = 10.0
_AS_LIKELY = 2.0  # another solution is so much less likely at most, in the logarithm: a seventh as likely
_APART = 0.05  # from this on two competences are not the same


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
    counts plus prior. Of all restarts the one with the greatest likelihood counts. Where another one has settled on
    competences that differ by more than .05, and is at least e⁻² times as likely, those competences are *ambiguous*: of
    raters who split two against two on the same items, either two may be those who know. What others know, with whom
    they share no item, hangs on neither. Raters who share no item with another do not count there: whatever they know,
    nothing speaks against it.

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
    if restarts < 1:
        raise ValueError(f"restarts is {restarts}; at least 1 is needed.")
    table = LabelTable.of(ratings)
    model = _Model.of(table)
    rng = np.random.default_rng(seed)
    starts = [model.start(rng) for _ in range(restarts)]
    at_once = table.at_once(restarts)
    fits = [
        model.fit(starts[first : first + at_once], max_iterations, tolerance * len(ratings))
        for first in range(0, restarts, at_once)
    ]
    best = max(fits, key=lambda fit: fit.log_likelihood)
    n_values, compared = len(table.values), ~are_alone(ratings)[table.raters]
    return Consensus(
        items=table.items,
        values=table.values,
        probabilities=best.truth[table.class_of_item],
        raters=table.raters,
        competence=best.competence,
        behaviour=best.guessing / best.guessing.sum(axis=1, keepdims=True),
        prior=np.full(n_values, 1 / n_values),
        n_iterations=best.n_iterations,
        has_converged=best.has_converged,
        log_likelihood=best.log_likelihood,
        ambiguous=np.any([fit.other_than(best) for fit in fits], axis=0) & compared,
        signature=signature_line(
            "mace",
            restarts=restarts,
            iterations=max_iterations,
            tolerance=tolerance,
            seed=seed,
            repeated=ratings.repeated,
        ),
    )


def steps_of_mace(table: LabelTable, found: Consensus, weights: Floats) -> Iterator[Floats]:
    """Competence, (raters, fits), after each further iteration from what was found, with other weights of classes.

    ``weights`` has shape (classes, fits).
    """
    model, fits = _Model.of(table), weights.shape[1]
    knowing = np.repeat(np.column_stack([1 - found.competence, found.competence])[:, :, None], fits, axis=2)
    guessing = np.repeat(found.behaviour[:, :, None], fits, axis=2)
    while True:
        truth, _ = model.expect(knowing, guessing, weights)
        knowing, guessing = model.maximise(knowing, guessing, truth, weights)
        yield _competence(knowing)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """`knowing`, (raters, 2), has the weights of guessing and of knowing; `guessing` is (raters, values).

    ``settled`` are the likelihoods of all fits that have converged, and ``competences``, (raters, fits), theirs.
    """

    knowing: Floats
    guessing: Floats
    truth: Floats
    log_likelihood: float
    n_iterations: int
    has_converged: bool
    settled: Floats
    competences: Floats

    @property
    def competence(self) -> Floats:
        return _competence(self.knowing)

    def other_than(self, best: _Fit) -> Flags:
        """Which raters have another competence than in the best of all fits, in one of these about as likely."""
        is_rival = self.settled > best.log_likelihood - _AS_LIKELY
        apart = np.abs(self.competences - best.competence[:, None]) > _APART
        found: Flags = np.any(apart & is_rival, axis=1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """Ratings with the matrices that sum over them; its steps are of several fits at once, by their last axis.

    `at_label`, (classes · values, pairs), places each rating at its class and its own label: a rating changes the
    likelihood of that label apart from what it does to all.
    """

    table: LabelTable
    at_label: sparse.csr_array
    from_label: sparse.csr_array
    to_rater: sparse.csr_array

    @classmethod
    def of(cls, table: LabelTable) -> _Model:
        n_classes, n_values = table.given.shape[0], len(table.values)
        given = table.given.tocoo()
        at_class, pair = given.coords
        place = at_class.astype(np.int64) * n_values + table.label[pair]
        shape = (n_classes * n_values, len(table.label))
        at_label = sparse.coo_array((given.data, (place, pair)), shape=shape).tocsr()
        return cls(table, at_label, at_label.T.tocsr(), table.by_rater())

    def start(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        n_raters, n_values = len(self.table.raters), len(self.table.values)
        knowing = rng.uniform(1.0, 1.5, (n_raters, 2))
        guessing = rng.uniform(1.0, 1.5, (n_raters, n_values))
        return knowing / knowing.sum(axis=1, keepdims=True), guessing / guessing.sum(axis=1, keepdims=True)

    def fit(self, starts: Sequence[tuple[Floats, Floats]], max_iterations: int, tolerance: float) -> _Fit:
        """The most likely of the fits from these starts."""
        weights = np.repeat(self.table.items_of_class, len(starts), axis=1)
        knowing, guessing = (np.stack(each, axis=2) for each in zip(*starts, strict=True))
        truth, likelihood = self.expect(knowing, guessing, weights)
        converged = np.zeros(len(starts), dtype=np.bool_)
        n_iterations = 0
        while not converged.all() and n_iterations < max_iterations:
            n_iterations += 1
            knowing, guessing = self.maximise(knowing, guessing, truth, weights)
            truth, reached = self.expect(knowing, guessing, weights)
            converged = np.abs(reached - likelihood) < tolerance
            likelihood = reached
        best = int(likelihood.argmax())
        return _Fit(
            knowing=knowing[..., best],
            guessing=guessing[..., best],
            truth=truth[..., best],
            log_likelihood=float(likelihood[best]),
            n_iterations=n_iterations,
            has_converged=bool(converged[best]),
            settled=likelihood[converged],
            competences=_competence(knowing)[:, converged],
        )

    def expect(self, knowing: Floats, guessing: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Chances of the labels to be true, (classes, values, fits), and the log-likelihood of each fit."""
        rater, label = self.table.rater, self.table.label
        n_values = len(self.table.values)
        guessed = knowing[rater, 0] * guessing[rater, label]
        base = np.log(guessed)
        more = np.log(guessed + knowing[rater, 1]) - base
        log = (self.at_label @ more).reshape(-1, n_values, more.shape[1]) + (self.table.given @ base)[:, None]
        most = log.max(axis=1, keepdims=True)
        log -= most
        truth = np.exp(log, out=log)
        total = truth.sum(axis=1, keepdims=True)
        truth /= total
        return truth, ((most + np.log(total / n_values))[:, 0] * weights).sum(axis=0)

    def maximise(self, knowing: Floats, guessing: Floats, truth: Floats, weights: Floats) -> tuple[Floats, Floats]:
        rater, label = self.table.rater, self.table.label
        guessed = knowing[rater, 0] * guessing[rater, label]
        true = (truth * weights[:, None]).reshape(-1, weights.shape[1])
        known = (self.from_label @ true) * knowing[rater, 1] / (guessed + knowing[rater, 1])
        by_habit = np.zeros_like(guessing)
        by_habit[rater, label] = self.table.given.T @ weights - known
        counts = np.stack([by_habit.sum(axis=1), self.to_rater @ known], axis=1)
        return _weights(counts, _KNOWING_PRIOR), _weights(by_habit, _GUESSING_PRIOR)


def _competence(knowing: Floats) -> Floats:
    """The chance to know, of the weights of guessing and of knowing."""
    chance: Floats = knowing[:, 1] / knowing.sum(axis=1)
    return chance


def _weights(counts: Floats, prior: float) -> Floats:
    weights: Floats = np.exp(digamma(counts + prior) - digamma((counts + prior).sum(axis=1, keepdims=True)))
    return weights

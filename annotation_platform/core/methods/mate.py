"""LLM-MATE: one score from several aspects of a long answer, with weights learnt from people.

Every aspect becomes a penalty between −1 (worst) and 0 (best), and the shortfall of the overall rating from its best
is fitted as their weighted sum, without an intercept: an answer without a fault has the best overall rating.

Source: the LLM-MATE paper (in Japanese), equations 1 to 4. As printed, equation 1 has its rows in another order than
its arguments; the reading here is the consistent one, with which a faultless answer scores the best rating. Published
weights: factuality 2.048, amount of information 0.739, formality 0.335, with Pearson's r = 0.853 on a held-out fifth.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.schemes.scales import Scale
from annotation_platform.core.statistics.clustered import clustered_pearson
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Interval, Statistic, signature_line


class MateError(CodedError, ValueError):
    """Weights that cannot be fitted, with what is missing."""


@dataclass(frozen=True, slots=True)
class Weight:
    """One aspect's weight: by how much the overall rating falls from the best to the worst of it."""

    aspect: str
    value: float
    interval: Interval | None
    no_interval_because: str | None


@dataclass(frozen=True, slots=True)
class MateWeights:
    """Fitted weights, good for any study whose aspects have the same keys.

    Attributes
    ----------
    weights : tuple of Weight
        In the order of the aspects given.
    n_answers, n_questions, n_units : int
        What they were fitted on; units are what is resampled: articles, or else questions.
    held_out : Statistic
        Pearson's r between the fitted and the given overall ratings on units left out of a fit of its own; its
        interval resamples these units and leaves that fit as it is.
    signature : str
        Aspects, seed and share held out.
    """

    weights: tuple[Weight, ...]
    n_answers: int
    n_questions: int
    n_units: int
    held_out: Statistic
    signature: str

    @property
    def values(self) -> Floats:
        return np.array([weight.value for weight in self.weights])


def penalties(scale: Scale, numbers: ArrayLike) -> Floats:
    """How far ratings fall short of the best of their scale: 0 at the best number, −1 at the worst.

    For a scale on which high is better, ``(x - max) / (max - min)``; on one with a best number b,
    ``-|x - b| / max|c - b|`` over its choices c. Ratings may lie between the choices (means of several raters).

    Raises
    ------
    MateError
        When the scale does not say what is better.
    """
    x: Floats = np.asarray(numbers, dtype=np.float64)
    points: Floats = np.array(
        [choice.number for choice in scale.choices if choice.number is not None], dtype=np.float64
    )
    if scale.best is not None:
        return np.asarray(-np.abs(x - scale.best) / np.abs(points - scale.best).max())
    if scale.better == "high":
        return np.asarray((x - points.max()) / np.ptp(points))
    if scale.better == "low":
        return np.asarray((points.min() - x) / np.ptp(points))
    raise MateError("mate.no_best_end")


def fit_weights(
    aspects: Sequence[str],
    penalty: ArrayLike,
    shortfall: ArrayLike,
    questions: Sequence[Hashable],
    *,
    units: Sequence[Hashable] | None = None,
    held_out_share: float = 0.2,
    bootstrap: Bootstrap | None = None,
    seed: int = 0,
) -> MateWeights:
    """Fit ``shortfall = penalty · w`` by least squares, without an intercept.

    Parameters
    ----------
    aspects : sequence of str, length k
    penalty : array-like of float, shape (n, k)
        Of :func:`penalties`, one row an answer (means over its raters) or a single rating.
    shortfall : array-like of float, shape (n,)
        The overall rating minus its best value: 0 or less.
    questions : sequence of hashable, length n
    units : sequence of hashable, length n, optional
        What rows have in common, such as the article; by default the question. All rows of a unit, such as the
        judgments of all answers to one question, are resampled and held out together.
    held_out_share : float
        Share of the units held out for the correlation, between 0 and 1.
    bootstrap : Bootstrap, optional
        Resample units for intervals of the weights and of the held-out correlation.
    seed : int
        Draws the units held out.

    Returns
    -------
    MateWeights

    Raises
    ------
    MateError
        When there are fewer answers than aspects, an aspect was never rated below its best, or two aspects move
        together entirely, so that their weights cannot be told apart.

    References
    ----------
    Field and Welsh (2007), Bootstrapping clustered data. Coverage of the weights' and the held-out interval:
    ``docs/reference/llm-mate.md``.
    """
    f, y = np.asarray(penalty, dtype=np.float64), np.asarray(shortfall, dtype=np.float64)
    shared = questions if units is None else units
    if f.shape != (len(y), len(aspects)) or not len(y) == len(questions) == len(shared):
        raise ValueError("penalty must have a row for each shortfall, question and unit, and a column for each aspect.")
    _check_determined(aspects, f)
    names = {unit: code for code, unit in enumerate(dict.fromkeys(shared))}
    groups = np.array([names[unit] for unit in shared], dtype=np.int64)
    products, moments = _by_unit(f, y, groups, len(names))
    solution = np.linalg.solve(products.sum(axis=0), moments.sum(axis=0))
    return MateWeights(
        weights=tuple(
            Weight(aspect, float(value), *interval)
            for aspect, value, interval in zip(
                aspects, solution, _intervals(products, moments, solution, bootstrap), strict=True
            )
        ),
        n_answers=len(y),
        n_questions=len(set(questions)),
        n_units=len(names),
        held_out=_held_out(f, y, groups, held_out_share, seed, bootstrap),
        signature=signature_line(
            "mate", aspects=",".join(aspects), held_out=held_out_share, seed=seed, resampled="units"
        ),
    )


def mate_scores(weights: ArrayLike, penalty: ArrayLike, *, best: float) -> Floats:
    """The MATE score ``w · f + best`` of each answer.

    Parameters
    ----------
    weights : array-like of float, shape (k,)
    penalty : array-like of float, shape (n, k)
        Of the judge's ratings, in the order of the weights.
    best : float
        The best overall rating, such as 3.

    Examples
    --------
    >>> mate_scores([2.048, 0.739, 0.335], [[(2.0 - 3) / 3, -0.3, -0.3]], best=3).round(3).tolist()
    [1.995]
    """
    return np.asarray(penalty, dtype=np.float64) @ np.asarray(weights, dtype=np.float64) + best


def unanimity(choices: Sequence[Sequence[Hashable]]) -> dict[int, int]:
    """How many items have how large a largest group of raters with the same preference.

    Parameters
    ----------
    choices : sequence of sequence
        The preferences of each item's raters.

    Returns
    -------
    dict
        Size of the largest agreeing group → number of items; with three raters 3 is total agreement and 1 none.
    """
    found: dict[int, int] = {}
    for given in choices:
        if given:
            size = max(given.count(each) for each in given)
            found[size] = found.get(size, 0) + 1
    return dict(sorted(found.items(), reverse=True))


def _check_determined(aspects: Sequence[str], f: Floats) -> None:
    if len(f) < len(aspects):
        raise MateError("mate.too_few_answers", answers=len(f), aspects=len(aspects))
    for aspect, column in zip(aspects, f.T, strict=True):
        if not column.any():
            raise MateError("mate.never_below_best", aspect=aspect)
    if np.linalg.matrix_rank(f) < len(aspects):
        raise MateError("mate.aspects_move_together")


def _by_unit(f: Floats, y: Floats, groups: Codes, n: int) -> tuple[Floats, Floats]:
    """The sums that least squares needs, unit by unit: (n, k, k) and (n, k)."""
    products, moments = np.zeros((n, f.shape[1], f.shape[1])), np.zeros((n, f.shape[1]))
    np.add.at(products, groups, f[:, :, None] * f[:, None, :])
    np.add.at(moments, groups, f * y[:, None])
    return products, moments


def _intervals(
    products: Floats, moments: Floats, solution: Floats, bootstrap: Bootstrap | None
) -> list[tuple[Interval | None, str | None]]:
    k = moments.shape[1]
    if bootstrap is None:
        return [(None, gettext_noop("No interval was asked for."))] * k

    def refit(sizes: Floats) -> Floats:
        sums = np.einsum("qb,qij->bij", sizes, products)
        right = sizes.T @ moments
        singular = np.linalg.matrix_rank(sums) < k
        solved = np.linalg.solve(np.where(singular[:, None, None], np.eye(k), sums), right[..., None])[..., 0]
        return np.where(singular[:, None], np.nan, solved).T

    sample = bootstrap.sample(refit, len(moments), width=k * k)
    n = len(moments)
    return [bootstrap.interval(row, value, n_units=n) for row, value in zip(sample, solution.tolist(), strict=True)]


def _held_out(f: Floats, y: Floats, groups: Codes, share: float, seed: int, bootstrap: Bootstrap | None) -> Statistic:
    """Pearson's r on units that a fit of its own has not seen."""
    n = int(groups.max(initial=-1)) + 1
    order = np.random.default_rng(seed).permutation(n)
    out = np.isin(groups, order[: round(share * n)])
    questions, code = np.unique(groups[out], return_inverse=True)
    if out.sum() < 3:
        return _no_r(
            gettext_noop("Too few answers were held out; at least three are needed."), len(questions), int(out.sum())
        )
    if np.linalg.matrix_rank(f[~out]) < f.shape[1]:
        return _no_r(
            gettext_noop("The answers that are left cannot settle the weights."), len(questions), int(out.sum())
        )
    weights = np.linalg.lstsq(f[~out], y[~out], rcond=None)[0]
    return clustered_pearson(f[out] @ weights, y[out], code, bootstrap=bootstrap)


def _no_r(because: str, n_questions: int, n_answers: int) -> Statistic:
    return Statistic(
        None, because, n_questions, 2, n_answers, n_questions, None, gettext_noop("The statistic itself is undefined.")
    )

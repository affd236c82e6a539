"""Whom to ask next: the chance that each thing is drawn for people, the draw, and the weight that it has afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.allocation import shuffled
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.ratings import RatingsError

LEAST_FLOOR = 0.1
_DIGEST = 2.0**256


class Draw(NamedTuple):
    """How many things there were to be drawn from, and how many were drawn."""

    frame: int
    n: int


def chances(spreads: ArrayLike, n: int, *, floor: float) -> Floats:
    """The chance of each of M things to be among the n that people are asked about.

    A part of it is the same for all, so that nothing is left out for certain and no weight explodes; the rest goes by
    how far people's judgment may lie from the model's::

        π = (1 − m) q + m n / M,   q = min(1, c s)   with c such that Σ q = n

    s is the expected distance, in which the variance of the estimate is smallest for q in proportion to it. With
    m = 1, or s the same everywhere, the choice is uniformly random.

    Parameters
    ----------
    spreads : array-like of float, shape (M,)
        s, at least 0, in any unit: a standard deviation. NaN where nothing is known: these take the mean of the others.
    n : int
        How many are to be drawn, 1 … M.
    floor : float
        m, from 0.1 to 1.

    Returns
    -------
    array of float, shape (M,)
        Each above 0 and at most 1; their sum is n.

    Raises
    ------
    RatingsError
        When n or the floor is out of range, or a spread is negative or infinite.

    References
    ----------
    Zrnic and Candès (2024), Active statistical inference, arXiv 2403.03208.

    >>> chances([0.0, 1.0, 1.0, 2.0], 2, floor=0.2).round(2).tolist()
    [0.1, 0.5, 0.5, 0.9]
    """
    s = np.asarray(spreads, dtype=np.float64)
    if s.ndim != 1 or not 1 <= n <= len(s):
        raise RatingsError(f"{n} cannot be drawn of {len(s) if s.ndim == 1 else s.shape}.")
    if not LEAST_FLOOR <= floor <= 1:
        raise RatingsError(f"The part that is the same for all is {floor}; it must be from {LEAST_FLOOR} to 1.")
    known = ~np.isnan(s)
    if np.isinf(s).any() or (s[known] < 0).any():
        raise RatingsError("A spread is negative or infinite.")
    s = np.where(known, s, s[known].mean() if known.any() else 1.0)
    found: Floats = (1 - floor) * _in_proportion(s, n) + floor * n / len(s)
    return np.minimum(found, 1)


def _in_proportion(s: Floats, n: int) -> Floats:
    """q: in proportion to s, none above 1, with sum n. What the positive ones cannot take goes evenly to the zeros."""
    order = np.argsort(-s, kind="stable")
    of_rest = np.cumsum(s[order][::-1])[::-1]  # Σ s from each place on
    places = np.arange(n)
    # Those at 1 are the first ones, as long as the next would get more than 1 of what is left.
    too_much = s[order][:n] * (n - places) > of_rest[:n]
    certain = int(np.argmin(too_much)) if not too_much.all() else n
    q = np.ones(len(s))
    rest, left = order[certain:], n - certain
    if left and (total := float(s[rest].sum())) > 0:
        q[rest] = s[rest] * left / total
    elif len(rest):
        q[rest] = left / len(rest)
    return q


def draw(probabilities: ArrayLike, *, seed: str) -> Codes:
    """Draw so many things as the probabilities sum up to, each with exactly its probability; their places, sorted.

    Systematic sampling in an order by chance: on a line of pieces as long as the probabilities, points stand at
    u, u + 1, …, u + n − 1. Order and u are hashes of the seed, so that they depend on no generator's version.

    Parameters
    ----------
    probabilities : array-like of float, shape (M,)
        Above 0 and at most 1, with a whole number as their sum, as of `chances`.
    seed : str

    Raises
    ------
    RatingsError
        When they are no such probabilities.

    References
    ----------
    Madow (1949), On the theory of systematic sampling, II.

    >>> draw([1.0, 0.5, 0.5, 1.0], seed="1").tolist()
    [0, 2, 3]
    """
    pi = np.asarray(probabilities, dtype=np.float64)
    n = round(float(pi.sum())) if pi.ndim == 1 else 0
    if n < 1 or not ((pi > 0) & (pi <= 1)).all() or abs(float(pi.sum()) - n) > 1e-6 * n:
        raise RatingsError("Probabilities lie above 0, are at most 1 and sum up to a whole number.")
    order = np.array(shuffled(range(len(pi)), seed=seed), dtype=np.int64)
    ends = np.cumsum(pi[order])
    ends *= n / ends[-1]
    start = int.from_bytes(sha256(f"{seed}/start".encode()).digest()) / _DIGEST
    return np.sort(order[np.searchsorted(ends, start + np.arange(n), side="right")])


def weights_of_draws(probabilities: ArrayLike, draws_with_it: ArrayLike, draws: Sequence[Draw]) -> Floats:
    """How many things each judged one stands for, after one draw or several, each from what was left by then.

    Each draw k by itself gives an estimate that is right on average: what people had judged before counts once, what
    was drawn 1 / π times. Their mean with weights α_k that depend on nothing that anybody judged is right, too::

        w_i = α_k / π_i + Σ_{j > k} α_j     drawn in draw k
        w_i = Σ_{j ≥ k} α_j                 given to people in another way, after k draws
        α_k ∝ n_k / (R_k (R_k − n_k)),  Σ α = 1     n_k drawn of R_k

    Of uniformly random draws all things drawn weigh the same.

    Parameters
    ----------
    probabilities : array-like of float, shape (n,)
        π of what was drawn; NaN of what was not.
    draws_with_it : array-like of int, shape (n,)
        From how many draws each could have been drawn: the first ones, up to the one that drew it.
    draws : sequence of Draw
        In their order.

    Returns
    -------
    array of float, shape (n,)
        0 for what was given to people in another way after the last draw, whose judgments must not count.

    Raises
    ------
    RatingsError
        When there is no draw, a draw is impossible, or something was drawn in none.
    """
    pi, with_it = np.asarray(probabilities, dtype=np.float64), np.asarray(draws_with_it, dtype=np.int64)
    if not draws or any(not 1 <= each.n <= each.frame for each in draws):
        raise RatingsError("Give each draw, with how many were drawn of how many.")
    drawn = ~np.isnan(pi)
    if (with_it[drawn] < 1).any() or (with_it < 0).any() or (with_it > len(draws)).any():
        raise RatingsError(f"What was drawn was drawn in one of the {len(draws)} draws.")
    alpha = np.array([0.0 if each.n == each.frame else each.n / (each.frame * (each.frame - each.n)) for each in draws])
    if draws[-1].n == draws[-1].frame:  # all that was left: nothing is estimated any more
        alpha = np.zeros(len(draws))
        alpha[-1] = 1.0
    alpha /= alpha.sum()
    later = np.concatenate([np.cumsum(alpha[::-1])[::-1], [0.0]])[with_it]
    found: Floats = later + np.where(drawn, alpha[with_it - 1], 0) / np.where(drawn, pi, 1)
    return found


def spread_variances(counts: ArrayLike, squares: ArrayLike) -> Floats | None:
    """How far apart several replies about one thing lie, as an expected squared distance of each thing.

    With n replies about a thing and SS = Σ (x − x̄)² of them (for labels without numbers n (1 − Σ p²), p their
    shares)::

        v̄ = Σ SS / Σ (n − 1)     v = (SS + v̄) / n

    v̄ counts as one more piece of evidence, since two or three replies that happen to be equal do not say that others
    would be. A thing with one reply has v̄.

    Parameters
    ----------
    counts : array-like of int, shape (M,)
        n, at least 0.
    squares : array-like of float, shape (M,)
        SS.

    Returns
    -------
    array of float, shape (M,), or None
        NaN where there is no reply. None where no thing has two replies or replies never differ: then they say
        nothing about what is uncertain.

    >>> spread_variances([2, 2, 1], [0.5, 0.0, 0.0]).round(3).tolist()
    [0.375, 0.125, 0.25]
    """
    n, apart = np.asarray(counts, dtype=np.float64), np.asarray(squares, dtype=np.float64)
    if n.shape != apart.shape or n.ndim != 1:
        raise RatingsError(f"Give one count and one sum of squares a thing, not {n.shape} and {apart.shape}.")
    pairs = float(np.maximum(n - 1, 0).sum())
    if pairs == 0 or apart.sum() <= 0:
        return None
    mean = float(apart.sum()) / pairs
    found: Floats = np.where(n > 0, (apart + mean) / np.maximum(n, 1), np.nan)
    return found

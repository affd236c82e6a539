"""How strong each of several systems is, from comparisons of two at a time: Bradley and Terry's model with ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.stats import t

from annotation_platform.core.statistics.ratings import Codes, Floats, RatingsError
from annotation_platform.core.statistics.result import Interval, signature_line
from annotation_platform.core.text import ONE_GROUP

RIDGE = 0.01
NOTHING = "No two of them were compared."
ONLY_TIES = "Every comparison is a tie, so that none is stronger than another."
UNBOUNDED = (
    "It, or a part that it belongs to, won all or lost all against the rest, so that nothing says by how much it "
    "is stronger or weaker; the strength shown is held finite by a small penalty."
)
NOT_TOLD_APART = "It differs with the systems only, or not at all, so that its effect cannot be told from theirs."
ONE_SIDED = "The outcomes follow it without exception, so that nothing says how much it matters."
_FARTHEST = 6.0  # of a coefficient in its own spread; beyond it, only the penalty holds it
_TERMS = 20
_ENOUGH = 1e-6


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, p that it is 0, and how many groups it rests on.

    Attributes
    ----------
    value : float or None
    undefined_because : str or None
        The reason, exactly where `value` is None.
    interval : Interval or None
    no_interval_because : str or None
        The reason, exactly where `interval` is None.
    p_value : float or None
        Two-sided; None where there is no interval.
    n_units : int
        Groups in which it was compared.
    """

    value: float | None
    undefined_because: str | None
    interval: Interval | None
    no_interval_because: str | None
    p_value: float | None
    n_units: int


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """What `davidson` found.

    Attributes
    ----------
    strengths : tuple of Estimate
        log π by system; they sum to zero.
    differences : dict of (int, int) to Estimate
        log π of the one less that of the other, for every two systems with the lower code first.
    effects : tuple of Estimate
        Of each covariate.
    tie : float or None
        ν; None where nothing is defined, 0 without ties.
    parts : tuple of tuple of int
        Codes of systems that comparisons connect. More than one part has no common scale, and all is undefined.
    n_comparisons, n_units : int
    n_iterations : int
    signature : str
    """

    strengths: tuple[Estimate, ...]
    differences: dict[tuple[int, int], Estimate]
    effects: tuple[Estimate, ...]
    tie: float | None
    parts: tuple[tuple[int, ...], ...]
    n_comparisons: int
    n_units: int
    n_iterations: int
    signature: str


def davidson(
    first: ArrayLike,
    second: ArrayLike,
    outcomes: ArrayLike,
    groups: ArrayLike,
    *,
    n_systems: int | None = None,
    covariates: ArrayLike | None = None,
    ridge: float = RIDGE,
    level: float = 0.95,
    max_iterations: int = 100,
) -> Strengths:
    """Strengths of systems from comparisons of two at a time, with ties and covariates, and their intervals.

    With d = log π_i − log π_j + Σ_m β_m x_m of a comparison of i with j::

        P(i) = exp(d / 2) / Z,   P(j) = exp(−d / 2) / Z,   P(tie) = ν / Z,   Z = exp(d / 2) + exp(−d / 2) + ν

    which for π_i, π_j alone is π_i / D, π_j / D and ν √(π_i π_j) / D with D = π_i + π_j + ν √(π_i π_j). A covariate
    is +1 where the first was shown before the second and −1 where it stood behind it (so that being shown first is
    worth exp 2β in odds), or a difference such as the log ratio of lengths. The likelihood less ½ ridge (Σ log² π + Σ
    β² var x) is maximised by Newton's method; the strengths sum to zero. Without ties it is Bradley and Terry's model.

    Comparisons of a group are not independent, so a variance is the jackknife's over groups, whose estimates without
    group g come from the score u_g and information H_g of its comparisons, H that of all::

        V = (G − 1) / G Σ_g Δ_g Δ_gᵀ,   Δ_g = (H − H_g)⁻¹ u_g = Σ_k (H⁻¹ H_g)^k H⁻¹ u_g, of at most 20 terms

    The interval is that of Student's t, of G* − 1 degrees of freedom at most and of one at least: G* = (Σ c_g)² /
    Σ c_g², with c_g the share of group g in the information on the system, of the two systems the fewer.

    Parameters
    ----------
    first, second : array-like of int, shape (n,)
        Codes of the systems compared, never the same one twice.
    outcomes : array-like of float, shape (n,)
        1 where the first was preferred, 0.5 for a tie, 0 where the second was.
    groups : array-like of int, shape (n,)
        Codes of the groups, such as of articles or questions; any whole numbers.
    n_systems : int, optional
        By default the greatest code plus one.
    covariates : array-like of float, shape (n, m), optional
        Finite; each in the direction from second to first.
    ridge : float
        0 for the pure maximum, which does not exist where a system won or lost everything.
    level : float
        Confidence level.

    Returns
    -------
    Strengths
        Undefined where the comparisons fall into parts that nothing connects. Without intervals where all
        comparisons are of one group; strengths and their differences also where a part of the systems won or lost
        everything against the rest, which then are what the ridge makes of it. A covariate is left out where it
        cannot be told from the systems.

    Raises
    ------
    RatingsError
        When the columns differ in length, a system is compared with itself, an outcome is none of 0, 0.5 and 1, or
        a covariate is not finite.

    References
    ----------
    Davidson (1970), On extending the Bradley–Terry model to accommodate ties, JASA 65; Bell and McCaffrey (2002), Bias
    reduction in standard errors for linear regression with multi-stage samples; Carter, Schnepel and Steigerwald
    (2017) for G*. Checked against `choix`, `evalica` and a maximum found without derivatives.

    >>> found = davidson([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 0], groups=range(4), ridge=0)
    >>> round(found.strengths[0].value - found.strengths[1].value, 4), found.tie  # log 3
    (1.0986, 0.0)
    """
    table = _Comparisons.of(first, second, outcomes, groups, n_systems, covariates)
    parts = table.parts()
    signature = signature_line(
        "davidson", covariates=table.extra.shape[1] or None, ridge=ridge, interval="t|jackknife", level=level
    )
    reason = NOTHING if not len(table.outcomes) else _apart(parts) if len(parts) > 1 else None
    if reason is None and (table.outcomes == 0.5).all():
        reason = ONLY_TIES
    if reason is not None:
        none = Estimate(None, reason, None, reason, None, 0)
        pairs = {(a, b): none for a in range(table.n_systems) for b in range(a + 1, table.n_systems)}
        n_units = len(np.unique(table.group))
        return Strengths(
            (none,) * table.n_systems,
            pairs,
            (none,) * table.extra.shape[1],
            None,
            parts,
            len(table.outcomes),
            n_units,
            0,
            signature,
        )
    told = table.told_apart()
    fit = _fit(table.with_covariates(told), ridge, max_iterations)
    return _described(table, fit, told, parts, level, signature)


def preferred_share(log_odds: float, tie: float) -> float:
    """How often the stronger is preferred where d is `log_odds`, a tie as half: P(i) + P(tie) / 2."""
    win, loss = np.exp(log_odds / 2), np.exp(-log_odds / 2)
    return float((win + tie / 2) / (win + loss + tie))


@dataclass(frozen=True, slots=True, eq=False)
class _Comparisons:
    first: Codes
    second: Codes
    outcomes: Floats
    group: Codes
    extra: Floats  # (n, m)
    n_systems: int

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        outcomes: ArrayLike,
        groups: ArrayLike,
        n_systems: int | None,
        covariates: ArrayLike | None,
    ) -> _Comparisons:
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        out, group = np.asarray(outcomes, np.float64), np.asarray(groups)
        extra = np.empty((len(out), 0)) if covariates is None else np.asarray(covariates, np.float64)
        if not one.shape == other.shape == out.shape == group.shape or out.ndim != 1 or extra.shape[:1] != out.shape:
            shapes = ", ".join(str(each.shape) for each in (one, other, out, group, extra))
            raise RatingsError(f"Give two systems, one outcome, one group and its covariates a row, not {shapes}.")
        if (one == other).any():
            raise RatingsError("A system is compared with itself; leave the row out.")
        if not np.isin(out, (0.0, 0.5, 1.0)).all():
            raise RatingsError("An outcome is 1 (the first), 0.5 (a tie) or 0 (the second).")
        if not np.isfinite(extra).all():
            raise RatingsError("A covariate has no number for a row; leave the row out.")
        n = n_systems if n_systems is not None else int(max(one.max(initial=-1), other.max(initial=-1))) + 1
        if len(out) and not 0 <= min(one.min(), other.min()) <= max(one.max(), other.max()) < n:
            raise RatingsError(f"Codes of systems run from 0 to {n - 1}.")
        return cls(one, other, out, np.unique(group, return_inverse=True)[1].reshape(out.shape), extra, n)

    def with_covariates(self, kept: Sequence[int]) -> _Comparisons:
        extra = self.extra[:, list(kept)]
        return _Comparisons(self.first, self.second, self.outcomes, self.group, extra, self.n_systems)

    def parts(self) -> tuple[tuple[int, ...], ...]:
        n, labels = connected_components(self._graph(self.first, self.second), directed=False)
        return tuple(tuple(np.flatnonzero(labels == part).tolist()) for part in range(n))

    def is_bounded(self) -> bool:
        """Whether every system is above some and below some, over any number of steps (Ford's condition)."""
        won, lost = self.outcomes >= 0.5, self.outcomes <= 0.5
        above, below = np.r_[self.first[won], self.second[lost]], np.r_[self.second[won], self.first[lost]]
        return bool(connected_components(self._graph(above, below), connection="strong")[0] == 1)

    def _graph(self, one: Codes, other: Codes) -> sparse.csr_array:
        n = self.n_systems
        return sparse.csr_array((np.ones(len(one)), (one, other)), shape=(n, n))

    def design(self) -> sparse.csr_array:
        """+1 for the first, −1 for the second, and the covariates: shape (n, systems + covariates)."""
        n = len(self.outcomes)
        rows = np.arange(n)
        systems = sparse.csr_array(
            (np.r_[np.ones(n), -np.ones(n)], (np.r_[rows, rows], np.r_[self.first, self.second])),
            shape=(n, self.n_systems),
        )
        return sparse.csr_array(sparse.hstack([systems, sparse.csr_array(self.extra)], format="csr"))

    def told_apart(self) -> tuple[int, ...]:
        """Covariates that vary beyond what the systems, and the covariates before them, explain."""
        kept: list[int] = []
        for place in range(self.extra.shape[1]):
            x = self.with_covariates(kept).design()
            wanted = self.extra[:, place]
            square = float(wanted @ wanted)
            explained = x.T @ wanted
            solved = np.linalg.lstsq((x.T @ x).toarray(), explained, rcond=None)[0]
            if square > 0 and square - float(explained @ solved) > _ENOUGH * square:
                kept.append(place)
        return tuple(kept)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Parameters, log π of the systems, then β, then log ν if there are ties, with what their variance needs."""

    parameters: Floats
    inverse: Floats
    deltas: Floats  # (groups, parameters)
    information: Floats  # (groups, systems): what each group says of each system
    is_bounded: bool
    n_iterations: int


def _fit(table: _Comparisons, ridge: float, max_iterations: int) -> _Fit:
    design, has_ties = table.design(), bool((table.outcomes == 0.5).any())
    n_linear = design.shape[1]
    penalty = ridge * np.r_[np.ones(table.n_systems), table.extra.var(axis=0), np.zeros(int(has_ties))]
    centre = np.zeros((len(penalty), len(penalty)))  # holds the sum of log π at zero
    centre[: table.n_systems, : table.n_systems] = 1 / table.n_systems
    parameters, step = np.zeros(len(penalty)), np.inf
    n_iterations = 0
    while np.max(np.abs(step)) > 1e-10 and n_iterations < max_iterations:
        n_iterations += 1
        rows = _Rows.at(table, design @ parameters[:n_linear], parameters[-1] if has_ties else -np.inf)
        hessian = rows.information(design, has_ties) + np.diag(penalty) + centre
        gradient = rows.score(design, has_ties) - penalty * parameters - centre @ parameters
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        parameters = parameters + step * min(1.0, 2.0 / max(np.max(np.abs(step)), 1e-300))
    rows = _Rows.at(table, design @ parameters[:n_linear], parameters[-1] if has_ties else -np.inf)
    inverse: Floats = np.asarray(
        np.linalg.pinv(rows.information(design, has_ties) + np.diag(penalty) + centre), np.float64
    )
    return _Fit(
        parameters,
        inverse,
        _left_out(table, rows, design, inverse, has_ties=has_ties),
        _information_on_systems(table, rows),
        table.is_bounded(),
        n_iterations,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Of each comparison the score and information in d and log ν."""

    by_d: Floats
    by_tie: Floats
    dd: Floats
    d_tie: Floats
    tie_tie: Floats

    @classmethod
    def at(cls, table: _Comparisons, d: Floats, log_tie: float) -> _Rows:
        exponents = np.stack([d / 2, -d / 2, np.full(len(d), log_tie)])
        chances = np.exp(exponents - exponents.max(axis=0))
        win, loss, tie = chances / chances.sum(axis=0)
        ahead = (win - loss) / 2
        return cls(
            table.outcomes - 0.5 - ahead,
            (table.outcomes == 0.5) - tie,
            (win + loss) / 4 - ahead**2,
            -ahead * tie,
            tie * (1 - tie),
        )

    def score(self, design: sparse.csr_array, has_ties: bool) -> Floats:
        return np.asarray(np.r_[design.T @ self.by_d, [self.by_tie.sum()] if has_ties else []])

    def information(self, design: sparse.csr_array, has_ties: bool) -> Floats:
        linear = (design.T @ sparse.diags_array(self.dd) @ design).toarray()
        if not has_ties:
            return np.asarray(linear)
        beside = design.T @ self.d_tie
        return np.block([[linear, beside[:, None]], [beside[None, :], np.array([[self.tie_tie.sum()]])]])


def _left_out(table: _Comparisons, rows: _Rows, design: sparse.csr_array, inverse: Floats, *, has_ties: bool) -> Floats:
    """How far the estimates move without each group: (groups, parameters)."""
    n_linear = design.shape[1]
    n_groups = int(table.group.max()) + 1
    to_group = sparse.csr_array((np.ones(len(table.group)), (table.group, np.arange(len(table.group)))))

    def by_group(in_d: Floats, in_tie: Floats) -> Floats:
        found = np.zeros((n_groups, len(inverse)))
        found[:, :n_linear] = (to_group @ sparse.diags_array(in_d) @ design).toarray()
        if has_ties:
            found[:, -1] = np.bincount(table.group, in_tie, n_groups)
        return found

    moved = by_group(rows.by_d, rows.by_tie) @ inverse
    term = moved
    for _ in range(_TERMS):
        along = term[table.group, table.first] - term[table.group, table.second]
        along += (term[table.group, table.n_systems : n_linear] * table.extra).sum(axis=1)
        tie = term[table.group, -1] if has_ties else 0.0
        term = by_group(rows.dd * along + rows.d_tie * tie, rows.d_tie * along + rows.tie_tie * tie) @ inverse
        moved = moved + term
        if np.abs(term).max() <= 1e-3 * np.abs(moved).max():
            break
    return np.asarray(moved)


def _information_on_systems(table: _Comparisons, rows: _Rows) -> Floats:
    n_groups, n = int(table.group.max()) + 1, table.n_systems
    cells = np.r_[table.group * n + table.first, table.group * n + table.second]
    found = np.bincount(cells, np.r_[rows.dd, rows.dd], n_groups * n)
    return found.reshape(n_groups, n).astype(np.float64)


def _described(
    table: _Comparisons,
    fit: _Fit,
    told: tuple[int, ...],
    parts: tuple[tuple[int, ...], ...],
    level: float,
    signature: str,
) -> Strengths:
    n, n_groups = table.n_systems, len(fit.deltas)
    square = (fit.information**2).sum(axis=0)
    effective = fit.information.sum(axis=0) ** 2 / np.where(square > 0, square, 1)
    units = (fit.information > 0).sum(axis=0)
    strength_reason = ONE_GROUP if n_groups < 2 else None if fit.is_bounded else UNBOUNDED

    def estimate(contrast: Floats, n_units: int, of: float, reason: str | None) -> Estimate:
        value = float(contrast @ fit.parameters)
        if reason is not None:
            return Estimate(value, None, None, reason, None, n_units)
        error = sqrt((n_groups - 1) / n_groups * float(((fit.deltas @ contrast) ** 2).sum()))
        freedom = max(of - 1, 1.0)
        reach = float(t.ppf((1 + level) / 2, freedom)) * error
        p_value = float(2 * t.sf(abs(value) / error, freedom)) if error > 0 else None
        return Estimate(value, None, Interval(value - reach, value + reach, level), None, p_value, n_units)

    unit = np.eye(len(fit.parameters))
    strengths = tuple(estimate(unit[a], int(units[a]), effective[a], strength_reason) for a in range(n))
    differences = {
        (a, b): estimate(
            unit[a] - unit[b], int(min(units[a], units[b])), min(effective[a], effective[b]), strength_reason
        )
        for a in range(n)
        for b in range(a + 1, n)
    }
    per_group = fit.information.sum(axis=1)
    of_all = float(per_group.sum() ** 2 / (per_group**2).sum())
    effects = []
    for place in range(table.extra.shape[1]):
        if place not in told:
            effects.append(Estimate(None, NOT_TOLD_APART, None, NOT_TOLD_APART, None, 0))
            continue
        parameter = n + told.index(place)
        x = table.extra[:, place]
        n_units = len(np.unique(table.group[x != 0]))
        is_far = abs(fit.parameters[parameter]) * float(np.sqrt((x**2).mean())) > _FARTHEST
        reason = ONE_GROUP if n_groups < 2 else ONE_SIDED if is_far else None
        effects.append(estimate(unit[parameter], n_units, of_all, reason))
    has_ties = bool((table.outcomes == 0.5).any())
    return Strengths(
        strengths,
        differences,
        tuple(effects),
        float(np.exp(fit.parameters[-1])) if has_ties else 0.0,
        parts,
        len(table.outcomes),
        n_groups,
        fit.n_iterations,
        signature,
    )


def _apart(parts: tuple[tuple[int, ...], ...]) -> str:
    return f"The comparisons fall into {len(parts)} parts that nothing connects, so that there is no common scale."

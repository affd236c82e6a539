"""The maximum of Davidson's likelihood, and how far it moves without each group of comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.comparisons import Comparisons

_TERMS = 20


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """How far the estimates move without each group, and what each group says of each system."""

    deltas: Floats  # (groups, parameters)
    information: Floats  # (groups, systems)

    def __len__(self) -> int:
        return len(self.deltas)

    @property
    def covariance(self) -> Floats:
        """The jackknife's: (G − 1) / G Σ_g Δ_g Δ_gᵀ."""
        n = len(self)
        return np.asarray((n - 1) / n * self.deltas.T @ self.deltas)


@dataclass(frozen=True, slots=True, eq=False)
class RatersLeftOut:
    """The same of each rater, and the covariance Σ H⁻¹ u uᵀ H⁻¹ over what one rater says of one group."""

    left_out: LeftOut
    cells: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Parameters, log π of the systems, then β, then log ν if there are ties, with what their variance needs.

    ``raters`` is None where nobody said whose the comparisons are.
    """

    parameters: Floats
    inverse: Floats  # H⁻¹
    groups: LeftOut
    raters: RatersLeftOut | None
    is_bounded: bool
    n_iterations: int


def fit(table: Comparisons, ridge: float, max_iterations: int) -> Fit:
    design, has_ties = table.design(), bool((table.outcomes == 0.5).any())
    n_linear = design.shape[1]
    penalty = ridge * np.r_[np.ones(table.n_systems), table.extra.var(axis=0), np.zeros(int(has_ties))]
    centre = np.zeros((len(penalty), len(penalty)))  # holds the sum of log π at zero
    centre[: table.n_systems, : table.n_systems] = 1 / table.n_systems
    parameters, step = np.zeros(len(penalty)), np.inf
    n_iterations = 0
    while np.max(np.abs(step)) > 1e-10 and n_iterations < max_iterations:
        n_iterations += 1
        rows = Rows.at(table, design @ parameters[:n_linear], parameters[-1] if has_ties else -np.inf)
        hessian = rows.information(design, has_ties) + np.diag(penalty) + centre
        gradient = rows.score(design, has_ties) - penalty * parameters - centre @ parameters
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        parameters = parameters + step * min(1.0, 2.0 / max(np.max(np.abs(step)), 1e-300))
    rows = Rows.at(table, design @ parameters[:n_linear], parameters[-1] if has_ties else -np.inf)
    inverse: Floats = np.asarray(
        np.linalg.pinv(rows.information(design, has_ties) + np.diag(penalty) + centre), np.float64
    )
    groups = _left_out(table, rows, design, inverse, table.group, has_ties=has_ties)
    raters = None
    if table.rater is not None:
        raters = RatersLeftOut(
            _left_out(table, rows, design, inverse, table.rater, has_ties=has_ties),
            _of_cells(table.cell, rows, design, inverse, has_ties=has_ties),
        )
    return Fit(parameters, inverse, groups, raters, table.is_bounded(), n_iterations)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Of each comparison the score and information in d and log ν."""

    by_d: Floats
    by_tie: Floats
    dd: Floats
    d_tie: Floats
    tie_tie: Floats

    @classmethod
    def at(cls, table: Comparisons, d: Floats, log_tie: float) -> Rows:
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


def _left_out(
    table: Comparisons, rows: Rows, design: sparse.csr_array, inverse: Floats, group: Codes, *, has_ties: bool
) -> LeftOut:
    n_linear = design.shape[1]
    n_groups = int(group.max()) + 1
    to_group = _sums(group)

    def by_group(in_d: Floats, in_tie: Floats) -> Floats:
        found = np.zeros((n_groups, len(inverse)))
        found[:, :n_linear] = (to_group @ sparse.diags_array(in_d) @ design).toarray()
        if has_ties:
            found[:, -1] = np.bincount(group, in_tie, n_groups)
        return found

    moved = by_group(rows.by_d, rows.by_tie) @ inverse
    term = moved
    for _ in range(_TERMS):
        along = term[group, table.first] - term[group, table.second]
        along += (term[group, table.n_systems : n_linear] * table.extra).sum(axis=1)
        tie = term[group, -1] if has_ties else 0.0
        term = by_group(rows.dd * along + rows.d_tie * tie, rows.d_tie * along + rows.tie_tie * tie) @ inverse
        moved = moved + term
        if np.abs(term).max() <= 1e-3 * np.abs(moved).max():
            break
    return LeftOut(np.asarray(moved), _information_on_systems(table, rows, group))


def _of_cells(cell: Codes, rows: Rows, design: sparse.csr_array, inverse: Floats, *, has_ties: bool) -> Floats:
    to_cell = _sums(cell)
    score = to_cell @ sparse.diags_array(rows.by_d) @ design
    if has_ties:
        score = sparse.hstack([score, sparse.csr_array((to_cell @ rows.by_tie)[:, None])], format="csr")
    return np.asarray(inverse @ (score.T @ score).toarray() @ inverse)


def _sums(group: Codes) -> sparse.csr_array:
    """Adds up the rows of each group."""
    return sparse.csr_array((np.ones(len(group)), (group, np.arange(len(group)))))


def _information_on_systems(table: Comparisons, rows: Rows, group: Codes) -> Floats:
    n_groups, n = int(group.max()) + 1, table.n_systems
    cells = np.r_[group * n + table.first, group * n + table.second]
    found = np.bincount(cells, np.r_[rows.dd, rows.dd], n_groups * n)
    return found.reshape(n_groups, n).astype(np.float64)

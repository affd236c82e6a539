"""Comparisons of two systems at a time, as columns: checked, and what connects the systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.ratings import RatingsError

_ENOUGH = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    first: Codes
    second: Codes
    outcomes: Floats
    group: Codes
    extra: Floats  # (n, m)
    n_systems: int
    rater: Codes | None = None

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        outcomes: ArrayLike,
        groups: ArrayLike,
        n_systems: int | None,
        covariates: ArrayLike | None,
        raters: ArrayLike | None = None,
    ) -> Comparisons:
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        out, group = np.asarray(outcomes, np.float64), np.asarray(groups)
        extra = np.empty((len(out), 0)) if covariates is None else np.asarray(covariates, np.float64)
        if not one.shape == other.shape == out.shape == group.shape or out.ndim != 1 or extra.shape[:1] != out.shape:
            shapes = ", ".join(str(each.shape) for each in (one, other, out, group, extra))
            raise RatingsError(f"Give two systems, one outcome, one group and its covariates a row, not {shapes}.")
        rater = None if raters is None else np.asarray(raters)
        if rater is not None and rater.shape != out.shape:
            raise RatingsError(f"Give one rater a row: {len(out)}, not {rater.shape}.")
        if (one == other).any():
            raise RatingsError("A system is compared with itself; leave the row out.")
        if not np.isin(out, (0.0, 0.5, 1.0)).all():
            raise RatingsError("An outcome is 1 (the first), 0.5 (a tie) or 0 (the second).")
        if not np.isfinite(extra).all():
            raise RatingsError("A covariate has no number for a row; leave the row out.")
        n = n_systems if n_systems is not None else int(max(one.max(initial=-1), other.max(initial=-1))) + 1
        if len(out) and not 0 <= min(one.min(), other.min()) <= max(one.max(), other.max()) < n:
            raise RatingsError(f"Codes of systems run from 0 to {n - 1}.")
        return cls(one, other, out, _coded(group), extra, n, None if rater is None else _coded(rater))

    def with_covariates(self, kept: Sequence[int]) -> Comparisons:
        return replace(self, extra=self.extra[:, list(kept)])

    @property
    def cell(self) -> Codes:
        """What one rater says of one group."""
        if self.rater is None:
            raise RatingsError("Nobody said whose the comparisons are.")
        return _coded(self.group * (self.rater.max(initial=0) + 1) + self.rater)

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


def _coded(names: NDArray[Any]) -> Codes:
    """Whole numbers from 0 without gaps."""
    return np.unique(names, return_inverse=True)[1].reshape(names.shape)

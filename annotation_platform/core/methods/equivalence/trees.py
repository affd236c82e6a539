"""Boosted decision trees of at most eight leaves, applied by masks instead of walks.

A tree's leaves are bits, from left to right. Each of its splits ``x > threshold`` that holds rules out the leaves
on its left; of those that no split rules out, the leftmost is where a walk from the root would end. All splits on
one feature, in all trees, are therefore one sorted list of thresholds with a row of masks for each gap between
them: a lookup and a bitwise and for each feature, instead of a walk through each tree.

Source: Lucchese, Nardini, Orlando, Perego, Tonellotto and Venturini, QuickScorer: a fast algorithm to rank
documents with additive ensembles of regression trees (SIGIR 2015).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.arrays import Floats

MOST_LEAVES = 8

_LEFTMOST = np.array([0, *((byte & -byte).bit_length() - 1 for byte in range(1, 256))], dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees as their splits.

    Attributes
    ----------
    features : (s,) int
        Which input each split looks at.
    thresholds : (s,) float
        A split goes right when its input is above this.
    trees : (s,) int
        Which tree it belongs to.
    kept : (s,) uint8
        The leaves that are still possible when it goes right: all but those on its left.
    leaves : (t, 8) float
        What each tree's leaves add, from left to right; 0 where a tree has fewer.
    baseline : float
    """

    features: NDArray[np.integer]
    thresholds: Floats
    trees: NDArray[np.integer]
    kept: NDArray[np.uint8]
    leaves: Floats
    baseline: float

    def predict(self, inputs: Floats) -> Floats:
        """The baseline plus the sum of each tree's leaf: (n, features) → (n,)."""
        possible = np.full((len(inputs), len(self.leaves)), 0xFF, dtype=np.uint8)
        left = np.empty_like(possible)
        columns = np.ascontiguousarray(inputs.T)
        for feature, thresholds, masks in self._lookups:
            gaps = thresholds.searchsorted(columns[feature])
            possible &= masks.take(gaps, axis=0, out=left, mode="clip")  # no gap is outside; "raise" would copy
        reached = self._leftmost.take(possible + np.arange(len(self.leaves)) * len(_LEFTMOST))
        return np.asarray(self.baseline + reached.sum(axis=1))

    @cached_property
    def _leftmost(self) -> Floats:
        """What each tree adds, (t · 256,), by the byte of the leaves that are still possible."""
        return self.leaves[:, _LEFTMOST].ravel()

    @cached_property
    def _lookups(self) -> list[tuple[int, Floats, NDArray[np.uint8]]]:
        """For each feature its thresholds, ascending, and the masks (thresholds + 1, t) below, between and above."""
        lookups = []
        for feature in np.unique(self.features).tolist():
            splits = np.flatnonzero(self.features == feature)
            splits = splits[np.argsort(self.thresholds[splits], kind="stable")]
            masks = np.full((len(splits) + 1, len(self.leaves)), 0xFF, dtype=np.uint8)
            masks[np.arange(1, len(splits) + 1), self.trees[splits]] = self.kept[splits]
            lookups.append((feature, self.thresholds[splits], np.bitwise_and.accumulate(masks, axis=0)))
        return lookups

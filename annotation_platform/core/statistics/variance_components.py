"""Variance components of differences, from sums of squares within groups that are set equal to what is expected."""

from __future__ import annotations

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.codes import first_of_each
from annotation_platform.core.statistics.pilot_differences import Differences, joint_codes

NAMES = ("articles", "questions", "annotators", "residual", "strictness")
_SMALL = 1e-6


class SumsOfSquares:
    """Sums of squares within groups, and what is expected of them, of all rows or of some.

    Groups are those of one pair of systems; what has to be sorted for them is sorted once.
    """

    def __init__(self, rows: Differences) -> None:
        self.rows = rows
        self.components = {
            "articles": joint_codes(rows.pair, rows.article),
            "questions": joint_codes(rows.pair, rows.question),
            "annotators": joint_codes(rows.pair, rows.annotator),
        }
        self.groups = {**self.components, "residual": joint_codes(rows.pair, np.zeros_like(rows.pair))}
        self.sizes = {name: _sizes(group) for name, group in self.groups.items()}
        self.cells: dict[tuple[str, str], tuple[Codes, Codes, Floats]] = {}
        for name, group in self.groups.items():
            for component, other in self.components.items():
                cell = joint_codes(group, other)
                self.cells[name, component] = cell, group[first_of_each(cell)], _sizes(cell)

    def of(self, kept: Flags | None = None) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        """For each grouping the sum of squares within its groups, and how often each component is expected in it."""
        which = np.arange(len(self.rows)) if kept is None else np.flatnonzero(kept)
        left_out = which[:0] if kept is None else np.flatnonzero(~kept)  # few, so that they are counted instead
        values = self.rows.values.take(which)
        noise = None if self.rows.noise is None else self.rows.noise.take(which)
        n = len(values)
        sums: dict[str, float] = {}
        expected: dict[str, dict[str, float]] = {}
        for name, codes in self.groups.items():
            group = codes.take(which)
            counts = self._counts(codes, self.sizes[name], left_out)
            there = np.maximum(counts, 1)
            means = np.bincount(group, weights=values, minlength=len(counts)) / there
            sums[name] = float(((values - means.take(group)) ** 2).sum())
            if noise is not None:
                sums[name] -= float((noise * (1 - 1 / counts.take(group))).sum())
            expected[name] = {"residual": float(n - (counts > 0).sum())}
            for component in self.components:
                cell, of_cell, sizes = self.cells[name, component]
                if len(sizes) == len(counts):  # each group lies in one of the component, so that nothing is left
                    expected[name][component] = 0.0
                    continue
                shared = self._counts(cell, sizes, left_out)
                shared *= shared
                shared /= there.take(of_cell)
                expected[name][component] = n - float(shared.sum())
        return sums, expected

    def _counts(self, codes: Codes, sizes: Floats, left_out: Codes) -> Floats:
        """Rows of each code, without those left out."""
        counts: Floats = sizes - np.bincount(codes.take(left_out), minlength=len(sizes))
        return counts


def _sizes(codes: Codes) -> Floats:
    return np.bincount(codes).astype(np.float64)


def estimates_of(rows: SumsOfSquares, within: float, kept: Flags | None = None) -> tuple[Floats | None, str | None]:
    """The five components from all rows or from some, and what could not be told apart."""
    sums, expected = rows.of(kept)
    of_means = rows.rows.noise is not None
    names = ["articles", "questions"] if of_means else ["articles", "questions", "annotators"]
    merged: str | None = Reason("planning.different_annotators") if of_means else None
    if expected["articles"]["questions"] < _SMALL:  # each article has one question
        names.remove("questions")
        merged = Reason("planning.one_question_an_article")
    found = _solved(names, sums, expected, has_residual=not of_means)
    if found is None and "annotators" in names:
        names.remove("annotators")
        merged = Reason("planning.annotators_apart")
        found = _solved(names, sums, expected, has_residual=True)
    if found is None:
        return None, None
    if of_means:
        return np.array([found["articles"], found.get("questions", 0.0), 0.0, 2 * within, 0.0]), merged
    found["strictness"] = 2 * within - found.get("annotators", 0.0) - found["residual"]
    return np.array([found.get(name, 0.0) for name in NAMES]), merged


def _solved(
    names: list[str], sums: dict[str, float], expected: dict[str, dict[str, float]], *, has_residual: bool
) -> dict[str, float] | None:
    """The components from as many sums; None where these do not tell them apart.

    Without a residual, the sums within articles and of all rows are those that tell of questions and articles.
    """
    unknown = [*names, "residual"] if has_residual else names
    rows = unknown if has_residual else [{"questions": "articles", "articles": "residual"}[name] for name in names]
    matrix = np.array([[expected[row][name] for name in unknown] for row in rows])
    scale = matrix.max(axis=1, initial=0, keepdims=True)
    if (scale <= 0).any() or np.linalg.cond(matrix / scale) > 1e8:
        return None
    found = np.linalg.solve(matrix, np.array([sums[row] for row in rows]))
    return dict(zip(unknown, found.tolist(), strict=True))

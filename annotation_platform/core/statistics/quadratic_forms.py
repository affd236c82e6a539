"""Sums over pairs of rows, Σ value · c_r c_s, for many columns of counts at once and only over the entries given.

Counts of pairs of judgments that are ordered, tied or turned round are such sums over cells of equal judgments, where
a column c says how often each cell was drawn. Where values change along a path, only the entries that changed are
added.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController

from annotation_platform.core.arrays import Codes, Counts, Flags, Floats
from annotation_platform.core.statistics.codes import summing

_MANY_OF_GROUP = 20  # rows to add up, by which a loop over groups is faster than a product


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Some entries of a symmetric matrix, each pair of rows once."""

    row: Codes
    column: Codes
    value: Counts

    def __len__(self) -> int:
        return len(self.row)

    def among(self, kept: Flags) -> Entries:
        return Entries(self.row[kept], self.column[kept], self.value[kept])

    def changed(self) -> Entries:
        """Those that are not 0."""
        return self.among(self.value != 0)

    def form(self, counts: Counts, group: Codes, n_groups: int) -> Floats:
        """Σ value · c_row · c_column by group, given the group of each row of ``counts``; (groups, columns)."""
        if not len(self):
            return np.zeros((n_groups, counts.shape[1]))
        order = np.argsort(self.row, kind="stable")  # mostly sorted already
        row = self.row[order]
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        rows = row[starts]
        columns = self.value[order].astype(counts.dtype), self.column[order], np.append(starts, len(row))
        product = sparse.csr_array(columns, shape=(len(rows), len(counts))) @ counts
        product *= counts[rows]
        return by_group(group[rows], n_groups, product)


def by_group(group: Codes, n_groups: int, values: Counts) -> Floats:
    """Rows added up in double precision; one group after the other where each has many, so that nothing is copied."""
    if len(group) > _MANY_OF_GROUP * n_groups and (group[1:] >= group[:-1]).all():
        ends = np.searchsorted(group, np.arange(n_groups + 1)).tolist()
        return np.array([values[start:end].sum(axis=0, dtype=np.float64) for start, end in pairwise(ends)])
    found: Floats = summing(group, n_groups) @ values.astype(np.float64, copy=False)
    return found


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Where products are small, threads would wait for each other longer than they calculate."""
    limited: AbstractContextManager[Any] = _threads().limit(limits=1, user_api="blas")
    return limited

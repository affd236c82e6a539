"""The cells of joined rows along a path of values: which judgments are alike at all steps, and how often two meet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from annotation_platform.core.arrays import Codes, Counts, Flags, Floats
from annotation_platform.core.statistics.codes import distinct, levels, summing
from annotation_platform.core.statistics.concordance import PairTables
from annotation_platform.core.statistics.joins import JoinedRows
from annotation_platform.core.statistics.quadratic_forms import by_group
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap, by_unit

_EXACT_IN_SINGLE = 2**24


def distinct_judgments(path: Sequence[Ratings], best: Flags) -> tuple[Codes, Codes]:
    """The distinct judgments: the ranks of their values at each step, then whether they are the best label, shape
    (steps + 1, classes); and of each judgment which one it is."""
    ranks = np.array([levels(ratings.numbers)[1] for ratings in path] + [best], dtype=np.int64)
    code: Codes = np.zeros(len(best), dtype=np.int64)
    for of_step in ranks:
        depth = int(of_step.max(initial=0)) + 1
        code = distinct(code * depth + of_step, (int(code.max(initial=0)) + 1) * depth)[1]
    example = np.zeros(int(code.max(initial=-1)) + 1, dtype=np.int64)
    example[code] = np.arange(len(code))
    return ranks[:, example], code


def counts_of_cells(
    tables: PairTables, rows: JoinedRows, ratings: Ratings, bootstrap: Bootstrap
) -> tuple[Counts, Floats]:
    """Rows in each cell, in the data and in the resamples; and the sums of the rows' squared weights by pair.

    In single precision where every product with K is exact in it; such products are added in double.
    """
    drawn = by_unit(tables.by_item(rows.item, ratings.n_items), ratings.units)
    rows_drawn = tables.per_pair @ drawn
    counts = np.empty((len(tables.counts), 1 + bootstrap.resamples), dtype=np.float32)
    same = np.empty((tables.n_pairs, 1 + bootstrap.resamples))
    counts[:, 0], same[:, 0] = tables.counts, tables.per_pair @ tables.counts
    single, done = drawn.astype(np.float32), 1
    for weights in bootstrap.weights(drawn.shape[1], width=len(tables.counts)):
        columns = slice(done, done + weights.shape[1])
        counts[:, columns] = single @ weights.astype(np.float32)
        same[:, columns] = rows_drawn @ weights**2
        done = columns.stop
    return counts if _is_exact(counts, tables) else counts.astype(np.float64), same


def _is_exact(counts: Counts, tables: PairTables) -> bool:
    """Whether what is multiplied, a cell by at most twice all others of its pair, is exact in single precision."""
    ends = np.searchsorted(tables.pair, np.arange(tables.n_pairs + 1)).tolist()
    largest = 0.0
    for start, end in pairwise(ends):
        if end > start:
            rows = counts[start:end].sum(axis=0, dtype=np.float64)
            cell = np.minimum(counts[start:end].max(axis=0), rows / 2)
            largest = max(largest, float((cell * (rows - cell)).max()))
    return 2 * largest < _EXACT_IN_SINGLE


def squared_margins(pair: Codes, ranks: Codes, both_best: Flags, counts: Counts, n_pairs: int) -> tuple[Floats, Floats]:
    """Sums of the squared margins of all cells, and of those in which not both are the best."""
    depth = int(ranks.max(initial=0)) + 1
    keys, level = distinct(pair * depth + ranks, n_pairs * depth)
    others = _margins(level[~both_best], len(keys), counts[~both_best])
    every = others + _margins(level[both_best], len(keys), counts[both_best])
    return by_group(keys // depth, n_pairs, every**2), by_group(keys // depth, n_pairs, others**2)


def _margins(level: Codes, n_levels: int, counts: Counts) -> Floats:
    """Cells added up in double precision, for their squares."""
    found: Floats = (summing(level, n_levels).astype(counts.dtype) @ counts).astype(np.float64)
    return found

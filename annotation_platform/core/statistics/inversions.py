"""How many pairs of rows stand the other way round than their labels, in every resample, by blocks of rows.

Rows come in a sequence, and row r has a label and a weight c_r, how often a resample draws it. Counted are::

    Σ c_r c_s   over r before s with label_r > label_s

Among 32 rows these are a product with a matrix of zeros and ones, (32, 32) times (32, resamples). Between such blocks
the rows of each label are added up by block, another such product, and cumulated along the sequence. Of more than 32
labels the digits to base 32 are gone through, of which two labels differ at a first one. Rows n, labels L, resamples b:
time O(n · b · log₃₂ L), nearly all of it in products of matrices. All terms are whole numbers, and are added exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes, Floats, Integers
from annotation_platform.core.statistics.concordance import summing
from annotation_platform.core.statistics.quadratic_forms import one_thread

_BITS = 5
_ROWS = 1 << _BITS
_EXACT_IN_SINGLE = 2**24
_IS_BEFORE = np.triu(np.ones((_ROWS, _ROWS), dtype=np.bool_), 1)


@dataclass(frozen=True, slots=True, eq=False)
class Inversions:
    """What it takes to count the inversions of several sequences, each by itself."""

    n_sequences: int
    _digits: tuple[_Blocks, ...]

    @classmethod
    def of(cls, rows: Codes, sequence: Codes, labels: Codes, n_sequences: int) -> Inversions:
        """Of all rows in their order in the sequences: the sequence that each is in, ascending, and its label as a code
        from 0."""
        bits = int(labels.max(initial=0)).bit_length()
        digits = []
        for shift in reversed(range(0, max(bits, 1), _BITS)):
            # Rows can be compared at a digit where they have all higher ones in common.
            common = sequence << bits | labels >> shift + _BITS
            order = np.argsort(common, kind="stable")
            digit = labels[order] >> shift & _ROWS - 1
            digits.append(_Blocks.of(rows[order], common[order], sequence[order], digit))
        return cls(n_sequences, tuple(digits))

    def counted(self, counts: Floats) -> Floats:
        """The sums of every sequence, (sequences, resamples), from how often each row is drawn, (rows, resamples)."""
        # No product is larger than the square of the rows in a block.
        is_exact = (_ROWS * counts.max(initial=0.0)) ** 2 < _EXACT_IN_SINGLE
        padded = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.float32 if is_exact else np.float64)
        padded[:-1] = counts
        total = np.zeros((self.n_sequences, counts.shape[1]))
        for digit in self._digits:
            total += summing(digit.sequence, self.n_sequences) @ digit.counted(padded)
        return total


class _Blocks(NamedTuple):
    """Rows in blocks, filled up with one that is never drawn, behind all others.

    Attributes
    ----------
    rows : int array, shape (blocks · 32,)
    labels : int array, shape (blocks, 32)
    first, sequence : int arrays, shape (blocks,)
        The first block whose rows each one is compared with, and the sequence it is of.
    """

    rows: Integers
    labels: NDArray[np.uint8]
    first: Codes
    sequence: Codes

    @classmethod
    def of(cls, rows: Codes, common: Codes, sequence: Codes, labels: Codes) -> _Blocks:
        """Rows are compared with those that have the same in ``common``, which is ascending."""
        starts = np.flatnonzero(np.diff(common, prepend=-1))
        sizes = np.diff(np.append(starts, len(rows)))
        blocks = -(-sizes // _ROWS)
        first = np.cumsum(blocks) - blocks
        place = np.arange(len(rows)) + np.repeat(first * _ROWS - starts, sizes)
        n_blocks, never_drawn = int(blocks.sum()), len(rows)
        all_rows = np.full(n_blocks * _ROWS, never_drawn, dtype=np.min_scalar_type(never_drawn))
        all_labels = np.zeros(len(all_rows), dtype=np.uint8)
        all_rows[place], all_labels[place] = rows, labels
        of_block = np.repeat(np.arange(len(starts)), blocks)
        return cls(all_rows, all_labels.reshape(-1, _ROWS), first[of_block], sequence[starts][of_block])

    def counted(self, counts: NDArray[np.floating[Any]]) -> Floats:
        """The sums of each block with itself and with those before it, (blocks, resamples)."""
        n_labels = int(self.labels.max(initial=0)) + 1
        drawn = counts[self.rows].reshape(-1, _ROWS, counts.shape[1])
        with one_thread():
            found = self._matrices(n_labels).astype(counts.dtype) @ drawn
        within, of_label = found[:, :_ROWS], found[:, _ROWS:].astype(np.float64)
        within *= drawn
        before = np.cumsum(of_label, axis=0) - of_label
        before -= before[self.first]
        for label in reversed(range(1, n_labels)):
            before[:, label - 1] += before[:, label]
        between = np.einsum("blr,blr->br", before[:, 1:], of_label[:, :-1])
        total: Floats = within.sum(axis=1) + between
        return total

    def _matrices(self, n_labels: int) -> NDArray[np.bool_]:
        """Of each block which rows turn round which, and which have each label; (blocks, 32 + labels, 32)."""
        turned = (self.labels[:, :, None] > self.labels[:, None, :]) & _IS_BEFORE
        has_label = self.labels[:, None, :] == np.arange(n_labels, dtype=np.uint8)[:, None]
        return np.concatenate([turned, has_label], axis=1)

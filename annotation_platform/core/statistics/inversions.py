"""How many pairs of rows stand the other way round than their labels, in every resample, by blocks of rows.

Rows come in sequences, and row r has a label and a weight c_r, how often a resample draws it. Counted are, of each
sequence::

    Σ c_r c_s   over r before s with label_r > label_s

Among 32 rows these are a product with a matrix of zeros and ones, (32, 32) times (32, resamples). Between such blocks
the rows of each label are added up by block, another such product, and cumulated along the sequence. Of more than 16
labels the digits to base 16 are gone through, of which two labels differ at a first one. Rows n, labels L, resamples b:
time O(n · b · log₁₆ L), most of it in products of matrices. All terms are whole numbers, and are added exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes, Counts, Floats, Integers
from annotation_platform.core.statistics.codes import changes, summing
from annotation_platform.core.statistics.quadratic_forms import one_thread

_ROWS = 32
_MOST_BITS = 4  # of a digit
_BLOCKS_AT_ONCE = 128
_SUMS_AT_ONCE = 16
_EXACT_IN_SINGLE = 2**24
_IS_BEFORE = np.triu(np.ones((_ROWS, _ROWS), dtype=np.bool_), 1)
_ROOM = np.array([0, *(1 << (size - 1).bit_length() for size in range(1, _ROWS + 1))])  # of so few rows: a power of two


@dataclass(frozen=True, slots=True, eq=False)
class Inversions:
    """What it takes to count the inversions of several sequences, each by itself."""

    n_sequences: int
    _digits: tuple[_Blocks, ...]

    @classmethod
    def of(cls, rows: Codes, sequence: Codes, labels: Codes, n_sequences: int) -> Inversions:
        """Of all rows in their order in the sequences: the sequence that each is in, ascending, and its label as a code
        from 0."""
        bits = max(int(labels.max(initial=0)).bit_length(), 1)
        n_digits = -(-bits // _MOST_BITS)
        ends = [bits * place // n_digits for place in range(n_digits + 1)]
        digits = []
        for low, high in reversed(list(pairwise(ends))):
            # Rows can be compared at a digit where they have all higher ones in common.
            common = sequence << bits | labels >> high
            order = np.argsort(common, kind="stable")
            digit = labels[order] >> low & (1 << high - low) - 1
            digits.append(_Blocks.of(rows[order], common[order], sequence[order], digit))
        return cls(n_sequences, tuple(digits))

    def counted(self, counts: Floats) -> Floats:
        """The sums of every sequence, (sequences, resamples), from how often each row is drawn, (rows, resamples)."""
        # No product is larger than the square of the rows in a block.
        is_exact = (_ROWS * counts.max(initial=0.0)) ** 2 < _EXACT_IN_SINGLE
        drawn = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.float32 if is_exact else np.float64)
        drawn[:-1] = counts
        total = np.zeros((self.n_sequences, counts.shape[1]))
        with one_thread():
            for digit in self._digits:
                total += summing(digit.sequence, self.n_sequences) @ digit.counted(drawn)
        return total


class _Blocks(NamedTuple):
    """Rows in blocks, filled up with one that is never drawn, behind all others.

    First come the rows that fill several blocks, then those of which several groups fit into one.

    Attributes
    ----------
    rows : int array, shape (blocks · 32,)
    codes : int array, shape (blocks, 32)
        A row's label, plus 32 times the place in the block where those begin that it is compared with.
    first : int array, shape (blocks that are filled by one group,)
        The first block of the group.
    sequence : int array
        Of each block that is filled by one group, and of each row of the others.
    """

    rows: Integers
    codes: NDArray[np.uint16]
    first: Codes
    sequence: Codes

    @classmethod
    def of(cls, rows: Codes, common: Codes, sequence: Codes, labels: Codes) -> _Blocks:
        """Rows are compared with those that have the same in ``common``, which is ascending."""
        never_drawn = len(rows)
        starts = np.flatnonzero(changes(common))
        sizes = np.diff(np.append(starts, len(rows)))
        room = np.where(sizes > _ROWS, -(-sizes // _ROWS) * _ROWS, _ROOM[np.minimum(sizes, _ROWS)])
        room[sizes == 1] = 0  # nothing to compare with
        # Powers of two one after the other, the larger ones first, never lie across the border of two blocks.
        largest_first = np.argsort(-room, kind="stable")
        begins = np.empty_like(room)
        begins[largest_first] = np.cumsum(room[largest_first]) - room[largest_first]
        group = np.repeat(np.arange(len(starts)), sizes)
        place = begins[group] + np.arange(len(rows)) - starts[group]
        kept = room[group] > 0
        rows, sequence, labels, group, place = (each[kept] for each in (rows, sequence, labels, group, place))
        shape = -(-int(room.sum()) // _ROWS), _ROWS
        of_place = np.full(shape, never_drawn, dtype=np.min_scalar_type(never_drawn)).reshape(-1)
        codes, owner = np.zeros(of_place.shape, dtype=np.uint16), np.zeros(of_place.shape, dtype=np.int64)
        of_place[place], codes[place], owner[place] = rows, labels + _ROWS * (begins[group] % _ROWS), sequence
        blocks = room[largest_first] // _ROWS * (sizes[largest_first] > _ROWS)
        first = np.repeat(np.cumsum(blocks) - blocks, blocks)
        owner = np.concatenate([owner[: len(first) * _ROWS : _ROWS], owner[len(first) * _ROWS :]])
        return cls(of_place, codes.reshape(shape), first, owner)

    def counted(self, counts: Counts) -> Floats:
        """The sums of blocks that are filled by one group, and of the rows of others; (either, resamples)."""
        n_labels, n_large = int(self.codes[: len(self.first)].max(initial=0)) + 1, len(self.first)
        total = np.empty((len(self.sequence), counts.shape[1]))
        of_label = np.empty((n_large, n_labels, counts.shape[1]))
        for start in range(0, n_large, _BLOCKS_AT_ONCE):
            some = slice(start, min(start + _BLOCKS_AT_ONCE, n_large))
            has_label = self.codes[some, None, :] == np.arange(n_labels, dtype=np.uint16)[:, None]
            drawn = self._drawn(some, counts)
            found = np.concatenate([self._turned(some), has_label], axis=1).astype(counts.dtype) @ drawn
            total[some] = np.einsum("bir,bir->br", found[:, :_ROWS], drawn)
            of_label[some] = found[:, _ROWS:]
        total[:n_large] += _between(of_label, self.first)
        for start in range(n_large, len(self.codes), _BLOCKS_AT_ONCE):
            some = slice(start, min(start + _BLOCKS_AT_ONCE, len(self.codes)))
            drawn = self._drawn(some, counts)
            rows = slice(n_large + (start - n_large) * _ROWS, n_large + (some.stop - n_large) * _ROWS)
            drawn *= self._turned(some).astype(counts.dtype) @ drawn
            total[rows] = drawn.reshape(-1, counts.shape[1])
        return total

    def _drawn(self, some: slice, counts: Counts) -> Counts:
        rows = self.rows[some.start * _ROWS : some.stop * _ROWS]
        return counts[rows].reshape(-1, _ROWS, counts.shape[1])

    def _turned(self, some: slice) -> NDArray[np.bool_]:
        """Of each block which rows come before which others of a smaller label, (blocks, 32, 32)."""
        codes = self.codes[some]
        return (codes[:, :, None] > codes[:, None, :]) & _IS_BEFORE


def _between(of_label: Floats, first: Codes) -> Floats:
    """The sums of each block with those before it from the first on, (blocks, resamples), given how many rows each has
    of each label."""
    before = _before(of_label)
    before -= before[first]
    for label in reversed(range(1, of_label.shape[1])):
        before[:, label - 1] += before[:, label]
    total: Floats = np.einsum("blr,blr->br", before[:, 1:], of_label[:, :-1])
    return total


def _before(values: Floats) -> Floats:
    """Sums along the first axis up to each entry, without it.

    numpy accumulates along the first axis one element at a time; adding whole entries in two levels is ten times as
    fast.
    """
    n, groups = len(values), -(-len(values) // _SUMS_AT_ONCE)
    sums = np.zeros((1 + groups * _SUMS_AT_ONCE, *values.shape[1:]))
    sums[1 : n + 1] = values
    grouped = sums[1:].reshape(groups, _SUMS_AT_ONCE, *values.shape[1:])
    for place in range(1, _SUMS_AT_ONCE):
        grouped[:, place] += grouped[:, place - 1]
    if groups > 1:
        grouped += _before(grouped[:, -1])[:, None]
    return sums[:n]

"""How many pairs of rows stand the other way round than their labels, in every resample, by blocks of rows.

Rows come in sequences, and row r has a label and a weight c_r, how often a resample draws it. Counted are, of each
sequence::

    Σ c_r c_s   over r before s with label_r > label_s

Among 32 rows these are a product with a matrix of zeros and ones, (32, 32) times (32, resamples). Between such blocks
the rows of each label are added up by block, another such product, and cumulated along the sequence. Of more than 32
labels the digits to base 32 are gone through, of which two labels differ at a first one. Rows n, labels L, resamples b:
time O(n · b · log₃₂ L), nearly all of it in products of matrices. All terms are whole numbers, and are added exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes, Floats, Integers
from annotation_platform.core.statistics.codes import changes, summing
from annotation_platform.core.statistics.quadratic_forms import one_thread

_BITS = 5
_ROWS = 1 << _BITS
_BLOCKS_AT_ONCE = 64
_EXACT_IN_SINGLE = 2**24
_IS_BEFORE = np.triu(np.ones((_ROWS, _ROWS), dtype=np.bool_), 1)
_ROOM = np.array([0, *(1 << (size - 1).bit_length() for size in range(1, _ROWS + 1))])  # of so few rows: a power of two

Counts = NDArray[np.floating[Any]]


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
        drawn = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.float32 if is_exact else np.float64)
        drawn[:-1] = counts
        total = np.zeros((self.n_sequences, counts.shape[1]))
        with one_thread():
            for digit in self._digits:
                for sequence, found in digit.counted(drawn):
                    total += summing(sequence, self.n_sequences) @ found
        return total


class _Blocks(NamedTuple):
    """Rows in blocks, filled up with one that is never drawn, behind all others.

    First come the rows that fill several blocks, then those of which several groups fit into one.

    Attributes
    ----------
    rows : int array, shape (blocks · 32,)
    codes : int array, shape (blocks, 32)
        A row's label, plus 32 times the place in the block where those begin that it is compared with.
    sequence : int array, shape (blocks, 32)
    first : int array, shape (blocks that are filled by one group,)
        The first block of the group.
    """

    rows: Integers
    codes: NDArray[np.uint16]
    sequence: Codes
    first: Codes

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
        return cls(of_place, codes.reshape(shape), owner.reshape(shape), first)

    def counted(self, counts: Counts) -> Iterator[tuple[Codes, Floats]]:
        """Parts of the sums, and the sequence that each is of."""
        n_labels, n_large = int(self.codes[: len(self.first)].max(initial=0)) + 1, len(self.first)
        of_label = np.empty((n_large, n_labels, counts.shape[1]))
        for start in range(0, n_large, _BLOCKS_AT_ONCE):
            some = slice(start, min(start + _BLOCKS_AT_ONCE, n_large))
            drawn, has_label = self._drawn(some, counts), self._has_label(some, n_labels)
            found = np.concatenate([self._turned(some), has_label], axis=1).astype(counts.dtype) @ drawn
            of_label[some] = found[:, _ROWS:]
            drawn *= found[:, :_ROWS]
            yield self.sequence[some, 0], drawn.sum(axis=1).astype(np.float64)
        yield self.sequence[:n_large, 0], _between(of_label, self.first)
        for start in range(n_large, len(self.codes), _BLOCKS_AT_ONCE):
            some = slice(start, start + _BLOCKS_AT_ONCE)
            drawn = self._drawn(some, counts)
            drawn *= self._turned(some).astype(counts.dtype) @ drawn
            yield self.sequence[some].reshape(-1), drawn.reshape(-1, counts.shape[1]).astype(np.float64)

    def _drawn(self, some: slice, counts: Counts) -> Counts:
        rows = self.rows[some.start * _ROWS : some.stop * _ROWS]
        return counts[rows].reshape(-1, _ROWS, counts.shape[1])

    def _turned(self, some: slice) -> NDArray[np.bool_]:
        """Of each block which rows come before which others of a smaller label, (blocks, 32, 32)."""
        codes = self.codes[some]
        return (codes[:, :, None] > codes[:, None, :]) & _IS_BEFORE

    def _has_label(self, some: slice, n_labels: int) -> NDArray[np.bool_]:
        return self.codes[some, None, :] == np.arange(n_labels, dtype=np.uint16)[:, None]


def _between(of_label: Floats, first: Codes) -> Floats:
    """The sums of each block with those before it from the first on, (blocks, resamples), given how many rows each has
    of each label."""
    before = np.cumsum(of_label, axis=0)
    before -= of_label
    before -= before[first]
    for label in reversed(range(1, of_label.shape[1])):
        before[:, label - 1] += before[:, label]
    total: Floats = np.einsum("blr,blr->br", before[:, 1:], of_label[:, :-1])
    return total

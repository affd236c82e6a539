"""τ of pairs of raters from few columns of weights: rows are sorted, and counted while halves of them are merged.

Let w be the weights of joined rows in a column, the data or a resample. Of rows ordered by x, and there by y, those of
D are the rows r before s with y_r > y_s. Halves of a half of … of them are put in the order of y, from all down to
single rows; for every row in a right half, the weights of those in the left one that y puts behind it are added up.
What is added are whole numbers of 63 bits, each of which holds as many columns as fit: one addition is that of three or
four resamples. Rows n: time O(n log n) for each such word, whatever many values there are. Of many resamples, products
of matrices are faster (`inversions`, `unit_forms`). All terms are whole numbers, and are added exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from annotation_platform.core.arrays import Codes
from annotation_platform.core.statistics.codes import changes
from annotation_platform.core.statistics.concordance import TauSums

_BITS = 63


def sums_of_rows(pair: Codes, first: Codes, second: Codes, weights: Packed, n_pairs: int) -> TauSums:
    """The sums of joined rows by pair of raters; arrays of shape (pairs, columns).

    Parameters
    ----------
    pair, first, second : int arrays, shape (rows,)
        Which pair, ascending, and the levels of both raters as codes in the values' order.
    weights : Packed
        Columns of the rows' weights, none below 0; there is room for the sum of a pair.
    n_pairs : int
    """
    found = TauSums(*(np.zeros((n_pairs, weights.n_columns)) for _ in TauSums._fields))
    if not len(pair):
        return found
    width, depth = int(first.max()) + 1, int(second.max()) + 1
    keys = (pair * width + first) * depth + second
    order = _ordered(keys, n_pairs * width * depth)
    starts = np.flatnonzero(changes(keys.take(order)))
    cells = weights.each(lambda word: np.add.reduceat(word.take(order), starts))
    pair, first, second = (column.take(order.take(starts)) for column in (pair, first, second))
    keys = pair * depth + second
    by_second = _ordered(keys, n_pairs * depth)
    of_first = np.flatnonzero(changes(first) | changes(pair))
    of_second = np.flatnonzero(changes(keys.take(by_second)))
    margins = (
        cells.each(lambda word: np.add.reduceat(word, of_first)),
        cells.each(lambda word: np.add.reduceat(word.take(by_second), of_second)),
    )
    of_margins = pair.take(of_first), pair.take(by_second.take(of_second))
    begins, *begins_of_margins = (np.flatnonzero(changes(each)) for each in (pair, *of_margins))
    known = pair.take(begins)
    columns = zip(*(each.columns() for each in (cells, _turned(by_second, cells), *margins)), strict=True)
    for column, (own, turned, *totals) in enumerate(columns):
        rows, cells_less_turned = (np.add.reduceat(each, begins) for each in (own, own * (own - 4 * turned)))
        first_squared, second_squared = (
            np.add.reduceat(total * total, each) for total, each in zip(totals, begins_of_margins, strict=True)
        )
        # Rows that are tied in neither, of which those turned round count twice: they are not concordant, either.
        difference = (rows**2 - first_squared - second_squared + cells_less_turned) / 2
        for whole, each in zip(found, (rows, first_squared, second_squared, difference), strict=True):
            whole[known, column] = each
    return found


class Packed(NamedTuple):
    """Columns of whole numbers, several in each word.

    Attributes
    ----------
    words : tuple of int arrays
    of_word : tuple of int
        How many columns each of them has.
    bits : int
        Of each number.
    """

    words: tuple[Codes, ...]
    of_word: tuple[int, ...]
    bits: int

    @classmethod
    def of(cls, columns: Sequence[Codes], largest: int) -> Packed:
        """No sum that is asked for is above ``largest``."""
        bits = max(largest.bit_length(), 1)
        parts = [columns[start : start + _BITS // bits] for start in range(0, len(columns), _BITS // bits)]
        words = (sum((column << bits * place for place, column in enumerate(part)), 0 * part[0]) for part in parts)
        return cls(tuple(words), tuple(map(len, parts)), bits)

    @classmethod
    def beside(cls, parts: Sequence[Packed]) -> Packed:
        """The columns of one after those of the other, of numbers with the same bits."""
        words, of_word = (tuple(chain.from_iterable(each)) for each in zip(*(part[:2] for part in parts), strict=True))
        return cls(words, of_word, parts[0].bits)

    @property
    def n_columns(self) -> int:
        return sum(self.of_word)

    def each(self, work: Callable[[Codes], Codes]) -> Packed:
        """Of each word something else."""
        return self._replace(words=tuple(map(work, self.words)))

    def columns(self) -> Iterator[Codes]:
        """One after the other."""
        mask = (1 << self.bits) - 1
        for word, n in zip(self.words, self.of_word, strict=True):
            yield from (word >> self.bits * place & mask for place in range(n))


def _ordered(keys: Codes, space: int) -> Codes:
    """The order of keys, 0 … space - 1, where equal ones stay as they are. Sorting numbers is faster than sorting
    places by them: so each key takes its place along, where both fit into a number."""
    bits = len(keys).bit_length()
    if int(space).bit_length() + bits > _BITS:
        return np.argsort(keys, kind="stable")
    found = keys << bits
    found |= np.arange(len(keys))
    found.sort()
    found &= (1 << bits) - 1
    return found


def _turned(by_second: Codes, cells: Packed) -> Packed:
    """For each place the sum of what is at earlier places that come later in the second order."""
    n = len(by_second)
    size = 1 << (n - 1).bit_length()
    padded = cells.each(lambda word: np.append(word, np.zeros(size - n, dtype=np.int64)))
    found = padded.each(np.zeros_like)
    order = np.append(by_second, np.arange(n, size))
    before = np.zeros(size // 2 + 1, dtype=np.int64)
    half = size // 2
    while half:
        # Here `order` has the places in groups of two halves each, and within a group in the second order.
        is_right = (order & half).astype(np.bool_)
        at = np.flatnonzero(is_right)
        right, left = order.take(at), order.take(np.flatnonzero(~is_right))
        n_before = at - np.arange(len(at))  # of the left ones, those of earlier groups among them
        for word, turned in zip(padded.words, found.words, strict=True):
            np.cumsum(word.take(left), out=before[1:])
            behind = turned.take(right)
            behind += np.repeat(before[half::half], half)
            behind -= before.take(n_before)
            turned[right] = behind
        order = np.stack([left.reshape(-1, half), right.reshape(-1, half)], axis=1).reshape(-1)
        half //= 2
    return found.each(lambda word: word[:n])

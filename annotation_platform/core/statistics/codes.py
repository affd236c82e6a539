"""Columns of codes: distinct ones, sums and pairs, by counting instead of sorting where that is faster."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats, Integers, Numbers

_DENSE_FACTOR = 8
_ROWS_AT_ONCE = 1 << 17
_MANY_KEYS = 20_000


def distinct(keys: Codes, space: int) -> tuple[Codes, Codes]:
    """Sorted distinct keys and, for each entry, the position of its key among them.

    The same as ``numpy.unique(keys, return_inverse=True)``; by counting instead of sorting where the
    ``space`` of possible keys, 0 … space - 1, is not much larger than their number.
    """
    if space > _DENSE_FACTOR * len(keys) + 1024:
        return _sorted(keys, space)
    present = np.zeros(space, dtype=np.bool_)
    present[keys] = True
    values = np.flatnonzero(present)
    positions = np.empty(space, dtype=np.min_scalar_type(space))  # only those that are present are ever looked at
    positions[values] = np.arange(len(values), dtype=positions.dtype)
    return values, positions[keys].astype(np.int64)


def counted_codes(keys: Codes, space: int) -> tuple[Codes, Codes]:
    """Sorted distinct keys, and how often each is there."""
    if space > _DENSE_FACTOR * len(keys) + 1024:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=space)
    found = np.flatnonzero(counts)
    return found, counts[found]


def n_distinct(codes: Integers, space: int) -> int:
    """How many different ones of the codes 0 … space - 1 there are."""
    present = np.zeros(space, dtype=np.bool_)
    present[codes] = True
    return int(np.count_nonzero(present))


def _sorted(keys: Codes, space: int) -> tuple[Codes, Codes]:
    """`distinct` by sorting, many keys by 16 bits at a time: these are counted rather than compared."""
    if len(keys) < _MANY_KEYS:
        values, inverse = np.unique(keys, return_inverse=True)
        return values, inverse.astype(np.int64, copy=False)
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    for shift in range(16, int(space).bit_length(), 16):
        digit = (keys >> shift & 0xFFFF).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
    ordered = keys[order]
    is_new = np.diff(ordered, prepend=-1) != 0
    positions = np.empty(len(keys), dtype=np.int64)
    positions[order] = np.cumsum(is_new) - 1
    return ordered[is_new], positions


def compact(numbers: Integers) -> Codes:
    """The place of each whole number among the different ones, from 0."""
    lowest = int(numbers.min(initial=0))
    shifted = numbers.astype(np.int64, copy=False) - lowest
    return distinct(shifted, int(shifted.max(initial=-1)) + 1)[1]


def first_of_each(codes: Integers) -> Codes:
    """Where each of the codes from 0 on comes up first; all of them do."""
    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last one that is written stays
    return first


def changes(values: Numbers) -> Flags:
    """Where a value is another one than that before it."""
    found = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def levels(numbers: Numbers) -> tuple[Floats, Integers]:
    """Sorted distinct numbers and, for each entry, the position of its number among them.

    The same as ``numpy.unique(numbers, return_inverse=True)``, but with codes of the smallest type, and by
    counting instead of sorting for whole numbers that lie close together, as labels do.
    """
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)
    if high - low >= _ROWS_AT_ONCE or abs(low) > 2**52 or not _are_whole(numbers):
        values, codes = np.unique(numbers, return_inverse=True)
        return values.astype(np.float64), codes.astype(np.min_scalar_type(len(values)))
    present = np.zeros(int(high - low) + 1, dtype=np.bool_)
    offset = np.intp(low)
    for rows in slices_of(len(numbers)):
        present[numbers[rows].astype(np.intp) - offset] = True
        if present.all():
            break
    table = (np.cumsum(present) - 1).astype(np.min_scalar_type(len(present)))
    codes = np.empty(len(numbers), dtype=table.dtype)
    for rows in slices_of(len(numbers)):
        position = numbers[rows].astype(np.intp) - offset
        codes[rows] = position if present.all() else table[position]
    return (np.flatnonzero(present) + offset).astype(np.float64), codes


def sum_by_item(
    items: Integers, n_items: int, codes: Integers | None = None, number_of_code: Floats | None = None
) -> Floats:
    """Σ ``number_of_code[codes]`` over each item's entries, or their count; shape (n_items,).

    A block of rows at a time, so that small types widen in the processor's cache and not in memory.
    """
    total = np.zeros(n_items)
    for rows in slices_of(len(items)):
        block = items[rows]
        first = block.min()
        weights = None if codes is None or number_of_code is None else number_of_code[codes[rows]]
        sums = np.bincount(block - first, weights)
        total[first : int(first) + len(sums)] += sums
    return total


def slices_of(n: int, size: int = _ROWS_AT_ONCE) -> Iterator[slice]:
    """Blocks of n rows that fit the processor's cache."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _are_whole(numbers: Numbers) -> bool:
    if numbers.dtype.kind != "f":
        return True
    return all(bool((numbers[rows] == np.rint(numbers[rows])).all()) for rows in slices_of(len(numbers)))


def pairs_within(groups: Codes) -> tuple[Codes, Codes]:
    """All unordered pairs of entries with the same group, as two arrays of positions.

    ``groups`` must be sorted. The first position of a pair is the smaller one; pairs come in the order of
    their first, then their second position.
    """
    n = len(groups)
    if n == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    ends = np.repeat(np.r_[starts[1:], n], np.diff(np.r_[starts, n]))
    later = ends - np.arange(n) - 1
    first = np.repeat(np.arange(n), later)
    second = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later) + first + 1
    return first, second


def summing(targets: Codes, n_targets: int, values: Floats | None = None) -> sparse.csr_array:
    """The matrix whose product with a column sums its entries, each times its value, by target."""
    n = len(targets)
    shape, values = (n_targets, n), np.ones(n) if values is None else values
    if (targets[1:] >= targets[:-1]).all():
        ends = np.cumsum(np.bincount(targets, minlength=n_targets))
        return sparse.csr_array((values, np.arange(n), np.r_[0, ends]), shape=shape)
    return sparse.csr_array((values, (targets, np.arange(n))), shape=shape)

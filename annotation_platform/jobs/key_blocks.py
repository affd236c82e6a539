"""Rows read in the order of a key, some at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet

Row = TypeVar("Row")


def key_blocks(
    rows: QuerySet[Any, Any],
    key_of: Callable[[Row], int],
    *,
    size: int,
    key: str = "pk",
    after: int = 0,
    read: Callable[[QuerySet[Any, Any]], Sequence[Row]] = list,
) -> Iterator[Sequence[Row]]:
    """The rows in blocks of ``size``, from the one whose key follows ``after`` on.

    Each block is a query of its own: no cursor stays open while it is worked on, which on SQLite would hold back
    writes; and a late block costs what the first does.

    Parameters
    ----------
    key_of
        The key of what was read of a row.
    key
        The field of the key, a whole number above 0 that no two rows share.
    read
        How the rows of a block are read from their query.
    """
    while block := read(rows.filter(**{f"{key}__gt": after}).order_by(key)[:size]):
        yield block
        after = key_of(block[-1])


def keys_in_blocks(rows: QuerySet[Any, Any], key: str, *, size: int, after: int = 0) -> Iterator[Sequence[int]]:
    """The keys that the rows have in a field, each once, in blocks as above."""
    return key_blocks(rows.values_list(key, flat=True).distinct(), _itself, key=key, size=size, after=after)


def _itself(key: int) -> int:
    return key

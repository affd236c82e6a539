"""What a test walks through is there: over an empty list, every assertion in a loop holds."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def some(found: Iterable[T]) -> list[T]:
    """All of these, at least one."""
    rows = list(found)
    assert rows, "nothing was found to look at"
    return rows

"""Which rows come first, and whether surely."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from annotation_platform.analysis.tables.rows import Estimate
from annotation_platform.analysis.tables.words import number

R = TypeVar("R")


def highest(rows: Sequence[R], of: Callable[[R], float | None], kind: str) -> list[R]:
    """The rows with the highest value, all of them where several read the same; none where no value is defined."""
    defined = [(value, row) for row in rows if (value := of(row)) is not None]
    most = max((value for value, _row in defined), default=None)
    return [row for value, row in defined if number(value, kind) == number(most, kind)]


def leads(found: Sequence[R], rows: Sequence[R], of: Callable[[R], Estimate]) -> bool:
    """Whether the highest is significantly higher than the others, by their whole intervals, or there are none."""
    if sum(of(row).value is not None for row in rows) < 2:
        return True
    if len(found) != 1:
        return False
    low, others = of(found[0]).low, [of(row) for row in rows if row is not found[0]]
    ends = [each.high for each in others if each.value is not None]
    return low is not None and all(end is not None and end < low for end in ends)

"""Rows made by hand for the sentences about them, and what a sentence must say."""

from dataclasses import fields
from typing import Any, TypeVar

from annotation_platform.analysis.tables.base import Row
from annotation_platform.analysis.tables.rows import NOTHING, Estimate, TableRow, with_interval
from tests.analysis import made_figures as made
from tests.analysis.made_figures import Span

T = TypeVar("T", bound=TableRow)
# Means and their intervals, who comes first, and with what mean.
FIRST = [
    ([(None,)], "", ""),
    ([(3.0, 2.0, 4.0)], "a", "3.000"),
    ([(3.0, 2.5, 4.0), (1.0, 0.5, 2.0)], "a", "3.000"),
    ([(3.0, 2.0, 4.0), (2.9, 1.0, 3.9)], "a", "3.000, not significantly ahead"),
    ([(3.0,), (2.9,)], "a", "3.000, not significantly ahead"),
    ([(3.0, 2.0, 4.0), (3.0, 2.0, 4.0)], "a and b", "3.000, not significantly ahead"),
]


def stored(value: float | None, interval: Span = None, **more: Any) -> Row:
    """A figure as plain data."""
    return made.figure(value, interval).model_dump() | more


def row(**spans: Any) -> Row:
    """A table's row: ``key=(value, low, high)`` or ``(value,)`` becomes a figure's cells, the rest stays as it is."""
    found: Row = {}
    for key, span in spans.items():
        if isinstance(span, tuple):
            found |= with_interval(key, span[0], list(span[1:]) or None)
        else:
            found[key] = span
    return found


def typed(kind: type[T], **given: Any) -> T:
    """A row of a type, as above; what is not given is not there."""
    nothing = {each.name: NOTHING if each.type is Estimate else None for each in fields(kind)}  # type: ignore[arg-type]
    spans = {key: Estimate(*value) if isinstance(value, tuple) else value for key, value in given.items()}
    return kind(**nothing | spans)


def says(text: str, said: str) -> None:
    """``said``: what stands in it, parts parted by ``…``, and after ``≠`` what does not."""
    wanted, *unwanted = said.split(" ≠ ")
    for part in wanted.split(" … "):
        assert part in text, text
    for part in unwanted:
        assert part not in text, text
    assert "None" not in text.replace("None of", ""), text
    for nonsense in ("nan", "−0.000", "−0.00 ", "−0.00]", "  ", "..", " .", ",.", "1 pairs "):
        assert nonsense not in text, text

"""What stands in a row of a table: typed, and spread into cells for columns, files and charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

from annotation_platform.analysis.measuring.figures import CountedFigure, Figure

Cells = dict[str, Any]
CELL = "cell"  # in a field's metadata: how its cell is called, where a field of Python cannot be called so


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its interval: why there is none, or on how many units it rests."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""
    units: int | None = None

    @property
    def is_above(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.low is not None and self.low > 0

    @property
    def is_below(self) -> bool:
        """Whether the whole interval lies below 0."""
        return self.high is not None and self.high < 0

    def cells(self, key: str) -> Cells:
        """The number under ``key``, the rest under names that begin with it."""
        return {
            key: self.value,
            f"{key}_low": self.low,
            f"{key}_high": self.high,
            f"{key}_why": self.why,
            f"{key}_units": self.units,
        }


NOTHING = Estimate()


def estimate_of(figure: Figure | None) -> Estimate:
    """A stored figure as it stands in a row; empty where there is none."""
    return NOTHING if figure is None else estimated(figure.value, figure.interval, figure.why_not, figure.units)


def estimated(value: float | None, interval: Sequence[float] | None, why: str, units: int | None) -> Estimate:
    """``why`` says why there is no interval, where there is none."""
    low, high = interval or (None, None)
    return Estimate(value, low, high, "" if interval else why, units)


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """A row of a table, each kind a type of its own; in the order of its fields stand its cells.

    An estimate has several that begin with its field's name, and one that says more has more; a mapping has one for
    each key, after the field's name. A field may say in its metadata how its cell is called (`CELL`), a mapping with
    the key in braces: ``rank_{}``.
    """

    @cached_property
    def cells(self) -> Cells:
        """Everything of the row by name, as columns, files and charts find it."""
        found: Cells = {}
        for name, cell in self._names():
            value = getattr(self, name)
            if value is None or isinstance(value, str | int | float):
                found[cell] = value
            else:
                found |= _cells(cell, value)
        return found

    @classmethod
    @cache
    def _names(cls) -> list[tuple[str, str]]:
        """The name of each field of this kind of row, and of its cell."""
        return [(field.name, field.metadata.get(CELL, field.name)) for field in fields(cls)]


def _cells(name: str, value: Any) -> Cells:
    if isinstance(value, Estimate):
        return value.cells(name)
    if isinstance(value, Mapping):
        pattern = name if "{}" in name else f"{name}_{{}}"
        found: Cells = {}
        for key, each in value.items():
            found |= _cells(pattern.replace("{}", str(key)), each)
        return found
    return {name: value}


def cells_of(row: TableRow | Cells) -> Cells:
    """The cells of a row; one that has no type of its own is its cells."""
    return row.cells if isinstance(row, TableRow) else row


def estimate_in(cells: Cells, key: str) -> Estimate:
    """The inverse of `Estimate.cells`."""
    return Estimate(
        cells[key],
        cells.get(f"{key}_low"),
        cells.get(f"{key}_high"),
        cells.get(f"{key}_why", ""),
        cells.get(f"{key}_units"),
    )


def sided(side: str, figure: Figure | None) -> Cells:
    if figure is None:
        return with_interval(side, None, None)
    return with_interval(side, figure.value, figure.interval, figure.why_not, units=figure.units)


def with_interval(
    key: str, value: float | None, interval: Sequence[float] | None, why: str = "", *, units: int | None = None
) -> Cells:
    """``why`` says why there is no interval, where there is none; ``units`` how many it rests on, where there is."""
    return estimated(value, interval, why, units).cells(key)


def counts_of(figure: CountedFigure) -> Cells:
    counts = {"items": figure.items, "annotators": figure.annotators, "judgments": figure.judgments}
    return counts | {"undefined_because": figure.why_not}

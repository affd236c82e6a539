"""What a table of figures is: the rows that a chart draws, a page lists and a CSV file holds; and how it reads."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any, Generic

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from typing_extensions import TypeVar

from annotation_platform.accounts.language import in_language, why_in_language
from annotation_platform.analysis.measuring.certainty import is_rough, rough
from annotation_platform.analysis.tables.rows import Cells, TableRow, cells_of
from annotation_platform.analysis.tables.words import MOST_NAMED, from_to, in_a_row, number, without_spaces
from annotation_platform.core.few_units import UnitName

Row = Cells
RowT = TypeVar("RowT", bound=TableRow | Cells, default=Any)
SETTINGS = {
    "all": gettext_noop("all items"),
    "incomplete": gettext_noop("incomplete setting"),
    "no_ties": gettext_noop("without ties"),
}
TAU = {
    "all": gettext_noop("τ, all items"),
    "incomplete": gettext_noop("τ, incomplete setting"),
    "no_ties": gettext_noop("τ, without ties"),
}
ROWS_SHOWN = 200  # of a table on a page; its CSV has all
MOST_DRAWN = 40  # annotators beside each other in a chart


INTERVAL = gettext_noop("95\u00a0% interval")
NO_INTERVALS = gettext_noop("None of these intervals could be computed here.")
EMPTY_BECAUSE = "empty_because"  # the column of a CSV file with what is known of its row's empty cells
WHYS = ("undefined_because", "remark")  # the columns that say why something is not there
CAUTION = "caution"  # the column of a CSV file that says which of its row's intervals are rough


@dataclass(frozen=True)
class Column:
    """A column of a figure. ``kind`` decides how it reads; an interval stands in ``<key>_low`` and ``_high``."""

    key: str
    heading: str
    kind: str = "text"  # text, count, value, share, score, money, p, time
    has_interval: bool = False

    @property
    def is_number(self) -> bool:
        return self.kind != "text"

    def show(self, row: Row, told: Callable[[str], str] = why_in_language) -> str:
        if self.key in WHYS:
            return told(row.get(self.key) or "")
        text = number(row.get(self.key), self.kind)
        if self.has_interval and row.get(f"{self.key}_low") is not None:
            low, high = number(row[f"{self.key}_low"], self.kind), number(row[f"{self.key}_high"], self.kind)
            text += f" [{low}, {high}]"
        return text


@dataclass(frozen=True)
class FigureTable(Generic[RowT]):
    """One figure's rows; ``reading`` says in words what its charts show.

    ``ranked_by`` names the column by which a chart chooses among very many rows, ``draws`` the columns that a chart
    draws where others have intervals, too.
    """

    name: str
    title: str
    reading: str
    columns: list[Column]
    rows: Sequence[RowT]
    charts: dict[str, str] = field(default_factory=dict)  # chart's name -> caption
    meta: Row = field(default_factory=dict)
    ranked_by: dict[str, str] = field(default_factory=dict)  # chart's name -> column
    draws: dict[str, tuple[str, ...]] = field(default_factory=dict)  # chart's name -> columns; of others all
    cautions: tuple[str, ...] = ()  # what must be known before it is believed
    needs: tuple[str, ...] = ()  # the snapshot's sections that it was made from
    unit: UnitName | None = None  # what its intervals draw, where it is one thing
    speaks_for: str = ""  # whom its intervals speak for, in a sentence
    offers_others: bool = False  # whether they can speak for other annotators, too
    are_wide: bool = False  # whether they do, and so hold more often than they say, however few units there are

    @cached_property
    def cells(self) -> list[Cells]:
        """Each row by the keys of columns."""
        return [cells_of(row) for row in self.rows]

    def __post_init__(self) -> None:
        """A caption that speaks of intervals says so where the chart has none to draw; after a Japanese full stop there
        is no space."""
        none = _(NO_INTERVALS)
        told = {
            name: text if _(INTERVAL) not in text or none in text or self._has_interval(name) else f"{text} {none}"
            for name, text in self.charts.items()
        }
        object.__setattr__(self, "charts", told)
        object.__setattr__(self, "reading", without_spaces(self.reading))
        object.__setattr__(self, "charts", {name: without_spaces(text) for name, text in self.charts.items()})

    def _has_interval(self, chart: str) -> bool:
        """Whether a chart draws any figure that has an interval."""
        drawn = self.draws.get(chart)
        ends = None if drawn is None else {f"{key}_low" for key in drawn}
        return any(
            value is not None and (key.endswith("low") if ends is None else key in ends)
            for row in self.cells
            for key, value in row.items()
        )

    def drawn_in(self, chart: str) -> "FigureTable[RowT]":
        """What a chart draws: all rows or, of very many, the highest and the lowest, after that of all together."""
        key = self.ranked_by.get(chart, "")
        paired = list(zip(self.cells, self.rows, strict=True))
        together = [row for cells, row in paired if cells.get("is_all")]
        ranked = [(cells[key], row) for cells, row in paired if cells.get(key) is not None and not cells.get("is_all")]
        if len(ranked) <= MOST_DRAWN:
            return self
        highest_first = [row for _value, row in sorted(ranked, key=lambda pair: -pair[0])]
        half = MOST_DRAWN // 2
        return replace(self, rows=[*together, *highest_first[:half], *highest_first[-half:]])

    @property
    def is_crowd(self) -> bool:
        """Whether its rows are so many that they are looked for, not looked through."""
        return len(self.rows) > MOST_DRAWN

    @property
    def all_lines(self) -> list[list[tuple[str, bool]]]:
        """Formatted cells, each with whether it is a number."""
        return self._lines(self.cells)

    @property
    def shown_lines(self) -> list[list[tuple[str, bool]]]:
        return self._lines(self.cells[:ROWS_SHOWN])

    def _lines(self, cells: list[Cells]) -> list[list[tuple[str, bool]]]:
        words: dict[tuple[str, str], str] = {}  # hundreds of rows have one reason

        def told(why: str) -> str:
            key = getattr(why, "code", ""), why
            if key not in words:
                words[key] = why_in_language(why)
            return words[key]

        return [[(column.show(row, told), column.is_number) for column in self.columns] for row in cells]

    @property
    def hidden_rows(self) -> int:
        return max(len(self.rows) - ROWS_SHOWN, 0)

    @cached_property
    def _names(self) -> list[str]:
        """What rows are called: what their first column says or, where rows share it, all columns before the first
        number together."""
        leading = [*takewhile(lambda column: not column.is_number, self.columns)] or self.columns[:1]
        names = [leading[0].show(row) for row in self.cells]
        if len(set(names)) == len(names):
            return names
        return [" · ".join(filter(None, (column.show(row) for column in leading))) for row in self.cells]

    @property
    def without_interval(self) -> list[str]:
        """Which figures have no interval, and why, as far as no column says so."""
        found: dict[tuple[str, str], list[str]] = {}
        told_by = [column for column in self.columns if not column.is_number]
        words: dict[str, str] = {}
        for place, row in enumerate(self.cells):
            whys = [
                (column.heading, why)
                for column in self.columns
                if (why := row.get(f"{column.key}_why")) and row[column.key] is not None
            ]
            told = {column.show(row) for column in told_by} if whys else set()
            for heading, why in whys:
                if why not in words:
                    words[why] = why_in_language(why)
                if words[why] not in told:
                    found.setdefault((heading, why), []).append(self._names[place])
        return [
            _("{heading}, no interval for {rows}: {why}").format(
                heading=heading,
                rows=in_a_row(names) if len(names) <= MOST_NAMED else _("{n} rows").format(n=len(names)),
                why=words[why],
            )
            for (heading, why), names in found.items()
        ]

    @property
    def rough_intervals(self) -> list[str]:
        """Which intervals rest on so few units that they are rough, in a sentence or none."""
        few_units = enumerate(map(self._few_units, self.cells))
        named = {self._names[place]: min(few.values()) for place, few in few_units if few}
        if not named:
            return []
        units = sorted(set(named.values()))
        said = [f"{name} ({n})" for name, n in named.items()]
        which = in_a_row(said)
        if len(said) > MOST_NAMED:
            span = from_to(f"{units[0]}", f"{units[-1]}")
            which = _("{n} rows ({span} each)").format(n=len(said), span=span)
        return [_("{what}: {which}.").format(what=in_language(rough(self.unit)), which=which)]

    @property
    def all_cautions(self) -> list[str]:
        """What must be known before it is believed, the rough intervals among it."""
        return [*self.cautions, *self.rough_intervals]

    def _few_units(self, row: Row) -> dict[str, int]:
        """On how few units a row's rough intervals rest, by column."""
        if self.are_wide:
            return {}
        keys = [column.key for column in self.columns if column.has_interval]
        return {key: row[f"{key}_units"] for key in keys if is_rough(row.get(f"{key}_low"), row.get(f"{key}_units"))}

    def csv(self) -> str:
        keys = [
            key
            for column in self.columns
            for key in (
                [column.key, f"{column.key}_low", f"{column.key}_high"] if column.has_interval else [column.key]
            )
        ]
        reasons = [self._reasons_of_empty_cells(row) for row in self.cells]
        if any(reasons) and "undefined_because" not in keys:
            keys.append(EMPTY_BECAUSE)
        few = [", ".join(f"{key}: {n} units" for key, n in self._few_units(row).items()) for row in self.cells]
        if any(few):
            keys.append(CAUTION)
        out = io.StringIO()
        writer = csv.DictWriter(out, keys, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        columns = zip(self.cells, reasons, few, strict=True)
        writer.writerows({**row, EMPTY_BECAUSE: why, CAUTION: rough} for row, why, rough in columns)
        return out.getvalue()

    def _reasons_of_empty_cells(self, row: Row) -> str:
        """Why figures of a row, or their intervals, are not there, as far as it is known."""
        empty = (
            (column.key, row.get(f"{column.key}_why"))
            for column in self.columns
            if column.has_interval and (row.get(column.key) is None or row.get(f"{column.key}_low") is None)
        )
        return " ".join(f"{key}: {why}" for key, why in empty if why)

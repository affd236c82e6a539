"""What a table of figures is: the rows that a chart draws, a page lists and a CSV file holds; and how it reads."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext
from typing_extensions import TypeVar

from annotation_platform.accounts.language import in_language, why_in_language
from annotation_platform.analysis.measuring.certainty import is_rough, rough, unit_called
from annotation_platform.analysis.measuring.figures import AspectHead, CountedFigure, Figure
from annotation_platform.analysis.tables.rows import Cells, Estimate, TableRow, cells_of, estimated
from annotation_platform.core.few_units import UnitName, units_in_words
from annotation_platform.core.text import decimal

Row = Cells
R = TypeVar("R")
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
DASH = "–"
ROWS_SHOWN = 200  # of a table on a page; its CSV has all
MOST_NAMED = 5  # rows that are named one by one in a sentence
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

    def show(self, row: Row) -> str:
        if self.key in WHYS:
            return why_in_language(row.get(self.key) or "")
        text = number(row.get(self.key), self.kind)
        if self.has_interval and row.get(f"{self.key}_low") is not None:
            low, high = number(row[f"{self.key}_low"], self.kind), number(row[f"{self.key}_high"], self.kind)
            text += f" [{low}, {high}]"
        return text


@dataclass(frozen=True)
class FigureTable(Generic[RowT]):
    """One figure's rows; ``reading`` says in words what its charts show.

    ``ranked_by`` names the column by which a chart chooses among very many rows.
    """

    name: str
    title: str
    reading: str
    columns: list[Column]
    rows: Sequence[RowT]
    charts: dict[str, str] = field(default_factory=dict)  # chart's name -> caption
    meta: Row = field(default_factory=dict)
    ranked_by: dict[str, str] = field(default_factory=dict)  # chart's name -> column
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
        """A caption that speaks of intervals says so where none could be computed; after a Japanese full stop there is
        no space."""
        has_interval = any(
            key.endswith("low") and value is not None for row in self.cells for key, value in row.items()
        )
        if not has_interval:
            none = _(NO_INTERVALS)
            told = {
                name: f"{text} {none}" if _(INTERVAL) in text and none not in text else text
                for name, text in self.charts.items()
            }
            object.__setattr__(self, "charts", told)
        object.__setattr__(self, "reading", without_spaces(self.reading))
        object.__setattr__(self, "charts", {name: without_spaces(text) for name, text in self.charts.items()})

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
        return [[(column.show(row), column.is_number) for column in self.columns] for row in cells]

    @property
    def hidden_rows(self) -> int:
        return max(len(self.rows) - ROWS_SHOWN, 0)

    @property
    def without_interval(self) -> list[str]:
        """Which figures have no interval, and why, as far as no column says so."""
        found: dict[tuple[str, str], list[str]] = {}
        told_by = [column for column in self.columns if not column.is_number]
        words: dict[str, str] = {}
        for row in self.cells:
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
                    found.setdefault((heading, why), []).append(self.columns[0].show(row))
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
        named = {self.columns[0].show(row): min(few.values()) for row in self.cells if (few := self._few_units(row))}
        if not named:
            return []
        units = sorted(set(named.values()))
        said = [f"{name} ({n})" for name, n in named.items()]
        span = from_to(f"{units[0]}", f"{units[-1]}")
        which = in_a_row(said) if len(said) <= MOST_NAMED else _("{n} rows ({span})").format(n=len(said), span=span)
        return [_("{what}: {which}.").format(what=in_language(rough(self.unit)), which=which)]

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


def without_spaces(sentences: str) -> str:
    """Sentences as Japanese joins them; all others stay as they are."""
    return sentences.replace("。 ", "。")


def change_heading() -> str:
    """The heading of a difference; elsewhere “Change” is what a button does."""
    return pgettext("difference", "Change")


def number_kind(aspect: AspectHead) -> str:
    """How numbers on an aspect's scale read: a mean of 0 to 3 is worth more digits than one of 0 to 100."""
    numbers = [label.number for label in aspect.labels if label.number is not None]
    return "score" if numbers and max(numbers) - min(numbers) > 10 else "value"


def sign(value: float) -> str:
    """A difference with its sign."""
    return decimal(value, 3, with_plus=True)


def possible_ranks(ranks: tuple[int, int] | None) -> str:
    """The best and the worst rank that something may have, as in “1 to 3”."""
    if ranks is None:
        return ""
    best, worst = ranks
    return from_to(f"{best}", f"{worst}")


def from_to(low: str, high: str) -> str:
    """As in “2 to 5”, or one number where both read the same."""
    return low if low == high else _("{low} to {high}").format(low=low, high=high)


def some(words: list[str]) -> list[str]:
    """The first of very many words, and how many more there are."""
    if len(words) <= MOST_NAMED + 1:
        return words
    return [*words[:MOST_NAMED], _("{n} more").format(n=len(words) - MOST_NAMED)]


def in_a_row(words: list[str]) -> str:
    """As in “one, two and three”."""
    if len(words) < 2:
        return "".join(words)
    return _("{first} and {last}").format(first=with_commas(words[:-1]), last=words[-1])


def with_commas(words: list[str]) -> str:
    """As in “one, two, three”."""
    return _(", ").join(words)


def units_called(name: str) -> str:
    """Several of the units that figures were stored with, as in “articles”."""
    return in_language(units_in_words(unit_called(name)))


def between(interval: Sequence[float], kind: str) -> str:
    """As in “95 % interval 0.2 to 0.4”."""
    low, high = (number(end, kind) for end in interval)
    return _("95\u00a0% interval {low} to {high}").format(low=low, high=high)


def with_ends(value: float | None, interval: Sequence[float] | None, kind: str) -> str:
    """As in “0.3 [0.2, 0.4]”, or the number alone."""
    ends = f" [{', '.join(number(end, kind) for end in interval)}]" if interval else ""
    return f"{number(value, kind)}{ends}"


def half_sentence(why: str) -> str:
    """A reason without its full stop, to stand inside another sentence."""
    return why_in_language(why).rstrip(".。")


def upper_first(sentence: str) -> str:
    """A sentence of half of one, in languages that begin it with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


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


def sided(side: str, figure: Figure | None) -> Row:
    if figure is None:
        return with_interval(side, None, None)
    return with_interval(side, figure.value, figure.interval, figure.why_not, units=figure.units)


def with_interval(
    key: str, value: float | None, interval: Sequence[float] | None, why: str = "", *, units: int | None = None
) -> Row:
    """``why`` says why there is no interval, where there is none; ``units`` how many it rests on, where there is."""
    return estimated(value, interval, why, units).cells(key)


def counts_of(figure: CountedFigure) -> Row:
    counts = {"items": figure.items, "annotators": figure.annotators, "judgments": figure.judgments}
    return counts | {"undefined_because": figure.why_not}


def number(value: Any, kind: str) -> str:
    """A number as pages write it: a true minus, thousands apart, and never more digits than it is worth."""
    if value is None or value == "":
        return DASH if kind != "text" else ""
    if kind == "count":
        return f"{value:,}"
    if kind == "share":
        return f"{decimal(100 * value, 1)}\u00a0%"
    if kind == "p":
        return f"{value:.3f}" if value >= 0.001 else "< 0.001"
    if kind == "time":
        if value < 120:
            return _("{seconds:.0f}\u00a0s").format(seconds=value)
        return _("{minutes:.1f}\u00a0min").format(minutes=value / 60)
    if kind == "money":
        return f"{value:,.2f}"
    if kind == "value":
        return decimal(value, 3)
    if kind == "score":
        return decimal(value, 1)
    return in_language(str(value) if not isinstance(value, str) else value)

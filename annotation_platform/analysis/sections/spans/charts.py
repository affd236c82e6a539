"""Charts of the words that judgments mark."""

from collections.abc import Sequence
from typing import Any

from annotation_platform.analysis.charts.base import Draw, dots_and_intervals, drawn
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.spans.table_rows import AgreementRow, LabelRow
from annotation_platform.analysis.sections.spans.tables import MEASURES
from annotation_platform.analysis.tables.base import FigureTable


def _names(rows: Sequence[AgreementRow] | Sequence[LabelRow]) -> list[str]:
    """What each row is called; the aspect is in it where there are several."""
    several = len({row.aspect for row in rows}) > 1
    return [f"{row.aspect}: {row.label}" if several else row.label for row in rows]


def _agreement(table: FigureTable[AgreementRow], theme: Theme) -> Any:
    named = [(name, row) for name, row in zip(_names(table.rows), table.rows, strict=True) if row.raw.value is not None]
    dots = [
        {"name": name, "items": row.items, "judgments": row.judgments, "judged": row.measure} | drawn(row.raw)
        for name, row in named
    ]
    return dots_and_intervals(
        dots,
        theme,
        group="name",
        order=list(dict.fromkeys(name for name, _row in named)),
        title="Agreement",
        number=".3f",
        apart="Measure",
        colours=dict(zip(MEASURES, theme.kinds, strict=False)),
    )


def _labels(table: FigureTable[LabelRow], theme: Theme) -> Any:
    names = _names(table.rows)
    dots = [
        {"name": name, "spans": row.spans, "judged": "Raw"} | drawn(row.share)
        for name, row in zip(names, table.rows, strict=True)
    ]
    return dots_and_intervals(dots, theme, group="name", order=names, title="Share of readings", number=".1%")


CHARTS: dict[str, Draw] = {"marked-agreement": _agreement, "marked-labels": _labels}

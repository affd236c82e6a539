"""Charts of the words that judgments mark."""

from typing import Any

from annotation_platform.analysis.charts.base import Draw, dots_and_intervals, estimate, long
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.spans.tables import MEASURES
from annotation_platform.analysis.tables.base import FigureTable


def _names(table: FigureTable, *columns: str) -> list[dict[str, Any]]:
    """The rows under one name each; the aspect is in it where there are several."""
    several = len({row["aspect"] for row in table.cells}) > 1
    shown = [*(("aspect",) if several else ()), *columns]
    return [row | {"name": ": ".join(str(row[column]) for column in shown)} for row in table.cells]


def _agreement(table: FigureTable, theme: Theme) -> Any:
    rows = _names(table, "label")
    dots = [
        {key: row[key] for key in ("name", "items", "judgments")} | {"judged": row["measure"]} | estimate(row, "raw")
        for row in rows
        if row["raw"] is not None
    ]
    order = list(dict.fromkeys(row["name"] for row in dots))
    return dots_and_intervals(
        dots,
        theme,
        group="name",
        order=order,
        title="Agreement",
        number=".3f",
        apart="Measure",
        colours=dict(zip(MEASURES.values(), theme.kinds, strict=False)),
    )


def _labels(table: FigureTable, theme: Theme) -> Any:
    rows = _names(table, "label")
    dots = long(rows, {"share": "Raw"}, keep=("name", "spans"))
    order = [row["name"] for row in rows]
    return dots_and_intervals(dots, theme, group="name", order=order, title="Share of readings", number=".1%")


CHARTS: dict[str, Draw] = {"marked-agreement": _agreement, "marked-labels": _labels}

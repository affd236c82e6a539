"""Charts of the annotators' competence, in the order of people that the other pages have."""

from collections.abc import Callable
from functools import partial
from typing import Any

from annotation_platform.analysis.charts.base import Draw, dots_and_intervals, drawn
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.consensus.table_rows import CompetenceRow
from annotation_platform.analysis.tables.base import FigureTable, Row
from annotation_platform.analysis.tables.rows import Estimate


def _competence(
    table: FigureTable[CompetenceRow], theme: Theme, *, of: Callable[[CompetenceRow], Estimate], title: str
) -> Any:
    rows: list[Row] = [
        {"annotator": row.name, "judged": "Raw", "items": row.items, "judgments": row.judgments} | drawn(of(row))
        for row in table.rows
        if of(row).value is not None
    ]
    order = [row["annotator"] for row in rows]
    return dots_and_intervals(rows, theme, group="annotator", order=order, title=title, number=".1%", zero=True)


CHARTS: dict[str, Draw] = {
    "competence-mace": partial(_competence, of=lambda row: row.mace, title="Knows the label"),
    "competence-dawid-skene": partial(_competence, of=lambda row: row.dawid_skene, title="Gives the true label"),
}

"""Charts of the annotators' competence, in the order of people that the other pages have."""

from functools import partial
from typing import Any

from annotation_platform.analysis.charts.base import Draw, dots_and_intervals, estimate
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import FigureTable, Row


def _competence(table: FigureTable, theme: Theme, *, key: str, title: str) -> Any:
    rows: list[Row] = [
        {"annotator": row["name"], "judged": "Raw", "items": row["items"], "judgments": row["judgments"]}
        | estimate(row, key)
        for row in table.cells
        if row[key] is not None
    ]
    order = [row["annotator"] for row in rows]
    return dots_and_intervals(rows, theme, group="annotator", order=order, title=title, number=".1%", zero=True)


CHARTS: dict[str, Draw] = {
    "competence-mace": partial(_competence, key="mace", title="Knows the label"),
    "competence-dawid-skene": partial(_competence, key="dawid_skene", title="Gives the true label"),
}

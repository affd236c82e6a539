"""Charts of people and a model at once: a line for each system or pair, people alone above both."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import Draw, chart_of
from annotation_platform.analysis.charts.grouped import grouped_dots, points_of
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import FigureTable, Row

FORMATS = {"share": ".1%", "score": ".1f", "value": ".2f"}


def means(table: FigureTable, theme: Theme) -> Any:
    """Of systems; with each judge where there are several."""
    return _dots(table, theme, "system", "Mean", n="answers", zero=table.meta["kind"] == "share")


def differences(table: FigureTable, theme: Theme) -> Any:
    """Of pairs, beside a line at zero."""
    found = _dots(table, theme, "pair", "Difference", n="questions", zero=True)
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q")
    return alt.layer(zero, *found.layer).properties(height=found.height)


def _dots(table: FigureTable, theme: Theme, group: str, title: str, *, n: str, zero: bool) -> Any:
    several = any(column.key == "judge" for column in table.columns)
    rows: list[Row] = [
        row | {"group": f"{row[group]}, {row['judge']}" if several else row[group], "answers": row[n]}
        for row in table.rows
    ]
    sides, kind = table.meta["sides"], table.meta["kind"]
    return grouped_dots(
        points_of(rows, "group", sides),
        theme,
        title,
        number=FORMATS[kind],
        group=group.capitalize(),
        n=f"{n.capitalize()} in all",
        zero=zero,
    )


CHARTS: dict[str, Draw] = {
    "powered": means,
    "powered-differences": differences,
    "powered-scores": means,
    "powered-scores-differences": differences,
}

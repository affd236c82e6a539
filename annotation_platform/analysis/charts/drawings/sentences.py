"""Charts of the sentences that judgments cite."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.drawings.base import Draw, chart_of, dots_and_intervals, long
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.selectors.tables.base import FigureTable

OR_MORE = "replace(datum.label, ' or more', '+')"
BARE = "replace(replace(datum.label, 'to ', ''), /\\s%/, '')"


def _agreement(table: FigureTable, theme: Theme) -> Any:
    several = len({row["aspect"] for row in table.rows}) > 1
    rows = [
        row | {"measure": f"{row['aspect']}: {row['distance']}" if several else row["distance"]} for row in table.rows
    ]
    dots = long(rows, {"raw": "Raw"}, keep=("measure", "items", "judgments"))
    order = [row["measure"] for row in rows if row["raw"] is not None]
    return dots_and_intervals(dots, theme, group="measure", order=order, title="Krippendorff α", number=".3f")


def _bars(group: str, value: str, title: str, x_title: str, number: str, short: str = "datum.label") -> Draw:
    """A bar for each row; ``short`` is how Vega writes a row's name where there is little room."""

    def draw(table: FigureTable, theme: Theme) -> Any:
        tooltip = [
            alt.Tooltip(f"{column.key}:{'N' if column.key == group else 'Q'}", title=column.heading)
            if column.kind != "share"
            else alt.Tooltip(f"{column.key}:Q", title=column.heading, format=".1%")
            for column in table.columns
        ]
        across = alt.Axis(labelAngle=0, labelOverlap="greedy", labelExpr=short)
        return (
            chart_of(table.rows)
            .mark_bar(color=theme.rescaled, cornerRadiusEnd=2)
            .encode(
                x=alt.X(f"{group}:N", sort=None, title=x_title, axis=across),
                y=alt.Y(f"{value}:Q", title=title, axis=alt.Axis(format=number, tickCount=5)),
                tooltip=tooltip,
            )
            .properties(height=220)
        )

    return draw


CHARTS: dict[str, Draw] = {
    "cited-agreement": _agreement,
    "cited-sizes": _bars("sentences", "share", "Share of judgments", "Sentences cited", ".0%", OR_MORE),
    "cited-coverage": _bars("share", "documents", "Documents", "Sentences cited, up to … %", ",.0f", BARE),
    "cited-places": _bars("place", "share", "Share of citations", "Part of the document, %", ".0%", BARE),
}

"""Charts of REV runs: dots with intervals by kind of rationale, and a scatter against people's scores."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import Draw, chart_of
from annotation_platform.analysis.charts.grouped import grouped_dots, points_of
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.rev.table_rows import KindRow, PointRow
from annotation_platform.analysis.tables.base import FigureTable


def _kinds(table: FigureTable[KindRow], theme: Theme) -> Any:
    rows = points_of((row.kind, row.rationales, {"REV": row.rev}) for row in table.rows if not row.is_of_all)
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q")
    return alt.layer(zero, grouped_dots(rows, theme, "REV (nats)", number="+.3f", group="Rationales", n="How many"))


def _people(table: FigureTable[PointRow], theme: Theme) -> Any:
    kinds = list(dict.fromkeys(row.kind for row in table.rows))
    some = theme.kinds if len(kinds) <= len(theme.kinds) else theme.ramp(len(kinds))
    colours = alt.Scale(domain=kinds, range=list(some[: len(kinds)]))
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(y="zero:Q")
    dots = chart_of(table.cells).mark_point(filled=True, size=55, opacity=0.75)
    return alt.layer(
        zero,
        dots.encode(
            x=alt.X(
                "people:Q", title="People's score", scale=alt.Scale(domain=[-1.2, 3.2]), axis=alt.Axis(tickCount=5)
            ),
            y=alt.Y("rev:Q", title="REV (nats)"),
            color=alt.Color("kind:N", title=None, scale=colours, legend=alt.Legend(orient="top")),
            shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds), legend=alt.Legend(orient="top")),
            tooltip=[
                alt.Tooltip("kind:N", title="Rationale"),
                alt.Tooltip("people:Q", title="People", format=".2f"),
                alt.Tooltip("rev:Q", title="REV", format="+.3f"),
            ],
        ),
    ).properties(height=300)


CHARTS: dict[str, Draw] = {
    "rev": _kinds,
    "rev-people": _people,
}

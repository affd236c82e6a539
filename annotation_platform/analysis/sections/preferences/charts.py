"""Charts of preferences: shares around one half."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    Draw,
    chart_of,
    dots,
    estimate,
    interval_tips,
    name_axis,
    row_height,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import FigureTable, Row


def _around_half(rows: list[Row], theme: Theme, *, group: str, title: str, counts: dict[str, str]) -> Any:
    """A dot with its interval for each row, in their order; a broken line stands at 50 %."""
    order = [row[group] for row in rows]
    base = chart_of(rows).encode(
        y=alt.Y(f"{group}:N", sort=order, title=None, axis=name_axis(theme, order)),
        color=alt.value(theme.raw),
        tooltip=[
            alt.Tooltip(f"{group}:N", title=group.capitalize()),
            alt.Tooltip("value:Q", title=title, format=".1%"),
            *interval_tips(".1%"),
            *[alt.Tooltip(f"{key}:Q", title=heading, format=",") for key, heading in counts.items()],
        ],
    )
    axis = alt.Axis(tickCount=5, format="%")
    x = alt.X("low:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))
    even = chart_of([{"even": 0.5}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="even:Q")
    lines = base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q")
    return alt.layer(even, lines, *dots(base.encode(x="value:Q"), rows, theme)).properties(
        height=row_height(theme, order, 26) * len(order)
    )


def _wins(table: FigureTable, theme: Theme) -> Any:
    rows = [
        {"pair": row["pair"], "judgments": row["judgments"], "questions": row["questions"]} | estimate(row, "win_rate")
        for row in table.cells
    ]
    rows.sort(key=lambda row: -row["value"])
    counts = {"questions": "Questions", "judgments": "Judgments"}
    return _around_half(rows, theme, group="pair", title="Win rate", counts=counts)


def _strengths(table: FigureTable, theme: Theme) -> Any:
    rows = [
        {"system": row["system"], "comparisons": row["comparisons"]} | estimate(row, "share")
        for row in table.cells
        if row["share"] is not None
    ]
    return _around_half(
        rows, theme, group="system", title="Preferred to an average system", counts={"comparisons": "Comparisons"}
    )


def _effects(table: FigureTable, theme: Theme) -> Any:
    rows = [{"effect": row["effect"]} | estimate(row, "share") for row in table.cells if row["share"] is not None]
    return _around_half(rows, theme, group="effect", title="Preferred", counts={})


CHARTS: dict[str, Draw] = {
    "wins": _wins,
    "strengths": _strengths,
    "preference-effects": _effects,
}

"""Charts of preferences: shares around one half."""

from collections.abc import Mapping
from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    Draw,
    chart_of,
    dots,
    drawn,
    interval_tips,
    name_axis,
    row_height,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.preferences.table_rows import EffectRow, StrengthRow, WinRow
from annotation_platform.analysis.tables.base import FigureTable, Row


def _around_half(
    rows: list[Row], theme: Theme, *, group: str, order: list[str], title: str, counts: Mapping[str, str]
) -> Any:
    """A dot with its interval for each name in ``order``; a broken line stands at 50 %."""
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


def _wins(table: FigureTable[WinRow], theme: Theme) -> Any:
    ranked = sorted(table.rows, key=lambda row: -(row.win_rate.value or 0))
    rows = [
        {"pair": row.pair, "judgments": row.judgments, "questions": row.questions} | drawn(row.win_rate)
        for row in ranked
    ]
    counts = {"questions": "Questions", "judgments": "Judgments"}
    order = [row.pair for row in ranked]
    return _around_half(rows, theme, group="pair", order=order, title="Win rate", counts=counts)


def _strengths(table: FigureTable[StrengthRow], theme: Theme) -> Any:
    known = [row for row in table.rows if row.share.value is not None]
    return _around_half(
        [{"system": row.system, "comparisons": row.comparisons} | drawn(row.share) for row in known],
        theme,
        group="system",
        order=[row.system for row in known],
        title="Preferred to an average system",
        counts={"comparisons": "Comparisons"},
    )


def _effects(table: FigureTable[EffectRow], theme: Theme) -> Any:
    known = [row for row in table.rows if row.share.value is not None]
    rows: list[Row] = [{"effect": row.effect} | drawn(row.share) for row in known]
    order = [row.effect for row in known]
    return _around_half(rows, theme, group="effect", order=order, title="Preferred", counts={})


CHARTS: dict[str, Draw] = {
    "wins": _wins,
    "strengths": _strengths,
    "preference-effects": _effects,
}

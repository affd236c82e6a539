"""What several charts share: the colour of each side, dots with their intervals, bubbles."""

import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import altair as alt

from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.selectors.tables.base import FigureTable, Row

LONGEST_LABEL = 150  # pixels of a group's name beside its dots
LONGEST_LINE = 22  # characters of it, two lines at most

Draw = Callable[[FigureTable, Theme], Any]  # Altair's own types do not say what its layers are


def dots_and_intervals(
    rows: list[Row], theme: Theme, *, group: str, order: list[str], title: str, number: str, zero: bool = True
) -> Any:
    sides = [side for side in ("Raw", "Rescaled") if any(row["judged"] == side for row in rows)]
    legend = alt.Legend(orient="top") if len(sides) > 1 else None
    lines = {name: "\n".join(two_lines(name)) for name in order}
    rows = [row | {group: lines[row[group]]} for row in rows]
    order = list(lines.values())
    height = max(23 * len(sides), 15 * max((name.count("\n") + 1 for name in order), default=1) + 8)
    base = chart_of(rows).encode(
        y=alt.Y(
            f"{group}:N",
            sort=order,
            title=None,
            scale=alt.Scale(paddingInner=0.4),
            axis=alt.Axis(ticks=False, domain=False, labelExpr="split(datum.label, '\\n')", labelLimit=LONGEST_LABEL),
        ),
        yOffset=alt.YOffset("judged:N", sort=sides),
        color=side_color(theme, sides, legend=legend),
        tooltip=[
            alt.Tooltip(f"{group}:N", title=group.capitalize()),
            alt.Tooltip("judged:N", title="Judgments as"),
            alt.Tooltip("value:Q", title="Value", format=number),
            alt.Tooltip("low:Q", title="95\u00a0% from", format=number),
            alt.Tooltip("high:Q", title="95\u00a0% to", format=number),
            alt.Tooltip("items:Q", title="Items", format=","),
            alt.Tooltip("judgments:Q", title="Judgments", format=","),
        ],
    )
    x = alt.X("low:Q", title=title, axis=alt.Axis(tickCount=6), scale=alt.Scale(zero=zero))
    layers = [
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x="value:Q",
            shape=alt.Shape("judged:N", scale=alt.Scale(domain=sides), title=None, legend=legend),
        ),
    ]
    if zero:
        layers.insert(0, chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q"))
    return alt.layer(*layers).properties(height=height * len(order))


def two_lines(name: str) -> list[str]:
    first, arrow, second = name.partition(" → ")
    if arrow:
        return [textwrap.shorten(first, LONGEST_LINE), f"→ {textwrap.shorten(second, LONGEST_LINE)}"]
    return textwrap.wrap(name, LONGEST_LINE, max_lines=2, placeholder=" …", break_on_hyphens=False) or [name]


def side_color(theme: Theme, sides: list[str], legend: alt.Legend | None = None) -> alt.Color:
    """The colour that raw or rescaled has everywhere."""
    colours = {"Raw": theme.raw, "Rescaled": theme.rescaled}
    scale = alt.Scale(domain=sides, range=[colours[side] for side in sides])
    return alt.Color("judged:N", scale=scale, title=None, legend=legend)


def level_axis() -> alt.Axis:
    return alt.Axis(labelAngle=0, labelFontSize=11, labelExpr="split(datum.label, ' ')", labelOverlap=False)


def bubble(rows: list[Row]) -> alt.Size:
    """Areas that grow with the count; a single judgment is a small dot, however few there are."""
    most = max((row["judgments"] for row in rows), default=1)
    return alt.Size("judgments:Q", scale=alt.Scale(domain=[0, max(most, 8)], range=[0, 700]), legend=None)


def counted(rows: Iterable[Row]) -> list[Row]:
    """Equal rows once, with how many there were."""
    counts: dict[tuple[tuple[str, Any], ...], int] = {}
    for row in rows:
        key = tuple(row.items())
        counts[key] = counts.get(key, 0) + 1
    return [dict(key) | {"judgments": count} for key, count in counts.items()]


def long(rows: list[Row], sides: dict[str, str], *, keep: tuple[str, ...]) -> list[Row]:
    return [
        {key: row[key] for key in keep}
        | {"judged": name, "value": row[side], "low": row[f"{side}_low"], "high": row[f"{side}_high"]}
        for row in rows
        for side, name in sides.items()
        if row[side] is not None
    ]


def chart_of(rows: list[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))

"""Dots with their intervals by group, a dot for each side of it."""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    TICKS,
    chart_of,
    dots,
    drawn,
    interval_tips,
    name_axis,
    number_axis,
    row_height,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import Row
from annotation_platform.analysis.tables.rows import Estimate


def points_of(groups: Iterable[tuple[str, int | None, Mapping[str, Estimate]]]) -> list[Row]:
    """A dot for each side with a value of each group, which comes with its name and how much it has of what counts."""
    return [
        {"group": group, "side": side, "n": n, **drawn(of)}
        for group, n, sides in groups
        for side, of in sides.items()
        if of.value is not None
    ]


def grouped_dots(
    rows: list[Row],
    theme: Theme,
    title: str,
    *,
    number: str,
    group: str,
    n: str = "Answers",
    zero: bool = True,
    is_difference: bool = False,
    people: str = "",
) -> Any:
    """A line for each group in the order given, a dot for each side; the one called ``people``, who judged without a
    model, has the colour of raw labels, alone or beside another. ``zero`` says whether the axis begins there;
    differences have a line there."""
    sides = list(dict.fromkeys(row["side"] for row in rows))
    colours = [theme.raw if side == people else theme.rescaled for side in sides]
    legend = alt.Legend(orient="top") if len(sides) > 1 else None
    groups = list(dict.fromkeys(row["group"] for row in rows))
    base = chart_of(rows).encode(
        y=alt.Y("group:N", sort=groups, title=None, axis=name_axis(theme, groups)),
        yOffset=alt.YOffset("side:N", sort=sides),
        color=alt.Color("side:N", scale=alt.Scale(domain=sides, range=colours), title=None, legend=legend),
        tooltip=[
            alt.Tooltip("group:N", title=group),
            *([alt.Tooltip("side:N", title="By")] if legend else []),
            alt.Tooltip("value:Q", title=title, format=number),
            *interval_tips(number),
            alt.Tooltip("n:Q", title=n, format=","),
        ],
    )
    shape = alt.Shape("side:N", scale=alt.Scale(domain=sides), title=None, legend=legend)
    line = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q")
    return alt.layer(
        *([line] if is_difference else []),
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", title=title, axis=number_axis(number), scale=alt.Scale(zero=zero, nice=TICKS)),
            x2="high:Q",
        ),
        *dots(base.encode(x="value:Q", shape=shape), rows, theme),
    ).properties(height=row_height(theme, groups, max(28, 23 * len(sides))) * len(groups))

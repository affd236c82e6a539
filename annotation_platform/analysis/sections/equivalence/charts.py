"""Charts of answer-equivalence and REV runs: dots with intervals by group, a calibration line, a scatter."""

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


def _ways(table: FigureTable, theme: Theme) -> Any:
    return _dots(_points(table.rows, "way", {"accuracy": "Accuracy"}), theme, "Accuracy", number=".3f", group="Way")


def _systems(table: FigureTable, theme: Theme) -> Any:
    sides = {"right": "People", "taken": "Classifier"}
    rows = _points(table.rows, "system", sides)
    return _dots(rows, theme, "Share taken as right", number=".1%", group="System")


def _kinds(table: FigureTable, theme: Theme) -> Any:
    rows = _points([row for row in table.rows if row["kind"] != "all"], "kind", {"rev": "REV"})
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q")
    return alt.layer(zero, _dots(rows, theme, "REV (nats)", number="+.3f", group="Rationales", n="How many"))


def _points(rows: list[Row], group: str, sides: dict[str, str]) -> list[Row]:
    return [
        {
            "group": row[group],
            "side": name,
            "n": row.get("answers", row.get("rationales")),
            **estimate(row, key),
        }
        for row in rows
        for key, name in sides.items()
        if row[key] is not None
    ]


def _dots(rows: list[Row], theme: Theme, title: str, *, number: str, group: str, n: str = "Answers") -> Any:
    """A line for each group in the order given, a dot for each side; people have the colour of raw labels."""
    sides = list(dict.fromkeys(row["side"] for row in rows))
    colours = [theme.raw, theme.rescaled] if len(sides) > 1 else [theme.rescaled]
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
    axis = alt.Axis(tickCount=6, format="%") if number.endswith("%") else alt.Axis(tickCount=6)
    return alt.layer(
        base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", title=title, axis=axis), x2="high:Q"),
        *dots(base.encode(x="value:Q", shape=shape), rows, theme),
    ).properties(height=row_height(theme, groups, max(28, 23 * len(sides))) * len(groups))


def _calibration(table: FigureTable, theme: Theme) -> Any:
    rows = [row for row in table.rows if row["answers"]]
    line = chart_of([{"p": 0, "q": 0}, {"p": 1, "q": 1}]).mark_line(color=theme.axis, strokeDash=[4, 3])
    unit = alt.Scale(domain=[0, 1])
    most = max((row["answers"] for row in rows), default=1)
    sure = chart_of(rows).mark_rule(color=theme.rescaled, strokeWidth=2)
    base = chart_of(rows).encode(
        x=alt.X("probability:Q", title="Probability of “right”, on average", scale=unit, axis=alt.Axis(tickCount=6)),
        y=alt.Y("right:Q", title="Right, by people", scale=unit, axis=alt.Axis(format="%", tickCount=6)),
        size=alt.Size("answers:Q", scale=alt.Scale(domain=[0, most], range=[30, 700]), legend=None),
        color=alt.value(theme.rescaled),
        tooltip=[
            alt.Tooltip("range:N", title="Probability"),
            alt.Tooltip("right:Q", title="Right, by people", format=".1%"),
            *interval_tips(".1%", "right_"),
            alt.Tooltip("answers:Q", title="Answers", format=","),
        ],
    )
    return alt.layer(
        line.encode(x=alt.X("p:Q", scale=unit), y=alt.Y("q:Q", scale=unit)),
        sure.encode(x="probability:Q", y="right_low:Q", y2="right_high:Q"),
        *dots(base, rows, theme, prefix="right_"),
    ).properties(height=280)


def _people(table: FigureTable, theme: Theme) -> Any:
    kinds = list(dict.fromkeys(row["kind"] for row in table.rows))
    some = theme.kinds if len(kinds) <= len(theme.kinds) else theme.ramp(len(kinds))
    colours = alt.Scale(domain=kinds, range=list(some[: len(kinds)]))
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(y="zero:Q")
    dots = chart_of(table.rows).mark_point(filled=True, size=55, opacity=0.75)
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
    "equivalence": _ways,
    "equivalence-systems": _systems,
    "equivalence-calibration": _calibration,
    "rev": _kinds,
    "rev-people": _people,
}

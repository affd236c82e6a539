"""Charts of judges: a dot with its interval for each judge and aspect."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    Draw,
    chart_of,
    dots,
    drawn,
    interval_tips,
    name_axis,
    number_axis,
    row_height,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.judges.alternative import NAME
from annotation_platform.analysis.sections.judges.kinds import KINDS
from annotation_platform.analysis.sections.judges.table_rows import BiasRow, InsteadRow, JudgeRow
from annotation_platform.analysis.tables.base import FigureTable, Row


def _judges(table: FigureTable[JudgeRow], theme: Theme) -> Any:
    rows = [
        {"name": row.judge, "who": "", "n": row.labels} | drawn(row.same)
        for row in table.rows
        if row.same.value is not None
    ]
    return _drawn(rows, theme, title="Label of most people", n="Labels compared", signed=False)


def _biases(title: str) -> Draw:
    def chart(table: FigureTable[BiasRow], theme: Theme) -> Any:
        rows = [
            {"name": row.aspect, "who": row.judge, "n": row.items} | drawn(row.bias)
            for row in table.rows
            if row.bias.value is not None
        ]
        return _by_judge(rows, theme, title=title, n="Compared", signed=True)

    return chart


def _advantages(table: FigureTable[InsteadRow], theme: Theme) -> Any:
    rows = [{"name": row.aspect, "who": row.judge, "n": row.items} | drawn(row.advantage) for row in table.rows]
    return _by_judge(rows, theme, title="Advantage ρ", n="Items", signed=False)


def _by_judge(rows: list[Row], theme: Theme, *, title: str, n: str, signed: bool) -> Any:
    if len({row["who"] for row in rows}) > len(theme.kinds):  # more than there are colours
        rows = [row | {"name": f"{row['name']} → {row['who']}", "who": ""} for row in rows]
    return _drawn(rows, theme, title=title, n=n, signed=signed)


def _drawn(rows: list[Row], theme: Theme, *, title: str, n: str, signed: bool) -> Any:
    names = list(dict.fromkeys(row["name"] for row in rows))
    judges = list(dict.fromkeys(row["who"] for row in rows))
    form = "+.1%" if signed else ".1%"
    legend = alt.Legend(orient="top") if judges != [""] else None
    colour = alt.Scale(domain=judges, range=list(theme.kinds[: len(judges)]))
    base = chart_of(rows).encode(
        y=alt.Y("name:N", sort=names, title=None, scale=alt.Scale(paddingInner=0.4), axis=name_axis(theme, names)),
        yOffset=alt.YOffset("who:N", sort=judges),
        color=alt.Color("who:N", scale=colour, title=None, legend=legend),
        tooltip=[
            alt.Tooltip("name:N", title="About"),
            *([alt.Tooltip("who:N", title="Judge")] if legend else []),
            alt.Tooltip("value:Q", title=title, format=form),
            *interval_tips(form),
            alt.Tooltip("n:Q", title=n, format=","),
        ],
    )
    x = alt.X("low:Q", title=title, axis=number_axis(form, 5), scale=alt.Scale(zero=signed, nice=5))
    shape = alt.Shape("who:N", scale=alt.Scale(domain=judges), title=None, legend=legend)
    layers = [
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q"),
        *dots(base.encode(x="value:Q", shape=shape), rows, theme),
    ]
    if signed:
        layers.insert(0, chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q"))
    height = row_height(theme, names, max(30, 18 * len(judges))) * max(len(names), 1) + 10
    return alt.layer(*layers).properties(height=height)


CHARTS: dict[str, Draw] = {
    "judges": _judges,
    NAME: _advantages,
    **{
        kind.name: _biases(
            {"judge-leniency": "Judge minus people", "judge-place": "Judge minus people"}.get(kind.name, "Bias")
        )
        for kind in KINDS
    },
}

"""How many raters: curves over their number."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.drawings.base import Draw, chart_of
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.selectors.tables.base import FigureTable, Row


def _raters(table: FigureTable, theme: Theme) -> Any:
    sides = {"alone": ("People alone", "items"), "with_model": ("People and the model", "items_with_model")}
    rows = [
        _point(row, key) | {"who": who, "items": row[items]}
        for row in table.rows
        for key, (who, items) in sides.items()
        if row[key] is not None
    ]
    wanted = chart_of([{"rho": table.meta["rho"]}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(y="rho:Q")
    return alt.layer(
        wanted, *_curves(rows, theme, "Spearman's ρ with the vote of all", across="People who vote")
    ).properties(height=300)


def _one_more(table: FigureTable, theme: Theme) -> Any:
    rows = [
        _point(row, "reliability")
        | {"who": "As many as there are" if row["raters"] <= table.meta["of"] else "More than there are"}
        for row in table.rows
        if row["reliability"] is not None
    ]
    return alt.layer(*_curves(rows, theme, "Reliability of the mean", apart=False)).properties(height=260)


def _point(row: Row, key: str) -> Row:
    return {"raters": row["raters"], "items": row["items"]} | {
        "value": row[key],
        "low": row[f"{key}_low"],
        "high": row[f"{key}_high"],
    }


def _curves(rows: list[Row], theme: Theme, title: str, *, across: str = "Raters", apart: bool = True) -> list[Any]:
    """Dots with intervals over the number of raters; two curves over the same numbers stand a little apart."""
    who = list(dict.fromkeys(row["who"] for row in rows))
    legend = alt.Legend(orient="top", columns=1) if len(who) > 1 else None
    base = chart_of(rows).encode(
        x=alt.X("raters:O", title=across, axis=alt.Axis(labelAngle=0)),
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=who, range=[theme.rescaled, theme.diverging[0]][: len(who)]),
            title=None,
            legend=legend,
        ),
        tooltip=[
            alt.Tooltip("raters:O", title=across),
            alt.Tooltip("who:N", title="Who"),
            alt.Tooltip("value:Q", title=title, format=".3f"),
            alt.Tooltip("low:Q", title="95\u00a0% from", format=".3f"),
            alt.Tooltip("high:Q", title="95\u00a0% to", format=".3f"),
            alt.Tooltip("items:Q", title="Items", format=","),
        ],
    )
    if apart:
        base = base.encode(xOffset=alt.XOffset("who:N", sort=who, scale=alt.Scale(paddingOuter=1)))
    return [
        base.mark_rule(strokeWidth=2.5).encode(y=alt.Y("low:Q", title=title, scale=alt.Scale(zero=False)), y2="high:Q"),
        base.mark_point(filled=True, size=85, opacity=1).encode(
            y="value:Q", shape=alt.Shape("who:N", scale=alt.Scale(domain=who), title=None, legend=legend)
        ),
    ]


CHARTS: dict[str, Draw] = {"raters": _raters, "one-more": _one_more}

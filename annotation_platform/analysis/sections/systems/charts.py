"""Charts of the systems whose answers were judged."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    Draw,
    chart_of,
    dots,
    dots_and_intervals,
    drawn,
    interval_tips,
    long,
    multiples_header,
    name_axis,
    number_axis,
    row_height,
    side_color,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.systems.table_rows import AspectsRow, DifferenceRow, RankRow, SystemRow
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.core.text import percent


def _means_system(table: FigureTable[SystemRow], theme: Theme) -> Any:
    rows = long(table.cells, {"raw": "Raw", "rescaled": "Rescaled"}, keep=("system", "items", "judgments"))
    ranked = sorted(table.rows, key=lambda row: -((row.raw if row.rescaled.value is None else row.rescaled).value or 0))
    number = ".1f" if table.columns[1].kind == "score" else ".2f"
    return dots_and_intervals(
        rows,
        theme,
        group="system",
        order=[row.system for row in ranked],
        title="Mean",
        number=number,
        zero=False,
    )


def _ranks(table: FigureTable[RankRow], theme: Theme) -> Any:
    """A cell for each system and rank, darker the more often it is taken."""
    ranks, systems = range(1, len(table.rows) + 1), [row.system for row in table.rows]
    rows = [
        {"system": row.system, "rank": str(rank), "share": row.shares[rank], "items": row.items}
        | {"mean": row.mean.value, "mean_low": row.mean.low, "mean_high": row.mean.high}
        | {"shown": _whole_percent(row.shares[rank])}
        for row in table.rows
        for rank in ranks
    ]
    base = chart_of(rows).encode(
        x=alt.X("rank:N", title="Rank", sort=[str(rank) for rank in ranks], axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y("system:N", sort=systems, title=None, axis=name_axis(theme, systems)),
        tooltip=[
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("rank:N", title="Rank"),
            alt.Tooltip("share:Q", title="Share of resamples", format=".1%"),
            alt.Tooltip("mean:Q", title="Mean", format=".2f"),
            *interval_tips(".2f", "mean_"),
            alt.Tooltip("items:Q", title="Items", format=","),
        ],
    )
    cells = base.mark_rect(cornerRadius=3, stroke=theme.background, strokeWidth=2).encode(
        color=alt.Color(
            "share:Q",
            title="Share of resamples",
            scale=alt.Scale(domain=[0, 1], range=[theme.diverging[2], theme.diverging[-1]], interpolate="rgb"),
            legend=None,
        )
    )
    strong = theme.strong_from(theme.diverging[2], theme.diverging[-1])
    ink = alt.condition(f"datum.share >= {strong}", alt.value(theme.on_strong), alt.value(theme.text))
    numbers = base.mark_text(fontSize=11).encode(text="shown:N", color=ink)
    return alt.layer(cells, numbers).properties(height=row_height(theme, systems, 34) * len(systems))


def _whole_percent(share: float) -> str:
    """A share in whole per cent; what is not quite nothing, or not quite all, is not said to be."""
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return "<1\u00a0%" if share < 0.5 else ">99\u00a0%"
    return percent(share)


def _differences(table: FigureTable[DifferenceRow], theme: Theme) -> Any:
    rows = [
        {
            "pair": row.pair,
            "judged": table.meta["side"],
            "questions": row.questions,
            "judgments": row.judgments,
            **drawn(row.difference),
        }
        for row in table.rows
        if row.difference.value is not None
    ]
    order = [row.pair for row in table.rows if row.difference.value is not None]
    title = f"Difference of {table.meta['side'].lower()} means"
    return dots_and_intervals(rows, theme, group="pair", order=order, title=title, number=".2f")


def _means_aspects(table: FigureTable[AspectsRow], theme: Theme) -> Any:
    """A small chart for each aspect, each on its own scale."""
    titles = [each.aspect for each in table.rows[0].means.values()]
    rows = [
        {"system": row.system, "aspect": each.aspect, "judged": "Raw", "judgments": each.judgments} | drawn(each)
        for row in table.rows
        for each in row.means.values()
        if each.value is not None
    ]
    systems = [row.system for row in table.rows]
    base = alt.Chart().encode(
        y=alt.Y("system:N", sort=systems, title=None, axis=name_axis(theme, systems)),
        color=side_color(theme, ["Raw"]),
        tooltip=[
            alt.Tooltip("aspect:N", title="Aspect"),
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("value:Q", title="Mean", format=".3f"),
            *interval_tips(".3f"),
            alt.Tooltip("judgments:Q", title="Judgments", format=","),
        ],
    )
    x = alt.X("low:Q", title=None, scale=alt.Scale(zero=False, nice=4), axis=number_axis(ticks=4))
    rules = base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q")
    return (
        alt.layer(rules, *dots(base.encode(x="value:Q"), rows, theme), data=alt.InlineData(values=rows))
        .properties(height=row_height(theme, systems, 26) * len(systems))
        .facet(facet=alt.Facet("aspect:N", sort=titles, title=None, header=multiples_header(theme)))
        .resolve_scale(x="independent")
    )


CHARTS: dict[str, Draw] = {
    "means-system": _means_system,
    "means-drawn": _means_system,
    "ranks": _ranks,
    "differences": _differences,
    "differences-drawn": _differences,
    "means-aspects": _means_aspects,
}

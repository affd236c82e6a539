"""Charts of labels: how often each was given, and the mean score behind it."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    Draw,
    chart_of,
    dots,
    drawn,
    interval_tips,
    multiples_header,
    name_axis,
    row_height,
    side_color,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.labels.table_rows import GroupRow, MeanRow
from annotation_platform.analysis.tables.base import FigureTable

MOST_MULTIPLES = 24


def _labels(table: FigureTable[GroupRow], theme: Theme) -> Any:
    labels = table.meta["labels"]
    rows = [
        {"name": row.name, "label": label.label, "order": order, "share": share.value}
        | {"count": share.count, "judgments": row.judgments, "low": share.low, "high": share.high}
        for row in table.rows
        for order, label in enumerate(labels)
        for share in [row.label[label.key]]
    ]
    group, groups = table.columns[0].heading, [row.name for row in table.rows]
    return (
        chart_of(rows)
        .mark_bar(stroke=theme.background, strokeWidth=1.5)
        .encode(
            x=alt.X("share:Q", stack="normalize", title="Share of judgments", axis=alt.Axis(format="%", tickCount=5)),
            y=alt.Y("name:N", sort=groups, title=None, axis=name_axis(theme, groups)),
            color=_label_color(table, theme),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("name:N", title=group),
                alt.Tooltip("label:N", title="Label"),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
                *interval_tips(".1%"),
                alt.Tooltip("count:Q", title="Judgments with it", format=","),
                alt.Tooltip("judgments:Q", title="of", format=","),
            ],
        )
        .properties(height=row_height(theme, groups, 28) * len(groups))
    )


def _small_multiples(table: FigureTable[GroupRow], theme: Theme) -> Any:
    """A small chart for each group, all on one scale; beyond a screenful of them, bars below each other."""
    if len(table.rows) > MOST_MULTIPLES:
        return _labels(table, theme)
    labels, overall = table.meta["labels"], table.rows[0]
    names = [label.label for label in labels]
    groups = [f"{row.name} (n\u00a0=\u00a0{row.judgments:,})" for row in table.rows]
    rows = [
        {"group": group, "label": label.label, "share": share.value, "overall": overall.label[label.key].value}
        | {"count": share.count, "low": share.low, "high": share.high}
        for group, row in zip(groups, table.rows, strict=True)
        for label in labels
        for share in [row.label[label.key]]
    ]
    base = alt.Chart().encode(
        x=alt.X("label:N", sort=names, title=None, axis=alt.Axis(labels=False, ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("group:N", title=table.columns[0].heading),
            alt.Tooltip("label:N", title="Label"),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
            *interval_tips(".1%"),
            alt.Tooltip("overall:Q", title=overall.name, format=".1%"),
            alt.Tooltip("count:Q", title="Judgments with it", format=","),
        ],
    )
    bars = base.mark_bar().encode(
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=3)),
        color=_label_color(table, theme),
    )
    sure = base.mark_rule(color=theme.text, strokeWidth=1.5).encode(y="low:Q", y2="high:Q")
    everybody = base.mark_tick(color=theme.axis, thickness=2).encode(y="overall:Q")
    return (
        alt.layer(bars, sure, everybody, data=alt.InlineData(values=rows))
        .properties(height=110)
        .facet(facet=alt.Facet("group:N", sort=groups, title=None, header=multiples_header(theme)))
    )


def _label_color(table: FigureTable, theme: Theme) -> alt.Color:
    """Blue for the best label, wherever the scale has it; labels without an order have colours of their own."""
    labels, best = table.meta["labels"], table.meta["best"]
    colours = theme.ramp(len(labels))
    if best is None and len(labels) <= len(theme.kinds):
        colours = list(theme.kinds[: len(labels)])
    elif best == labels[-1].key:
        colours = colours[::-1]
    scale = alt.Scale(domain=[label.label for label in labels], range=colours)
    return alt.Color("label:N", title=None, scale=scale, legend=alt.Legend(orient="top", symbolStrokeWidth=0))


def _means_label(table: FigureTable[MeanRow], theme: Theme) -> Any:
    rows = [
        {"label": row.label, "number": row.number, "judgments": row.judgments, "judged": "Rescaled"} | drawn(row.mean)
        for row in table.rows
    ]
    base = chart_of(rows).encode(
        y=alt.Y(
            "label:N",
            sort=[row.label for row in table.rows],
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Label"),
            alt.Tooltip("value:Q", title="Mean score", format=".1f"),
            *interval_tips(".1f"),
            alt.Tooltip("number:Q", title="Number on the scale"),
            alt.Tooltip("judgments:Q", title="Judgments", format=","),
        ],
    )
    side = side_color(theme, ["Rescaled"])
    return alt.layer(
        base.mark_tick(color=theme.axis, thickness=3, size=22).encode(
            x=alt.X("number:Q", title="Score", scale=alt.Scale(padding=8, nice=False))
        ),
        base.mark_rule(strokeWidth=2.5).encode(x="low:Q", x2="high:Q", color=side),
        *dots(base.encode(x="value:Q", color=side), [row for row in rows if row["value"] is not None], theme, size=90),
    ).properties(height=32 * len(rows))


CHARTS: dict[str, Draw] = {"labels-annotator": _small_multiples, "labels-system": _labels, "means-label": _means_label}

"""Runs and mixtures: agreement of each, class means of each annotator, and what the guard measures."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    TICKS,
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
from annotation_platform.analysis.sections.variants.table_rows import (
    ClassRow,
    ComparisonRow,
    MixtureRow,
    OwnOrderRow,
    TauRow,
)
from annotation_platform.analysis.tables.base import SETTINGS, FigureTable, Row

Tips = list[alt.Tooltip]

COUNTS = [
    alt.Tooltip(f"{key}:Q", title=title, format=",")
    for key, title in (("items", "Items"), ("annotators", "Annotators"), ("judgments", "Judgments"))
]


def _variants(table: FigureTable[TauRow], theme: Theme) -> Any:
    rows = [
        _counted(row) | drawn(row.by_setting[setting]) | {"setting": words}
        for row in table.rows
        for setting, words in SETTINGS.items()
    ]
    return _dots(rows, theme, names=[row.name for row in table.rows], x="Mean τ", tips=COUNTS)


def _comparison(table: FigureTable[ComparisonRow], theme: Theme) -> Any:
    rows = [
        {"items": row.items} | drawn(row.difference) | {"name": row.setting, "setting": "Difference", "p": row.p_value}
        for row in table.rows
    ]
    tips = [COUNTS[0], alt.Tooltip("p:Q", title="p", format=".3f")]
    return _dots(rows, theme, names=[row.setting for row in table.rows], x="Difference of mean τ", tips=tips)


def _own_order(table: FigureTable[OwnOrderRow], theme: Theme) -> Any:
    rows = [
        _counted(row) | {"ordered_pairs": row.ordered_pairs} | drawn(row.reversed) | {"setting": "Own pairs reversed"}
        for row in table.rows
    ]
    names = [row.name for row in table.rows]
    tips = [alt.Tooltip("ordered_pairs:Q", title="Ordered pairs", format=","), COUNTS[2]]
    limit = table.meta["limit"]
    return _dots(rows, theme, names=names, x="Own pairs reversed", tips=tips, number=".1%", mark=limit)


def _dots(
    rows: list[Row],
    theme: Theme,
    *,
    names: list[str],
    x: str,
    tips: Tips,
    number: str = ".3f",
    mark: float = 0.0,
) -> Any:
    """A dot with its interval for each name and, where there are several, each setting; a dashed line at ``mark``."""
    rows = [row for row in rows if row["value"] is not None]
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    legend = alt.Legend(orient="top", columns=1) if len(settings) > 1 else None
    base = chart_of(rows).encode(
        y=alt.Y("name:N", sort=names, title=None, scale=alt.Scale(paddingInner=0.35), axis=name_axis(theme, names)),
        yOffset=alt.YOffset("setting:N", sort=settings),
        color=_setting_color(theme, settings, legend),
        tooltip=[alt.Tooltip("name:N", title="Of"), *_tips(x, number), *tips]
        + ([alt.Tooltip("setting:N", title="Setting")] if len(settings) > 1 else []),
    )
    low = alt.X("low:Q", title=x, axis=number_axis(number), scale=alt.Scale(nice=TICKS))
    return alt.layer(
        chart_of([{"at": mark}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="at:Q"),
        base.mark_rule(strokeWidth=2.5).encode(x=low, x2="high:Q"),
        *dots(
            base.encode(
                x="value:Q", shape=alt.Shape("setting:N", scale=alt.Scale(domain=settings), title=None, legend=legend)
            ),
            rows,
            theme,
            size=75,
        ),
    ).properties(height=row_height(theme, names, 17 * len(settings) + 8) * len(names))


def _mixtures(table: FigureTable[MixtureRow], theme: Theme) -> Any:
    """Mean τ against λ, a line with its band for each setting; dashed lines are the labels as given."""
    rows = [
        _counted(row) | drawn(tau) | {"lambda": row.mixture, "setting": SETTINGS[setting], "guard": row.remark}
        for row in table.rows
        for setting, tau in row.by_setting.items()
        if tau.value is not None
    ]
    raw = [
        {"setting": words, "value": table.meta["raw"][setting]}
        for setting, words in SETTINGS.items()
        if table.meta["raw"][setting] is not None
    ]
    settings = list(SETTINGS.values())
    color = _setting_color(theme, settings, alt.Legend(orient="top", columns=1))
    x = alt.X("lambda:Q", title="λ (0: score, 1: class mean)", axis=alt.Axis(values=[each / 5 for each in range(6)]))
    base = chart_of(rows).encode(x=x, color=color)
    tips = [alt.Tooltip("lambda:Q", title="λ"), alt.Tooltip("setting:N", title="Setting"), *_tips("Mean τ", ".3f")]
    return alt.layer(
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title="Mean τ"), y2="high:Q"),
        chart_of(raw).mark_rule(strokeDash=[5, 4], strokeWidth=1.5).encode(y="value:Q", color=color),
        base.mark_line(strokeWidth=2).encode(y="value:Q"),
        *dots(
            base.encode(
                y="value:Q",
                shape=alt.Shape("setting:N", scale=alt.Scale(domain=settings), title=None),
                tooltip=[*tips, *COUNTS, alt.Tooltip("guard:N", title="Guard")],
            ),
            rows,
            theme,
            size=60,
        ),
    ).properties(height=320)


def _classes(table: FigureTable[ClassRow], theme: Theme) -> Any:
    """The mean score of each label, a row for each annotator: how differently they use the scale."""
    labels = table.meta["labels"]
    rows = [
        {"name": row.name} | drawn(mean) | {"label": label.label, "count": mean.count}
        for row in table.rows
        for label in labels
        for mean in [row.label[label.key]]
        if mean.value is not None
    ]
    names = [label.label for label in labels]
    base = chart_of(rows).encode(
        y=alt.Y(
            "name:N",
            sort=[row.name for row in table.rows],
            title=None,
            axis=alt.Axis(ticks=False, domain=False, grid=True),
        ),
        color=alt.Color(
            "label:N",
            title=None,
            scale=alt.Scale(domain=names, range=theme.ramp(len(names))),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="Annotator"),
            alt.Tooltip("label:N", title="Label"),
            *_tips("Mean score", ".1f"),
            alt.Tooltip("count:Q", title="Judgments", format=","),
        ],
    )
    return alt.layer(
        base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", title="Mean score behind the label (g)"), x2="high:Q"),
        *dots(
            base.encode(x="value:Q", shape=alt.Shape("label:N", scale=alt.Scale(domain=names), title=None)),
            rows,
            theme,
            size=85,
            stroke=theme.axis,
            strokeWidth=0.8,
        ),
    ).properties(height=30 * len(table.rows))


def _counted(row: TauRow | OwnOrderRow) -> Row:
    return {"name": row.name, "items": row.items, "annotators": row.annotators, "judgments": row.judgments}


def _tips(value: str, number: str) -> Tips:
    return [alt.Tooltip("value:Q", title=value, format=number), *interval_tips(number)]


def _setting_color(theme: Theme, settings: list[str], legend: alt.Legend | None) -> alt.Color:
    colours = [theme.rescaled, theme.diverging[0], theme.raw][: len(settings)]
    return alt.Color("setting:N", scale=alt.Scale(domain=settings, range=colours), title=None, legend=legend)


CHARTS: dict[str, Draw] = {
    "variants": _variants,
    "mixtures": _mixtures,
    "classes": _classes,
    "own-order": _own_order,
    "comparison": _comparison,
}

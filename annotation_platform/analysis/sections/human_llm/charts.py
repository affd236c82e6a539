"""Charts of people and a language model: two sides with their intervals, differences, and a confusion matrix."""

from collections.abc import Callable
from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import (
    ALONE,
    JOINED,
    TICKS,
    Draw,
    chart_of,
    curves,
    dots,
    drawn,
    interval_tips,
    level_axis,
    name_axis,
    number_axis,
    row_height,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.human_llm.table_rows import (
    AdditionalRow,
    AlignmentRow,
    AlternativeRow,
    ConfusionRow,
    ReplacementRow,
)
from annotation_platform.analysis.sections.human_llm.tables import NO_LABEL
from annotation_platform.analysis.sections.mate.table_rows import BiasRow, CorrelationRow, WeightRow
from annotation_platform.analysis.tables.base import FigureTable, Row
from annotation_platform.analysis.tables.rows import Estimate

MOST_IN_LINES = 6  # labels below a matrix that are written across; more are turned
PEOPLE, MODEL = "People", "With the model"


def _replacement(table: FigureTable[ReplacementRow], theme: Theme) -> Any:
    rows = [
        {"name": row.aspect, "who": who, "n": row.items} | drawn(alpha)
        for row in table.rows
        for alpha, who in ((row.raters, PEOPLE), (row.expected, MODEL))
        if alpha.value is not None
    ]
    draws = [
        {"name": row.aspect, "who": MODEL, "draw": draw, "n": row.items} for row in table.rows for draw in row.draws
    ]
    ticks = _base(draws, theme, [PEOPLE, MODEL], "Items").mark_tick(thickness=1, height=12, opacity=0.45)
    tips = [alt.Tooltip("name:N", title="About"), alt.Tooltip("draw:Q", title="α of one draw", format=".3f")]
    layers = _dots(rows, theme, [PEOPLE, MODEL], "Krippendorff's α", "Items")
    return _layered(theme, [*_zero(theme), ticks.encode(x="draw:Q", tooltip=tips), *layers], rows)


def _alignment(title: str, of: Callable[[AlignmentRow], Estimate | None], number: str = ".3f") -> Draw:
    """Two of these stand beside each other, so that there is room for few numbers along the axis."""

    def chart(table: FigureTable[AlignmentRow], theme: Theme) -> Any:
        rows = [
            {"name": row.aspect, "who": MODEL, "n": row.items} | drawn(figure)
            for row in table.rows
            if (figure := of(row)) is not None and figure.value is not None
        ]
        layers = _dots(rows, theme, [MODEL], title, "Items", number=number, ticks=4, legend=False)
        return _layered(theme, [*_zero(theme), *layers], rows)

    return chart


def _rho(row: AlignmentRow) -> Estimate | None:
    """A correlation of labels without an order stands in the table, with that remark."""
    return row.rho if row.has_order else None


def _single(of: Callable[[Any], tuple[str, int, Estimate]], n: str, title: str, number: str = ".3f") -> Draw:
    """``of`` says of a row what it is called, how much it rests on, and its figure."""

    def chart(table: FigureTable, theme: Theme) -> Any:
        rows = [
            {"name": name, "who": MODEL, "n": count} | drawn(figure)
            for name, count, figure in map(of, table.rows)
            if figure.value is not None
        ]
        layers = _dots(rows, theme, [MODEL], title, n, number=number, legend=False)
        return _layered(theme, [*_zero(theme), *layers], rows)

    return chart


def _correlations(table: FigureTable[CorrelationRow], theme: Theme) -> Any:
    rows = [
        {"name": row.measure, "who": row.group, "n": row.answers} | drawn(row.r)
        for row in table.rows
        if row.r.value is not None
    ]
    sides = ["Baseline", "Language model"]
    return _layered(theme, [*_zero(theme), *_dots(rows, theme, sides, "Pearson's r", "Answers", offset=False)], rows)


def _advantage(row: AlternativeRow) -> tuple[str, int, Estimate]:
    return row.aspect, row.items, row.advantage


def _weight(row: WeightRow) -> tuple[str, int, Estimate]:
    return row.aspect, row.answers, row.weight


def _bias(row: BiasRow) -> tuple[str, int, Estimate]:
    return row.aspect, row.answers, row.share


def _additional(table: FigureTable[AdditionalRow], theme: Theme) -> Any:
    rows = [
        {"raters": row.raters, "aspects": row.aspects, "items": row.items} | {"who": who} | drawn(rho)
        for row in table.rows
        for rho, who in ((row.alone, ALONE), (row.with_model, JOINED))
    ]
    title, colours = "ρ with the vote of all", {ALONE: theme.raw, JOINED: theme.rescaled}
    tips = [alt.Tooltip("aspects:Q", title="Aspects")]
    return alt.layer(*curves(rows, theme, title, across="People who vote", colours=colours, tips=tips)).properties(
        height=240
    )


def _confusion(table: FigureTable[ConfusionRow], theme: Theme) -> Any:
    labels: list[str] = table.meta["labels"]
    replies = [*labels, NO_LABEL] if any(row.model == NO_LABEL for row in table.rows) else labels
    few = len(replies) <= MOST_IN_LINES
    across = level_axis(theme, replies) if few else name_axis(theme, replies, labelAngle=-90)
    x = alt.X("model:N", scale=alt.Scale(domain=replies), title="The model says", axis=across)
    down = name_axis(theme, labels, 14)
    y = alt.Y("majority:N", scale=alt.Scale(domain=labels), title="People's majority", axis=down)
    every = chart_of([{"majority": one, "model": other} for one in labels for other in replies]).encode(x=x, y=y)
    same = chart_of([{"majority": label, "model": label} for label in labels]).encode(x=x, y=y)
    cell: dict[str, Any] = {"cornerRadius": 3, "strokeWidth": 2}
    base = chart_of(table.cells).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("majority:N", title="People's majority"),
            alt.Tooltip("model:N", title="The model"),
            alt.Tooltip("count:Q", title="Items", format=","),
            alt.Tooltip("of:Q", title="of", format=","),
            alt.Tooltip("share:Q", title="Of that majority", format=".1%"),
            *interval_tips(".1%", "share_"),
        ],
    )
    cells = base.mark_rect(stroke=theme.background, **cell).encode(
        color=alt.Color(
            "share:Q",
            scale=alt.Scale(domain=[0, 1], range=[theme.diverging[2], theme.diverging[-1]], interpolate="rgb"),
            legend=None,
        )
    )
    strong = theme.strong_from(theme.diverging[2], theme.diverging[-1])
    numbers = base.mark_text(fontSize=12).encode(
        text=alt.Text("count:Q", format=","),
        color=alt.condition(f"datum.share >= {strong}", alt.value(theme.on_strong), alt.value(theme.text)),
    )
    return alt.layer(
        every.mark_rect(fill=theme.diverging[2], stroke=theme.background, **cell),
        cells,
        same.mark_rect(fill=None, stroke=theme.text, **cell),  # without a fill hovering reaches what it frames
        numbers,
    ).properties(height=46 * len(labels))


def _base(
    rows: list[Row],
    theme: Theme,
    sides: list[str],
    n: str,
    *,
    number: str = ".3f",
    legend: bool = True,
    offset: bool = True,
) -> Any:
    names = list(dict.fromkeys(row["name"] for row in rows))
    colours = {PEOPLE: theme.raw, MODEL: theme.rescaled, "Baseline": theme.raw, "Language model": theme.rescaled}
    encoding: dict[str, Any] = {
        "y": alt.Y("name:N", sort=names, title=None, scale=alt.Scale(paddingInner=0.4), axis=name_axis(theme, names)),
        "color": alt.Color(
            "who:N",
            scale=alt.Scale(domain=sides, range=[colours[side] for side in sides]),
            title=None,
            legend=alt.Legend(orient="top") if legend else None,
        ),
        "tooltip": [
            alt.Tooltip("name:N", title="About"),
            *([alt.Tooltip("who:N", title="Who")] if len(sides) > 1 else []),
            alt.Tooltip("value:Q", title="Value", format=number),
            *interval_tips(number),
            alt.Tooltip("n:Q", title=n, format=","),
        ],
    }
    if offset and len(sides) > 1:
        encoding["yOffset"] = alt.YOffset("who:N", sort=sides)
    return chart_of(rows).encode(**encoding)


def _dots(
    rows: list[Row],
    theme: Theme,
    sides: list[str],
    title: str,
    n: str,
    *,
    number: str = ".3f",
    ticks: int = TICKS,
    legend: bool = True,
    offset: bool = True,
) -> list[Any]:
    base = _base(rows, theme, sides, n, number=number, legend=legend, offset=offset)
    x = alt.X("low:Q", title=title, axis=number_axis(number, ticks), scale=alt.Scale(nice=ticks))
    shape = alt.Shape(
        "who:N", scale=alt.Scale(domain=sides), title=None, legend=alt.Legend(orient="top") if legend else None
    )
    return [
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q"),
        *dots(base.encode(x="value:Q", shape=shape), rows, theme),
    ]


def _zero(theme: Theme) -> list[Any]:
    return [chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q")]


def _layered(theme: Theme, layers: list[Any], rows: list[Row]) -> Any:
    names = {row["name"] for row in rows}
    sides = len({row["who"] for row in rows})
    return alt.layer(*layers).properties(height=row_height(theme, names, max(30, 20 * sides)) * max(len(names), 1) + 10)


CHARTS: dict[str, Draw] = {
    "llm-replacement": _replacement,
    "llm-alternative": _single(_advantage, "Items", "Advantage ρ"),
    "llm-alignment": _alignment("Spearman's ρ", _rho),
    "llm-alignment-share": _alignment("Share of equal labels", lambda row: row.accuracy, ".1%"),
    "llm-additional": _additional,
    "llm-confusion": _confusion,
    "mate-correlations": _correlations,
    "mate-weights": _single(_weight, "Answers", "Weight"),
    "mate-bias": _single(_bias, "Answers", "Model minus people", "+.1%"),
}

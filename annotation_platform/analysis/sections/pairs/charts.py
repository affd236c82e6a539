"""Charts of pairs of annotators: heat maps, and two of them side by side."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import altair as alt

from annotation_platform.analysis.charts.base import (
    Draw,
    bubble,
    chart_of,
    counted,
    interval_tips,
    level_axis,
    name_axis,
    side_color,
)
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.pairs.table_rows import JoinedRow, KappaRow, PairRow, TauRow
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.rows import Estimate

P = TypeVar("P", bound=PairRow)
FEW_CELLS = 8  # annotators; the numbers of more are written smaller
MOST_LEVEL_LABELS = 5  # that stand beside each other in short lines; more are written upright
BARS = 10  # of pairs, from 0 to 1
MOST_NAMED_CELLS = 12  # beyond that the cells of a heat map are too small for numbers


def _raw(row: KappaRow | TauRow) -> Estimate:
    return row.raw


def _rescaled(row: TauRow) -> Estimate:
    return row.rescaled


def _change(row: TauRow) -> Estimate:
    return row.change


def _heat_map(of: Callable[[P], Estimate], *, is_raw: bool = False, is_change: bool = False) -> Draw:
    """Every two annotators, each a row and a column; of a crowd how many pairs have which value."""

    def chart(table: FigureTable[P], theme: Theme) -> Any:
        what = "Change" if is_change else table.meta["symbol"]
        if table.meta["is_crowd"]:
            colour = theme.raw if is_raw else theme.rescaled
            values = [value for row in table.rows if (value := of(row).value) is not None]
            return _spread(values, theme, what, most=2 if is_change else 1, colour=colour)
        names = list(dict.fromkeys(name for row in table.rows for name in (row.first, row.second)))
        base = _squares(table, names, of, what)
        layers: list[alt.Chart] = [_colored(base, theme, what)]
        if len(names) <= MOST_NAMED_CELLS:
            layers += _numbers(base, theme, 11 if len(names) <= FEW_CELLS else 9)
        return alt.layer(*layers).properties(height=max(160, 34 * min(len(names), MOST_NAMED_CELLS)))

    return chart


def _squares(table: FigureTable[P], names: list[str], of: Callable[[P], Estimate], what: str) -> alt.Chart:
    """A place for each pair, on both sides of the diagonal, with what a pointer shows of it."""
    rows = [
        {"a": a, "b": b, "n": row.n, "value": figure.value, "low": figure.low, "high": figure.high}
        | {"shown": _short(figure.value), "remark": row.undefined_because or "defined"}
        for row in table.rows
        for figure in [of(row)]
        for a, b in ((row.first, row.second), (row.second, row.first))
    ]
    # Names are wider than cells; numbers are not.
    angle = 0 if max(map(len, names), default=0) <= 2 else -90
    across = alt.Axis(labelAngle=angle, labelLimit=95, ticks=False, domain=False)
    return chart_of(rows).encode(
        x=alt.X("a:N", sort=names, title="Annotator", axis=across),
        y=alt.Y("b:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("a:N", title="Annotator"),
            alt.Tooltip("b:N", title="and"),
            alt.Tooltip("value:Q", title=what, format="+.3f"),
            *interval_tips("+.3f"),
            alt.Tooltip("n:Q", title="n", format=","),
            alt.Tooltip("remark:N", title="Value is"),
        ],
    )


def _colored(base: alt.Chart, theme: Theme, what: str) -> alt.Chart:
    scale = alt.Scale(
        domain=[-1, -0.5, 0, 0.5, 1], range=list(theme.diverging), clamp=True, type="linear", interpolate="rgb"
    )
    legend = alt.Legend(orient="bottom", gradientLength=160, values=[-1, 0, 1])
    squares = base.mark_rect(cornerRadius=3, stroke=theme.background, strokeWidth=2)
    colored: alt.Chart = squares.encode(color=alt.Color("value:Q", title=what, scale=scale, legend=legend))
    return colored


def _numbers(base: alt.Chart, theme: Theme, size: int) -> list[alt.Chart]:
    """The value in each place, in an ink that can be read on its colour; a dash where there is none."""
    above, below = theme.strong_from(*theme.diverging[2:]), theme.strong_from(*theme.diverging[2::-1])
    strong = f"datum.value >= {above} || datum.value <= {-below}"
    ink = alt.condition(strong, alt.value(theme.on_strong), alt.value(theme.text))
    number = base.mark_text(fontSize=size).encode(text="shown:N", color=ink)
    none = base.mark_text(fontSize=size, color=theme.muted, text="–")
    return [number.transform_filter("isValid(datum.value)"), none.transform_filter("!isValid(datum.value)")]


def _spread(values: list[float], theme: Theme, what: str, *, most: int, colour: str) -> Any:
    """How many pairs have which value, none above ``most``; a bar has its lower end, the last one both."""
    places = Counter(min(math.floor(round(value * BARS, 9)), most * BARS - 1) for value in values)
    rows = [
        {"low": place / BARS, "high": (place + 1) / BARS, "pairs": count, "none": 0}
        for place, count in sorted(places.items())
    ]
    ends = {"low": "from", "high": "to"}
    bars = (
        chart_of(rows)
        .mark_bar(color=colour, stroke=theme.background)
        .encode(
            x=alt.X("low:Q", title=what, axis=alt.Axis(tickCount=6)),
            x2="high:Q",
            y=alt.Y("pairs:Q", title="Pairs"),
            y2="none:Q",
            tooltip=[
                *[alt.Tooltip(f"{end}:Q", title=f"{what} {word}", format="+.1f") for end, word in ends.items()],
                alt.Tooltip("pairs:Q", title="Pairs", format=","),
            ],
        )
    )
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q")
    return alt.layer(bars, zero).properties(height=220)


def _short(value: float | None) -> str:
    """A coefficient in as little room as it takes, as in .17."""
    if value is None:
        return ""
    return f"{value:.2f}".replace("-0.00", "0.00").replace("0.", ".", 1).replace("-", "−")


def _pair_labels(table: FigureTable[JoinedRow], theme: Theme) -> Any:
    """Label against score, a column of bubbles for each of the two annotators."""
    first, second = table.meta["pair"]
    names = [label.label for label in table.meta["labels"]]
    rows = counted(
        {"annotator": name, "label": label, "score": score}
        for row in table.rows
        for name, label, score in zip((first, second), row.labels, row.scores, strict=True)
        if score is not None
    )
    return (
        chart_of(rows)
        .mark_circle(opacity=0.75)
        .encode(
            x=alt.X("label:N", title="Raw label", scale=alt.Scale(domain=names[::-1]), axis=level_axis(theme, names)),
            xOffset=alt.XOffset("annotator:N", sort=[first, second]),
            y=alt.Y("score:Q", title="Rescaled score"),
            color=alt.Color(
                "annotator:N",
                scale=alt.Scale(domain=[first, second], range=[theme.diverging[-1], theme.diverging[0]]),
                title="Annotator",
                legend=alt.Legend(orient="top"),
            ),
            size=bubble(rows),
            tooltip=[
                alt.Tooltip("annotator:N", title="Annotator"),
                alt.Tooltip("label:N", title="Label"),
                alt.Tooltip("score:Q", title="Score", format=".1f"),
                alt.Tooltip("judgments:Q", title="Judgments", format=","),
            ],
        )
        .properties(height=300)
    )


def _pair_side(*, of_labels: bool) -> Draw:
    """One annotator against the other, on the items that both judged: their labels, or their scores."""

    def chart(table: FigureTable[JoinedRow], theme: Theme) -> Any:
        first, second = table.meta["pair"]
        judged, kind = ("Raw", "N") if of_labels else ("Rescaled", "Q")
        given = [row.labels if of_labels else row.scores for row in table.rows]
        rows = counted({"a": a, "b": b, "judged": judged} for a, b in given if a is not None)
        labels = [label.label for label in table.meta["labels"]] if of_labels else []
        x, y = _axes_of_labels(first, second, labels, theme) if of_labels else _axes_of_scores(first, second)
        dots = (
            chart_of(rows)
            .mark_circle(opacity=0.75)
            .encode(
                x=x,
                y=y,
                size=bubble(rows),
                color=side_color(theme, [judged]),
                tooltip=[
                    alt.Tooltip(f"a:{kind}", title=first),
                    alt.Tooltip(f"b:{kind}", title=second),
                    alt.Tooltip("judgments:Q", title="Items", format=","),
                ],
            )
        )
        ends = labels if of_labels else [0, 100]
        same = chart_of([{"a": each, "b": each} for each in ends]).mark_line(color=theme.axis, strokeDash=[4, 3])
        return alt.layer(same.encode(x=x, y=y), dots).properties(height=max(280, 34 * len(labels)))

    return chart


def _axes_of_scores(first: str, second: str) -> tuple[alt.X, alt.Y]:
    return alt.X("a:Q", title=f"Annotator {first}"), alt.Y("b:Q", title=f"Annotator {second}")


def _axes_of_labels(first: str, second: str, names: list[str], theme: Theme) -> tuple[alt.X, alt.Y]:
    upright = alt.Axis(labelAngle=-90, labelLimit=200, ticks=False, domain=False)
    across = level_axis(theme, names) if len(names) <= MOST_LEVEL_LABELS else upright
    up = name_axis(theme, names, titlePadding=12)
    return (
        alt.X("a:N", title=f"Annotator {first}", scale=alt.Scale(domain=names[::-1]), axis=across),
        alt.Y("b:N", title=f"Annotator {second}", scale=alt.Scale(domain=names), axis=up),
    )


CHARTS: dict[str, Draw] = {
    "pairs-raw": _heat_map(_raw, is_raw=True),
    "pairs-rescaled": _heat_map(_rescaled),
    "pairs-change": _heat_map(_change, is_change=True),
    "pair-labels": _pair_labels,
    "pair-raw": _pair_side(of_labels=True),
    "pair-rescaled": _pair_side(of_labels=False),
}

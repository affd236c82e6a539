"""One function for each chart, from a figure's rows to an Altair chart. Imported when a chart is asked for."""

import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import altair as alt

from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.selectors.tables import FigureTable, Row

LONGEST_LABEL = 150  # pixels of a group's name beside its dots
LONGEST_LINE = 22  # characters of it, two lines at most
MOST_NAMED_CELLS = 12  # annotators; beyond that the cells of a heat map are too small for numbers

Draw = Callable[[FigureTable, Theme], Any]  # Altair's own types do not say what its layers are


def _agreement(table: FigureTable, theme: Theme) -> Any:
    rows = _long(table.rows, {"raw": "Raw", "rescaled": "Rescaled"}, keep=("statistic", "items", "judgments"))
    return _dots_and_intervals(
        rows,
        theme,
        group="statistic",
        order=[row["statistic"] for row in table.rows],
        title="Agreement",
        number=".3f",
    )


def _aspects(table: FigureTable, theme: Theme) -> Any:
    rows = _long(table.rows, {"raw": "Raw"}, keep=("aspect", "items", "judgments"))
    order = [row["aspect"] for row in table.rows]
    return _dots_and_intervals(rows, theme, group="aspect", order=order, title="Krippendorff α", number=".3f")


def _means_system(table: FigureTable, theme: Theme) -> Any:
    rows = _long(table.rows, {"raw": "Raw", "rescaled": "Rescaled"}, keep=("system", "items", "judgments"))
    ranked = sorted(table.rows, key=lambda row: -(row["raw"] if row["rescaled"] is None else row["rescaled"]))
    return _dots_and_intervals(
        rows, theme, group="system", order=[row["system"] for row in ranked], title="Mean", number=".1f", zero=False
    )


def _dots_and_intervals(
    rows: list[Row], theme: Theme, *, group: str, order: list[str], title: str, number: str, zero: bool = True
) -> Any:
    sides = [side for side in ("Raw", "Rescaled") if any(row["judged"] == side for row in rows)]
    legend = alt.Legend(orient="top") if len(sides) > 1 else None
    lines = {name: "\n".join(_two_lines(name)) for name in order}
    rows = [row | {group: lines[row[group]]} for row in rows]
    order = list(lines.values())
    height = max(23 * len(sides), 15 * max((name.count("\n") + 1 for name in order), default=1) + 8)
    base = _chart(rows).encode(
        y=alt.Y(
            f"{group}:N",
            sort=order,
            title=None,
            scale=alt.Scale(paddingInner=0.4),
            axis=alt.Axis(ticks=False, domain=False, labelExpr="split(datum.label, '\\n')", labelLimit=LONGEST_LABEL),
        ),
        yOffset=alt.YOffset("judged:N", sort=sides),
        color=_side_color(theme, sides, legend=legend),
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
    x = alt.X("low:Q", title=title, axis=alt.Axis(tickCount=6))
    layers = [
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x="value:Q",
            shape=alt.Shape("judged:N", scale=alt.Scale(domain=sides), title=None, legend=legend),
        ),
    ]
    if zero:
        layers.insert(0, _chart([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q"))
    return alt.layer(*layers).properties(height=height * len(order))


def _two_lines(name: str) -> list[str]:
    return textwrap.wrap(name, LONGEST_LINE, max_lines=2, placeholder=" …") or [name]


def _heat_map(side: str) -> Draw:
    def chart(table: FigureTable, theme: Theme) -> Any:
        names = list(dict.fromkeys(name for row in table.rows for name in (row["first"], row["second"])))
        rows = [
            {"a": a, "b": b, "n": row["n"], "tau": row[side]}
            | {key: row[f"{side}_{key}"] for key in ("low", "high")}
            | {"remark": row["undefined_because"] or "defined"}
            for row in table.rows
            for a, b in ((row["first"], row["second"]), (row["second"], row["first"]))
        ]
        size = min(len(names), MOST_NAMED_CELLS)
        # Names are wider than cells; numbers are not.
        angle = 0 if max(map(len, names), default=0) <= 2 else -90
        across = alt.Axis(labelAngle=angle, labelLimit=95, ticks=False, domain=False)
        base = _chart(rows).encode(
            x=alt.X("a:N", sort=names, title="Annotator", axis=across),
            y=alt.Y("b:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False)),
            tooltip=[
                alt.Tooltip("a:N", title="Annotator"),
                alt.Tooltip("b:N", title="and"),
                alt.Tooltip("tau:Q", title="Change" if side == "change" else "τ", format="+.3f"),
                alt.Tooltip("low:Q", title="95\u00a0% from", format="+.3f"),
                alt.Tooltip("high:Q", title="95\u00a0% to", format="+.3f"),
                alt.Tooltip("n:Q", title="n", format=","),
                alt.Tooltip("remark:N", title="Value is"),
            ],
        )
        cells = base.mark_rect(cornerRadius=3, stroke=theme.background, strokeWidth=2).encode(
            color=alt.Color(
                "tau:Q",
                title="Change" if side == "change" else "τ",
                scale=alt.Scale(
                    domain=[-1, -0.5, 0, 0.5, 1],
                    range=list(theme.diverging),
                    clamp=True,
                    type="linear",
                    interpolate="rgb",
                ),
                legend=alt.Legend(orient="bottom", gradientLength=160, values=[-1, 0, 1]),
            )
        )
        layers: list[alt.Chart] = [cells]
        if len(names) <= MOST_NAMED_CELLS:
            strong = "abs(datum.tau) > 0.6"
            ink = alt.condition(strong, alt.value(theme.on_strong), alt.value(theme.text))
            number = base.mark_text(fontSize=11).encode(text=alt.Text("tau:Q", format=".2f"), color=ink)
            none = base.mark_text(fontSize=11, color=theme.muted, text="–")
            layers += [
                number.transform_filter("isValid(datum.tau)"),
                none.transform_filter("!isValid(datum.tau)"),
            ]
        return alt.layer(*layers).properties(height=max(160, 34 * size))

    return chart


def _labels(table: FigureTable, theme: Theme) -> Any:
    labels = table.meta["labels"]
    names = [label["label"] for label in labels]
    rows = [
        {"name": row["name"], "label": label["label"], "order": order, "share": row[f"label_{label['key']}"]}
        | {"count": row[f"label_{label['key']}_count"], "judgments": row["judgments"]}
        | {key: row[f"label_{label['key']}_{key}"] for key in ("low", "high")}
        for row in table.rows
        for order, label in enumerate(labels)
    ]
    group = table.columns[0].heading
    return (
        _chart(rows)
        .mark_bar(stroke=theme.background, strokeWidth=1.5)
        .encode(
            x=alt.X("share:Q", stack="normalize", title="Share of judgments", axis=alt.Axis(format="%", tickCount=5)),
            y=alt.Y(
                "name:N",
                sort=[row["name"] for row in table.rows],
                title=None,
                axis=alt.Axis(ticks=False, domain=False),
            ),
            color=alt.Color(
                "label:N",
                title=None,
                scale=alt.Scale(domain=names, range=theme.ramp(len(names))),
                legend=alt.Legend(orient="top", symbolStrokeWidth=0),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("name:N", title=group),
                alt.Tooltip("label:N", title="Label"),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
                alt.Tooltip("low:Q", title="95\u00a0% from", format=".1%"),
                alt.Tooltip("high:Q", title="95\u00a0% to", format=".1%"),
                alt.Tooltip("count:Q", title="Judgments with it", format=","),
                alt.Tooltip("judgments:Q", title="of", format=","),
            ],
        )
        .properties(height=28 * len(table.rows))
    )


def _means_label(table: FigureTable, theme: Theme) -> Any:
    rows = [
        {key: row[key] for key in ("label", "number", "judgments")}
        | {"value": row["mean"], "low": row["mean_low"], "high": row["mean_high"], "judged": "Rescaled"}
        for row in table.rows
    ]
    base = _chart(rows).encode(
        y=alt.Y(
            "label:N",
            sort=[row["label"] for row in rows],
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Label"),
            alt.Tooltip("value:Q", title="Mean score", format=".1f"),
            alt.Tooltip("low:Q", title="95\u00a0% from", format=".1f"),
            alt.Tooltip("high:Q", title="95\u00a0% to", format=".1f"),
            alt.Tooltip("number:Q", title="Number on the scale"),
            alt.Tooltip("judgments:Q", title="Judgments", format=","),
        ],
    )
    side = _side_color(theme, ["Rescaled"])
    return alt.layer(
        base.mark_tick(color=theme.axis, thickness=3, size=22).encode(
            x=alt.X("number:Q", title="Score", scale=alt.Scale(padding=8, nice=False))
        ),
        base.mark_rule(strokeWidth=2.5).encode(x="low:Q", x2="high:Q", color=side),
        base.mark_point(filled=True, size=90, opacity=1).encode(x="value:Q", color=side),
    ).properties(height=32 * len(rows))


def _pair_labels(table: FigureTable, theme: Theme) -> Any:
    """Label against score, a column of bubbles for each of the two annotators."""
    first, second = table.meta["pair"]
    names = [label["label"] for label in table.meta["labels"]]
    rows = _counted(
        {"annotator": name, "label": row[f"label_{side}"], "score": row[f"score_{side}"]}
        for row in table.rows
        for side, name in (("a", first), ("b", second))
        if row[f"score_{side}"] is not None
    )
    return (
        _chart(rows)
        .mark_circle(opacity=0.75)
        .encode(
            x=alt.X("label:N", title="Raw label", scale=alt.Scale(domain=names[::-1]), axis=_level_axis()),
            xOffset=alt.XOffset("annotator:N", sort=[first, second]),
            y=alt.Y("score:Q", title="Rescaled score"),
            color=alt.Color(
                "annotator:N",
                scale=alt.Scale(domain=[first, second], range=[theme.diverging[-1], theme.diverging[0]]),
                title="Annotator",
                legend=alt.Legend(orient="top"),
            ),
            size=_bubble(rows),
            tooltip=[
                alt.Tooltip("annotator:N", title="Annotator"),
                alt.Tooltip("label:N", title="Label"),
                alt.Tooltip("score:Q", title="Score", format=".1f"),
                alt.Tooltip("judgments:Q", title="Judgments", format=","),
            ],
        )
        .properties(height=300)
    )


def _pair_side(side: str) -> Draw:
    """One annotator against the other, on the items that both judged."""

    def chart(table: FigureTable, theme: Theme) -> Any:
        first, second = table.meta["pair"]
        rows = _counted(
            {"a": row[f"{side}_a"], "b": row[f"{side}_b"], "judged": "Raw" if side == "label" else "Rescaled"}
            for row in table.rows
            if row[f"{side}_a"] is not None
        )
        kind = "N" if side == "label" else "Q"
        x: alt.X
        y: alt.Y
        if side == "label":
            names = [label["label"] for label in table.meta["labels"]]
            x = alt.X("a:N", title=f"Annotator {first}", scale=alt.Scale(domain=names[::-1]), axis=_level_axis())
            y = alt.Y("b:N", title=f"Annotator {second}", scale=alt.Scale(domain=names))
        else:
            x, y = alt.X("a:Q", title=f"Annotator {first}"), alt.Y("b:Q", title=f"Annotator {second}")
        return (
            _chart(rows)
            .mark_circle(opacity=0.75)
            .encode(
                x=x,
                y=y,
                size=_bubble(rows),
                color=_side_color(theme, ["Raw" if side == "label" else "Rescaled"]),
                tooltip=[
                    alt.Tooltip(f"a:{kind}", title=first),
                    alt.Tooltip(f"b:{kind}", title=second),
                    alt.Tooltip("judgments:Q", title="Items", format=","),
                ],
            )
            .properties(height=280)
        )

    return chart


def _side_color(theme: Theme, sides: list[str], legend: alt.Legend | None = None) -> alt.Color:
    """The colour that raw or rescaled has everywhere."""
    colours = {"Raw": theme.raw, "Rescaled": theme.rescaled}
    scale = alt.Scale(domain=sides, range=[colours[side] for side in sides])
    return alt.Color("judged:N", scale=scale, title=None, legend=legend)


def _level_axis() -> alt.Axis:
    return alt.Axis(labelAngle=0, labelFontSize=11, labelExpr="split(datum.label, ' ')", labelOverlap=False)


def _bubble(rows: list[Row]) -> alt.Size:
    """Areas that grow with the count; a single judgment is a small dot, however few there are."""
    most = max((row["judgments"] for row in rows), default=1)
    return alt.Size("judgments:Q", scale=alt.Scale(domain=[0, max(most, 8)], range=[0, 700]), legend=None)


def _counted(rows: Iterable[Row]) -> list[Row]:
    """Equal rows once, with how many there were."""
    counts: dict[tuple[tuple[str, Any], ...], int] = {}
    for row in rows:
        key = tuple(row.items())
        counts[key] = counts.get(key, 0) + 1
    return [dict(key) | {"judgments": count} for key, count in counts.items()]


def _long(rows: list[Row], sides: dict[str, str], *, keep: tuple[str, ...]) -> list[Row]:
    return [
        {key: row[key] for key in keep}
        | {"judged": name, "value": row[side], "low": row[f"{side}_low"], "high": row[f"{side}_high"]}
        for row in rows
        for side, name in sides.items()
        if row[side] is not None
    ]


def _chart(rows: list[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


CHARTS: dict[str, Draw] = {
    "agreement": _agreement,
    "aspects": _aspects,
    "pairs-raw": _heat_map("raw"),
    "pairs-rescaled": _heat_map("rescaled"),
    "pairs-change": _heat_map("change"),
    "labels-annotator": _labels,
    "labels-system": _labels,
    "means-label": _means_label,
    "means-system": _means_system,
    "pair-labels": _pair_labels,
    "pair-raw": _pair_side("label"),
    "pair-rescaled": _pair_side("score"),
}

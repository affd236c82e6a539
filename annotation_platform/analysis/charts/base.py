"""What several charts share: the colour of each side, dots with their intervals, bubbles."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import altair as alt
from altair.utils.schemapi import disable_debug_mode

from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import FigureTable, Row
from annotation_platform.analysis.tables.rows import Estimate, estimate_in

disable_debug_mode()  # checking every piece against the schema takes half of the time; tests check each whole chart

LONGEST_LABEL = 150  # pixels of a group's name beside its dots
LONGEST_WORD = 15  # that is never broken
MOST_LINES = 3
LINE_HEIGHT = 15  # pixels

HOLLOW = "hollow"  # the style of dots without an interval
TICKS = 6  # numbers along an axis, about; a scale that is made nice for as many ends with one
ENDS = ("95\u00a0% from", "95\u00a0% to")
ALONE, JOINED = "People alone", "People and the model"  # whose vote is compared with that of all

Draw = Callable[[FigureTable, Theme], Any]  # Altair's own types do not say what its layers are


def dots_and_intervals(
    rows: list[Row],
    theme: Theme,
    *,
    group: str,
    order: list[str],
    title: str,
    number: str,
    zero: bool = True,
    ends: tuple[str, str] = ENDS,
    apart: str = "Judgments as",
    colours: Mapping[str, str] | None = None,
) -> Any:
    """A dot with its line for each name in ``order`` and each side; ``ends`` says what the line's ends are.

    The sides are raw and rescaled, or those that ``colours`` has, which ``apart`` calls by what they differ in.
    """
    sides = [side for side in colours or ("Raw", "Rescaled") if any(row["judged"] == side for row in rows)]
    legend = alt.Legend(orient="top") if len(sides) > 1 else None
    counts = [key for key in ("questions", "items", "judgments") if any(row.get(key) is not None for row in rows)]
    base = chart_of(rows).encode(
        y=alt.Y(f"{group}:N", sort=order, title=None, scale=alt.Scale(paddingInner=0.4), axis=name_axis(theme, order)),
        yOffset=alt.YOffset("judged:N", sort=sides),
        color=side_color(theme, sides, legend=legend, colours=colours),
        tooltip=[
            alt.Tooltip(f"{group}:N", title=group.capitalize()),
            *([alt.Tooltip("judged:N", title=apart)] if legend else []),
            alt.Tooltip("value:Q", title="Value", format=number),
            *interval_tips(number, ends=ends),
            *[alt.Tooltip(f"{key}:Q", title=key.capitalize(), format=",") for key in counts],
        ],
    )
    x = alt.X("low:Q", title=title, axis=number_axis(number), scale=alt.Scale(zero=zero, nice=TICKS))
    layers = [
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q"),
        *dots(
            base.encode(
                x="value:Q", shape=alt.Shape("judged:N", scale=alt.Scale(domain=sides), title=None, legend=legend)
            ),
            rows,
            theme,
        ),
    ]
    if zero:
        layers.insert(0, chart_of([{"zero": 0}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(x="zero:Q"))
    return alt.layer(*layers).properties(height=row_height(theme, order, 23 * len(sides)) * len(order))


def dots(base: Any, rows: list[Row], theme: Theme, *, size: float = 80, prefix: str = "", **outline: Any) -> list[Any]:
    """A dot for each row; hollow where there is no interval in ``<prefix>low``, and hovering then says why."""
    filled = base.mark_point(filled=True, size=size, opacity=1, **outline)
    if all(row[f"{prefix}low"] is not None for row in rows):
        return [filled]
    hollow = (
        base.transform_filter(f"!isValid(datum.{prefix}low)")
        .mark_point(style=HOLLOW, fill=theme.background, strokeWidth=2, size=size, opacity=1)
        .encode(tooltip=[*base.encoding.tooltip, alt.Tooltip(f"{prefix}why:N", title="No interval")])
    )
    return [filled, hollow]


def drawn(of: Estimate) -> Row:
    """A figure as a dot and its line."""
    return {"value": of.value, "low": of.low, "high": of.high, "why": of.why}


def estimate(row: Row, key: str) -> Row:
    """The same of a row's cells."""
    return drawn(estimate_in(row, key))


def interval_tips(number: str, prefix: str = "", ends: tuple[str, str] = ENDS) -> list[alt.Tooltip]:
    """What hovering says of the interval that stands in ``<prefix>low`` and ``<prefix>high``."""
    sides = zip(("low", "high"), ends, strict=True)
    return [alt.Tooltip(f"{prefix}{side}:Q", title=words, format=number) for side, words in sides]


def curves(
    rows: list[Row],
    theme: Theme,
    title: str,
    *,
    across: str = "Raters",
    apart: bool = True,
    colours: Mapping[str, str] | None = None,
    tips: Iterable[alt.Tooltip] = (),
) -> list[Any]:
    """Dots with intervals over the number of raters; two curves over the same numbers stand a little apart."""
    who = list(dict.fromkeys(row["who"] for row in rows))
    colours = colours or dict(zip(who, (theme.rescaled, theme.diverging[0]), strict=False))
    legend = alt.Legend(orient="top", columns=1) if len(who) > 1 else None
    base = chart_of(rows).encode(
        x=alt.X("raters:O", title=across, axis=alt.Axis(labelAngle=0)),
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=who, range=[colours[each] for each in who]),
            title=None,
            legend=legend,
        ),
        tooltip=[
            alt.Tooltip("raters:O", title=across),
            alt.Tooltip("who:N", title="Who"),
            alt.Tooltip("value:Q", title=title, format=".3f"),
            *interval_tips(".3f"),
            alt.Tooltip("items:Q", title="Items", format=","),
            *tips,
        ],
    )
    if apart:
        base = base.encode(xOffset=alt.XOffset("who:N", sort=who, scale=alt.Scale(paddingOuter=1)))
    return [
        base.mark_rule(strokeWidth=2.5).encode(
            y=alt.Y("low:Q", title=title, axis=number_axis(), scale=alt.Scale(zero=False, nice=TICKS)), y2="high:Q"
        ),
        *dots(
            base.encode(y="value:Q", shape=alt.Shape("who:N", scale=alt.Scale(domain=who), title=None, legend=legend)),
            rows,
            theme,
            size=85,
        ),
    ]


def number_axis(number: str = "", ticks: int = TICKS) -> alt.Axis:
    """An axis of numbers that tips write as ``number`` says: shares in per cent, differences with their sign."""
    if not number.endswith("%"):
        return alt.Axis(tickCount=ticks)
    if not number.startswith("+"):
        return alt.Axis(tickCount=ticks, format="%")
    unsigned = "abs(datum.value) < 1e-9 ? '0\u00a0%' : datum.label"
    return alt.Axis(tickCount=ticks, format="+%", labelExpr=unsigned)


def name_axis(theme: Theme, names: Iterable[str], longest: int | None = None, **given: Any) -> alt.Axis:
    """An axis of names that are broken into lines; each name keeps a line of its own, however alike two of them are.

    Beside rows, the lines of a name stand in the middle of its row.
    """
    lines = {name: wrapped(name, longest or theme.longest_line) for name in names}
    if "labelAngle" not in given:
        above = {name: -LINE_HEIGHT / 2 * (len(each) - 1) for name, each in lines.items()}
        given |= {"labelOffset": alt.ExprRef(f"{json.dumps(above)}[datum.label]")}
    text = f"{json.dumps(lines)}[datum.label]"
    given |= {"labelExpr": text, "labelLimit": LONGEST_LABEL, "labelLineHeight": LINE_HEIGHT - 1}
    return alt.Axis(ticks=False, domain=False, **given)


def row_height(theme: Theme, names: Iterable[str], least: float) -> float:
    """Pixels of a row that holds ``least`` pixels of marks and the longest of these names."""
    return max(least, LINE_HEIGHT * max((len(wrapped(name, theme.longest_line)) for name in names), default=1) + 8)


def wrapped(name: str, longest: int) -> list[str]:
    """A name in lines, broken after spaces, hyphens, underscores and slashes; what comes first of a pair in its own."""
    first, arrow, second = name.partition(" → ")
    if arrow:
        return [*wrapped(first, longest), *wrapped(f"→ {second}", longest)]
    lines = [""]
    for part in re.findall(rf"[^\s\-_/]{{1,{max(longest, LONGEST_WORD) - 1}}}[\s\-_/]?|[\s\-_/]", name):
        if lines[-1] and len((lines[-1] + part).rstrip()) > longest:
            lines.append("")
        lines[-1] += part
    lines = [line.rstrip() for line in lines]
    *kept, last = lines[:MOST_LINES]
    return lines if len(lines) <= MOST_LINES else [*kept, last[: longest - 2] + " …"]


def side_color(
    theme: Theme, sides: list[str], legend: alt.Legend | None = None, colours: Mapping[str, str] | None = None
) -> alt.Color:
    """The colour that raw or rescaled has everywhere, or that ``colours`` gives to other sides."""
    colours = colours or {"Raw": theme.raw, "Rescaled": theme.rescaled}
    scale = alt.Scale(domain=sides, range=[colours[side] for side in sides])
    return alt.Color("judged:N", scale=scale, title=None, legend=legend)


def multiples_header(theme: Theme) -> alt.Header:
    """The titles of small multiples, as large as the names on axes."""
    return alt.Header(labelColor=theme.text, labelFontSize=12)


def level_axis(theme: Theme, labels: Iterable[str]) -> alt.Axis:
    """A horizontal axis of labels, in short lines."""
    return name_axis(theme, labels, 9, labelAngle=0, labelFontSize=10 if theme.narrow else 11, labelOverlap=False)


def bubble(rows: list[Row]) -> alt.Size:
    """Areas that grow with the count; a single judgment is a small dot, however few there are."""
    most = max((row["judgments"] for row in rows), default=1)
    return alt.Size("judgments:Q", scale=alt.Scale(domain=[0, max(most, 8)], range=[0, 700]), legend=None)


def counted(rows: Iterable[Row]) -> list[Row]:
    """Equal rows once, with how many there were."""
    counts: dict[tuple[tuple[str, Any], ...], int] = {}
    for row in rows:
        key = tuple(row.items())
        counts[key] = counts.get(key, 0) + 1
    return [dict(key) | {"judgments": count} for key, count in counts.items()]


def long(rows: list[Row], sides: dict[str, str], *, keep: tuple[str, ...]) -> list[Row]:
    return [
        {key: row[key] for key in keep} | {"judged": name} | estimate(row, side)
        for row in rows
        for side, name in sides.items()
        if row[side] is not None
    ]


def chart_of(rows: list[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))

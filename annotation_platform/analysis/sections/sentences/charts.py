"""Charts of the sentences that judgments cite."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import Draw, chart_of, dots_and_intervals, drawn, interval_tips
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.sentences.table_rows import AgreementRow
from annotation_platform.analysis.tables.base import FigureTable

OR_MORE = "replace(datum.label, ' or more', '+')"
BARE = "replace(datum.label, /\\s%/, '')"


def _agreement(table: FigureTable[AgreementRow], theme: Theme) -> Any:
    several = len({row.aspect for row in table.rows}) > 1
    named = [
        (f"{row.aspect}: {row.distance}" if several else row.distance, row)
        for row in table.rows
        if row.raw.value is not None
    ]
    dots = [
        {"measure": name, "items": row.items, "judgments": row.judgments, "judged": "Raw"} | drawn(row.raw)
        for name, row in named
    ]
    order = [name for name, _row in named]
    return dots_and_intervals(dots, theme, group="measure", order=order, title="Krippendorff α", number=".3f")


def _bars(group: str, title: str, x_title: str, short: str) -> Draw:
    """A bar for each row's share, with its interval; ``short`` is how Vega writes a name where there is little room."""

    def draw(table: FigureTable, theme: Theme) -> Any:
        name, count, share = table.columns
        across = alt.Axis(
            labelAngle=-90 if theme.narrow and short == BARE else 0,
            labelFontSize=11,
            labelOverlap="greedy",
            labelSeparation=4,
            labelExpr=short,
        )
        base = chart_of(table.cells).encode(
            x=alt.X(f"{group}:N", sort=None, title=x_title, axis=across),
            tooltip=[
                alt.Tooltip(f"{group}:N", title=name.heading),
                alt.Tooltip(f"{count.key}:Q", title=count.heading, format=","),
                alt.Tooltip("share:Q", title=share.heading, format=".1%"),
                *interval_tips(".1%", "share_"),
            ],
        )
        bars = base.mark_bar(color=theme.rescaled, cornerRadiusEnd=2).encode(
            y=alt.Y("share:Q", title=title, axis=alt.Axis(format=".0%", tickCount=5))
        )
        sure = base.mark_rule(color=theme.text, strokeWidth=1.5).encode(y="share_low:Q", y2="share_high:Q")
        return alt.layer(bars, sure).properties(height=220)

    return draw


CHARTS: dict[str, Draw] = {
    "cited-agreement": _agreement,
    "cited-sizes": _bars("sentences", "Share of judgments", "Sentences cited", OR_MORE),
    "cited-coverage": _bars("cited", "Share of documents", "Sentences cited, %", BARE),
    "cited-places": _bars("place", "Share of citations", "Part of the document, %", BARE),
}

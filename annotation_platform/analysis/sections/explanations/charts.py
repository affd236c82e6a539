"""Charts of what sets explanations apart, and of themes."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import Draw, chart_of, name_axis, row_height
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.explanations.table_rows import ThemeRow, WordRow
from annotation_platform.analysis.tables.base import FigureTable

MOST_WORDS = 10  # of a group, in a chart


def _words(table: FigureTable[WordRow], theme: Theme) -> Any:
    """A dot for each word with a line from zero; groups below each other."""
    groups = list(dict.fromkeys(row.group for row in table.rows))
    parts = []
    most = max(row.log_odds for row in table.rows)
    for group in groups:
        rows = [row for row in table.rows if row.group == group][:MOST_WORDS]
        part = _dots(rows, theme, table.columns[0].heading, most)
        parts.append(part.properties(title=group) if len(groups) > 1 else part)
    return alt.vconcat(*parts) if len(parts) > 1 else parts[0]


def _dots(rows: list[WordRow], theme: Theme, heading: str, most: float) -> Any:
    terms = [row.term for row in rows]
    named = [
        {"group": row.group, "term": row.term, "documents": row.documents, "of": row.of}
        | {"others": row.others, "of_others": row.of_others, "log_odds": row.log_odds, "z": row.z}
        for row in rows
    ]
    base = chart_of(named).encode(
        y=alt.Y("term:N", sort=terms, title=None, axis=name_axis(theme, terms)),
        tooltip=[
            alt.Tooltip("term:N", title="Word or phrase"),
            alt.Tooltip("group:N", title=heading),
            alt.Tooltip("log_odds:Q", title="Log-odds ratio", format=".2f"),
            alt.Tooltip("z:Q", title="z", format=".1f"),
            *(alt.Tooltip(f"{key}:Q", title=title, format=",") for key, title in COUNTS.items()),
        ],
    )
    scale = alt.Scale(domain=[0, most])
    x = alt.X("log_odds:Q", title="Log-odds ratio", scale=scale, axis=alt.Axis(tickCount=5))
    return alt.layer(
        base.mark_bar(color=theme.rescaled, height=2).encode(x=x),
        base.mark_point(filled=True, size=80, opacity=1, color=theme.rescaled).encode(x=x),
    ).properties(height=row_height(theme, terms, 24) * len(terms))


COUNTS = {
    "documents": "Explanations with it",
    "of": "Of so many",
    "others": "Others with it",
    "of_others": "Of so many others",
}


def _themes(table: FigureTable[ThemeRow], theme: Theme) -> Any:
    """A row of shares for each theme, a dot for each label."""
    labels = table.meta["labels"]
    rows = [
        {"theme": row.theme, "label": name, "share": row.of[label]}
        for row in table.rows
        for label, name in labels.items()
    ]
    themes = [row.theme for row in table.rows]
    names = list(labels.values())
    colours = theme.ramp(len(names)) if len(names) > len(theme.kinds) else list(theme.kinds[: len(names)])
    return (
        chart_of(rows)
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            y=alt.Y("theme:N", sort=themes, title=None, axis=name_axis(theme, themes)),
            x=alt.X("share:Q", title="Share of the label's explanations", axis=alt.Axis(tickCount=5, format=".0%")),
            color=alt.Color(
                "label:N", title=None, scale=alt.Scale(domain=names, range=colours), legend=alt.Legend(orient="top")
            ),
            shape=alt.Shape("label:N", title=None, scale=alt.Scale(domain=names), legend=alt.Legend(orient="top")),
            tooltip=[
                alt.Tooltip("theme:N", title="Theme"),
                alt.Tooltip("label:N", title="Label"),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
            ],
        )
        .properties(height=row_height(theme, themes, 30) * len(themes))
    )


CHARTS: dict[str, Draw] = {
    "words-labels": _words,
    "words-systems": _words,
    "words-annotators": _words,
    "themes": _themes,
}

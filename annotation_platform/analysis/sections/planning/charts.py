"""The smallest difference over the number of articles, a line for each number of annotators."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import TICKS, Draw, chart_of, drawn, interval_tips, number_axis
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.planning.table_rows import DesignRow, speaks_of_these_alone
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.core.power import POWER
from annotation_platform.core.text import percent


def _curve(table: FigureTable[DesignRow], theme: Theme) -> Any:
    rows = [
        {"articles": row.articles, "annotators": row.annotators, "smallest": row.smallest.value, "tasks": row.tasks}
        | {"is_chosen": row.is_chosen, "who": f"{row.annotators} per answer", "is_of_few": speaks_of_these_alone(row)}
        | drawn(row.smallest)
        for row in table.rows
    ]
    who = [f"{annotators} per answer" for annotators in sorted({row.annotators for row in table.rows})]
    units = "Questions" if table.rows[0].about_none else "Articles"
    plan_has_pilot = any(column.key == "smallest" and column.has_interval for column in table.columns)
    legend = alt.Legend(orient="top", columns=2 if theme.narrow else 5)
    base = chart_of(rows).encode(
        x=alt.X(
            "articles:Q",
            title=units,
            axis=alt.Axis(tickCount=TICKS, format=",d"),
            scale=alt.Scale(zero=False, nice=TICKS),
        ),
        y=alt.Y(
            "smallest:Q",
            title=f"Smallest difference found ({percent(POWER)} power)",
            axis=number_axis(),
            scale=alt.Scale(zero=True, nice=TICKS),
        ),
        color=alt.Color(
            "who:N", title=None, legend=legend, scale=alt.Scale(domain=who, range=_colours(theme, len(who)))
        ),
        tooltip=[
            alt.Tooltip("articles:Q", title=units, format=","),
            alt.Tooltip("who:N", title="Annotators"),
            alt.Tooltip("smallest:Q", title="Smallest difference", format=".3~f"),
            *(interval_tips(".3~f") if plan_has_pilot else []),
            alt.Tooltip("tasks:Q", title="Tasks to fill", format=","),
        ],
    )
    chosen = base.transform_filter("datum.is_chosen").mark_point(filled=True, size=130, opacity=1)
    lines = base.mark_line(strokeWidth=2.5).encode(detail="is_of_few:N")  # which the test makes two lines of
    return alt.layer(lines, base.mark_point(size=60, opacity=0), chosen).properties(height=300)


def _colours(theme: Theme, count: int) -> list[str]:
    return list(theme.kinds[:count])


CHARTS: dict[str, Draw] = {"plan-curve": _curve}

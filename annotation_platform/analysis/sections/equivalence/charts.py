"""Charts of answer-equivalence runs: dots with intervals by group, and a calibration line."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import Draw, chart_of, dots, interval_tips, number_axis
from annotation_platform.analysis.charts.grouped import grouped_dots, points_of
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.equivalence.table_rows import CalibrationRow, ShareRow, SystemRow, WayRow
from annotation_platform.analysis.sections.powered.charts import differences, sides
from annotation_platform.analysis.tables.base import FigureTable

PEOPLE = "People"


def _ways(table: FigureTable[WayRow], theme: Theme) -> Any:
    rows = points_of((row.way, row.answers, {"Accuracy": row.accuracy}) for row in table.rows)
    return grouped_dots(rows, theme, "Accuracy", number=".3f", group="Way", zero=False)


def _systems(table: FigureTable[SystemRow], theme: Theme) -> Any:
    rows = points_of((row.system, row.answers, {PEOPLE: row.right, "Classifier": row.taken}) for row in table.rows)
    return grouped_dots(rows, theme, "Share right", number=".1%", group="System", people=PEOPLE, zero=False)


def _all_answers(table: FigureTable[ShareRow], theme: Theme) -> Any:
    rows = points_of((row.system, None, sides(table, row)) for row in table.rows)
    title, people = "Share that people take as right", table.meta["sides"][0]
    return grouped_dots(rows, theme, title, number=".1%", group="System", people=people, zero=False)


def _calibration(table: FigureTable[CalibrationRow], theme: Theme) -> Any:
    known = [row for row in table.rows if row.answers]
    rows, most = [row.cells for row in known], max((row.answers for row in known), default=1)
    line = chart_of([{"p": 0, "q": 0}, {"p": 1, "q": 1}]).mark_line(color=theme.axis, strokeDash=[4, 3])
    unit = alt.Scale(domain=[0, 1])
    sure = chart_of(rows).mark_rule(color=theme.rescaled, strokeWidth=2)
    base = chart_of(rows).encode(
        x=alt.X("probability:Q", title="Probability of “right”, on average", scale=unit, axis=number_axis("%")),
        y=alt.Y("right:Q", title="Right, by people", scale=unit, axis=number_axis("%")),
        size=alt.Size("answers:Q", scale=alt.Scale(domain=[0, most], range=[30, 700]), legend=None),
        color=alt.value(theme.rescaled),
        tooltip=[
            alt.Tooltip("range:N", title="Probability"),
            alt.Tooltip("right:Q", title="Right, by people", format=".1%"),
            *interval_tips(".1%", "right_"),
            alt.Tooltip("answers:Q", title="Answers", format=","),
        ],
    )
    return alt.layer(
        line.encode(x=alt.X("p:Q", scale=unit), y=alt.Y("q:Q", scale=unit)),
        sure.encode(x="probability:Q", y="right_low:Q", y2="right_high:Q"),
        *dots(base, rows, theme, prefix="right_"),
    ).properties(height=280)


CHARTS: dict[str, Draw] = {
    "equivalence": _ways,
    "equivalence-systems": _systems,
    "equivalence-all": _all_answers,
    "equivalence-differences": differences,
    "equivalence-calibration": _calibration,
}

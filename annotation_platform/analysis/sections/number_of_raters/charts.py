"""How many raters: curves over their number."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import Draw, chart_of, curves, estimate
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import FigureTable, Row


def _raters(table: FigureTable, theme: Theme) -> Any:
    sides = {"alone": ("People alone", "items"), "with_model": ("People and the model", "items_with_model")}
    rows = [
        _point(row, key) | {"who": who, "items": row[items]}
        for row in table.rows
        for key, (who, items) in sides.items()
        if row[key] is not None
    ]
    wanted = chart_of([{"rho": table.meta["rho"]}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(y="rho:Q")
    return alt.layer(
        wanted, *curves(rows, theme, "Spearman's ρ with the vote of all", across="People who vote")
    ).properties(height=300)


def _one_more(table: FigureTable, theme: Theme) -> Any:
    rows = [
        _point(row, "reliability")
        | {"who": "As many as there are" if row["raters"] <= table.meta["of"] else "More than there are"}
        for row in table.rows
        if row["reliability"] is not None
    ]
    return alt.layer(*curves(rows, theme, "Reliability of the mean", apart=False)).properties(height=260)


def _point(row: Row, key: str) -> Row:
    return {"raters": row["raters"], "items": row["items"]} | estimate(row, key)


CHARTS: dict[str, Draw] = {"raters": _raters, "one-more": _one_more}

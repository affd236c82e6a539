"""How many raters: curves over their number."""

from typing import Any

import altair as alt

from annotation_platform.analysis.charts.base import ALONE, JOINED, Draw, chart_of, curves, drawn
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.number_of_raters.table_rows import OneMoreRow, VoteRow
from annotation_platform.analysis.tables.base import FigureTable


def _raters(table: FigureTable[VoteRow], theme: Theme) -> Any:
    """People alone are drawn below the number that there is: at it, their vote is compared with itself."""
    rows = [
        {"raters": row.raters, "items": items} | drawn(rho) | {"who": who}
        for row in table.rows
        for who, rho, items in (
            (ALONE, row.alone, row.items),
            (JOINED, row.with_model, row.items_with_model),
        )
        if rho.value is not None and (rho is row.with_model or row.raters < table.meta["of"])
    ]
    title, colours = "Spearman's ρ with the vote of all", {ALONE: theme.raw, JOINED: theme.rescaled}
    wanted = chart_of([{"rho": table.meta["rho"]}]).mark_rule(color=theme.axis, strokeDash=[4, 3]).encode(y="rho:Q")
    return alt.layer(wanted, *curves(rows, theme, title, across="People who vote", colours=colours)).properties(
        height=300
    )


def _one_more(table: FigureTable[OneMoreRow], theme: Theme) -> Any:
    rows = [
        {"raters": row.raters, "items": row.items}
        | drawn(row.reliability)
        | {"who": "Up to as many as there are" if row.raters <= table.meta["of"] else "More than there are"}
        for row in table.rows
        if row.reliability.value is not None
    ]
    return alt.layer(*curves(rows, theme, "Reliability of the mean", apart=False)).properties(height=260)


CHARTS: dict[str, Draw] = {"raters": _raters, "one-more": _one_more}

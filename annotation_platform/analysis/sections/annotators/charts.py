"""Charts of single annotators: each figure of all of them, and one of them with each of the others."""

from collections.abc import Callable
from typing import Any

from annotation_platform.analysis.charts.base import ENDS, Draw, dots_and_intervals, drawn
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.annotators.table_rows import AnnotatorRow, OverItems, WithOtherRow
from annotation_platform.analysis.tables.base import FigureTable, Row

QUARTILES = ("a quarter below", "a quarter above")
LENIENCY = {
    "high": "← stricter · more lenient →",
    "low": "← more lenient · stricter →",
    None: "← lower numbers · higher →",
}

DRIFT = {
    "high": "← grew stricter · more lenient →",
    "low": "← grew more lenient · stricter →",
    None: "← lower numbers than at first · higher →",
}


def _of(
    sides: dict[str, Callable[[AnnotatorRow], OverItems]],
    title: str | dict[str | None, str],
    number: str,
    *,
    zero: bool = True,
    ends: tuple[str, str] = ENDS,
) -> Draw:
    """Dots of one figure for each annotator, in the table's order, so that the charts of a page have one order.

    A title may follow the better end.
    """

    def chart(table: FigureTable[AnnotatorRow], theme: Theme) -> Any:
        rows: list[Row] = [
            {"annotator": row.name, "judged": judged, **drawn(figure)}
            | {"items": figure.items, "judgments": row.judgments}
            for row in table.rows
            for judged, of in sides.items()
            if (figure := of(row)).value is not None
        ]
        order = [row.name for row in table.rows if any(of(row).value is not None for of in sides.values())]
        words = title if isinstance(title, str) else title[table.meta["better"]]
        return dots_and_intervals(
            rows, theme, group="annotator", order=order, title=words, number=number, zero=zero, ends=ends
        )

    return chart


def _pairs(table: FigureTable[WithOtherRow], theme: Theme) -> Any:
    rows: list[Row] = [
        {"annotator": row.other, "judged": judged, "judgments": row.n, "items": row.items} | drawn(tau)
        for row in table.rows
        for judged, tau in (("Raw", row.raw), ("Rescaled", row.rescaled))
        if tau.value is not None
    ]
    order = [row.other for row in table.rows if row.raw.value is not None or row.rescaled.value is not None]
    return dots_and_intervals(rows, theme, group="annotator", order=order, title="τ", number=".3f")


CHARTS: dict[str, Draw] = {
    "annotators-leniency": _of({"Raw": lambda row: row.leniency}, LENIENCY, ".2f"),
    "annotators-drift": _of({"Raw": lambda row: row.drift}, DRIFT, ".2f"),
    "annotators-agreement": _of(
        {"Raw": lambda row: row.tau, "Rescaled": lambda row: row.tau_rescaled}, "Mean τ with the others", ".3f"
    ),
    "annotators-same": _of({"Raw": lambda row: row.same_label}, "Share of equal labels", ".1%", zero=False),
    "annotators-vacuous": _of({"Raw": lambda row: row.vacuous}, "Share of explanations", ".1%"),
    "annotators-seconds": _of({"Raw": lambda row: row.seconds}, "Seconds", ".0f", ends=QUARTILES),
    "annotator-pairs": _pairs,
}

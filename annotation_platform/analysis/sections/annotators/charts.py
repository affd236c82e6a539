"""Charts of single annotators: each figure of all of them, and one of them with each of the others."""

from typing import Any

from annotation_platform.analysis.charts.base import ENDS, Draw, dots_and_intervals, estimate
from annotation_platform.analysis.charts.theme import Theme
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
    sides: dict[str, str],
    title: str | dict[str | None, str],
    number: str,
    *,
    zero: bool = True,
    ends: tuple[str, str] = ENDS,
) -> Draw:
    """Dots of one figure for each annotator, in the table's order, so that the charts of a page have one order.

    A title may follow the better end.
    """

    def chart(table: FigureTable, theme: Theme) -> Any:
        rows: list[Row] = [
            {"annotator": row["name"], "judged": judged, **estimate(row, key)}
            | {"items": row[f"{key}_items"], "judgments": row["judgments"]}
            for row in table.cells
            for key, judged in sides.items()
            if row.get(key) is not None
        ]
        drawn = {row["annotator"] for row in rows}
        order = [row["name"] for row in table.cells if row["name"] in drawn]
        words = title if isinstance(title, str) else title[table.meta["better"]]
        return dots_and_intervals(
            rows, theme, group="annotator", order=order, title=words, number=number, zero=zero, ends=ends
        )

    return chart


def _pairs(table: FigureTable, theme: Theme) -> Any:
    rows: list[Row] = [
        {"annotator": row["other"], "judged": judged, "judgments": row["n"], "items": row["items"]} | estimate(row, key)
        for row in table.cells
        for key, judged in (("raw", "Raw"), ("rescaled", "Rescaled"))
        if row[key] is not None
    ]
    order = [row["other"] for row in table.cells if row["raw"] is not None or row["rescaled"] is not None]
    return dots_and_intervals(rows, theme, group="annotator", order=order, title="τ", number=".3f")


CHARTS: dict[str, Draw] = {
    "annotators-leniency": _of({"leniency": "Raw"}, LENIENCY, ".2f"),
    "annotators-drift": _of({"drift": "Raw"}, DRIFT, ".2f"),
    "annotators-agreement": _of({"tau": "Raw", "tau_rescaled": "Rescaled"}, "Mean τ with the others", ".3f"),
    "annotators-same": _of({"same_label": "Raw"}, "Share of equal labels", ".1%", zero=False),
    "annotators-vacuous": _of({"vacuous": "Raw"}, "Share of explanations", ".1%"),
    "annotators-seconds": _of({"seconds": "Raw"}, "Seconds", ".0f", ends=QUARTILES),
    "annotator-pairs": _pairs,
}

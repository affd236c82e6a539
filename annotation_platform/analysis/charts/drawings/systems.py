"""Charts of the systems whose answers were judged."""

from typing import Any

from annotation_platform.analysis.charts.drawings.base import Draw, dots_and_intervals, long
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.selectors.tables.base import FigureTable


def _means_system(table: FigureTable, theme: Theme) -> Any:
    rows = long(table.rows, {"raw": "Raw", "rescaled": "Rescaled"}, keep=("system", "items", "judgments"))
    ranked = sorted(table.rows, key=lambda row: -(row["raw"] if row["rescaled"] is None else row["rescaled"]))
    return dots_and_intervals(
        rows, theme, group="system", order=[row["system"] for row in ranked], title="Mean", number=".1f", zero=False
    )


CHARTS: dict[str, Draw] = {"means-system": _means_system}

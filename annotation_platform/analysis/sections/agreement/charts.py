"""Charts of agreement as a whole."""

from typing import Any

from annotation_platform.analysis.charts.base import Draw, dots_and_intervals, long
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.agreement.table_rows import AspectRow, CoefficientRow
from annotation_platform.analysis.tables.base import FigureTable


def _agreement(table: FigureTable[CoefficientRow], theme: Theme) -> Any:
    rows = long(table.cells, {"raw": "Raw", "rescaled": "Rescaled"}, keep=("statistic", "items", "judgments"))
    return dots_and_intervals(
        rows,
        theme,
        group="statistic",
        order=[row.statistic for row in table.rows],
        title="Agreement",
        number=".3f",
    )


def _aspects(table: FigureTable[AspectRow], theme: Theme) -> Any:
    rows = long(table.cells, {"raw": "Raw"}, keep=("aspect", "items", "judgments"))
    order = [row.aspect for row in table.rows]
    return dots_and_intervals(rows, theme, group="aspect", order=order, title="Krippendorff α", number=".3f")


CHARTS: dict[str, Draw] = {"agreement": _agreement, "coefficients": _agreement, "aspects": _aspects}

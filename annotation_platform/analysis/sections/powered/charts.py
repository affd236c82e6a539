"""Charts of people and a model at once: a line for each system or pair, people alone above both."""

from typing import Any

from annotation_platform.analysis.charts.base import Draw
from annotation_platform.analysis.charts.grouped import grouped_dots, points_of
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.tables.base import FigureTable, Row

FORMATS = {"share": ".1%", "score": ".1f", "value": ".2f"}


def means(table: FigureTable, theme: Theme) -> Any:
    """Of systems; with each judge where there are several."""
    return _dots(table, theme, "system", "Mean", n="answers")


def differences(table: FigureTable, theme: Theme) -> Any:
    """Of pairs, beside a line at zero."""
    return _dots(table, theme, "pair", "Difference", n="questions", is_difference=True)


def _dots(table: FigureTable, theme: Theme, group: str, title: str, *, n: str, is_difference: bool = False) -> Any:
    several = any(column.key == "judge" for column in table.columns)
    rows: list[Row] = [
        row | {"group": f"{row[group]} ({row['judge']})" if several else row[group], "answers": row[n]}
        for row in table.cells
    ]
    return grouped_dots(
        points_of(rows, "group", table.meta["sides"]),
        theme,
        title,
        number=FORMATS[table.meta["kind"]],
        group=group.capitalize(),
        n=f"{n.capitalize()} in all",
        zero=is_difference,
        is_difference=is_difference,
    )


CHARTS: dict[str, Draw] = {
    "powered": means,
    "powered-differences": differences,
    "powered-scores": means,
    "powered-scores-differences": differences,
}

"""Charts of people and a model at once: a line for each system or pair, people alone above both."""

from typing import Any

from annotation_platform.analysis.charts.base import Draw
from annotation_platform.analysis.charts.grouped import grouped_dots, points_of
from annotation_platform.analysis.charts.theme import Theme
from annotation_platform.analysis.sections.powered.table_rows import DifferenceRow, MeanRow, ModelBeside
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.rows import Estimate

FORMATS = {"share": ".1%", "score": ".1f", "value": ".2f"}


def means(table: FigureTable[MeanRow], theme: Theme) -> Any:
    """Of systems; with each judge where there are several."""
    points = points_of((_named(table, row.system, row.judge), row.answers, sides(table, row)) for row in table.rows)
    number, people = FORMATS[table.meta["kind"]], table.meta["sides"][0]
    return grouped_dots(
        points, theme, "Mean", number=number, group="System", n="Answers in all", zero=False, people=people
    )


def differences(table: FigureTable[DifferenceRow], theme: Theme) -> Any:
    """Of pairs, beside a line at zero."""
    points = points_of((_named(table, row.pair, row.judge), row.questions, sides(table, row)) for row in table.rows)
    number, people = FORMATS[table.meta["kind"]], table.meta["sides"][0]
    return grouped_dots(
        points,
        theme,
        "Difference",
        number=number,
        group="Pair",
        n="Questions in all",
        is_difference=True,
        people=people,
    )


def _named(table: FigureTable, name: str, judge: str) -> str:
    several = any(column.key == "judge" for column in table.columns)
    return f"{name} ({judge})" if several else name


def sides(table: FigureTable, row: ModelBeside) -> dict[str, Estimate]:
    """What is drawn of a row: people alone and, where the model is reckoned with anywhere, both."""
    return dict(zip(table.meta["sides"], (row.people, row.both), strict=False))


CHARTS: dict[str, Draw] = {
    "powered": means,
    "powered-differences": differences,
    "powered-scores": means,
    "powered-scores-differences": differences,
}

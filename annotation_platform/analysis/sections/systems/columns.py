"""The columns that tables of systems have in common, whether plain or weighed by the chances of a draw."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from annotation_platform.analysis.sections.systems.table_rows import SystemRow, WeighedRow
from annotation_platform.analysis.tables.base import Column


def columns_of_means(rows: Iterable[SystemRow | WeighedRow], kind: str, *, is_rescaled: bool) -> list[Column]:
    """The means of a system, with their ranks where an end of the scale is better."""
    return [
        Column("system", _("System")),
        Column("raw", _("Raw"), kind, True),
        *([Column("raw_rank", _("Rank"), "count")] if any(row.raw_rank for row in rows) else []),
        *([Column("rescaled", _("Rescaled"), kind, True)] if is_rescaled else []),
        *([Column("rescaled_rank", _("Rank, rescaled"), "count")] if is_rescaled else []),
    ]


def columns_of_differences(of_each: tuple[Column, Column], kind: str, unit: str) -> list[Column]:
    """The difference of two systems; ``of_each`` says how many answers of the first and of the second it rests on."""
    return [
        Column("pair", _("From → to")),
        Column("difference", _("Difference"), kind, True),
        Column("p_value", "p", "p"),
        Column("p_holm", _("p (Holm)"), "p"),
        Column("questions", _("Questions compared"), "count"),
        *of_each,
        *([Column("units", _("Articles"), "count")] if unit == "article" else []),
        Column("judgments", _("Judgments"), "count"),
        Column("undefined_because", _("Remark")),
    ]
